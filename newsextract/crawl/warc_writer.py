"""The spider middleware that writes the pages of a crawl to WARC files, in the folder NEWSEXTRACT_KEEP_PAGES."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response

from newsextract.crawl.abort import abort_crawl
from newsextract.errors import StorageError
from newsextract.items import FetchedPage
from newsextract.warc.writer import WarcWriter

#: The stat of a run that names the folder of its pages.
FOLDER_STAT = "newsextract/kept/folder"


class WarcWriterMiddleware:
    """The outermost spider middleware; LeaseMiddleware, inside it, has taken out pages that are as they were.

    A page is in its file before it enters the pipelines, so that whatever is stored of it can be extracted again. One
    that can't be written stops the crawl: its lease stays open, and a later run fetches it again.
    """

    def __init__(self, crawler: Crawler) -> None:
        folder = crawler.settings["NEWSEXTRACT_KEEP_PAGES"]
        if not folder:
            raise NotConfigured
        self.crawler = crawler
        self.archive = WarcWriter(folder)
        self.lock = asyncio.Lock()
        crawler.stats.set_value(FOLDER_STAT, str(self.archive.folder))
        crawler.signals.connect(self.close, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "WarcWriterMiddleware":
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, FetchedPage) and not await self.write(output, response):
                continue
            yield output

    async def write(self, page: FetchedPage, response: Response) -> bool:
        """Writes the page with the headers of request and response; False, and the crawl stops, where that fails."""
        request: Request = response.request  # type: ignore[assignment]  # responses of a crawl have one
        sent, received = [*_headers(request)], [*_headers(response)]
        try:
            async with self.lock:
                await asyncio.to_thread(self.archive.write, page, request.method, sent, received)
        except StorageError as error:
            abort_crawl(self.crawler, "pages", str(error))
            return False
        self.crawler.stats.inc_value("newsextract/kept/pages")
        return True

    async def close(self) -> None:
        async with self.lock:
            await asyncio.to_thread(self.archive.close)


def _headers(message: Request | Response) -> Iterator[tuple[str, str]]:
    for name, values in message.headers.items():
        for value in values:
            yield name.decode("latin-1"), value.decode("utf-8", "replace")
