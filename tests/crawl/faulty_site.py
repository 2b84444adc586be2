"""A spider, a downloader middleware and pipelines that fail at the URLs that say so: settings name them."""

import asyncio
import gc
from typing import Any

from scrapy.exceptions import IgnoreRequest

from newsextract.crawl.failures import RequestRefused
from newsextract.items import Article
from newsextract.spiders.site import SiteSpider as Site

#: A word of every page, which no log line may hold.
TEXT = "Zwetschgenkuchen"


class FaultySpider(Site):
    name = "faulty"

    async def parse_page(self, response: Any) -> Any:
        async for output in super().parse_page(response):
            yield output
            if response.url.endswith("/callback-error"):
                raise ValueError("the spider has a mistake")

    def closed(self, reason: str) -> None:
        gc.collect()
        left = sum(isinstance(one, Article) for one in gc.get_objects())
        self.crawler.stats.set_value("articles_in_memory", left)


del Site  # a spider module offers all spiders it names


class FaultyMiddleware:
    """Refuses as a project's own middleware would."""

    def process_request(self, request: Any) -> None:
        if request.url.endswith("/ignored"):
            raise IgnoreRequest("not today")
        if request.url.endswith("/scheme"):
            raise RequestRefused("scheme_refused", "only http and https are fetched")
        if request.url.endswith("/proxy"):
            request.meta["proxy"] = "http://127.0.0.1:9"


class FaultyPipeline:
    """Fails as a project's own pipeline would."""

    def process_item(self, item: Any) -> Any:
        if item.url.endswith("/item-error"):
            raise RuntimeError("the pipeline has a mistake")
        return item


class EndlessPipeline:
    """Never ends with the page that says so."""

    def __init__(self) -> None:
        self.never = asyncio.Event()  # held here: a task that waits for what nothing holds may be collected as garbage

    async def process_item(self, item: Any) -> Any:
        if item.url.endswith("/forever"):
            await self.never.wait()
        return item
