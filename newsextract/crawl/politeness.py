"""Politeness, for each site separately: robots.txt with its Crawl-delay, throttling, Retry-After, 429 and 503."""

import logging
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser

from newsextract.crawl.component import Component
from newsextract.crawl.engine import hold_back_site, slow_down_site
from newsextract.crawl.failures import RequestRefused, describe_failure
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: Maximum size of a robots.txt: crawlers must read 500 KiB (RFC 9309).
MAX_ROBOTS_BYTES = 500 * 1024
#: The longest Crawl-delay and Retry-After that are obeyed, in seconds.
MAX_DELAY = 30.0
MAX_WAIT = 120.0
#: Statuses of a site that is requested too fast, or can't answer now.
SLOW_DOWN = (429, 503)
#: Statuses that say as much about a site's speed as a page does: not modified, not found, gone.
SETTLED = (304, 404, 410)
#: Seconds before the next request after such a status without Retry-After; doubled with each in a row.
FIRST_WAIT = 2.0


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's middleware for robots.txt, with reasons for refusals and a limit on the file's size."""

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest as error:
            raise RequestRefused("robots", "the site's robots.txt does not allow it") from error

    def process_response(self, request: Request, response: Response) -> Response:
        """Truncates a robots.txt to the limit."""
        if _is_robots_request(request) and len(response.body) > MAX_ROBOTS_BYTES:
            return response.replace(body=response.body[:MAX_ROBOTS_BYTES])
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Logs a robots.txt that can't be fetched in one line; the site is crawled without it."""
        if _is_robots_request(request) and not isinstance(exception, IgnoreRequest):
            reason, clause = describe_failure(exception, request)
            logger.info("%s could not be read: %s", request.url, clause)
            raise RequestRefused(reason, clause) from exception


class Throttle(AutoThrottle):
    """AutoThrottle that also shortens a site's delay after answers of SETTLED, and keeps its Crawl-delay.

    Scrapy's own shortens it only after pages, so refetching unchanged pages stays slow, and ignores robots.txt.
    """

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        super()._adjust_delay(slot, latency, response.replace(status=200) if response.status in SETTLED else response)
        politeness = self.crawler.get_downloader_middleware(PolitenessMiddleware)
        if politeness is not None:
            slot.delay = max(slot.delay, politeness.asked.get(site_of(response.url), 0.0))


class PolitenessMiddleware(Component):
    """Downloader middleware: delays a site's download slot as its robots.txt and its answers demand."""

    SIGNALS = ("robots_parsed",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        #: The delays that sites ask for, and the number of SLOW_DOWN answers in a row, by site.
        self.asked: dict[str, float] = {}
        self.in_a_row: dict[str, int] = {}

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Applies the Crawl-delay of a robots.txt, if it is longer than the slot's delay."""
        asked = float(robotparser.crawl_delay(self.crawler.settings["ROBOTSTXT_USER_AGENT"] or "newsextract") or 0.0)
        site, delay = site_of(request.url), min(asked, MAX_DELAY)
        if asked and site:
            cap = f"; the crawl waits {delay:g} s" if delay < asked else ""
            logger.info("%s asks for %g s between requests%s", site, asked, cap)
            self.asked[site] = delay
            slow_down_site(self.crawler, site, delay)

    def process_response(self, request: Request, response: Response) -> Response:
        """Delays the next request to a site that answers 429 or 503."""
        site = str(request.meta.get("download_slot") or "")
        if response.status not in SLOW_DOWN:
            self.in_a_row.pop(site, None)
            return response
        times = self.in_a_row[site] = self.in_a_row.get(site, 0) + 1
        asked = retry_after(response)
        wait = min(FIRST_WAIT * 2 ** (times - 1) if asked is None else asked, MAX_WAIT)
        request_of_site = "" if asked is None else f" and asks for {asked:g} s"
        logger.info("%s answers %d%s: no request for %g s", site, response.status, request_of_site, wait)
        self.stats.inc_value("newsextract/slowed_down")
        if site and wait > 0:
            hold_back_site(self.crawler, site, wait)
        return response


def retry_after(response: Response) -> float | None:
    """The seconds in a Retry-After header, given as a number or a date; None if it can't be parsed."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _is_robots_request(request: Request) -> bool:
    return request.callback is NO_CALLBACK and request.url.endswith("/robots.txt")
