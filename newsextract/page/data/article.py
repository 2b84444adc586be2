"""The article of a page's data as a page of its own: the head as it is, the text of the best candidate as its body."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from newsextract.page.data import flight
from newsextract.page.data.candidates import (
    SAME_TITLE,
    Candidate,
    find_candidates,
    path_text,
    title_similarity,
    titles_of,
)
from newsextract.page.data.joining import join
from newsextract.page.data.largest_part import largest_part
from newsextract.page.data.prose import plain_text, text_to_html
from newsextract.page.data.ranking import PageClues, clues_of, rank, title_match
from newsextract.page.data.rich_text import render
from newsextract.page.data.scripts import DataValue, read_scripts
from newsextract.page.json_ld import types
from newsextract.text import letters_and_digits, words_of

#: Words of which a page with data of an article has one; looked for before anything is parsed.
MARKERS = (
    '"articleBody"',
    "application/json",
    "__next_f",
    "__NUXT",
    "_STATE__",
    "__remixContext",
    "__reactRouter",
    "sveltekit",
    "globalContent",
    "-state",
)
#: JSON-LD of these types has the page's article in `articleBody` or `text`.
ARTICLE_TYPE = re.compile(
    r"(?:Article|BlogPosting|Report|ReportageNewsArticle|Posting)$|^(?:Recipe|Review|CreativeWork|WebPage|Product)$"
)
BODY_NAMES = ("articleBody", "reviewBody", "text")
#: Elements of the head that the page of the article needs.
HEAD_TAGS = frozenset({"title", "meta", "link", "base"})
#: Characters of visible text under which a page shows no article, so that its data are all there is of it.
MAX_FRAME = 1_000
#: Score from which on a candidate is taken for an article, and how many are tried.
MIN_SCORE, MAX_TRIED = 5.5, 3
#: Score under which a text without the page's headline is none of an article's: about 3,000 characters, nothing else.
MIN_SURE = 8.0
#: Share of a declared text's words that a longer version of it has, and how much longer it is.
MIN_SHARED, MIN_LONGER, MAX_LONGER = 0.85, 1.15, 3.0
#: A declared text is whole from so many characters on if it ends with a sentence: what is longer has other articles.
MIN_WHOLE, WHOLE_END = 800, re.compile(r"(?<!\.\.)[.!?。！？][\s\"'”’»)\]」』]*\Z")
#: Longest description; a main heading of a text, and where it can stand.
MAX_DESCRIPTION, MAX_HEADING_AT = 400, 200_000
HEADING = re.compile(r"<h1[^>]*>(.*?)</h1>", re.S)
#: Share of a candidate's characters that its rendering must keep; characters of a declared text.
MIN_RENDERED, MIN_DECLARED = 0.5, 100


@dataclass(frozen=True)
class DataArticle:
    """The text that a page's data hold. `source`: "json-ld", "next-data" ...; `path`: where it stands; `score`: of
    `ranking`; `title_match`: similarity of its headline to the page's, 0 to 1; `html`: of its body; `owners`: the
    objects around it, inmost first; `is_list`: whether it is a list of other articles; `is_whole`: whether it is the
    largest part of the data, of a page that seems to be no article."""

    source: str
    path: str
    score: float
    title_match: float
    html: str
    owners: tuple[dict[str, Any], ...]
    is_list: bool = False
    is_whole: bool = False

    @property
    def text(self) -> str:
        return plain_text(self.html)


def may_have_data(html: str) -> bool:
    """Whether a page may have an article in its data."""
    return any(marker in html for marker in MARKERS)


def find_data_article(page: Any) -> DataArticle | None:
    """The best candidate of a `Page`'s data; None where none is likely to be its article."""
    if page.tree is None:
        return None
    declared, values = [*_json_ld_candidates(page.json_ld)], [*read_scripts(page.tree.node)]
    if not declared and not values:
        return None
    clues = clues_of(page)
    candidates = [*declared, *find_candidates(values, clues.titles)]
    ranked = rank(candidates, clues)
    is_frame = int(page.blocks.lengths.sum()) < MAX_FRAME
    found = _best_article(ranked, clues, is_frame)
    if not is_frame or _is_article(found) or page.declares_article:
        return found
    return _whole(values) or found


def _best_article(ranked: list[tuple[float, Candidate]], clues: PageClues, is_frame: bool) -> DataArticle | None:
    """The first candidate that may be the article and has text, with the other parts of it."""
    for score, best in _longer_first(ranked[:MAX_TRIED]):
        if score < MIN_SCORE:
            break
        if _is_description(best, clues):
            continue
        candidate = join(best, [other for _, other in ranked if other is not best], clues) if is_frame else best
        html = _html(candidate)
        if html:
            match = max(title_match(candidate, clues), _heading_match(html, clues))
            owners = tuple(candidate.owners)
            return DataArticle(candidate.source, candidate.path, score, match, html, owners, candidate.is_list)
    return None


def _is_article(found: DataArticle | None) -> bool:
    """Whether a text is an article's: declared, with the page's headline, or long."""
    return found is not None and (
        found.source == "json-ld" or found.title_match >= SAME_TITLE or found.score >= MIN_SURE
    )


def _whole(values: list[DataValue]) -> DataArticle | None:
    """The largest part of the data, where it has text."""
    part = largest_part(values)
    html = render(part[2]) if part else ""
    if part is None or not html:
        return None
    data, path, _ = part
    return DataArticle(data.source, path_text(data.name, path), 0.0, 0.0, html, (), is_whole=True)


def _longer_first(ranked: list[tuple[float, Candidate]]) -> list[tuple[float, Candidate]]:
    """The candidates, one that has a declared text and goes on before it: JSON-LD often has only a part."""
    if not ranked or not ranked[0][1].is_declared:
        return ranked
    text = plain_text("\n".join(ranked[0][1].texts))
    if len(text) >= MIN_WHOLE and WHOLE_END.search(text):
        return ranked
    declared = Counter(words_of(text))
    for row in ranked[1:]:
        other = Counter(words_of(plain_text(_html(row[1]))))
        longer = other.total() / max(1, declared.total())
        shared = (declared & other).total() / max(1, declared.total())
        if shared >= MIN_SHARED and MIN_LONGER <= longer <= MAX_LONGER:
            return [(ranked[0][0], row[1]), *(one for one in ranked if one is not row)]
    return ranked


def _is_description(candidate: Candidate, clues: PageClues) -> bool:
    """Whether a candidate is no more than the page's description."""
    text = "".join(candidate.texts)
    return len(text) < MAX_DESCRIPTION and bool(clues.description) and clues.description in letters_and_digits(text)


def _heading_match(html: str, clues: PageClues) -> float:
    """The best similarity of a main heading of the text to a title of the page."""
    headings = [{"title": heading} for heading in HEADING.findall(html[:MAX_HEADING_AT])[:5]]
    return max((title_similarity(heading, clues.titles) for heading in headings), default=0.0)


def _html(candidate: Candidate) -> str:
    """The candidate's text as HTML: its value rendered, or its strings where most of them would be lost by that."""
    if candidate.rendered is not None:
        return flight.render(candidate.rendered)
    html = render(candidate.value)
    size = sum(map(len, map(plain_text, set(candidate.texts))))
    kept = re.sub(r"<aside.*?</aside>", "", html, flags=re.S) if "<aside" in html else html
    return html if len(plain_text(kept)) >= MIN_RENDERED * size else "".join(map(text_to_html, candidate.texts))


def _json_ld_candidates(objects: list[dict[str, Any]]) -> Iterator[Candidate]:
    posts = [thing["blogPost"] for thing in objects if isinstance(thing.get("blogPost"), list | dict)]
    only = [post for one in posts for post in (one if isinstance(one, list) else [one]) if isinstance(post, dict)]
    for thing in (*objects, *(only if len(only) == 1 else ())):
        if not any(ARTICLE_TYPE.search(name) for name in types(thing)):
            continue
        for name in BODY_NAMES:
            value = thing.get(name)
            text = "\n".join(one for one in value if isinstance(one, str)) if isinstance(value, list) else value
            if isinstance(text, str) and len(text) >= MIN_DECLARED:
                path = f"{types(thing)[0]}.{name}"
                yield Candidate("json-ld", path, value, len(text), [text], [thing], name == BODY_NAMES[0])


def article_page_html(page: Any, article: DataArticle) -> str:
    """The HTML of a page with this article as its body and the head of `page`."""
    head = [
        element.html
        for element in page.tree.node.iter_elements((*HEAD_TAGS, "script"))
        if element.tag != "script" or "ld+json" in (element.attr("type") or "").lower()
    ]
    root = page.tree
    language = root.get("lang")
    title = next((title for owner in article.owners for title in titles_of(owner)), "")
    opening = f'<html lang="{escape(language)}">' if language else "<html>"
    heading = f"<h1>{escape(title, quote=False)}</h1>" if title else ""
    body = f"<body><article>{heading}{article.html}</article></body>"
    return f"<!DOCTYPE html>{opening}<head>{''.join(head)}</head>{body}</html>"
