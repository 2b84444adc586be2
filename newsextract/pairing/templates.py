"""Whether two pages are of one template, by the elements that they are built of.

URLs say which page is likely to be a twin; a redesign, another edition or an archive of years keeps the URL's shape and
changes the page. A template shows in its (tag, class words, parent's tag) triples: pages of one crawl share over .8 of
the smaller page's, pages of a site from before and after a redesign under .7, pages of different sites under .15
(measured on 75 pairs of the fundus pages).
"""

import re
from typing import Any
from zlib import crc32

from newsextract.page import Page

#: The share of the smaller page's kinds of elements that must be in the other, and of those of both together: a
#: section page has all that an article's head and foot are built of, and little else.
SAME, OF_BOTH = 0.7, 0.5
#: More kinds of elements than any template has.
MOST = 500
NUMBERS = re.compile(r"\d+")


def template_of(page: Page) -> frozenset[int]:
    """The kinds of block elements of a page, each as a number that is the same in every process."""
    kinds: dict[tuple[str, str, int], int] = {}
    blocks = page.blocks
    tags = blocks.element_tags
    for tag, classes, parent in zip(tags, blocks.element_classes, blocks.parents.tolist(), strict=True):
        kind = (tag, classes or "", parent if parent < 0 else hash(tags[parent]))
        if kind not in kinds:
            kinds[kind] = _number(tag, kind[1], tags[parent] if parent >= 0 else "")
            if len(kinds) >= MOST:
                break
    return frozenset(kinds.values())


def same_template(first: frozenset[int], second: frozenset[int]) -> bool:
    """Whether two pages with these kinds of elements are of one template."""
    common = len(first & second)
    return common > 0 and common >= SAME * min(len(first), len(second)) and common >= OF_BOTH * len(first | second)


def _number(tag: str, classes: str, parent: str) -> int:
    words: list[Any] = sorted(NUMBERS.sub("", classes).split()[:2])
    return crc32(" ".join((tag, parent, *words)).encode("utf-8", "replace"))
