"""Page templates: whether two pages are of one template, and whether a site's stored reference pages still are.

URLs say which page is likely of the same template; a redesign, another edition or an archive of years keeps the URL's
shape and changes the page. A template is compared by the page's (tag, class words, parent's tag) triples: pages of one
crawl share over .8 of the smaller page's triples, pages of a site from before and after a redesign under .7, pages of
different sites under .15 (measured on 75 pairs of the fundus pages).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from itertools import islice
from zlib import crc32

from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing.url_shapes import url_shape

#: Two pages are of one template if they share this part of the smaller page's triples, and this part of the triples of
#: both together: a section page has all that an article's header and footer are built of, and little else.
MIN_SHARE_OF_SMALLER, MIN_SHARE_OF_BOTH = 0.7, 0.5
#: More triples than any template has.
MAX_TRIPLES = 500
NUMBERS = re.compile(r"\d+")
#: Articles of one new template after which the reference pages of their URL pattern count as a former design's.
REDESIGN_AFTER = 3
#: Reference pages older than this are renewed.
RENEW_AFTER = timedelta(days=7)


def template_of(page: Page) -> frozenset[int]:
    """The template of a page: a 32-bit hash of each triple, the same in every process. Kept with the page."""
    known: frozenset[int] | None = page.__dict__.get("template")
    if known is not None:
        return known
    blocks = page.blocks
    tags = blocks.element_tags
    parents = (tags[parent] if parent >= 0 else "" for parent in blocks.parents.tolist())
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


@dataclass(slots=True)
class _PatternState:
    """One URL pattern: its reference pages, whether one of them fits this run's articles, the templates of articles
    that fit none, and a page of this run that can replace old references."""

    references: list[FetchedPage] = field(default_factory=list)
    fits: bool = False
    new_templates: list[frozenset[int]] = field(default_factory=list)
    replacement: FetchedPage | None = None


@dataclass(frozen=True, slots=True)
class ReferenceUpdate:
    """Changes to the reference pages after an article: pages to retire, and a page that replaces outdated ones."""

    retired: tuple[FetchedPage, ...] = ()
    replacement: FetchedPage | None = None


class ReferencePages:
    """The reference pages that earlier runs stored of the sites of a crawl; detects a redesign and outdated pages.

    A run that meets `REDESIGN_AFTER` articles of a URL pattern, of one template and none of the template of any
    reference of that pattern, meets a redesign: the references are retired. References that still fit but are older
    than `RENEW_AFTER` are replaced by a page of this run, so that they keep up with small changes.
    """

    def __init__(self) -> None:
        self._patterns: dict[str, _PatternState] = {}
        self._templates: dict[str, frozenset[int]] = {}

    def add(self, page: FetchedPage) -> None:
        """Adds a reference page of an earlier run."""
        self._patterns.setdefault(url_shape(page.url).pattern, _PatternState()).references.append(page)

    def add_fetched(self, page: FetchedPage) -> None:
        """Notes a page of this run before it is known whether it is an article."""
        pattern = self._patterns.get(url_shape(page.url).pattern)
        if pattern is None:
            return
        self._templates[page.url] = page.template
        newest = max(reference.fetched_at for reference in pattern.references)
        is_outdated = newest < page.fetched_at - RENEW_AFTER
        if pattern.replacement is None and is_outdated and _fits_any(pattern.references, page.template):
            pattern.replacement = page

    def record_outcome(self, url: str, is_article: bool) -> ReferenceUpdate:
        """Takes note of whether a page of `add_fetched` was an article; what changes by it."""
        template = self._templates.pop(url, None)
        name = url_shape(url).pattern
        pattern = self._patterns.get(name)
        if pattern is None or template is None:
            return ReferenceUpdate()
        replacement = pattern.replacement if pattern.replacement and pattern.replacement.url == url else None
        if not is_article:
            pattern.replacement = None if replacement else pattern.replacement
            return ReferenceUpdate()
        if _fits_any(pattern.references, template):
            pattern.fits = True
            return ReferenceUpdate(replacement=replacement)
        pattern.new_templates.append(template)
        alike = sum(same_template(template, other) for other in pattern.new_templates)
        if pattern.fits or alike < REDESIGN_AFTER:
            return ReferenceUpdate()
        del self._patterns[name]
        return ReferenceUpdate(retired=tuple(pattern.references))


def _fits_any(references: Iterable[FetchedPage], template: frozenset[int]) -> bool:
    return any(same_template(reference.template, template) for reference in references)
