"""Scrapy pipelines of the add-on: turn items of any spider into pages, and let only articles through afterwards."""

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
    """Article in, plain Article out; other pages are dropped with their reason. For crawls without a database."""

    def process_item(self, item: object) -> object:
        if not isinstance(item, Article):
            return item
        if not item.is_article:
            raise PageDropped.counted(self.stats, item.not_article_because or "not_article")
        self.stats.inc_value("newsextract/articles/new")
        return item.as_kind(Article)
