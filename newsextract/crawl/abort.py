"""Stops a crawl that can't go on: one sentence for the user, one reason for the schedule."""

import asyncio
import logging

from scrapy.crawler import Crawler

from newsextract.crawl.engine import drop_waiting, let_go_of_downloads

logger = logging.getLogger(__name__)

FATAL = "newsextract/fatal"
#: Seconds for the crawl to begin its end, and for requests that are under way: what they bring can't be stored.
CLOSING, LAST_ANSWERS = 0.1, 2.0


def stop_crawl(crawler: Crawler, reason: str, sentence: str) -> None:
    """Closes the spider under that reason, once; the first sentence is the one that is told."""
    if crawler.stats.get_value(FATAL) is not None:
        return
    crawler.stats.set_value(FATAL, sentence)
    logger.error("The crawl stops: %s", sentence)
    closing = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))
    closing.add_done_callback(_told)
    loop = asyncio.get_running_loop()
    loop.call_later(CLOSING, drop_waiting, crawler)
    loop.call_later(LAST_ANSWERS, let_go_of_downloads, crawler)


def is_fatal(crawler: Crawler) -> bool:
    """Whether the crawl is stopping because it can't go on."""
    return crawler.stats.get_value(FATAL) is not None


def _told(closing: "asyncio.Future[None]") -> None:
    """Whatever is wrong with the closing itself has been logged by Scrapy; the crawl is closing already then."""
    if not closing.cancelled():
        closing.exception()
