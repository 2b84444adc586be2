"""Scrapy extensions: progress of a crawl on a terminal or in the log, and a shutdown within a few seconds."""

import asyncio
import logging
import os
import sys
import threading
from collections import deque
from contextlib import suppress
from importlib import import_module
from time import monotonic
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.log import get_scrapy_root_handler

from newsextract.crawl import engine
from newsextract.crawl.abort import STEP_TIME
from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.spider_options import options_of
from newsextract.crawl.summary import exit_status, format_duration, read_totals
from newsextract.errors import NewsextractError
from newsextract.store import Frontier
from newsextract.text import counted

logger = logging.getLogger(__name__)

#: Seconds between two updates of the live line, and over which the rate is averaged.
REFRESH_INTERVAL = 0.5
#: Seconds until the first log line at the latest, and by how much a timer may be early.
FIRST_LINE = 5.0
CLOCK_TOLERANCE = 0.05
RATE_WINDOW = 30.0
#: Seconds between two checks of whether a crawl should stop or is done.
CHECK_INTERVAL = 0.25
#: Seconds for the summary after that; then the process exits, because Python would wait for threads that hang.
SUMMARY_TIME = 0.5


class ProgressExtension(Component):
    """Shows pages, articles, queue and rate, as one live line on a terminal, otherwise as log lines.

    LOGSTATS_INTERVAL: seconds between two log lines; 0 switches it off. LOGSTATS_LIVE: whether there is a live line.
    """

    SIGNALS = ("spider_opened", "spider_closed")

    def __init__(self, crawler: Crawler) -> None:
        self.interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        if not self.interval:
            raise NotConfigured
        super().__init__(crawler)
        self.started = self.next_line = monotonic()  # `next_line`: the time of the next log line
        self.samples: deque[tuple[float, int]] = deque()  # (time, pages)
        self.live: Live | None = None
        self.prefix = ""

    def spider_opened(self, spider: Spider) -> None:
        self.started = monotonic()
        self.samples.append((self.started, 0))
        self.prefix = f"{spider.name}: " if options_of(spider).preset else ""
        settings = self.crawler.settings
        logs_here = settings.getbool("LOG_ENABLED") and not settings["LOG_FILE"]
        if sys.stderr.isatty() and logs_here and settings.getbool("LOGSTATS_LIVE"):
            self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self.live.start()
            _log_to_present_stderr()
            self.update()
        first_line = min(FIRST_LINE, self.interval)
        self.next_line = self.started + first_line
        self.repeat(REFRESH_INTERVAL if self.live else first_line, self.update)

    def spider_closed(self) -> None:
        if self.live is not None:
            self.live.stop()
            self.live = None
            _log_to_present_stderr()

    def update(self) -> None:
        if self.live is not None:
            self.live.update(Text(self.progress_line(), no_wrap=True, overflow="ellipsis"), refresh=True)
        elif monotonic() >= self.next_line - CLOCK_TOLERANCE:
            self.next_line = monotonic() + self.interval
            logger.info("%s%s", self.prefix, self.progress_line())

    def progress_line(self) -> str:
        """The totals, the queue, and the pages a second over the last RATE_WINDOW."""
        now = monotonic()
        totals = read_totals(self.counts)
        self.samples.append((now, totals.pages))
        while self.samples[0][0] < now - RATE_WINDOW and len(self.samples) > 2:
            self.samples.popleft()
        (first_time, first_pages), (last_time, last_pages) = self.samples[0], self.samples[-1]
        rate = (last_pages - first_pages) / (last_time - first_time) if last_time > first_time else 0.0
        return (
            f"{counted(totals.pages, 'page')} · articles: {totals.new} new, {totals.changed} changed, "
            f"{totals.unchanged} unchanged · {sum(totals.dropped.values())} dropped · "
            f"{engine.count_pending_requests(self.crawler)} queued · {rate:.1f} pages/s · "
            f"{format_duration(now - self.started)}"
        )


def _log_to_present_stderr() -> None:
    """Points Scrapy's log at the current sys.stderr: while a live line is shown, rich prints log lines above it."""
    handler = get_scrapy_root_handler()
    if type(handler) is logging.StreamHandler:
        handler.setStream(sys.stderr)


class IdleScraperCheck(Component):
    """Lets closing crawls end even with items that didn't come from a response (`check_scraper_idle`)."""

    SIGNALS: tuple[str, ...] = ("spider_opened",)

    def spider_opened(self) -> None:
        self.repeat(CHECK_INTERVAL, self.check)

    def check(self) -> None:
        engine.check_scraper_idle(self.crawler)


class GracefulShutdown(IdleScraperCheck):
    """Limits to 6 s the time a crawl takes to close after SIGTERM or SIGINT, or when a script stops it.

    Scrapy waits for the slowest page in progress, but service managers kill a process after ten seconds.
    """

    SIGNALS = ("spider_opened", "spider_closed")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.shutdown_task: asyncio.Task[None] | None = None
        self.closed = False

    def spider_closed(self) -> None:
        self.closed = True

    def check(self) -> None:
        super().check()
        if not self.crawler.crawling and self.shutdown_task is None:  # Scrapy was told to stop
            self.shutdown_task = asyncio.ensure_future(self._shut_down())

    async def _shut_down(self) -> None:
        """Lets Scrapy close by itself for a while; then abandons downloads, pages in the workers, and the rest."""
        context = CrawlContext.of(self.crawler)
        engine.fail_queued_downloads(self.crawler)
        await asyncio.sleep(STEP_TIME)
        if engine.is_closing(self.crawler):
            context.leases.stopping = True
            if (renderer := context.reader.renderer) is not None:
                renderer.end_now()
            engine.abandon_downloads(self.crawler)
        await asyncio.sleep(STEP_TIME)
        context.pool.end_now()
        await asyncio.sleep(STEP_TIME)
        if not self.closed:
            await self._force_close(context)

    async def _force_close(self, context: CrawlContext) -> None:
        """Closes the store and leaves the event loop, in which something hangs."""
        logger.warning("The crawl did not close in time; the next run resumes it")
        context.leases.stopping = True
        with suppress(NewsextractError):
            await asyncio.wait_for(context.async_store.lead(Frontier.close), 1)
        context.leases.closed = True
        self.stats.set_value("finish_reason", "shutdown")
        await context.async_store.close("shutdown")
        reactor: Any = import_module("twisted.internet.reactor")
        reactor.crash()
        exit_timer = threading.Timer(SUMMARY_TIME, os._exit, [exit_status(self.crawler)])
        exit_timer.daemon = True  # otherwise Python would wait for it
        exit_timer.start()
