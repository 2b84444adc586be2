"""How fast a site is asked: as slowly as its robots.txt and its answers say, and no other site for it."""

import logging
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from newsextract.crawl.engine import hold_back_site, slow_down_site
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: Seconds between two requests, and before the next one, that a site may ask for at most.
LONGEST_DELAY = 30.0
LONGEST_WAIT = 120.0
#: Answers that say that the site is asked too fast, or can't answer now.
SLOW_DOWN = (429, 503)
#: Seconds before the next request after such an answer that names no time: doubled with each in a row.
FIRST_WAIT = 2.0


class Manners:
    """Downloader middleware: robots.txt's Crawl-delay, Retry-After, and answers 429 and 503. Each slot for itself."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.in_a_row: dict[str, int] = {}
        crawler.signals.connect(self.robots_parsed, signal=signals.robots_parsed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Manners":
        return cls(crawler)

    def robots_parsed(self, robotparser: Any, request: Request) -> None:
        """A site's robots.txt is known: its Crawl-delay is ours from now on, if it is the longer one."""
        asked = robotparser.crawl_delay(self.crawler.settings["ROBOTSTXT_USER_AGENT"] or "newsextract")
        if not asked:
            return
        site, delay = site_of(request.url), min(float(asked), LONGEST_DELAY)
        cap = f", of which {delay:g} s are kept" if delay < asked else ""
        logger.info("%s asks for %g s between two requests%s", site, asked, cap)
        if site:
            slow_down_site(self.crawler, site, delay)

    def process_response(self, request: Request, response: Response) -> Response:
        """Holds the site back after an answer that asks for it."""
        site = str(request.meta.get("download_slot") or "")
        if response.status not in SLOW_DOWN:
            self.in_a_row.pop(site, None)
            return response
        times = self.in_a_row[site] = self.in_a_row.get(site, 0) + 1
        asked = retry_after(response)
        wait = min(FIRST_WAIT * 2 ** (times - 1) if asked is None else asked, LONGEST_WAIT)
        said = "" if asked is None else f" and asks for {asked:g} s"
        logger.info("%s answers %d%s: no request for %g s", site, response.status, said, wait)
        self.crawler.stats.inc_value("newsextract/slowed_down")
        if site and wait > 0:
            hold_back_site(self.crawler, site, wait)
        return response


def retry_after(response: Response) -> float | None:
    """The seconds that a Retry-After header asks for, given as a number or a date; None for none that can be read."""
    said = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if said.isascii() and said.isdigit():
        return float(said[:9])
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
