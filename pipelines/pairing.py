"""Scrapy pipeline: gives a page its peer, the page of the same template with the most similar URL."""

from dataclasses import replace

from scrapy.crawler import Crawler

from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import was_article
from newsextract.items import Article, FetchedPage
from newsextract.workers.messages import ReadPage


class PairingPipeline(Component):
    """A read page in and out, with `peer` if this run or an earlier one has seen a page of its template.

    Never waits, and keeps the page as a peer for later ones. A page whose article was read with it has got its peer.
    Does nothing for extractors that don't compare pages.
    """

    SIGNALS = ("item_scraped", "item_dropped")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.context = CrawlContext.of(crawler)
        self.peers = self.context.peers

    def process_item(self, given: object) -> object:
        item = self.context.items.restored(given)
        if not isinstance(item, ReadPage) or not item.template or not self.context.reader.uses_peers:
            return given  # ExtractionPipeline counts what couldn't be read
        page = item if item.article is not None else replace(item, peer=self.peers.index.find_peer(item))
        self.peers.add(FetchedPage(**page.page_values()))
        self.context.peer_wait.end(page)
        self.counts.paired += int(page.peer is not None)
        self.counts.unpaired += int(page.peer is None)
        return self.context.items.handed_on(given, page)

    def item_dropped(self, item: object, exception: BaseException | None = None) -> None:
        """Keeps only the pages of articles as peers, and as references for later runs."""
        is_article = was_article(item, exception)
        if is_article is not None and isinstance(item, FetchedPage | Article):
            self.peers.learn(item.url, is_article)

    item_scraped = item_dropped
