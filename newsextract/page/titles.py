"""Title candidates: every text that may be the article's headline, with its source; `metadata` chooses among them.

Parts of the document title are also candidates, because its order ("Title | Site", "Site - Title",
"Title_Section_Site") differs from site to site.
"""

import re
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from turbohtml import Element, Text
from turbohtml.etree import ElementView

from newsextract.page.class_names import BITS, mask_of
from newsextract.page.json_ld import types
from newsextract.page.page import Page
from newsextract.page.walk import MAX_NODES, is_permalink
from newsextract.text import HAN, KANA, MAX_TITLE, character_class, composed, is_placeholder

#: Chinese and Japanese characters with their punctuation.
CJK = "\u3000-\u303f" + character_class(HAN, KANA)
#: Separates title, section and site in a document title. Hyphens and quotation marks separate between spaces, in a run,
#: behind CJK, or before a last part of at most 25 characters with Han; an underscore between spaces or beside CJK. It
#: begins with a set, which makes the search fast.
SEPARATOR = re.compile(
    rf"[\s|｜–—_-](?:(?<=\s)(?<!\s\s)\s*(?:[-–—|·•»«:/~<>_]{{1,3}}\s+|[|｜]+\s*|[-–—]\s*$)|(?<=[|｜])[|｜]*\s*"
    rf"|(?<=[{CJK}].)(?:(?<=\s)(?<!\s\s)\s*[-–—_]|(?<=[-–—_]))[-–—_]*\s*|(?<=_)(?<!__)_*(?=[{CJK}])"
    rf"|(?<=-)(?:-+|(?=[^-]{{0,12}}[{character_class(HAN)}][^-]{{0,12}}$)))"
)
#: JSON-LD types whose headline or name is the page's.
TITLED = re.compile(r"Article|Posting|Report|Review$|Recipe|HowTo|WebPage|Blog$|News", re.A)
#: Elements that end a line within a heading.
BREAKING = ("br", "div", "p", "h2", "h3", "h4", "li")
#: Class of a heading's first element, if that is a topic or label above the headline.
KICKER = BITS["page"]["kicker"]
#: Elements without a text of the page.
UNREAD = ("style", "script", "button")


class Title(NamedTuple):
    """A candidate: its text on one line, its source (`h1`, `title`, `title-part`, `og`, ...), its element or None."""

    text: str
    source: str
    element: Any = None


def title_candidates(page: Page) -> list[Title]:
    """The candidates of a page in the order headings, OpenGraph, JSON-LD, title, its parts, feed, anchor text."""
    titles = [*page.view(declared_titles)]
    if page.listing is not None and page.listing.title:
        titles.append(Title(line(page.listing.title), page.listing.source))
    if page.anchor_text:
        titles.append(Title(line(page.anchor_text), "anchor"))
    return [title for title in titles if title.text and not is_placeholder(title.text)]


def declared_titles(page: Page) -> list[Title]:
    """The candidates that the page itself has, also those that are empty. A view."""
    titles = _headings(page.meta.headings)
    for source, name in (("og", "og:title"), ("twitter", "twitter:title"), ("meta", "title"), ("meta", "dc.title")):
        titles += [Title(line(text), source) for text in page.meta.all(name)[:2]]
    titles += _from_json_ld(page.json_ld)
    if page.meta.title:
        titles.append(Title(line(page.meta.title), "title"))
        titles += [Title(part, "title-part") for part in parts(page.meta.title)]
    return titles


@lru_cache(maxsize=256)
def parts(title: str) -> tuple[str, ...]:
    """The parts of a document title and runs of them: "A - B | C" gives A, A - B, B, B | C, C."""
    title = line(title)
    cuts = [(match.start(), match.end()) for match in SEPARATOR.finditer(title)][:6]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(title)]
    runs = [title[start:end].strip() for i, start in enumerate(starts) for end in ends[i:]]
    return tuple(run for run in dict.fromkeys(runs) if run and run != title)


def line(text: str) -> str:
    """The text on one line, in NFC, truncated to MAX_TITLE characters."""
    return composed(" ".join(text[: 4 * MAX_TITLE].split())[:MAX_TITLE])


def text_of(element: ElementView) -> str:
    """An element's text on one line; a space at line breaks, and between a small letter and a capital."""
    nodes = [*islice(element.node.descendants, MAX_NODES)]
    parts = [element.node, *(node for node in nodes if type(node) is Element)]
    if len(parts) == 1:
        return line(element.text or "")
    text = ""
    broken = any(part.tag in BREAKING for part in parts)
    hidden = {ElementView(part).text for part in parts if part.tag in UNREAD}
    for link in (part for part in parts if part.tag == "a" and is_permalink(part)):
        hidden.update(node.data for node in islice(link.descendants, MAX_NODES) if type(node) is Text)
    for piece in (node.data for node in nodes if type(node) is Text):
        if piece in hidden:
            continue
        text += f" {piece}" if broken or (piece[:1].isupper() and text[-1:].islower()) else piece
        if len(text) > 4 * MAX_TITLE:
            break
    return line(text)


def _headings(headings: dict[str, list[ElementView]]) -> list[Title]:
    titles, rests = [], []
    for element in headings["h1"]:
        text = text_of(element)
        first, rest = _rest(element, text)
        is_kicker = rest and mask_of(first.get("class")) & KICKER
        titles.append(Title(rest if is_kicker else text, "h1", element))
        rests += [Title(rest, "h1-rest")] if rest and not is_kicker else []
    return titles + [Title(text_of(element), "h2", element) for element in headings["h2"][:3]] + rests


def _rest(heading: ElementView, text: str) -> tuple[Any, str]:
    """A heading's first element, which may be a topic, and what of its text is after it; "" if it begins with text."""
    first = next(iter(heading), None)
    if first is None or (heading.text or "").strip() or not isinstance(first.tag, str):
        return None, ""
    opening = text_of(first)
    return first, text.removeprefix(opening).lstrip(" -–—:|") if opening and opening != text else ""


def _from_json_ld(json_ld: list[dict[str, Any]]) -> list[Title]:
    titles = []
    for thing in json_ld:
        if any(map(TITLED.search, types(thing))):
            titles += [
                Title(line(text), f"json-ld-{name}")
                for name in ("headline", "name", "alternativeHeadline")
                if isinstance(text := thing.get(name), str)
            ]
    return titles
