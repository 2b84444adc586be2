"""Scrapy pipeline: stores articles and ends the leases of their URLs in the same transaction."""

import logging

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from newsextract.crawl.abort import is_aborted
from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.late_articles import as_stored
from newsextract.crawl.lease import ending_of
from newsextract.crawl.spider_options import options_of
from newsextract.errors import DatabaseError, NewsextractError
from newsextract.items import Article, StoredArticle

logger = logging.getLogger(__name__)


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
            self.counts.fatal = str(error)
            raise CloseSpider("database") from error

    async def process_item(self, given: object) -> object:
        item = self.context.items.restored(given)
        if not isinstance(item, Article):
            return item
        settled = item if isinstance(item, StoredArticle) else None
        if settled is not None and settled.change_kind in ("retracted", "reextracted"):
            return self.context.items.handed_on(given, settled)
        if settled is None and is_aborted(self.crawler):
            raise PageDropped("database", "the crawl is stopping")
        ending, rejection = ending_of(item, options_of(self.crawler.spider).since)
        article = await self.commit(item, ending, rejection) if settled is None else settled
        if rejection:
            raise PageDropped.counted(self.stats, rejection)
        self.count(article, item.url)
        if article.change_kind == "unchanged":
            raise PageDropped("unchanged")
        return self.context.items.handed_on(given, article)

    async def commit(self, article: Article, ending: str, rejection: str) -> StoredArticle:
        """Commits the article, unless it is rejected, with the new state of its URL. Raises PageDropped."""
        try:
            saved = await self.context.leases.commit_page(article, ending, rejection)
        except DatabaseError as error:
            is_stopping = is_aborted(self.crawler) or self.context.leases.stopping  # so its URL is fetched again
            if not rejection and not is_stopping:
                logger.error("An article could not be stored: %s", error)
            raise PageDropped.counted(self.stats, "not_storable", error) from error
        if saved.canonical_refused and not rejection:
            self.counts.canonical_refused += 1
        return as_stored(saved, article)

    def count(self, article: StoredArticle, url: str) -> None:
        """Counts a stored article by what was new of it; `url`: of its page."""
        kind = article.change_kind
        self.counts.articles[kind] += 1
        if kind == "unchanged" and article.url != url:
            self.counts.aliases += 1
        elif kind != "unchanged" and article.duplicate_of is not None:
            self.counts.duplicates += 1
        if kind in ("new", "changed") and not article.article_body:
            self.counts.without_text += 1

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        await self.context.settler.wait()
        await self.context.async_store.close(reason)
