"""`scrapy parse URL`: the article of one page, and the links that the spider would follow."""

import argparse
import warnings
from dataclasses import fields
from typing import Any

from scrapy.commands.parse import Command as ScrapyParse
from scrapy.exceptions import ScrapyDeprecationWarning, UsageError

from newsextract.crawl.checks import extractor_of
from newsextract.crawl.page_command import PageCommand
from newsextract.crawl.spider_loader import check_spider
from newsextract.errors import NewsextractError
from newsextract.extractors import make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.spiders.base import NewsSpider
from newsextract.workers.worker import Worker


class Command(PageCommand, ScrapyParse):
    """Scrapy's own command, with all its options. Shows articles in the place of pages, and stores nothing."""

    worker: Worker

    def prepare(self) -> None:
        # of Scrapy's own use of Deferreds, for callbacks that are coroutines
        warnings.filterwarnings("ignore", r".* returned a Deferred\.", ScrapyDeprecationWarning)
        assert self.settings is not None
        self.worker = Worker(make_extractor(*extractor_of(self.settings)))

    def set_spidercls(self, url: str, opts: argparse.Namespace) -> None:
        """Finds the spider (`site` where none is named), which gets the URL as its argument of that name."""
        opts.spider = opts.spider or "site"
        assert self.crawler_process is not None
        loader = self.crawler_process.spider_loader
        spider = loader.load(opts.spider) if opts.spider in loader.list() else None
        if spider is not None and issubclass(spider, NewsSpider):
            opts.callback = opts.callback or "parse_page"
            if "url" in {argument.name for argument in spider.arguments}:
                opts.spargs.setdefault("url", url)
        try:
            check_spider(loader, opts.spider, opts.spargs)
        except NewsextractError as error:
            raise UsageError(str(error), print_help=False) from error
        super().set_spidercls(url, opts)

    def scraped_data(self, args: Any) -> list[Any]:
        """Prints and exports articles in the place of pages."""
        items, *others = args
        output: list[Any] = super().scraped_data(([self.article_of(item) for item in items], *others))
        return output

    def article_of(self, item: Any) -> Any:
        """The article of a page; other items as they are."""
        if not isinstance(item, FetchedPage):
            return item
        article = self.worker.extract(item, None).article
        return Article(**{field.name: getattr(article, field.name) for field in fields(Article)})
