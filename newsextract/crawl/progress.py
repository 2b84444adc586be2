"""How far a crawl is: one live line on a terminal, a line of log now and then elsewhere."""

import logging
import sys
from collections import deque
from time import monotonic
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.log import get_scrapy_root_handler

from newsextract.crawl.stats import figures

logger = logging.getLogger(__name__)

REFRESH = 0.5
#: Seconds over which the rate is taken.
WINDOW = 30.0


class Progress:
    """Extension. LOGSTATS_INTERVAL sets the seconds between two lines of log; 0: none."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        self.started = monotonic()
        self.seen: deque[tuple[float, int]] = deque()
        self.ticking: Any = None
        self.live: Live | None = None
        self.named = ""
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Progress":
        if not crawler.settings.getfloat("LOGSTATS_INTERVAL"):
            raise NotConfigured
        return cls(crawler)

    def spider_opened(self, spider: Spider) -> None:
        self.started = monotonic()
        self.named = f"{spider.name}: " if getattr(spider, "preset", None) else ""  # one of several, perhaps
        if self._on_terminal():
            self.live = Live(self._text(), console=Console(stderr=True), auto_refresh=False, transient=True)
            self.live.start()
            _log_above_the_line()
        self.ticking = create_looping_call(self.tick)
        self.ticking.start(REFRESH if self.live else self.interval, now=False)

    def spider_closed(self, spider: Spider) -> None:
        if self.ticking is not None:
            self.ticking.stop()
            self.ticking = None
        if self.live is not None:
            self.live.stop()
            self.live = None
            _log_above_the_line()

    def tick(self) -> None:
        """Shows the figures of this moment."""
        if self.live is not None:
            self.live.update(self._text(), refresh=True)
        else:
            logger.info("%s%s", self.named, self.line())

    def line(self) -> str:
        """The figures in one line."""
        now = monotonic()
        so_far = figures(self.crawler.stats.get_stats())
        self.seen.append((now, so_far.pages))
        while self.seen[0][0] < now - WINDOW and len(self.seen) > 2:
            self.seen.popleft()
        (since, before), (until, pages) = self.seen[0], self.seen[-1]
        rate = (pages - before) / (until - since) if until > since else 0.0
        return (
            f"{so_far.pages} pages · articles: {so_far.new} new, {so_far.changed} changed, "
            f"{so_far.unchanged} unchanged · {sum(so_far.dropped.values())} dropped · {self._queued()} queued · "
            f"{rate:.1f} pages/s · {elapsed(now - self.started)}"
        )

    def _text(self) -> Text:
        return Text(self.line(), no_wrap=True, overflow="ellipsis")

    def _queued(self) -> int:
        scheduler: Any = self.crawler.engine.scheduler
        waiting = len(scheduler) if hasattr(scheduler, "__len__") else 0
        return waiting + len(self.crawler.engine.downloader.active)

    def _on_terminal(self) -> bool:
        settings = self.crawler.settings
        return (
            sys.stderr.isatty()
            and settings.getbool("LOGSTATS_LIVE")
            and settings.getbool("LOG_ENABLED")
            and not settings["LOG_FILE"]
        )


def elapsed(seconds: float) -> str:
    """A duration as people write it: 7 s, 2:05, 1:02:03."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _log_above_the_line() -> None:
    """Log lines go where stderr leads now: while the line is shown, rich puts them above it."""
    handler = get_scrapy_root_handler()
    if type(handler) is logging.StreamHandler:
        handler.setStream(sys.stderr)
