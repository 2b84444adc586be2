"""Re-extraction of stored articles from their kept pages, by another extractor or newer weights of the same one.

Each article is extracted again from the page of its present version, identified by URL and time. It gets a new version
only if anything differs, so doing it twice changes nothing. An extractor that compares two pages gets the peer that the
present version was made with, another extractor that or else the best reference page of the site.
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
from newsextract.store.outcome import GONE_KINDS
from newsextract.store.revise import PresentVersion, Revision
from newsextract.urls import site_of

#: Pages looked up, extracted and stored in one transaction; bounds the memory.
BATCH_SIZE = 50


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
    """Re-extracts the pages of a folder. `counts`: pages by result, with the keys of `newsextract.cli.reextract`."""

    store: Store
    pages: KeptPages
    workers: PageWorkers
    extractor: str
    uses_peers: bool
    dry_run: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    _indexes: dict[str, PeerIndex] = field(default_factory=dict)

    def __iter__(self) -> Iterator[tuple[Revision, int | None]]:
        """Yields each changed article with its change number, None in a dry run."""
        pages = iter(self.pages)
        while batch := [*islice(pages, BATCH_SIZE)]:
            self.counts["pages"] += len(batch)
            yield from self._process_batch(batch)

    def _process_batch(self, batch: list[FetchedPage]) -> Iterator[tuple[Revision, int | None]]:
        versions = self.store.present_versions(batch)
        submitted = []
        for page in batch:
            present = versions.pop(page.id, None)
            if present is None or present.change_kind in GONE_KINDS:
                self.counts[present.change_kind if present else "no_article_of_it"] += 1
                continue
            if is_joined(present.article):
                self.counts["of_several_pages"] += 1  # of which only the first was kept
                continue
            try:
                future = self.workers.submit_extract(page, self._find_peer(page, present))
                submitted.append((present, future))
            except NewsextractError:
                self.counts["failed"] += 1
        results = (self._revise(present, future) for present, future in submitted)
        revisions = [revision for revision in results if revision is not None]
        numbers = [None] * len(revisions) if self.dry_run else self.store.revise(revisions)
        for revision, number in zip(revisions, numbers, strict=True):
            overtaken = number is None and not self.dry_run
            self.counts["overtaken" if overtaken else "changed"] += 1
            if not overtaken:
                yield revision, number

    def _revise(self, present: PresentVersion, future: "Future[Article]") -> Revision | None:
        """The revision by the extracted article; None, and counted, if it has nothing new."""
        try:
            article = future.result()
        except Exception:  # a page that crashes its worker must not cost more than itself
            self.counts["failed"] += 1
            return None
        if not article.is_article:
            self.counts["now_no_article"] += 1
            return None
        revision = Revision.of(present, article, signature_of(article.article_body))
        if not revision.differing:
            self.counts["unchanged"] += 1
            return None
        return revision

    def _find_peer(self, page: FetchedPage, present: PresentVersion) -> FetchedPage | None:
        if not self.uses_peers:
            return None
        index, peer_url = self._site_index(site_of(page.url)), present.article.peer_url
        if peer_url is not None and (peer := index.get(peer_url) or self.pages.find(peer_url, page.fetched_at)):
            return peer
        if present.article.extractor == self.extractor and peer_url is None:
            return None
        reading = self.workers.submit_read(page).result()
        page.template = reading.template
        return index.find_peer(page)

    def _site_index(self, site: str) -> PeerIndex:
        """The reference pages that crawls stored of a site."""
        if site not in self._indexes:
            self._indexes[site] = PeerIndex()
            for page in self.store.peers(site):
                self._indexes[site].add(page)
        return self._indexes[site]
