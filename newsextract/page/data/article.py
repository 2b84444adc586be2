"""The article of a page's data as a page of its own: the head as it is, the text of the best candidate as its body.

Headline, authors, dates, section and image of the objects around the text are one object of JSON-LD, which the metadata
read as any other, behind what the page itself declares.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

from newsextract.page.data.candidates import (
    SAME_TITLE,
    Candidate,
    PageClues,
    clues_of,
    find_candidates,
    join,
    largest_part,
    path_text,
    rank,
    title_match,
    titles_of,
)
from newsextract.page.data.javascript import Json
from newsextract.page.data.prose import plain_text
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
#: Characters of a declared text, and of a description at most.
MIN_DECLARED, MAX_DESCRIPTION = 100, 400


@dataclass(frozen=True)
class DataArticle:
    """The text that a page's data hold. `source`: "json-ld", "next-data" ...; `path`: where it stands; `score`: of
    `candidates`; `title_match`: similarity of its headline to the page's, 0 to 1; `html`: of its body; `owners`: the
    objects around it, inmost first; `is_list`: whether it is a list of other articles; `is_whole`: whether it is the
    largest part of the data, of a page that seems to be no article."""

    source: str
    path: str
    score: float
    title_match: float
    html: str
    owners: tuple[dict[str, Json], ...]
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
    candidates = [*declared, *find_candidates(values)]
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
        html = render(candidate.value)
        if html:
            match, owners = title_match(candidate, clues), tuple(candidate.owners)
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
        other = Counter(words_of(plain_text(render(row[1].value))))
        longer = other.total() / max(1, declared.total())
        shared = (declared & other).total() / max(1, declared.total())
        if shared >= MIN_SHARED and MIN_LONGER <= longer <= MAX_LONGER:
            return [(ranked[0][0], row[1]), *(one for one in ranked if one is not row)]
    return ranked


def _is_description(candidate: Candidate, clues: PageClues) -> bool:
    """Whether a candidate is no more than the page's description."""
    text = "".join(candidate.texts)
    return len(text) < MAX_DESCRIPTION and bool(clues.description) and clues.description in letters_and_digits(text)


def _json_ld_candidates(objects: list[dict[str, Json]]) -> Iterator[Candidate]:
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


# ---- fields ---------------------------------------------------------------------------------------------------------


#: Property of schema.org -> names under which systems keep it, the most telling first.
NAMES: dict[str, tuple[str, ...]] = {
    "datePublished": tuple(
        """datePublished publishedAt published_at publishDate publish_date publicationDate publication_date
        publishedDate datePublication firstPublishedAt first_published_at firstPublished first_publish_date
        display_date displayDate pubDate published_date publishTime published date_gmt date postDate createdAt
        created_at""".split()
    ),
    "dateModified": tuple(
        """dateModified updatedAt updated_at modifiedAt modified_at lastModified last_modified last_updated_date
        lastUpdated updatedDate updateDate modified_gmt modified updated""".split()
    ),
    "author": tuple("authors author byline bylines creator creators writers credits contributors".split()),
    "articleSection": tuple("section primarySection primary_section category primaryCategory channel rubric".split()),
    "image": tuple(
        """image mainImage main_image featuredImage featured_image leadImage heroImage coverImage cover_image cover
        teaserImage thumbnail promo_image""".split()
    ),
}
PERSON_NAMES = ("name", "fullName", "full_name", "displayName", "display_name", "title", "byline")
TEXT_NAMES = ("name", "title", "label", "displayName")
ADDRESS_NAMES = ("url", "src", "href", "contentUrl", "sourceUrl", "original")
MAX_AUTHORS, MAX_OWNERS, MAX_DEPTH = 10, 4, 4
#: Seconds and milliseconds since 1970 of the years 2000 to 2100.
EPOCH = (946_684_800, 4_102_444_800)


def work_of(owners: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The fields of the objects around a text, inmost first, as a work of JSON-LD; {} where they have none."""
    work: dict[str, Json] = {}
    for owner in owners[:MAX_OWNERS]:
        title = next(titles_of(owner), None)
        if title is not None:
            work.setdefault("headline", title)
        for property_name, names in NAMES.items():
            if property_name not in work:
                found = (READERS[property_name](owner.get(name), 0) for name in names if owner.get(name))
                if value := next((one for one in found if one), None):
                    work[property_name] = value
        if title is not None and "datePublished" in work:
            break
    return {"@type": "CreativeWork", **work} if work else {}


def _date(value: Json, depth: int) -> str | None:
    if isinstance(value, str) and 8 <= len(value) <= 40 and any(map(str.isdigit, value)):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if value > EPOCH[1] else value
        if EPOCH[0] < seconds < EPOCH[1]:
            return datetime.fromtimestamp(seconds, UTC).isoformat()
    if isinstance(value, dict) and depth < MAX_DEPTH:
        return next(filter(None, (_date(value.get(name), depth + 1) for name in ("iso", "date", "value", "utc"))), None)
    return None


def _people(value: Json, depth: int) -> list[Json]:
    """Persons with their names: of a name, an object, or a list of them."""
    if isinstance(value, str):
        name = plain_text(value)
        return [{"@type": "Person", "name": name}] if 2 < len(name) <= 100 and "://" not in name else []
    if depth >= MAX_DEPTH:
        return []
    if isinstance(value, list):
        people = [person for one in value[:MAX_AUTHORS] for person in _people(one, depth + 1)]
        return people[:MAX_AUTHORS]
    if isinstance(value, dict):
        for name in PERSON_NAMES:
            if isinstance(value.get(name), str) and value[name]:
                return _people(value[name], depth + 1)
        first, last = value.get("firstName"), value.get("lastName")
        if isinstance(first, str) and isinstance(last, str):
            return _people(f"{first} {last}".strip(), depth + 1)
        inner = (value.get(name) for name in ("by", "items", "nodes", "data", "attributes", "fields", "author"))
        return next(filter(None, (_people(one, depth + 1) for one in inner if one)), [])
    return []


def _text(value: Json, depth: int) -> str | None:
    if isinstance(value, list) and value and depth < MAX_DEPTH:
        return _text(value[0], depth + 1)
    if isinstance(value, dict):
        value = next((value[name] for name in TEXT_NAMES if isinstance(value.get(name), str)), None)
    return plain_text(value) if isinstance(value, str) and 1 < len(value) <= 60 else None


def _image(value: Json, depth: int) -> str | None:
    if isinstance(value, str):
        return value if value.startswith(("http://", "https://", "/")) and len(value) < 2_000 else None
    if isinstance(value, list) and value and depth < MAX_DEPTH:
        return _image(value[0], depth + 1)
    if isinstance(value, dict) and depth < MAX_DEPTH:
        return next(filter(None, (_image(value.get(name), depth + 1) for name in ADDRESS_NAMES)), None)
    return None


READERS: dict[str, Callable[[Json, int], Json]] = {
    "datePublished": _date,
    "dateModified": _date,
    "author": _people,
    "articleSection": _text,
    "image": _image,
}
