"""`scrapy parse URL`: the article of one page, and the links that the spider would follow."""

import argparse
from typing import Any

from scrapy.commands.parse import Command as ScrapyParse
from scrapy.exceptions import UsageError
from scrapy.http import Response
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.spider import iterate_spider_output

from newsextract.crawl.middlewares import PageReadingMiddleware
from newsextract.errors import NewsextractError
from newsextract.items import FetchedPage
from newsextract.runs.page_command import PageCommand
from newsextract.runs.spider_loader import check_spider
from newsextract.spiders.base import NewsSpider


class Command(PageCommand, ScrapyParse):
    """Scrapy's command with all its options, except that it shows articles instead of pages. Stores nothing."""

    def set_spidercls(self, url: str, opts: argparse.Namespace) -> None:
        """Finds the spider (`site` by default), which gets the URL as its argument of that name."""
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

    def run_callback(self, response: Response, callback: Any, cb_kwargs: dict[str, Any] | None = None) -> Any:
        """Lets a worker read the spider's pages, as its middleware does in a crawl, and the spider follow them."""

        def read(response: Response, **options: Any) -> Any:
            outputs = as_async_generator(iterate_spider_output(callback(response, **options)))
            return PageReadingMiddleware(self.pcrawler).process_spider_output(response, outputs)

        return super().run_callback(response, read, cb_kwargs)

    def scraped_data(self, args: Any) -> list[Any]:
        """Prints and exports articles instead of pages."""
        items, *others = args
        items = [self.article_of_page(item) if isinstance(item, FetchedPage) else item for item in items]
        output: list[Any] = super().scraped_data((items, *others))
        return output
