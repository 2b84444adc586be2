"""Scrapy pipeline: stores articles and ends the leases of their URLs in the same transaction."""

import logging

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from newsextract.crawl.abort import FATAL, is_aborted
from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.leases import ending_of
from newsextract.crawl.site_memory import DecidedArticle
from newsextract.crawl.spider_options import options_of
from newsextract.errors import DatabaseError, NewsextractError
from newsextract.items import Article, StoredArticle
from newsextract.near_duplicates import SignedArticle, with_signature
from newsextract.store import CommitResult

logger = logging.getLogger(__name__)


def as_stored(saved: CommitResult, item: Article) -> StoredArticle:
    """The article as feeds get it: as the database has it, with its change."""
    article = (saved.article or item).as_kind(StoredArticle, change=saved.change, change_kind=saved.kind)
    article.extra = item.extra
    return article


class StoragePipeline(Component):
    """Article in; new and changed ones continue as stored, the others are dropped, so feeds get no unchanged articles.

    Articles that were settled late are already stored, and only counted. An article of this run that is retracted is
    sent once more, with `is_article` False, because a feed may have it already.

    Opens the store with the spider, and closes it last. `process_item` returns when the article is on disk.
    """

    SIGNALS = ("spider_closed",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.context = CrawlContext.of(crawler)

    async def open_spider(self) -> None:
        try:
            await self.context.async_store.open()
        except NewsextractError as error:
            self.stats.set_value(FATAL, str(error))
            raise CloseSpider("database") from error

    async def process_item(self, item: object) -> object:
        item = self.context.items.restored(item)
        if not isinstance(item, Article):
            return item
        saved = item.saved if isinstance(item, DecidedArticle) else None
        if saved is not None and saved.kind in ("retracted", "reextracted"):
            return as_stored(saved, item)
        if saved is None and is_aborted(self.crawler):
            raise PageDropped("database", "the crawl is stopping")
        ending, rejection = ending_of(item, options_of(self.crawler.spider).since)
        if saved is None:
            saved = await self.commit(item, ending, rejection)
        if rejection:
            raise PageDropped.counted(self.stats, rejection)
        self.count(saved, item.url)
        if saved.kind == "unchanged":
            raise PageDropped("unchanged")
        return as_stored(saved, item)

    async def commit(self, article: Article, ending: str, rejection: str) -> CommitResult:
        """Commits the article, unless it is rejected, with the new state of its URL. Raises PageDropped."""
        if article.is_article and not isinstance(article, SignedArticle):
            article = with_signature(article)  # by which the store recognises near-duplicates; workers do it, too
        try:
            return await self.context.leases.commit_page(article, ending, rejection)
        except DatabaseError as error:
            is_stopping = is_aborted(self.crawler) or self.context.leases.stopping  # so its URL is fetched again
            if not rejection and not is_stopping:
                logger.error("An article could not be stored: %s", error)
            raise PageDropped.counted(self.stats, "not_storable", error) from error

    def count(self, saved: CommitResult, url: str) -> None:
        self.stats.inc_value(f"newsextract/articles/{saved.kind}")
        if saved.kind == "unchanged" and saved.article is not None and saved.article.url != url:
            self.stats.inc_value("newsextract/aliases")
        elif saved.kind != "unchanged" and saved.article is not None and saved.article.duplicate_of is not None:
            self.stats.inc_value("newsextract/duplicates")
        if saved.kind in ("new", "changed") and saved.article is not None and not saved.article.article_body:
            self.stats.inc_value("newsextract/without_text")
        if saved.canonical_refused:
            self.stats.inc_value("newsextract/canonical_refused")

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        await self.context.settler.wait()
        await self.context.async_store.close(reason)
