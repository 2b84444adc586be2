"""What scheduler, spider and pipelines of one crawl share: worker processes, store, open leases."""

import asyncio
import logging

from scrapy import signals
from scrapy.crawler import Crawler

from newsextract.crawl.async_store import Storehouse
from newsextract.crawl.checks import extractor_of, workers_of
from newsextract.crawl.leases import Ledger
from newsextract.crawl.pending_pairs import Reentry
from newsextract.crawl.workers.pool import ExtractionPool
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.pairing import PeerIndex, ReferencePages, ReferenceUpdate, url_shape
from newsextract.urls import site_of

logger = logging.getLogger(__name__)


class Workshop:
    """One a crawl, made by whoever asks first. The pool is shared with other crawls of the process."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        name, options = extractor_of(crawler.settings)
        extractor = make_extractor(name, options)
        self.uses_peers = bool(getattr(extractor, "uses_peer", extractor.needs_peer))
        self.pool = ExtractionPool.shared(name, options, workers_of(crawler.settings))
        self.storehouse = Storehouse(crawler)
        self.ledger = Ledger(crawler, self.storehouse.commit)
        self.reentry = Reentry(crawler)
        self._remembered: dict[str, asyncio.Task[None]] = {}
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> "Workshop":
        """The crawl's own."""
        made: Workshop | None = getattr(crawler, "newsextract_workshop", None)
        if made is None:
            made = cls(crawler)
            setattr(crawler, "newsextract_workshop", made)  # noqa: B010  Scrapy's class does not declare it
        return made

    async def remember_peers(self, page: FetchedPage, index: PeerIndex, references: ReferencePages) -> None:
        """Puts the references of the page's site, kept by earlier runs, into the index and among the references; once
        a site."""
        site = site_of(page.url)
        if site not in self._remembered:
            self._remembered[site] = asyncio.ensure_future(self._load(site, index, references))
        await self._remembered[site]

    def keep_peer(self, url: str, index: PeerIndex) -> None:
        """Keeps an article's page for later runs, if the index holds it as a reference."""
        page = index.get(url)
        if page is not None and self.uses_peers:
            self.storehouse.keep_reference(url_shape(url).pattern, page)

    def follow(self, verdict: ReferenceUpdate, index: PeerIndex) -> None:
        """Renews or retires references, and counts it; a redesign is told."""
        if verdict.replacement is not None:
            self.crawler.stats.inc_value("newsextract/references/renewed")
            self.storehouse.keep_reference(url_shape(verdict.replacement.url).pattern, verdict.replacement)
        if verdict.retired:
            pattern, number = url_shape(verdict.retired[0].url).pattern, len(verdict.retired)
            logger.warning(
                "A redesign: pages like %s are built anew; references of the old design: %d", pattern, number
            )
            self.crawler.stats.inc_value("newsextract/references/retired", number)
            self.storehouse.retire(verdict.retired)
            for page in verdict.retired:
                index.discard(page)

    async def _load(self, site: str, index: PeerIndex, references: ReferencePages) -> None:
        for page in await self.storehouse.references(site):
            index.add(page)
            references.add(page)

    def _closed(self) -> None:
        for name, number in self.pool.counts.items():
            self.crawler.stats.set_value(f"newsextract/workers/{name}", number)
        self.pool.release()
