"""Scrapy pipeline: gives a page its peer, the page of the same template with the most similar URL."""

import asyncio

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped, was_article
from newsextract.crawl.site_evidence.peers import SitePeers
from newsextract.crawl.site_evidence.pending_pairs import PendingPairs
from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage
from newsextract.urls import site_of


class PairingPipeline:
    """FetchedPage in and out, with `peer` where there is one.

    A page whose peer has not come yet is put aside for NEWSEXTRACT_PEER_WAIT seconds and dropped as "held"; it enters
    the pipelines again with the peer, or alone. Does nothing for an extractor that does not compare pages.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        self.context = CrawlContext.of(crawler)
        self.peers = SitePeers(crawler, self.context.async_store, self.forget_design)
        self.forgetting: set[asyncio.Task[None]] = set()
        self.pending = PendingPairs(crawler.settings.getfloat("NEWSEXTRACT_PEER_WAIT"), self.reenter)
        for signal in (signals.item_scraped, signals.item_dropped):
            crawler.signals.connect(self.item_done, signal=signal)
        crawler.signals.connect(self.spider_idle, signal=signals.spider_idle)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PairingPipeline":
        return cls(crawler)

    async def process_item(self, item: object) -> object:
        if not isinstance(item, FetchedPage) or item.paired or not self.context.uses_peers:
            return item
        await self.peers.load_references(site_of(item.url))
        if not item.template:
            try:
                reading = await self.context.pool.read(item)
            except NewsextractError:
                return item  # ExtractionPipeline meets the same error, and counts it
            item.template, item.page_hash = reading.template, reading.page_hash
        item.peer = self.peers.find_peer(item)
        self.pending.release_pairs_of(item)
        may_wait = item.peer is None and not item.parts and self.context.leases.can_put_aside(item)
        if may_wait and self.pending.put(item):
            self.stats.inc_value("newsextract/held")
            self.context.leases.put_aside(item)
            raise PageDropped("held")
        item.paired = True
        self.count(item)
        return item

    def reenter(self, page: FetchedPage) -> None:
        """Sends a page that was put aside through the pipelines again."""
        self.count(page)
        self.context.reentry.send(page)

    def count(self, page: FetchedPage) -> None:
        self.stats.inc_value("newsextract/paired" if page.peer else "newsextract/unpaired")

    def forget_design(self, site: str) -> None:
        """Has the memory of a site that was built anew forget what earlier runs learned of it."""
        task = asyncio.ensure_future(self.context.site_memory.forget_earlier_runs(site))
        self.forgetting.add(task)
        task.add_done_callback(self.forgetting.discard)

    def spider_idle(self) -> None:
        """Lets pages go on alone when the crawl has nothing else to do."""
        if len(self.pending):
            self.pending.release_all()
            raise DontCloseSpider

    def item_done(self, item: object, exception: BaseException | None = None) -> None:
        """Only articles' pages stay peers; they are kept as references for later runs."""
        is_article = was_article(item, exception)
        if is_article is not None and isinstance(item, FetchedPage | Article):
            self.peers.learn(item.url, is_article)
