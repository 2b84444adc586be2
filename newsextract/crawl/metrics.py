"""Prometheus metrics of crawls: a text file for the node exporter, or an endpoint on loopback (NEWSEXTRACT_METRICS).

One `MetricsStore` per process holds the values of all its crawls. Crawls are started by cron, so counters continue from
the text file, and processes that write the same file add to each other's counters. Names follow
prometheus.io/docs/practices/naming: base units, `_total` for counters.
"""

import atexit
import logging
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector

from newsextract.crawl.checks import metrics_target
from newsextract.crawl.component import Component
from newsextract.crawl.engine import count_pending_requests
from newsextract.crawl.summary import NORMAL_REASONS, read_totals
from newsextract.files import package_data
from newsextract.health.counts import CrawlCounts
from newsextract.store.engine import parse_database_url
from newsextract.version import VERSION

if TYPE_CHECKING:
    from prometheus_client.core import Metric

logger = logging.getLogger(__name__)

#: Seconds between two updates from a crawl's stats, and for the lock of the text file.
INTERVAL = 15.0
LOCK_TIMEOUT = 5.0
#: Minimum seconds between two writes of the text file, if many short crawls end.
SHORTEST = 3.0
#: Every metric: labels and help. Names of counters end in COUNTER; the others are gauges.
FAMILIES: dict[str, tuple[tuple[str, ...], str]] = {
    name: (tuple(metric["labels"]), metric["help"])
    for name, metric in package_data("newsextract.crawl", "metrics.toml").items()
}
COUNTER = "_total"
#: Scrapy stats that are counters here; and the prefix of those of responses by status.
COUNTED = {
    "downloader/response_bytes": "newsextract_response_bytes_total",
    "downloader/exception_count": "newsextract_request_errors_total",
    "log_count/ERROR": "newsextract_log_errors_total",
    "log_count/CRITICAL": "newsextract_log_errors_total",
}
STATUS = "downloader/response_status_count/"
#: A metric's name and its label values.
Key = tuple[str, tuple[str, ...]]


# ---- the values of a process -----------------------------------------------------------------------------------------


class MetricsStore:
    """The metrics of this process: served on a port, or written to a text file. Thread-safe."""

    def __init__(self, target: Path | tuple[str, int]) -> None:
        """If another process has the port, this logs a warning and serves nothing, and the crawl continues."""
        from prometheus_client import CollectorRegistry, start_http_server  # an extra

        self.lock = threading.RLock()
        self.values: dict[Key, float] = {("newsextract_info", (VERSION,)): 1.0}
        self.path = target if isinstance(target, Path) else None
        self.registry = CollectorRegistry(auto_describe=False)
        self.registry.register(self)
        self._unwritten: dict[Key, float] = {}  # increments that are not in the file yet
        self._next_write = 0.0
        self._complained = False
        if not isinstance(target, Path):
            try:
                start_http_server(target[1], target[0], self.registry)
            except OSError as error:
                logger.warning("Metrics could not be served on port %s: %s", target[1], error.strerror or error)

    def add(self, name: str, labels: tuple[str, ...], increment: float) -> None:
        with self.lock:
            for values in (self.values, self._unwritten):
                values[name, labels] = values.get((name, labels), 0.0) + increment

    def set(self, name: str, labels: tuple[str, ...], value: float) -> None:
        with self.lock:
            self.values[name, labels] = value

    def collect(self) -> "Iterator[Metric]":
        """Called by prometheus_client: the values as metric families."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # an extra

        with self.lock:
            values = sorted(self.values.items())
        families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
        for (name, labels), value in values:
            if name not in families:
                family = CounterMetricFamily if name.endswith(COUNTER) else GaugeMetricFamily
                families[name] = family(name, FAMILIES[name][1], labels=FAMILIES[name][0])
            families[name].add_metric(labels, value)
        yield from families.values()

    def write(self, now: bool = True) -> None:
        """Adds our counters and gauges to those in the text file, if any; without `now`, only each SHORTEST seconds."""
        from prometheus_client import write_to_textfile  # an extra

        if self.path is None or (not now and time.monotonic() < self._next_write):
            return
        try:
            with self.lock, FileLock(f"{self.path}.lock", timeout=LOCK_TIMEOUT):
                for key, value in read_metrics(self.path).items():
                    if key[0].endswith(COUNTER):
                        self.values[key] = value + self._unwritten.get(key, 0.0)
                    else:
                        self.values.setdefault(key, value)
                write_to_textfile(str(self.path), self.registry)
                self._unwritten.clear()
        except (OSError, Timeout) as error:
            if not self._complained:
                logger.warning("Metrics could not be written to %s: %s", self.path, error)
            self._complained = True
        self._next_write = time.monotonic() + SHORTEST


@cache
def shared_store(target: Path | tuple[str, int]) -> MetricsStore:
    """The process's store for a target."""
    store = MetricsStore(target)
    atexit.register(store.write)  # what crawls that ended within SHORTEST left
    return store


def read_metrics(path: Path) -> dict[Key, float]:
    """The values in a text file of `MetricsStore.write`; none if it can't be read."""
    from prometheus_client.parser import text_string_to_metric_families  # an extra

    try:
        samples = [s for family in text_string_to_metric_families(path.read_text("utf-8")) for s in family.samples]
    except (OSError, ValueError):
        return {}
    return {
        (sample.name, tuple(sample.labels[name] for name in FAMILIES[sample.name][0])): sample.value
        for sample in samples
        if sample.name in FAMILIES and sample.labels.keys() == {*FAMILIES[sample.name][0]}
    }


# ---- one crawl -------------------------------------------------------------------------------------------------------


class MetricsExtension(Component):
    """Scrapy extension: copies a crawl's stats into the `MetricsStore` of the process."""

    SIGNALS = ("spider_opened", "spider_closed")

    def __init__(self, crawler: Crawler) -> None:
        if (target := metrics_target(crawler.settings)) is None:
            raise NotConfigured
        super().__init__(crawler)
        self.store = shared_store(target)
        self.spider = ""
        self.counted: dict[Key, float] = {}

    def set(self, name: str, value: float) -> None:
        """Sets a gauge of the spider."""
        self.store.set(name, (self.spider,), value)

    def spider_opened(self, spider: Spider) -> None:
        self.spider = spider.name
        self.set("newsextract_crawl_running", 1)
        self.set("newsextract_crawl_started_timestamp_seconds", time.time())
        self.update()
        self.repeat(INTERVAL, self.update)

    def spider_closed(self, reason: str) -> None:
        self.store.add("newsextract_crawls_total", (self.spider, reason), 1)
        self.set("newsextract_crawl_running", 0)
        self.set("newsextract_crawl_ended_timestamp_seconds", time.time())
        if reason in NORMAL_REASONS:
            self.set("newsextract_crawl_succeeded_timestamp_seconds", time.time())
            self.set("newsextract_yield_warnings", len(self.counts.warnings))
        self.update()
        self.set("newsextract_queued_requests", 0)
        self.store.write(now=False)

    def update(self) -> None:
        """Adds what the stats have grown by since the last call (zeros at first), and reads the gauges."""
        for key, value in counters(self.crawler.stats, self.spider).items():
            if value > self.counted.get(key, -1):
                self.store.add(*key, value - self.counted.get(key, 0))
                self.counted[key] = value
        self.set("newsextract_queued_requests", count_pending_requests(self.crawler))
        if size := _database_size(self.crawler.settings):
            self.store.set("newsextract_database_size_bytes", (), size)
        self.store.write(now=False)


def counters(stats: StatsCollector, spider: str) -> dict[Key, float]:
    """The counters in a crawl's stats. Those without further labels start at 0: Prometheus needs a first value."""
    totals = read_totals(CrawlCounts(stats))
    values: dict[Key, float] = {(metric, (spider,)): 0 for metric in COUNTED.values()}
    values["newsextract_pages_total", (spider,)] = totals.pages
    for kind in ("new", "changed", "unchanged"):
        values["newsextract_articles_total", (spider, kind)] = getattr(totals, kind)
    for reason, count in {**totals.dropped, "duplicate": totals.aliases}.items():
        values["newsextract_dropped_pages_total", (spider, reason)] = count
    for name, value in list(stats.get_stats().items()):
        if metric := COUNTED.get(name):
            values[metric, (spider,)] = values.get((metric, (spider,)), 0) + value
        if name.startswith(STATUS):
            values["newsextract_responses_total", (spider, name.removeprefix(STATUS))] = value
    return values


def _database_size(settings: BaseSettings) -> int:
    """Bytes of the SQLite database and its log; 0 if there is none."""
    url = settings["NEWSEXTRACT_DATABASE_URL"]
    if not url or (path := parse_database_url(str(url)).path) is None:
        return 0
    return sum(file.stat().st_size for file in (path, path.with_name(f"{path.name}-wal")) if file.exists())
