"""Title candidates: every text that may be the article's headline, with where it stands. The choice is `metadata`'s.

Parts of the document's title are candidates of their own, because its order ("Title | Site", "Site - Title",
"Title_Section_Site") differs from site to site.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from newsextract.page.json_ld import types

#: What separates title, section and site in a document title: a plain hyphen or quotation mark needs spaces (or a run,
#: or Han before it, or a short name with Han as all that follows), an underscore spaces or Han, to count.
SEPARATOR = re.compile(
    r"\s+[-–—|·•»«:/~<>_]{1,3}\s+|\s*[|｜]+\s*|(?<=[\u3000-\u9fff])\s*[-–—_]+\s*|_+(?=[\u3000-\u9fff])|-{2,}"
    r"|\s+[-–—]\s*$|-(?=[^-]{0,12}[\u3400-\u9fff][^-]{0,12}$)"
)
#: Types of JSON-LD objects whose name or headline is the page's.
TITLED = re.compile(r"Article|Posting|Report|Review$|Recipe|HowTo|WebPage|Blog$|News", re.A)
#: Elements that end a line within a heading.
BREAKING = ("br", "div", "p", "h2", "h3", "h4", "li")
MAX_HEADINGS = 12
MAX_LENGTH = 400


class Title(NamedTuple):
    """A candidate: its text on one line, its source (`h1`, `title`, `title-part`, `og`, ...), its element if any."""

    text: str
    source: str
    element: Any = None


def candidates(page: Any) -> list[Title]:
    """The candidates of a page in the order headings, OpenGraph, JSON-LD, title, its parts, anchor text."""
    found = _headings(page.meta.headings)
    for source, name in (("og", "og:title"), ("twitter", "twitter:title"), ("meta", "title"), ("meta", "dc.title")):
        found += [Title(line(text), source) for text in page.meta.all(name)[:2]]
    found += _structured(page.json_ld)
    if page.meta.title:
        found.append(Title(line(page.meta.title), "title"))
        found += [Title(part, "title-part") for part in parts(page.meta.title)]
    if page.anchor_text:
        found.append(Title(line(page.anchor_text), "anchor"))
    return [title for title in found if title.text]


def parts(title: str) -> list[str]:
    """The document title's pieces and runs of pieces, without the whole: "A - B | C" gives A, A - B, B, B | C, C."""
    return list(_parts(line(title)))


@lru_cache(maxsize=256)
def _parts(title: str) -> tuple[str, ...]:
    """The same of a title on one line; kept, since a page says its title four times."""
    cuts = [(match.start(), match.end()) for match in SEPARATOR.finditer(title)][:6]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(title)]
    runs = [title[start:end].strip() for i, start in enumerate(starts) for end in ends[i:]]
    return tuple(run for run in dict.fromkeys(runs) if run and run != title)


def line(text: str) -> str:
    """The text on one line, cut at MAX_LENGTH characters."""
    return " ".join(text[: 4 * MAX_LENGTH].split())[:MAX_LENGTH]


def text_of(element: Any) -> str:
    """An element's text on one line; reads no more of it than a headline may need.

    Where one element ends and the next begins, their words are kept apart: behind a line break, and where a capital
    follows a small letter.
    """
    if not len(element):
        return line(element.text or "")
    text = ""
    broken = next(element.iter(*BREAKING), None) is not None
    for piece in element.itertext():
        text += f" {piece}" if broken or (piece[:1].isupper() and text[-1:].islower()) else piece
        if len(text) > 4 * MAX_LENGTH:
            break
    return line(text)


def _headings(headings: dict[str, list[Any]]) -> list[Title]:
    found = [
        Title(text_of(element), tag, element)
        for tag, most in (("h1", MAX_HEADINGS), ("h2", 3))
        for element in headings[tag][:most]
    ]
    return found + [Title(rest, "h1-rest") for title in found if title.source == "h1" and (rest := _rest(title))]


def _rest(heading: Title) -> str:
    """What follows the element that a heading begins with: that may be its topic, or a label."""
    first = next(iter(heading.element), None)
    if first is None or (heading.element.text or "").strip() or not isinstance(first.tag, str):
        return ""
    opening = text_of(first)
    return heading.text.removeprefix(opening).lstrip(" -–—:|") if opening and opening != heading.text else ""


def _structured(json_ld: list[dict[str, Any]]) -> list[Title]:
    found = []
    for thing in json_ld:
        if any(TITLED.search(name) for name in types(thing)):
            found += [
                Title(line(text), f"json-ld-{name}")
                for name in ("headline", "name", "alternativeHeadline")
                if isinstance(text := thing.get(name), str)
            ]
    return found
