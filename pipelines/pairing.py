"""Scrapy pipeline: gives a page its peer, the page of the same template with the most similar URL."""

from contextlib import suppress

from scrapy.crawler import Crawler

from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import was_article
from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage
from newsextract.workers.messages import ParsedPage


class PairingPipeline(Component):
    """FetchedPage in and out, with `peer` if this run or an earlier one has seen a page of its template.

    Never waits, and keeps the page as a peer for later ones. A page that a worker has read already got its peer there.
    Does nothing for extractors that don't compare pages.
    """

    SIGNALS = ("item_scraped", "item_dropped")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.context = CrawlContext.of(crawler)
        self.peers = self.context.peers

    async def process_item(self, item: object) -> object:
        if not isinstance(item, FetchedPage) or not self.context.uses_peers:
            return item
        if item.reading is None:
            with suppress(NewsextractError):  # ExtractionPipeline counts it
                await self.context.read_page(item)
        if not item.template:
            return item
        if not (isinstance(item.reading, ParsedPage) and item.reading.extracted):
            item.peer = self.peers.index.find_peer(item)
        self.peers.add(item)
        self.context.settler.settle_peer(item)
        self.stats.inc_value("newsextract/paired" if item.peer else "newsextract/unpaired")
        return item

    def item_dropped(self, item: object, exception: BaseException | None = None) -> None:
        """Keeps only the pages of articles as peers, and as references for later runs."""
        is_article = was_article(item, exception)
        if is_article is not None and isinstance(item, FetchedPage | Article):
            self.peers.learn(item.url, is_article)

    item_scraped = item_dropped
