"""Base class of our Scrapy components (middlewares, pipelines, extensions)."""

from collections.abc import Callable, Iterable
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector
from scrapy.utils.asyncio import create_looping_call

from newsextract.health.counts import CrawlCounts


def connect_signals(crawler: Crawler, owner: object, names: Iterable[str]) -> None:
    """Connects the methods of `owner` to Scrapy's signals of the same name."""
    for name in names:
        crawler.signals.connect(getattr(owner, name), signal=getattr(signals, name))


class Component:
    """A Scrapy component. Its methods that are named after a Scrapy signal (`SIGNALS`) are connected to it."""

    #: Names of the signals that the class handles.
    SIGNALS: tuple[str, ...] = ()

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        connect_signals(crawler, self, self.SIGNALS)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy for each crawl."""
        return cls(crawler)

    @property
    def stats(self) -> StatsCollector:
        return self.crawler.stats

    @property
    def counts(self) -> CrawlCounts:
        """What the crawl counts."""
        return CrawlCounts(self.crawler.stats)

    def repeat(self, seconds: float, work: Callable[[], None]) -> None:
        """Calls a function repeatedly until the spider is closed."""
        self._timer = create_looping_call(work)
        self._timer.start(seconds, now=False)
        self.crawler.signals.connect(self._timer.stop, signal=signals.spider_closed)
