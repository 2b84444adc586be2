"""Scrapy extensions: progress of a crawl on a terminal or in the log, and a shutdown within a few seconds."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from time import monotonic
from types import FrameType
from typing import Any, ClassVar

from rich.console import Console
from rich.live import Live
from rich.text import Text
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import AsyncioLoopingCall, create_looping_call
from scrapy.utils.log import get_scrapy_root_handler
from twisted.internet.task import LoopingCall

from newsextract.crawl.context import CrawlContext
from newsextract.crawl.engine import (
    abandon_downloads,
    check_scraper_idle,
    count_pending_requests,
    fail_queued_downloads,
    is_closing,
)
from newsextract.crawl.spider_options import options_of
from newsextract.crawl.stats import format_duration, read_stats
from newsextract.crawl.summary import exit_status
from newsextract.errors import NewsextractError
from newsextract.store import Frontier

logger = logging.getLogger(__name__)

#: Seconds between two changes of the live line, and over which the rate is taken.
REFRESH_INTERVAL = 0.5
#: Seconds after which the first line of log comes at the latest, and by which a timer may be early.
FIRST_LINE, CLOCK_TOLERANCE = 5.0, 0.05
RATE_WINDOW = 30.0

#: Seconds for the engine to begin to close, for downloads, for pages in the workers, and for all else: under 8.
CLOSING_TIME = 0.1
DOWNLOAD_TIME = 3.0
EXTRACTION_TIME = 1.5
LAST_TIME = 1.0
#: Seconds for the summary after that; then the process exits, since Python would wait for threads that hang.
SUMMARY_TIME = 0.5
#: Seconds between two checks of whether a closing crawl is done.
IDLE_CHECK_INTERVAL = 0.25
SIGNALS = (signal.SIGTERM, signal.SIGINT)

SignalHandler = Callable[[int, FrameType | None], Any]


class ProgressExtension:
    """Shows pages, articles, queue and rate: as one live line on a terminal, else as a line of log.

    LOGSTATS_INTERVAL: seconds between two lines of log; 0 switches it off. LOGSTATS_LIVE: whether there is a live line.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        self.started = monotonic()
        self.samples: deque[tuple[float, int]] = deque()  # (time, pages)
        self.next_line = 0.0  # the time of the next line of log
        self.timer: AsyncioLoopingCall | LoopingCall | None = None
        self.live: Live | None = None
        self.prefix = ""
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ProgressExtension":
        if not crawler.settings.getfloat("LOGSTATS_INTERVAL"):
            raise NotConfigured
        return cls(crawler)

    def spider_opened(self, spider: Spider) -> None:
        self.started = monotonic()
        self.samples.append((self.started, 0))
        self.prefix = f"{spider.name}: " if options_of(spider).preset else ""
        if self._is_live():
            self.live = Live(self._text(), console=Console(stderr=True), auto_refresh=False, transient=True)
            self.live.start()
            _log_to_present_stderr()
        first_line = min(FIRST_LINE, self.interval)
        self.next_line = self.started + first_line
        self.timer = create_looping_call(self.update)
        self.timer.start(REFRESH_INTERVAL if self.live else first_line, now=False)

    def spider_closed(self) -> None:
        if self.timer is not None:
            self.timer.stop()
            self.timer = None
        if self.live is not None:
            self.live.stop()
            self.live = None
            _log_to_present_stderr()

    def update(self) -> None:
        """Shows the totals of this moment."""
        if self.live is not None:
            self.live.update(self._text(), refresh=True)
        elif monotonic() >= self.next_line - CLOCK_TOLERANCE:
            self.next_line = monotonic() + self.interval
            logger.info("%s%s", self.prefix, self.progress_line())

    def progress_line(self) -> str:
        """The totals, the queue, and the pages a second of the last RATE_WINDOW."""
        now = monotonic()
        totals = read_stats(self.crawler.stats.get_stats())
        self.samples.append((now, totals.pages))
        while self.samples[0][0] < now - RATE_WINDOW and len(self.samples) > 2:
            self.samples.popleft()
        (first_time, first_pages), (last_time, last_pages) = self.samples[0], self.samples[-1]
        rate = (last_pages - first_pages) / (last_time - first_time) if last_time > first_time else 0.0
        return (
            f"{totals.pages} pages · articles: {totals.new} new, {totals.changed} changed, "
            f"{totals.unchanged + totals.unchanged_pages} unchanged · {sum(totals.dropped.values())} dropped · "
            f"{count_pending_requests(self.crawler)} queued · {rate:.1f} pages/s · "
            f"{format_duration(now - self.started)}"
        )

    def _text(self) -> Text:
        return Text(self.progress_line(), no_wrap=True, overflow="ellipsis")

    def _is_live(self) -> bool:
        settings = self.crawler.settings
        return (
            sys.stderr.isatty()
            and settings.getbool("LOGSTATS_LIVE")
            and settings.getbool("LOG_ENABLED")
            and not settings["LOG_FILE"]
        )


def _log_to_present_stderr() -> None:
    """Points Scrapy's log at the present sys.stderr: while a live line is shown, rich puts log lines above it."""
    handler = get_scrapy_root_handler()
    if type(handler) is logging.StreamHandler:
        handler.setStream(sys.stderr)


class IdleScraperCheck:
    """Lets every closing crawl end, items that no response brought included (`check_scraper_idle`)."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.timer: AsyncioLoopingCall | LoopingCall | None = None
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "IdleScraperCheck":
        return cls(crawler)

    def spider_opened(self) -> None:
        self.timer = create_looping_call(check_scraper_idle, self.crawler)
        self.timer.start(IDLE_CHECK_INTERVAL, now=False)

    def spider_closed(self) -> None:
        if self.timer is not None:
            self.timer.stop()
            self.timer = None


class ShutdownSignalHandler:
    """Handler of a signal that shuts down all open crawls of this process, then calls the handler before it."""

    def __init__(self, previous: SignalHandler) -> None:
        self.previous = previous

    def __call__(self, number: int, frame: FrameType | None) -> None:
        for shutdown in [*GracefulShutdown.open_crawls]:
            shutdown.request()
        self.previous(number, frame)


class GracefulShutdown:
    """Bounds the time that a crawl takes to close after SIGTERM or SIGINT.

    Scrapy waits for everything that is under way, up to the time-out of the slowest page; a service manager does not,
    and kills the process after ten seconds. So the crawl finishes what it can within 6 s, and gives back the rest.
    """

    #: Those of the open crawls of this process; a handler that held a crawl would hold it after its end.
    open_crawls: ClassVar[set["GracefulShutdown"]] = set()

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.loop: asyncio.AbstractEventLoop | None = None
        self.shutdown_task: asyncio.Task[None] | None = None
        self.closed = False
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "GracefulShutdown":
        return cls(crawler)

    def spider_opened(self) -> None:
        """Installs signal handlers, once a process, that call those of Scrapy, which are there by now."""
        self.loop = asyncio.get_running_loop()
        self.open_crawls.add(self)
        for number in SIGNALS:
            previous = signal.getsignal(number)
            if callable(previous) and not isinstance(previous, ShutdownSignalHandler):
                signal.signal(number, ShutdownSignalHandler(previous))

    def spider_closed(self) -> None:
        self.closed = True
        self.open_crawls.discard(self)

    def request(self) -> None:
        """Begins the shutdown in the event loop; may be called from a signal handler."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._begin_shutdown)

    def _begin_shutdown(self) -> None:
        if self.shutdown_task is None and not self.closed:
            self.shutdown_task = asyncio.ensure_future(self._shut_down())

    async def _shut_down(self) -> None:
        """Lets Scrapy close by itself for a while; then abandons downloads, pages in the workers, and all else."""
        context = CrawlContext.of(self.crawler)
        await asyncio.sleep(CLOSING_TIME)
        fail_queued_downloads(self.crawler)
        await asyncio.sleep(DOWNLOAD_TIME)
        if is_closing(self.crawler):
            context.leases.stopping = True
            if context.renderer is not None:
                context.renderer.end_now()
            abandon_downloads(self.crawler)
        await asyncio.sleep(EXTRACTION_TIME)
        context.pool.end_now()
        await asyncio.sleep(LAST_TIME)
        if not self.closed:
            await self._force_close(context)

    async def _force_close(self, context: CrawlContext) -> None:
        """Closes the store and leaves the event loop, in which something waits for what does not come."""
        logger.warning("The crawl did not close in time; the next run resumes it")
        context.leases.stopping = True
        with suppress(NewsextractError):
            await asyncio.wait_for(context.async_store.lead(Frontier.close), 1)
        context.leases.closed = True
        self.crawler.stats.set_value("finish_reason", "shutdown")
        await context.async_store.close("shutdown")
        reactor: Any = import_module("twisted.internet.reactor")
        reactor.crash()
        exit_timer = threading.Timer(SUMMARY_TIME, os._exit, [exit_status(self.crawler)])
        exit_timer.daemon = True  # else Python would wait for it, too
        exit_timer.start()
