"""Where a crawl ends: at the borders of its site and at its number of pages. Every request passes, redirects too."""

import asyncio
import logging

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler

from newsextract.crawl.failures import RequestRefused

logger = logging.getLogger(__name__)


class Boundary:
    """Downloader middleware; asks the spider's `within(url)` and `max_pages`, where it has them."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.pages = 0
        self.closing: asyncio.Task[None] | None = None
        crawler.signals.connect(self.request_dropped, signal=signals.request_dropped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Boundary":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raises RequestRefused beyond the border. A page counts when it is asked for, once for all its tries."""
        within = getattr(self.crawler.spider, "within", None)
        if within is not None and not within(request.url):
            raise RequestRefused("off_site", f"{request.url} is not on the site")
        if not request.meta.get("page") or request.meta.get("retry_times") or request.meta.get("redirect_times"):
            return
        limit = getattr(self.crawler.spider, "max_pages", None)
        if limit is not None and self.pages >= limit:
            self._close()
            raise RequestRefused("max_pages", f"max_pages={limit} is reached")
        self.pages += 1

    def request_dropped(self, request: Request, spider: Spider) -> None:
        """A redirect to a URL that was asked for already ends in the queue's filter, where no errback tells of it."""
        if request.meta.get("redirect_times"):
            self.crawler.stats.inc_value("newsextract/dropped/redirected_to_known")

    def _close(self) -> None:
        if self.closing is None:
            logger.info("max_pages is reached; what is on its way is finished")
            self.closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason="max_pages"))
