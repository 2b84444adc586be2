"""A page gets its peer: the page of its template with the most similar URL, of this run or an earlier one."""

from dataclasses import replace
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from newsextract.crawl.context import Workshop
from newsextract.crawl.outcomes import Dropped, kind_of
from newsextract.crawl.pending_pairs import Held
from newsextract.errors import NewsextractError
from newsextract.items import FetchedPage
from newsextract.pairing import PeerIndex, ReferencePages


class PairingPipeline:
    """FetchedPage in and out. One whose partner has not come yet ends here and enters the pipelines again later."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.stats = crawler.stats
        self.workshop = Workshop.of(crawler)
        self.index, self.references = PeerIndex(), ReferencePages()
        self.held = Held(crawler.settings.getfloat("NEWSEXTRACT_PEER_WAIT"), self.go_on)
        for signal in (signals.item_scraped, signals.item_dropped):
            crawler.signals.connect(self.learn, signal=signal)
        crawler.signals.connect(self.idle, signal=signals.spider_idle)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PairingPipeline":
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, FetchedPage) or item.paired or not self.workshop.uses_peers:
            return item
        await self.workshop.remember_peers(item, self.index, self.references)
        if not item.template:
            try:
                reading = await self.workshop.pool.read(item)
                item.template, item.page_hash = reading.template, reading.page_hash
            except NewsextractError:
                return item  # what ails it is told where it is extracted
        self.references.add_fetched(item)
        item.peer = self.index.find_peer(item)
        self.index.add(replace(item, parts=()) if item.parts else item)
        self.held.pair_with(item)
        if item.peer is None and not item.parts and self.held.put(item):
            self.stats.inc_value("newsextract/held")
            self.workshop.ledger.hold(item)
            raise Dropped("held")
        item.paired = True
        self.count(item)
        return item

    def go_on(self, page: FetchedPage) -> None:
        """A page that was held goes on."""
        self.count(page)
        self.workshop.reentry.send(page)

    def count(self, page: FetchedPage) -> None:
        self.stats.inc_value("newsextract/paired" if page.peer else "newsextract/unpaired")

    def idle(self) -> None:
        """When nothing else can come, who waits for a partner goes on alone."""
        if len(self.held):
            self.held.let_all_go()
            raise DontCloseSpider

    def learn(self, item: Any, exception: BaseException | None = None) -> None:
        """Only articles' pages are peers; theirs are kept for later runs."""
        is_article = kind_of(item, exception)
        if is_article is not None:
            self.workshop.follow(self.references.record_outcome(item.url, is_article), self.index)
        if is_article is False:
            self.index.remove(item.url)
        elif is_article:
            self.workshop.keep_peer(item.url, self.index)
