"""Middlewares of a crawl: read pages, links committed with them, WARC files, refreshes, hosts that never answer."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Collection, Coroutine, Iterator
from dataclasses import replace

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadTimeoutError, NotConfigured
from scrapy.http import Response

from newsextract.crawl.abort import abort_crawl
from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import RequestNotSent
from newsextract.crawl.further_pages import LEFT_UNFINISHED
from newsextract.crawl.lease import Lease
from newsextract.crawl.lease_requests import link_of_request
from newsextract.crawl.politeness import COPY, find_copy, is_robots_request
from newsextract.crawl.spider_options import options_of
from newsextract.errors import StorageError
from newsextract.items import FetchedPage
from newsextract.reasons import LIST
from newsextract.store.leases import NO_ANSWER, PAGE_KINDS
from newsextract.urls import site_of
from newsextract.warc.writer import WarcWriter
from newsextract.workers.messages import ReadPage

#: Headers of requests that aren't kept; nor are those of sites.toml.
SECRET_HEADERS = ("authorization", "cookie", "proxy-authorization")
#: Key of a response's meta: entries of its list were passed over, because an earlier run has taken them.
PASSED_OVER = "passed_over"
#: Links that are collected without a pause.
LINKS_AT_A_TIME = 50
#: Timeouts after which a site counts as dead: by default, robots.txt and its retries.
MAX_TIMEOUTS = 3
#: Stands for the end of what a spider starts with.
END = object()

logger = logging.getLogger(__name__)


class PageReadingMiddleware(Component):
    """The innermost spider middleware: a worker reads each page that a spider yields, in one call; then the spider
    follows it (`SpiderOptions.follow`).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.reader = CrawlContext.of(crawler).reader

    async def process_spider_output(self, response: Response, result: AsyncIterator[object]) -> AsyncIterator[object]:
        async for output in result:
            if not isinstance(output, FetchedPage):
                yield output
                continue
            page = await self.reader.read(output)
            if not page.is_read:
                logger.warning("The links of %s could not be read: %s", page.url, page.failure)
                self.counts.links_not_read += 1
            if page.links.amp != page.amp:
                page = replace(page, amp=page.links.amp)
            async for each in options_of(self.crawler.spider).follow(page, response):
                yield each

    async def process_start(self, start: AsyncIterator[object]) -> AsyncIterator[object]:
        """Pages of archives, read at the same time, as many as `start` gives before some are done; none is followed."""
        tasks: set[asyncio.Task[object]] = set()

        def add(work: Coroutine[object, object, object]) -> asyncio.Task[object]:
            tasks.add(task := asyncio.ensure_future(work))
            return task

        upcoming = add(_next(start))
        try:
            while tasks:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                tasks -= done
                for output in [task.result() for task in done]:
                    if isinstance(output, FetchedPage) and not isinstance(output, ReadPage):
                        add(self.reader.read(output))
                    elif output is not END:
                        yield output
                if upcoming in done and upcoming.result() is not END:
                    upcoming = add(_next(start))
        finally:
            for task in tasks:
                task.cancel()


async def _next(outputs: AsyncIterator[object]) -> object:
    return await anext(outputs, END)


class LeaseMiddleware(Component):
    """Spider middleware: collects a leased response's requests as links of its lease, then passes on its page.

    The lease of a response without a page, or with an unchanged one, ends here. Requests that aren't links pass.
    """

    async def process_spider_output(self, response: Response, result: AsyncIterator[object]) -> AsyncIterator[object]:
        lease: Lease | None = response.meta.get("lease")
        if lease is None or lease.ended:
            async for output in result:
                yield output
            return
        leases = CrawlContext.of(self.crawler).leases
        page: FetchedPage | None = None
        leases.note_response(lease, response)
        try:
            async for output in result:
                if isinstance(output, FetchedPage) and page is None:
                    page = output
                    continue
                link = link_of_request(output, self.crawler.spider) if isinstance(output, Request) else None
                if link is None:
                    yield output
                else:
                    lease.links.append(link)
                    if len(lease.links) % LINKS_AT_A_TIME == 0:
                        await asyncio.sleep(0)  # collecting thousands takes a second, and downloads need a turn
        except Exception:
            leases.end(lease, "callback_error", "callback_error")
            raise
        if response.meta.get(LEFT_UNFINISHED):
            return
        if page is None or page.url != lease.url:
            if page is not None:
                yield page
            if lease.row.kind not in PAGE_KINDS:
                self.counts.lists[response.meta.get("dropped_because", "read")] += 1
            because = response.meta.get("dropped_because") or LIST
            leases.end(lease, "same_page" if response.meta.get(PASSED_OVER) else "no_item", because)
            return
        leases.note_page(lease, page)
        if page.page_hash is not None and page.page_hash == lease.row.page_hash:
            leases.end_unchanged(lease, "same_page")
        else:
            yield page


class WarcWriterMiddleware(Component):
    """The outermost spider middleware: writes changed pages to WARC files before they enter the pipelines.

    If it can't, the crawl stops; the lease stays open, and a later run fetches the page again.
    """

    SIGNALS = ("spider_closed",)

    def __init__(self, crawler: Crawler) -> None:
        folder = crawler.settings["NEWSEXTRACT_KEEP_PAGES"]
        if not folder:
            raise NotConfigured
        super().__init__(crawler)
        self.archive = WarcWriter(folder)
        self.lock = asyncio.Lock()
        self.counts.kept_folder = str(self.archive.folder)

    async def process_spider_output(self, response: Response, result: AsyncIterator[object]) -> AsyncIterator[object]:
        async for output in result:
            if isinstance(output, FetchedPage) and not await self.write(output, response):
                continue
            yield output

    async def write(self, page: FetchedPage, response: Response) -> bool:
        """Writes the page with the headers of request and response. On failure, returns False and the crawl stops."""
        request: Request = response.request  # type: ignore[assignment]  # responses of a crawl have one
        secret = {*SECRET_HEADERS, *map(str.lower, getattr(self.crawler.spider, "headers", ()))}
        sent, received = [*_headers(request, secret)], [*_headers(response)]
        try:
            async with self.lock:
                await asyncio.to_thread(self.archive.write, page, request.method, sent, received)
        except StorageError as error:
            abort_crawl(self.crawler, "pages", str(error))
            return False
        self.counts.kept_pages += 1
        return True

    async def spider_closed(self) -> None:
        async with self.lock:
            await asyncio.to_thread(self.archive.close)


class NoAnswerMiddleware(Component):
    """Downloader middleware, between retries and network: ends a crawl whose hosts never answer.

    Their URLs stay queued (RequestNotSent). The first line of an answer from any site, or a cached page, ends the
    counting for good: a slow site is crawled like any other.
    """

    SIGNALS = ("headers_received",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.timeouts: Counter[str] = Counter()
        self.has_answer = False

    def headers_received(self) -> None:
        self.has_answer = True

    def process_response(self, request: Request, response: Response) -> Response:
        self.has_answer = self.has_answer or COPY not in response.flags
        return response

    async def process_exception(self, request: Request, exception: Exception) -> None:
        if self.has_answer or not isinstance(exception, DownloadTimeoutError):
            return
        if is_robots_request(request) and await find_copy(self.crawler, request) is not None:
            return  # its pages may be asked
        self.timeouts[site_of(request.url)] += 1
        sites = {*options_of(self.crawler.spider).sites, *self.timeouts}
        if all(self.timeouts[site] >= MAX_TIMEOUTS for site in sites):
            (host, *others), seconds = self.timeouts, self.crawler.settings["DOWNLOAD_TIMEOUT"]
            do = f"and {len(others)} more do" if others else "does"
            sentence = (
                f"{host} {do} not answer: {self.timeouts.total()} requests had no answer within "
                f"{seconds} s (DOWNLOAD_TIMEOUT); queued URLs wait for the next crawl"
            )
            abort_crawl(self.crawler, NO_ANSWER, sentence)
            raise RequestNotSent("its host does not answer") from exception


def _headers(message: Request | Response, secret: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    for name, values in message.headers.items():
        for value in values if name.decode("latin-1").lower() not in secret else ():
            yield name.decode("latin-1"), value.decode("utf-8", "replace")
