"""Scrapy pipelines of the add-on: make pages of the items of any spider, and let only articles through afterwards."""

from scrapy.crawler import Crawler

from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.page_items import page_of_item
from newsextract.items import Article


class PageItemPipeline(Component):
    """Responses and items with `url` and `html` in (`page_of_item`), pages out that a worker has read; others pass.

    It stands where PageReadingMiddleware stands for spiders of ours: pipelines of the project may come before it.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.context = CrawlContext.of(crawler)
        self.items = self.context.items

    async def process_item(self, item: object) -> object:
        try:
            page = page_of_item(item)
        except PageDropped as error:
            raise PageDropped.counted(self.stats, error.reason, error) from error
        if page is not None:
            return self.items.handed_on(item, await self.context.reader.read(page))
        if isinstance(item, Article):
            return self.items.decided_late(item)
        self.items.keep_other(item)
        return item


class ArticleFilterPipeline(Component):
    """Lets plain articles pass; other pages are dropped with their reason. For crawls without a database."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.items = CrawlContext.of(crawler).items

    def process_item(self, given: object) -> object:
        item = self.items.restored(given)
        if not isinstance(item, Article):
            return item
        if not item.is_article:
            raise PageDropped.counted(self.stats, item.not_article_because or "not_article")
        self.counts.articles["new"] += 1
        return self.items.handed_on(given, item.as_kind(Article))


class ArticleOutputPipeline(Component):
    """The last one: articles for the feeds, where the pipelines of a project have seen dictionaries."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.items = CrawlContext.of(crawler).items

    def process_item(self, item: object) -> object:
        return self.items.last(item)
