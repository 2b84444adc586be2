"""Kept pages through another extractor, or newer weights of the same one: new versions where anything differs.

Each stored article is made again from the page that its present version was made from, known by address and time. A
page that gives what is stored already makes no version, so doing it twice does nothing. Where a method compares two
pages, the same extractor gets the peer that it had; another one gets that, or else the best reference of the site.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from newsextract.article import is_joined
from newsextract.cluster.kept_pages import KeptPages
from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage
from newsextract.near_duplicates import signature_of
from newsextract.pairing import PeerIndex
from newsextract.store import Store
from newsextract.store.revise import PresentVersion, Revision
from newsextract.urls import site_of

#: Pages looked up, extracted and stored together: bounds memory, and one transaction serves many.
BATCH = 50


class PageWorkers(Protocol):
    """What reads and extracts pages: a `crawl.workers.pool.WorkerPool`."""

    def submit_read(self, page: FetchedPage) -> "Future[Any]":
        """The future of a page's reading, which has its `template`."""
        ...

    def submit_extract(self, page: FetchedPage, peer: FetchedPage | None) -> "Future[Article]":
        """The future of a page's article."""
        ...


@dataclass
class Reextraction:
    """One run over a folder. `counts`: pages by what became of them, named as `TOLD` tells them."""

    store: Store
    pages: KeptPages
    workers: PageWorkers
    extractor: str
    uses_peers: bool
    dry_run: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    _indexes: dict[str, PeerIndex] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Revision, int | None]]:
        """What is changed, with the number of the change; None where nothing is stored (`dry_run`)."""
        pages = iter(self.pages)
        while batch := [*islice(pages, BATCH)]:
            self.counts["pages"] += len(batch)
            yield from self._batch(batch)

    def _batch(self, batch: list[FetchedPage]) -> Iterator[tuple[Revision, int | None]]:
        made = self.store.present_versions(batch)
        asked = []
        for page in batch:
            old = made.pop(page.id, None)
            if old is None or old.change_kind == "deleted":
                self.counts["deleted" if old else "no_article_of_it"] += 1
                continue
            if is_joined(old.article):
                self.counts["of_several_pages"] += 1  # of which only the first was kept
                continue
            try:
                asked.append((old, page, self.workers.submit_extract(page, self._peer(page, old))))
            except NewsextractError:
                self.counts["failed"] += 1
        revisions = [revision for revision in (self._revision(*one) for one in asked) if revision is not None]
        numbers = [None] * len(revisions) if self.dry_run else self.store.revise(revisions)
        for revision, number in zip(revisions, numbers, strict=True):
            overtaken = number is None and not self.dry_run
            self.counts["overtaken" if overtaken else "changed"] += 1
            if not overtaken:
                yield revision, number

    def _revision(self, made: PresentVersion, page: FetchedPage, future: "Future[Article]") -> Revision | None:
        """What the page gives now; None, and counted, where that is nothing new."""
        try:
            article = future.result()
        except Exception:  # whatever a page does to a worker costs that page
            self.counts["failed"] += 1
            return None
        if not article.is_article:
            self.counts["now_no_article"] += 1
            return None
        revision = Revision.of(made, article, signature_of(article.article_body))
        if not revision.differing:
            self.counts["unchanged"] += 1
            return None
        return revision

    def _peer(self, page: FetchedPage, made: PresentVersion) -> FetchedPage | None:
        if not self.uses_peers:
            return None
        index, had = self._index(site_of(page.url)), made.article.peer_url
        if had is not None and (peer := index.get(had) or self.pages.find(had, page.fetched_at)):
            return peer
        if made.article.extractor == self.extractor and had is None:
            return None
        reading = self.workers.submit_read(page).result()
        page.template = reading.template
        return index.find_peer(page)

    def _index(self, site: str) -> PeerIndex:
        """The references that crawls kept of a site."""
        if site not in self._indexes:
            self._indexes[site] = PeerIndex()
            for page in self.store.peers(site):
                self._indexes[site].add(page)
        return self._indexes[site]
