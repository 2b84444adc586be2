"""Stops a crawl that can't continue: one sentence for the user, one finish reason for the run."""

import asyncio
import logging

from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from newsextract.crawl.component import Component
from newsextract.crawl.engine import abandon_downloads, fail_queued_downloads
from newsextract.health.counts import CrawlCounts

logger = logging.getLogger(__name__)

#: The finish reasons of a crawl that can't start a worker process, and of one that can't use its database.
NO_WORKERS = "workers"
DATABASE = "database"
#: The finish reason of a crawl that makes room for other sites; the next crawl of its site resumes the run.
HANDED_ON = "handed_on"
#: The setting that says what is wrong with the others; the crawl ends before its first request.
WRONG = "_NEWSEXTRACT_WRONG_SETTING"
#: Seconds until the engine has begun to close; and for each step of a stop: downloads, pages in the workers, the rest.
CLOSING_TIME = 0.1
STEP_TIME = 2.0


def abort_crawl(crawler: Crawler, reason: str, sentence: str) -> None:
    """Closes the spider with that finish reason. Only the first call counts."""
    if is_aborted(crawler):
        return
    CrawlCounts(crawler.stats).fatal = sentence  # so it ends with exit status 1
    logger.error("The crawl stops: %s", sentence)
    closing = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))
    # Keeps asyncio from logging the exception again: Scrapy has logged it
    closing.add_done_callback(lambda closed: None if closed.cancelled() else closed.exception() and None)
    loop = asyncio.get_running_loop()
    loop.call_later(CLOSING_TIME, fail_queued_downloads, crawler)
    loop.call_later(STEP_TIME, abandon_downloads, crawler)


def end_turn(crawler: Crawler) -> None:
    """Closes a crawl that makes room for other sites: queued downloads go back to the frontier, running ones end."""
    closing = asyncio.ensure_future(crawler.engine.close_spider_async(reason=HANDED_ON))
    closing.add_done_callback(lambda closed: None if closed.cancelled() else closed.exception() and None)
    asyncio.get_running_loop().call_later(CLOSING_TIME, fail_queued_downloads, crawler)


def is_aborted(crawler: Crawler) -> bool:
    """Whether the crawl is stopping because it can't continue."""
    return CrawlCounts(crawler.stats).fatal is not None


class RefusedCrawl(Component):
    """Extension for a crawl with an invalid setting: logs one sentence and ends before the first request."""

    SIGNALS = ("spider_opened",)

    def spider_opened(self) -> None:
        sentence = self.crawler.settings[WRONG]
        logger.error("The crawl does not start: %s", sentence)
        self.counts.fatal = sentence
        raise CloseSpider("newsextract_settings")
