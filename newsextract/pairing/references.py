"""The reference pages that earlier runs left of a site: are its pages still built like them?

A run that meets a few articles of a URL pattern, none of them of the template of any reference of that pattern, meets a
redesign: the references are retired. Where references still fit but are old, a page of this run takes their place, so
that they keep up with what changes little by little.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

from newsextract.items import FetchedPage
from newsextract.pairing.templates import same_template
from newsextract.pairing.url_shapes import shape_of

#: Articles of one new template after which the references of their pattern are of a design that is gone.
STRANGERS = 3
#: References older than this are renewed.
OLD = timedelta(days=7)


@dataclass(slots=True)
class Pattern:
    """The references of one URL pattern, and the templates of this run's articles that are like none of them."""

    references: list[FetchedPage] = field(default_factory=list)
    fits: bool = False
    strangers: list[frozenset[int]] = field(default_factory=list)
    successor: FetchedPage | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one more article means for the references: some are retired; or this page renews them."""

    retired: tuple[FetchedPage, ...] = ()
    renews: FetchedPage | None = None


class References:
    """Of all sites of a crawl. `add` what is known, tell `saw` of each page and `learn` what it turned out to be."""

    def __init__(self) -> None:
        self._patterns: dict[str, Pattern] = {}
        self._seen: dict[str, frozenset[int]] = {}

    def add(self, page: FetchedPage) -> None:
        """A reference of an earlier run."""
        self._patterns.setdefault(shape_of(page.url).pattern, Pattern()).references.append(page)

    def saw(self, page: FetchedPage) -> None:
        """A page of this run, of which is not known yet whether it is an article."""
        pattern = self._patterns.get(shape_of(page.url).pattern)
        if pattern is None:
            return
        self._seen[page.url] = page.template
        newest = max(reference.fetched_at for reference in pattern.references)
        if pattern.successor is None and newest < page.fetched_at - OLD and _like(pattern.references, page.template):
            pattern.successor = page

    def learn(self, url: str, is_article: bool) -> Verdict:
        """What a page that was seen turned out to be; what follows from it."""
        template = self._seen.pop(url, None)
        name = shape_of(url).pattern
        pattern = self._patterns.get(name)
        if pattern is None or template is None:
            return Verdict()
        successor = pattern.successor if pattern.successor and pattern.successor.url == url else None
        if not is_article:
            pattern.successor = None if successor else pattern.successor
            return Verdict()
        if _like(pattern.references, template):
            pattern.fits = True
            return Verdict(renews=successor)
        pattern.strangers.append(template)
        alike = sum(same_template(template, other) for other in pattern.strangers)
        if pattern.fits or alike < STRANGERS:
            return Verdict()
        del self._patterns[name]
        return Verdict(retired=tuple(pattern.references))


def _like(references: Iterable[FetchedPage], template: frozenset[int]) -> bool:
    return any(same_template(reference.template, template) for reference in references)
