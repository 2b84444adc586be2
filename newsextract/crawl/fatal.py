"""Stops a crawl that can't go on: one sentence for the user, one reason for the schedule."""

import asyncio
import logging

from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

FATAL = "newsextract/fatal"


def stop_crawl(crawler: Crawler, reason: str, sentence: str) -> None:
    """Closes the spider under that reason, once; the first sentence is the one that is told."""
    if crawler.stats.get_value(FATAL) is not None:
        return
    crawler.stats.set_value(FATAL, sentence)
    logger.error("The crawl stops: %s", sentence)
    closing = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))
    closing.add_done_callback(_told)


def is_fatal(crawler: Crawler) -> bool:
    """Whether the crawl is stopping because it can't go on."""
    return crawler.stats.get_value(FATAL) is not None


def _told(closing: "asyncio.Future[None]") -> None:
    """Whatever is wrong with the closing itself has been logged by Scrapy; the crawl is closing already then."""
    if not closing.cancelled():
        closing.exception()
