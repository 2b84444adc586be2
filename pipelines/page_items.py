"""Scrapy pipelines of the add-on: pages of any spider's items before the extraction, articles alone behind it."""

from dataclasses import fields

from scrapy.crawler import Crawler

from newsextract.crawl.failures import PageDropped
from newsextract.crawl.page_items import page_of_item
from newsextract.items import Article


class PageItemPipeline:
    """Responses and items with `url` and `html` in, FetchedPage out (`page_of_item`); other items pass."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "PageItemPipeline":
        return cls(crawler)

    def process_item(self, item: object) -> object:
        try:
            page = page_of_item(item)
        except PageDropped as error:
            self.stats.inc_value(f"newsextract/dropped/{error.reason}")
            raise
        return item if page is None else page


class ArticleFilterPipeline:
    """Article in and out; pages that are no article are dropped by reason. For crawls without a database.

    Feeds get an item of the class Article itself, without the signature of its text.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ArticleFilterPipeline":
        return cls(crawler)

    def process_item(self, item: object) -> object:
        if not isinstance(item, Article):
            return item
        if not item.is_article:
            reason = item.not_article_because or "not_article"
            self.stats.inc_value(f"newsextract/dropped/{reason}")
            raise PageDropped(reason)
        self.stats.inc_value("newsextract/articles/new")
        return Article(**{field.name: getattr(item, field.name) for field in fields(Article)})
