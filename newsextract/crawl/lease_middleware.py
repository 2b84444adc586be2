"""The spider middleware that keeps a page and its links together, so that they are committed in one transaction."""

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from newsextract.crawl.context import CrawlContext
from newsextract.crawl.multipart import LEFT_UNFINISHED
from newsextract.crawl.requests import Lease, link_of_request
from newsextract.items import FetchedPage
from newsextract.store.leases import PAGE_KINDS


class LeaseMiddleware:
    """Spider middleware: collects a leased response's requests as links of its lease, then hands on its page.

    The lease of a response without a page, or whose page is as it was at the last fetch, ends here. Requests that the
    frontier can't keep (`link_of_request`) pass. Only WarcWriterMiddleware stands further out.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "LeaseMiddleware":
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
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
                    leases.note_link(lease, link)
        except Exception:
            leases.end(lease, "callback_error", "callback_error")
            raise
        if response.meta.get(LEFT_UNFINISHED):
            return
        if page is None or page.url != lease.url:
            if page is not None:
                yield page
            if lease.row.kind not in PAGE_KINDS:
                self.crawler.stats.inc_value("newsextract/lists/read")
            leases.end(lease, "no_item", response.meta.get("dropped_because") or "list")
            return
        leases.note_page(lease, page)
        if page.page_hash is not None and page.page_hash == lease.row.page_hash:
            for stat in ("same_page", "unchanged"):
                self.crawler.stats.inc_value(f"newsextract/{stat}")
            leases.end(lease, "same_page", lease.row.reason)
        else:
            yield page
