"""Page templates: whether two pages have the same template, and whether a site's reference pages are still current.

URLs say which page is likely of the same template; a redesign, another edition or an archive of years keeps the URL's
shape and changes the page. A template is compared by the page's (tag, class words, parent's tag) triples: pages of one
crawl share over .8 of the smaller page's triples, pages of a site from before and after a redesign under .7, pages of
different sites under .15 (measured on 75 pairs of the fundus pages).
"""

import re
from functools import lru_cache
from itertools import islice
from zlib import crc32

from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing.url_shapes import url_shape

#: Two pages have the same template if they share this part of the smaller page's triples, and this part of the triples
#: of both: a section page has everything in an article's header and footer, and little else.
MIN_SHARE_OF_SMALLER, MIN_SHARE_OF_BOTH = 0.7, 0.5
#: More triples than any template has.
MAX_TRIPLES = 500
NUMBERS = re.compile(r"\d+")
#: Articles of a new template after which the reference pages of their URL pattern are outdated.
REDESIGN_AFTER = 3


def template_of(page: Page) -> frozenset[int]:
    """The template of a page: a 32-bit hash of each triple, the same in every process. Kept with the page."""
    known: frozenset[int] | None = page.__dict__.get("template")
    if known is not None:
        return known
    blocks = page.blocks
    tags = blocks.element_tags
    parents = map([*tags, ""].__getitem__, blocks.parents.tolist())  # -1: none
    triples = dict.fromkeys(zip(tags, blocks.element_classes, parents, strict=True))
    template = frozenset(_triple_hash(tag, classes or "", of) for tag, classes, of in islice(triples, MAX_TRIPLES))
    page.__dict__["template"] = template
    return template


def same_template(first: frozenset[int], second: frozenset[int]) -> bool:
    """Whether pages with these triples are of one template."""
    common = len(first & second)
    return (
        common > 0
        and common >= MIN_SHARE_OF_SMALLER * min(len(first), len(second))
        and common >= MIN_SHARE_OF_BOTH * len(first | second)
    )


@lru_cache(4096)
def _triple_hash(tag: str, classes: str, parent: str) -> int:
    words = sorted(NUMBERS.sub("", classes).split()[:2])
    return crc32(" ".join((tag, parent, *words)).encode("utf-8", "replace"))


class RedesignDetector:
    """Detects a redesign by the reference pages that earlier runs stored of a crawl's sites.

    A run that sees `REDESIGN_AFTER` articles of a URL pattern, all of one template that no reference of that pattern
    has, has found a redesign.
    """

    def __init__(self) -> None:
        self._references: dict[str, list[frozenset[int]]] = {}
        self._new: dict[str, list[frozenset[int]]] = {}
        self._fetched: dict[str, frozenset[int]] = {}

    def add_reference(self, page: FetchedPage) -> None:
        self._references.setdefault(url_shape(page.url).pattern, []).append(page.template)

    def add_fetched(self, page: FetchedPage) -> None:
        """Adds a page of this run before it is known whether it is an article."""
        if url_shape(page.url).pattern in self._references:
            self._fetched[page.url] = page.template

    def record_outcome(self, url: str, is_article: bool) -> int:
        """Removes a page of `add_fetched`, counted if it is an article; the number of reference pages that a
        redesign outdates, or 0.

        Once one article of a pattern has a known template, the pattern is no longer checked.
        """
        pattern = url_shape(url).pattern
        template, references = self._fetched.pop(url, None), self._references.get(pattern)
        if template is None or references is None or not is_article:
            return 0
        new = self._new.setdefault(pattern, [])
        new.append(template)
        is_known = any(same_template(reference, template) for reference in references)
        if not is_known and sum(same_template(template, other) for other in new) < REDESIGN_AFTER:
            return 0
        del self._references[pattern]
        return 0 if is_known else len(references)
