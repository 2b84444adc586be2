"""The article in a page's data as a separate page: the original head, and the text of the best candidate as its body.

Headline, authors, dates, section and image of the objects around the text become one JSON-LD object, which the metadata
read after what the page itself declares.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

from newsextract.items import is_plausible_date
from newsextract.limits import NEARLY_ALL
from newsextract.page.data.candidates import (
    MIN_LONGER,
    SAME_TITLE,
    Candidate,
    ProseString,
    clues_of,
    find_candidates,
    largest_part,
    rank,
    read_prose,
    title_match,
    titles_of,
    widen,
)
from newsextract.page.data.javascript import MIN_LITERAL, Json
from newsextract.page.data.prose import plain_text
from newsextract.page.data.rich_text import NAMES, render
from newsextract.page.data.scripts import DataValue, read_scripts
from newsextract.page.json_ld import ARTICLE_ENDINGS, declares_article, types
from newsextract.page.json_text import MAX_DEPTH
from newsextract.page.page import Page
from newsextract.page.walk import SHOWN_LATER
from newsextract.text import words_of

#: JSON-LD of articles and of these types has the page's article in `articleBody` or `text`.
WITH_TEXT = ("Recipe", "Review", "CreativeWork", "WebPage", "Product")
BODY_NAMES = ("articleBody", "reviewBody", "text")
#: Elements of the head that the article's page needs.
HEAD_TAGS = frozenset({"title", "meta", "link", "base"})
#: How many candidates are tried, best first, and their minimum score.
MAX_TRIED = 3
MIN_SCORE = 5.5
#: Minimum score of a text without the page's headline: about 3,000 characters and no other evidence.
MIN_SURE = 8.0
#: How much longer a longer version of a declared text is at most.
MAX_LONGER = 3.0
#: From this many characters on, a declared text that ends with a sentence is complete: longer ones have other articles.
MIN_WHOLE = 800
WHOLE_END = re.compile(r"(?<!\.\.)[.!?。！？][\s\"'”’»)\]」』]*\Z")


@dataclass(frozen=True)
class DataArticle:
    """The text in a page's data. `source`: "json-ld", "next-data" ...; `path`: its position; `title_match`:
    similarity of its headline to the page's, 0 to 1; `html`: of its body; `around`: the objects around it, innermost
    first; `is_list`: whether it is a list of other articles.
    """

    source: str
    path: str
    title_match: float
    html: str
    around: tuple[dict[str, Json], ...]
    is_list: bool = False

    @property
    def text(self) -> str:
        return plain_text(self.html)


class _DataPage(Page):
    """The page made from the data of another one, whose declarations it has; its own data are its text."""

    def __init__(self, shown: Page, article: DataArticle) -> None:
        super().__init__(_page_html(shown, article), shown.url, anchor_text=shown.anchor_text)
        self.listing, self.selectors = shown.listing, shown.selectors
        work = work_of(article.around) if article.source != "json-ld" else {}
        self._declared = [*shown.json_ld, *([work] if work else [])]

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """The objects of the other page's JSON-LD, and those of its data as one."""
        return self._declared


def data_page(page: Page) -> Page | None:
    """A page with the text of its data (`find_data_article`) as its body and the head of this one, or None. A view."""
    article = page.view(find_data_article)
    return None if article is None else _DataPage(page, article)


def find_data_article(page: Page) -> DataArticle | None:
    """The best candidate in a page's data; None if none is likely to be its article. A view."""
    if isinstance(page, _DataPage):
        return None
    declared, prose = [*_json_ld_candidates(page.json_ld)], read_prose(read_scripts(page.listed))
    if not declared and not prose:
        return None
    clues = clues_of(page)
    ranked = rank([*declared, *find_candidates(prose)], clues)
    is_frame = int(page.blocks.lengths.sum()) < SHOWN_LATER
    names = (name for thing in page.json_ld for name in types(thing))
    found, is_article = None, declares_article(names, page.meta.get("og:type"))
    for points, best in _longer_first(ranked[:MAX_TRIED]):
        candidate = widen(best, [other for _, other in ranked if other is not best], clues) if is_frame else best
        if points >= MIN_SCORE and (html := render(candidate.value)):
            found = _data_article(candidate, html, title_match(candidate, clues))
            is_article |= candidate.is_declared or found.title_match >= SAME_TITLE or points >= MIN_SURE
            break
    if is_frame and not is_article and (part := largest_part(prose)) and (html := render(part.value)):
        return replace(_data_article(part, html, 0.0), around=())
    return found


def _data_article(candidate: Candidate, html: str, match: float) -> DataArticle:
    around = tuple(thing for _, thing in candidate.around)
    return DataArticle(candidate.data.source, candidate.path_text, match, html, around, candidate.is_list)


def _longer_first(ranked: list[tuple[float, Candidate]]) -> list[tuple[float, Candidate]]:
    """The candidates, with a longer version of a declared text before it: JSON-LD often has only a part."""
    if not ranked or not ranked[0][1].is_declared:
        return ranked
    text = ranked[0][1].text
    if len(text) >= MIN_WHOLE and WHOLE_END.search(text):
        return ranked
    declared = Counter(words_of(text))
    for row in ranked[1:]:
        other = Counter(words_of(plain_text(render(row[1].value))))
        longer = other.total() / max(1, declared.total())
        shared = (declared & other).total() / max(1, declared.total())
        if shared >= NEARLY_ALL and MIN_LONGER <= longer <= MAX_LONGER:
            return [(ranked[0][0], row[1]), *(one for one in ranked if one is not row)]
    return ranked


def _json_ld_candidates(objects: list[dict[str, Json]]) -> Iterator[Candidate]:
    posts = [thing["blogPost"] for thing in objects if isinstance(thing.get("blogPost"), list | dict)]
    only = [post for one in posts for post in (one if isinstance(one, list) else [one]) if isinstance(post, dict)]
    for thing in (*objects, *(only if len(only) == 1 else ())):
        if any(name in WITH_TEXT or name.endswith(ARTICLE_ENDINGS) for name in types(thing)):
            data = DataValue("json-ld", types(thing)[0], thing)
            for name in BODY_NAMES:
                value = thing.get(name)
                text = "\n".join(one for one in value if isinstance(one, str)) if isinstance(value, list) else value
                if isinstance(text, str) and len(text) >= MIN_LITERAL:
                    yield Candidate(data, (name,), value, [ProseString((name,), text, len(text), (thing,))])


def _page_html(page: Page, article: DataArticle) -> str:
    """The HTML of a page with this article as its body and the head of `page`."""
    head = [
        element.html
        for element in page.tree.node.iter_elements((*HEAD_TAGS, "script"))
        if element.tag != "script" or "ld+json" in (element.attr("type") or "").lower()
    ]
    language = page.tree.get("lang")
    title = next((title for thing in article.around for title in titles_of(thing)), "")
    opening = f'<html lang="{escape(language)}">' if language else "<html>"
    heading = f"<h1>{escape(title, quote=False)}</h1>" if title else ""
    body = f"<body><article>{heading}{article.html}</article></body>"
    return f"<!DOCTYPE html>{opening}<head>{''.join(head)}</head>{body}</html>"


# ---- fields ---------------------------------------------------------------------------------------------------------


class Field(NamedTuple):
    """Where systems keep a property: names of members, best first; `inner`: in an object; `read`: converts it."""

    names: str
    inner: str
    read: Callable[[str | int | float], Json]


def _date(value: str | int | float) -> Json:
    if isinstance(value, str):
        return value if 8 <= len(value) <= 40 and any(map(str.isdigit, value)) else None
    for seconds in (value, value / 1000):
        with suppress(OverflowError, ValueError, OSError):
            if is_plausible_date(when := datetime.fromtimestamp(seconds, UTC)):
                return when.isoformat()
    return None


def _person(value: str | int | float) -> Json:
    name = plain_text(str(value))
    return {"@type": "Person", "name": name} if 2 < len(name) <= 100 and "://" not in name else None


def _text(value: str | int | float) -> Json:
    return plain_text(value) if isinstance(value, str) and 1 < len(value) <= 60 else None


def _address(value: str | int | float) -> Json:
    is_address = isinstance(value, str) and value.startswith(("http://", "https://", "/")) and len(value) < 2_000
    return value if is_address else None


#: Property of schema.org -> its possible places.
READERS = {"datePublished": _date, "dateModified": _date, "author": _person, "articleSection": _text, "image": _address}
FIELDS = {name: Field(places["names"], places["inner"], READERS[name]) for name, places in NAMES["fields"].items()}


def work_of(around: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The fields of the objects around a text, innermost first, as a work of JSON-LD; {} if there are none."""
    work: dict[str, Json] = {}
    for thing in around:
        title = next(titles_of(thing), None)
        if title is not None:
            work.setdefault("headline", title)
        for name, field in FIELDS.items():
            if name not in work and (values := _values(thing, field)):
                work[name] = values if name == "author" else values[0]
        if title is not None and "datePublished" in work:
            break
    return {"@type": "CreativeWork", **work} if work else {}


def _values(thing: Mapping[str, Json], field: Field) -> list[Json]:
    for name in field.names.split():
        leaves = _leaves(thing.get(name), field.inner.split())
        values: list[Json] = [value for leaf in leaves if (value := field.read(leaf))]
        if values:
            return values
    return []


def _leaves(value: Json, inner: Sequence[str], depth: int = 0) -> list[str | int | float]:
    """The strings and numbers in a value: of each member of a list, of the first member of an object that has any."""
    if isinstance(value, str | int | float):
        return [] if isinstance(value, bool) else [value]
    if depth >= MAX_DEPTH or not value:
        return []
    if isinstance(value, list):
        return [leaf for one in value for leaf in _leaves(one, inner, depth + 1)]
    return next(filter(None, (_leaves(value.get(name), inner, depth + 1) for name in inner)), [])
