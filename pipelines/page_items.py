"""Scrapy pipelines of the add-on: pages of any spider's items before the extraction, articles alone behind it."""

from newsextract.crawl.component import Component
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.page_items import page_of_item
from newsextract.items import Article


class PageItemPipeline(Component):
    """Responses and items with `url` and `html` in, FetchedPage out (`page_of_item`); other items pass."""

    def process_item(self, item: object) -> object:
        try:
            page = page_of_item(item)
        except PageDropped as error:
            raise PageDropped.counted(self.stats, error.reason, error) from error
        return item if page is None else page


class ArticleFilterPipeline(Component):
    """Article in and out; pages that are no article are dropped by reason. For crawls without a database.

    Feeds get an item of the class Article itself, without the signature of its text.
    """

    def process_item(self, item: object) -> object:
        if not isinstance(item, Article):
            return item
        if not item.is_article:
            raise PageDropped.counted(self.stats, item.not_article_because or "not_article")
        self.stats.inc_value("newsextract/articles/new")
        return item.as_kind(Article)
