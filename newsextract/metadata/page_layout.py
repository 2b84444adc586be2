"""Features that tell articles from list pages and static pages, for `page_type`: repeated records, excerpts, dates and
links, pagination, the URL, and the class names by which publishing systems name the page.

Lists show a record many times: a linked heading, a date, an excerpt, "read more". Only words in URLs have a language.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.metadata.describe import Metadata
from newsextract.metadata.markup import MARKUP, any_of
from newsextract.page import Page
from newsextract.page.blocks import ONLY_LINKS, Blocks
from newsextract.page.class_names import BITS, class_names
from newsextract.text import SHORT_LINE
from newsextract.urls.paths import LISTS, kinds_in

Bools = NDArray[np.bool_]
Ints = NDArray[np.signedinteger[Any]]
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5"})
#: How an excerpt ends, and how many of the last characters are searched, so that no match backtracks further.
EXCERPT = re.compile(r"(?:…|\.\.\.|\[…\]|\[\.\.\.\]|→|»|>>)\W*$")
END = 12
#: What each date has: a year, or a separator between digits.
PART_OF_DATE = re.compile(r"\d(?:[./-]\d|[09]\d\d)")
#: A date in a short block, as machines and people write it.
DATE = re.compile(
    r"(?:19|20)\d\d\s?[-./年]\s?\d{1,2}\s?[-./月]\s?\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d"
    r"|\b\d{1,2}\W{0,3}(?:de |of )?[^\W\d]{3,12}\W{1,3}(?:de )?(?:19|20)\d\d"
    r"|[^\W\d]{3,12}\W{1,2}\d{1,2}\W{1,3}(?:19|20)\d\d|^\d\d[-/.]\d\d$"
)
LIST_PATH = re.compile(
    r"/(?:page|pagina|seite|p)[/-]?\d+(?:/|$)|index\d+\.html?$"
    r"|/(?:blog|posts?|news)/?(?:index\.html?)?$",
    re.I,
)
#: What segments of a static page's path name.
STATIC = frozenset({"service", "private", "search", "media"})
MONTH_PATH = re.compile(r"/(?:19|20)\d\d(?:/\d\d?){0,2}/?(?:index\.html?)?$|/page/\d+/?(?:index\.html?)?$", re.I)
#: Feature -> class words of `body` by which WordPress, Ghost, Hexo and Hugo themes name the page type.
BODY_CLASSES = {feature: any_of(names, word=r"\s") for feature, names in MARKUP["body"].items()}
#: Classes of elements: one record of a list, pagination, links to the next and previous post; parts that only a post
#: has (comment form, author box, tags), parts of lists.
RECORD, PAGER, POST_NAVIGATION = BITS["lists"].values()
POST_PARTS, LIST_PARTS = (sum(BITS[section].values()) for section in ("post_parts", "list_parts"))
LAYOUT = RECORD | PAGER | POST_NAVIGATION | POST_PARTS | LIST_PARTS
LIST_TYPES = frozenset(MARKUP["types"]["list"])
#: Blocks before and after the text that still belong to its record.
BEFORE = 6
BEHIND = 3
#: Maximum characters of a short link, of a block that may be a date, of a line that may be an excerpt.
SHORT_LINK = 30
EXCERPT_LINE = 80


def page_layout_features(page: Page, path: str, metadata: Metadata) -> dict[str, float]:
    """Feature -> value from 0 to 1; `path`: of the page's URL, decoded."""
    return {
        **_record_features(page.blocks, metadata.body_blocks),
        **_class_features(page),
        **_path_features(path),
        **_title_features(page, metadata.json_ld_types, metadata.values.get("headline") or ""),
    }


def _record_features(blocks: Blocks, body_blocks: Sequence[int]) -> dict[str, float]:
    """Repeated links and dates, linked headings, excerpts: on the whole page and around the text."""
    if not len(blocks):
        return {}
    texts, lengths, shares, tags = blocks.texts, blocks.lengths, blocks.link_shares, blocks.tags
    linked = shares > ONLY_LINKS
    is_heading = blocks.has_tag(HEADINGS).take(blocks.elements)
    linked_heading = is_heading & linked
    features = {
        "has h1": "h1" in tags,
        "h1 linked": "h1" in [tags[row] for row in linked_heading.nonzero()[0].tolist()],
        "long paragraphs": _bounded(int(np.count_nonzero((lengths > 200) & (shares < 0.5))), 10),
    }
    if not len(body_blocks):
        return features
    rows = np.asarray(body_blocks)
    first, last = int(rows[0]), int(rows[-1])
    near = slice(max(0, first - BEFORE), min(len(texts), last + BEHIND))
    span = slice(first, last + 1)
    near_lengths = lengths[near]
    short_links = ((linked[near] & (near_lengths <= SHORT_LINK)).nonzero()[0] + near.start).tolist()
    dated = (text for text in texts[near] if len(text) < SHORT_LINE and PART_OF_DATE.search(text) and DATE.search(text))
    size = max(1.0, float(lengths[rows].sum()))
    lines = [texts[row] for row in rows[lengths[rows] >= EXCERPT_LINE].tolist()]
    linked_headings = int(np.count_nonzero(linked_heading[near]))
    return features | {
        "excerpts": sum(map(_is_excerpt, lines)) / max(2, len(lines)),
        "linked headings in the text": _bounded(linked_headings, 4),
        "one linked heading at most": linked_headings <= 1,
        "dates in the text": _bounded(len([*dated]) - 1, 4),
        "text under linked headings": linked_headings and _under_links(is_heading, linked, lengths, rows) / size,
        "repeated link in the text": _bounded(max(Counter([texts[row] for row in short_links]).values(), default=0), 4),
        "links in span": float(blocks.linked[span].sum()) / max(1.0, float(lengths[span].sum())),
        "blocks kept": _bounded(len(rows), 30),
        "text of the page": size / max(1.0, float(lengths[shares < 0.5].sum())),
        "log text": _bounded(math.log1p(size), 10),
    }


def _is_excerpt(line: str) -> bool:
    if line[-1].isalnum() or (line[-1] == "." and line[-2].isalnum()):  # as most lines do
        return False
    end = line[-END:]
    return EXCERPT.search(end if any(map(str.isalnum, end)) else line) is not None


def _under_links(is_heading: Bools, linked: Bools, lengths: Ints, rows: Ints) -> float:
    """Characters of the text whose nearest heading above is a link."""
    before = max(0, int(rows[0]) - BEFORE)
    numbers = np.arange(len(lengths))
    heading = is_heading & (lengths > 3) & (numbers >= before)
    above = np.maximum.accumulate(np.where(heading, numbers, -1))[rows]
    under = (above >= 0) & linked[above] & ~is_heading[rows]
    return float(lengths[rows][under].sum())


def _class_features(page: Page) -> dict[str, float]:
    """Class names of the body and of its elements."""
    body = page.body
    of_body = " ".join(("", *filter(None, (body.get("class"), body.get("id"))))).lower()
    named, known = Counter(page.blocks.element_classes).items(), class_names().masks
    masks = [(bits, count) for name, count in named if (bits := known[name] & LAYOUT)]
    records = sum(count for bits, count in masks if bits & RECORD)
    on_page = reduce(or_, (bits for bits, _ in masks), 0)
    return {
        **{name: pattern.search(of_body) is not None for name, pattern in BODY_CLASSES.items()},
        "one record": records == 1,
        "several records": _bounded(records - 1, 8),
        "pager": bool(on_page & PAGER),
        "post navigation": bool(on_page & POST_NAVIGATION),
        "parts of a post": _bounded((on_page & POST_PARTS).bit_count(), 3),
        "parts of a list": _bounded(sum((bits & LIST_PARTS).bit_count() * count for bits, count in masks), 8),
        "rel next": bool(page.meta.links.get("next")),
        "rel prev": bool(page.meta.links.get("prev")),
    }


def _path_features(path: str) -> dict[str, float]:
    """The URL's path: of a list, a month, a static page; how many steps."""
    steps = [step for step in path.split("/") if step and step not in ("index.html", "index.htm", "index.php")]
    kinds = kinds_in(path)
    return {
        "path of a list": not kinds.isdisjoint(LISTS) or LIST_PATH.search(path) is not None,
        "path of a month": MONTH_PATH.search(path) is not None,
        "path of a static page": not kinds.isdisjoint(STATIC),
        "one step": len(steps) == 1,
        "long last step": bool(steps) and len(steps[-1]) > 25,
    }


def _title_features(page: Page, types: frozenset[str], headline: str) -> dict[str, float]:
    """What the page declares itself to be, and whether its title contains its headline."""
    title, text = (page.meta.title or "").casefold(), headline.casefold()
    return {
        "declares a list": bool(types & LIST_TYPES),
        "declares a story": any(name.endswith(("Article", "Posting")) for name in types),
        "title begins with headline": bool(text) and title.startswith(text[:40]),
        "headline not in title": bool(text) and text[:30] not in title,
        "og description": bool(page.meta.get("og:description")),
        "article section": bool(page.meta.get("article:section") or page.meta.get("article:tag")),
    }


def _bounded(count: float, most: float) -> float:
    """A count as a share of `most`, from 0 to 1."""
    return min(1.0, max(0.0, count) / most)
