"""An article becomes a row. Nothing counts as done before it is on disk."""

import logging
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from newsextract.crawl.abort import FATAL, is_fatal
from newsextract.crawl.context import Workshop
from newsextract.crawl.leases import ENDS
from newsextract.crawl.outcomes import Dropped
from newsextract.crawl.requests import Lease
from newsextract.errors import DatabaseError, NewsextractError
from newsextract.items import Article
from newsextract.near_duplicates import SignedArticle
from newsextract.store import PageOutcome

logger = logging.getLogger(__name__)


class StoragePipeline:
    """Article in; on go the new and the changed ones, as stored, so that feeds get no other."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.stats = crawler.stats
        self.storehouse = Workshop.of(crawler).storehouse
        self.ledger = Workshop.of(crawler).ledger
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "StoragePipeline":
        return cls(crawler)

    async def open_spider(self) -> None:
        try:
            await self.storehouse.open()
        except NewsextractError as error:
            self.stats.set_value(FATAL, str(error))
            raise CloseSpider("database") from error
        self.ledger.run = self.storehouse.run

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Article):
            return item
        if self.stats.get_value(FATAL) is not None:
            raise Dropped("database", "the crawl is stopping")
        reason = self.reason_against(item)
        lease = self.ledger.of(item.url)
        try:
            saved = await self.storehouse.commit(self.outcome(item, reason, lease))
        except DatabaseError as error:
            self.stats.inc_value("newsextract/dropped/not_storable")
            if not is_fatal(self.crawler):
                logger.error("An article is lost: %s", error)
            raise Dropped("not_storable", str(error)) from error
        if lease is not None:
            self.ledger.settled(lease, saved)
        if reason is not None:
            self.stats.inc_value(f"newsextract/dropped/{reason}")
            raise Dropped(reason)
        self.stats.inc_value(f"newsextract/articles/{saved.kind}")
        if saved.article is not None and saved.article.duplicate_of is not None:
            self.stats.inc_value("newsextract/duplicates")
        if saved.canonical_refused:
            self.stats.inc_value("newsextract/canonical_refused")
        if saved.kind == "unchanged":
            raise Dropped("unchanged")
        return saved.article or item

    def reason_against(self, article: Article) -> str | None:
        """Why an article is not stored: it is none, or older than the crawl's `since`."""
        if not article.is_article:
            return article.not_article_because or "not_article"
        since = getattr(self.crawler.spider, "since", None)
        if since is not None and article.date_published is not None and article.date_published < since:
            return "before_since"
        return None

    def outcome(self, article: Article, reason: str | None, lease: Lease | None) -> PageOutcome:
        """What the page at this URL came to; an archive's pages have no lease."""
        end = "article" if reason is None else "item_dropped" if article.is_article else "no_article"
        kept = article if reason is None else None
        if lease is not None:
            outcome = self.ledger.outcome(lease, end, reason or "", kept)
        else:
            run, at = self.storehouse.run, article.fetched_at
            outcome = PageOutcome(article.url, ENDS[end], reason or "", article=kept, status=200, run=run, at=at)
        outcome.signature = article.signature if isinstance(article, SignedArticle) else None
        return outcome

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        await self.storehouse.close(reason)
