"""Ends a crawl whose hosts never answer, whether they accept connections or not; its URLs wait for the next one."""

from collections import Counter

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from newsextract.crawl.abort import abort_crawl
from newsextract.crawl.engine import is_closing
from newsextract.crawl.failures import RequestNotSent
from newsextract.crawl.spider_options import SpiderOptions
from newsextract.store.leases import NO_ANSWER
from newsextract.urls import site_of

#: Requests to a site that time out before a crawl that no site has answered gives it up: its robots.txt, which is not
#: asked for again, and twice its front page.
MAX_TIMEOUTS = 3


class NoAnswerMiddleware:
    """Downloader middleware, between retries and network: counts the time-outs of a crawl that had no answer yet.

    The first line of an answer of any site ends the counting for good: a slow site is crawled as any other.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.timeouts: Counter[str] | None = Counter()
        crawler.signals.connect(self._stop_counting, signal=signals.headers_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "NoAnswerMiddleware":
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        """Any answer will do."""
        self._stop_counting()
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Closes the crawl after the last time-out that its sites have; their URLs stay queued (RequestNotSent)."""
        if self.timeouts is None or not isinstance(exception, DownloadTimeoutError):
            return
        if not is_closing(self.crawler):
            self.timeouts[site_of(request.url)] += 1
            if self._is_hopeless(self.timeouts):
                abort_crawl(self.crawler, NO_ANSWER, self._sentence(self.timeouts))
        if is_closing(self.crawler) or self._is_hopeless(self.timeouts):
            raise RequestNotSent("its host does not answer") from exception
        if request.callback is NO_CALLBACK:  # robots.txt: the front page will show whether the host answers at all
            request.meta["dont_retry"] = True

    def _is_hopeless(self, timeouts: Counter[str]) -> bool:
        sites = {*SpiderOptions.of(self.crawler.spider).sites, *timeouts}
        return all(timeouts[site] >= MAX_TIMEOUTS for site in sites)

    def _sentence(self, timeouts: Counter[str]) -> str:
        sites = [*timeouts]
        hosts = sites[0] if len(sites) == 1 else f"{sites[0]} and {len(sites) - 1} more"
        verb = "does" if len(sites) == 1 else "do"
        seconds = self.crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        return (
            f"{hosts} {verb} not answer: {timeouts.total()} requests had no answer within {seconds:g} s "
            "(DOWNLOAD_TIMEOUT); what is queued waits for the next crawl"
        )

    def _stop_counting(self) -> None:
        self.timeouts = None
