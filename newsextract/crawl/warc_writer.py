"""Keeps the pages of a crawl as WARC files, where NEWSEXTRACT_KEEP_PAGES names a folder for them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response

from newsextract.crawl.abort import stop_crawl
from newsextract.discovery.warc_writer import WarcWriter
from newsextract.errors import StorageError
from newsextract.items import FetchedPage

#: Where the statistics of a run say in which folder its pages are.
FOLDER = "newsextract/kept/folder"


class Keeping:
    """Spider middleware, outside the ledger's, which has taken out the pages that are as they were.

    A page is in its file before it enters the pipelines, so that whatever is stored of it can be made again. One that
    can't be kept stops the crawl: its lease stays open, and a later run fetches it again.
    """

    def __init__(self, crawler: Crawler) -> None:
        folder = crawler.settings["NEWSEXTRACT_KEEP_PAGES"]
        if not folder:
            raise NotConfigured
        self.crawler = crawler
        self.archive = WarcWriter(folder)
        self.one_at_a_time = asyncio.Lock()
        crawler.stats.set_value(FOLDER, str(self.archive.folder))
        crawler.signals.connect(self.close, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Keeping":
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, FetchedPage) and not await self.keep(output, response):
                continue
            yield output

    async def keep(self, page: FetchedPage, response: Response) -> bool:
        """Writes the page; False, and the crawl stops, where that fails."""
        request: Request = response.request  # type: ignore[assignment]  # responses of a crawl have one
        asked, answered = [*_headers(request)], [*_headers(response)]
        try:
            async with self.one_at_a_time:
                await asyncio.to_thread(self.archive.write, page, request.method, asked, answered)
        except StorageError as error:
            stop_crawl(self.crawler, "pages", str(error))
            return False
        self.crawler.stats.inc_value("newsextract/kept/pages")
        return True

    async def close(self) -> None:
        async with self.one_at_a_time:
            await asyncio.to_thread(self.archive.close)


def _headers(message: Request | Response) -> Iterator[tuple[str, str]]:
    for name, values in message.headers.items():
        for value in values:
            yield name.decode("latin-1"), value.decode("utf-8", "replace")
