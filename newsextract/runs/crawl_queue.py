"""Crawls many sites in one process, several at a time; neither a slow nor a large site holds up the others."""

import asyncio
import gc
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler

from newsextract.crawl.abort import HANDED_ON, NO_WORKERS, end_turn
from newsextract.crawl.engine import is_closing, is_only_scraping
from newsextract.crawl.summary import exit_status, summary
from newsextract.health.counts import CrawlCounts
from newsextract.runs.one_crawl import start
from newsextract.text import say
from newsextract.workers.memory import return_free_memory

#: Sites crawled at a time: each crawl spends most of its time in its own pauses.
PARALLEL = 8
#: Seconds without an answer after which a crawl no longer counts as active; how many crawls, as a multiple of the
#: active ones, may then be open; seconds between two checks.
STALLED_AFTER = 8.0
MAX_OPEN = 3
CHECK_INTERVAL = 1.0
#: Answers and seconds after which a crawl hands its place on if other sites wait; it goes to the end of the queue.
TURN_ANSWERS = 200
TURN_SECONDS = 300.0
#: Seconds between two collections of the garbage of finished crawls.
COLLECT_INTERVAL = 10.0


class OpenCrawl:
    """A crawl that has begun: when, how many answers it has had, and the event-loop time of the last one."""

    def __init__(self, name: str, crawler: Crawler, now: float) -> None:
        self.name, self.crawler, self.last_answer = name, crawler, now
        self.began, self.answers, self.ends_turn = now, 0, False
        crawler.signals.connect(self._response_received, signal=signals.response_received)

    def is_stalled(self, now: float) -> bool:
        """Whether its site has not answered for a while. A crawl that extracts pages waits for this machine instead."""
        if is_only_scraping(self.crawler):
            self.last_answer = now
        return now - self.last_answer > STALLED_AFTER

    def hand_on(self, now: float) -> None:
        """Closes the crawl if it has had its turn. Its run stays unfinished, and the site's next crawl resumes it."""
        is_over = self.answers >= TURN_ANSWERS or now >= self.began + TURN_SECONDS
        if is_over and not self.ends_turn and not is_closing(self.crawler):
            self.ends_turn = True
            end_turn(self.crawler)

    def _response_received(self) -> None:
        self.answers += 1
        self.last_answer = asyncio.get_running_loop().time()


class CrawlQueue:
    """The crawls of one process. `status`: that of the worst crawl. `interrupted`: told to stop.

    `parallel` crawls are active at a time; while a site doesn't answer, others may start, up to MAX_OPEN times as many.
    While sites wait, a crawl that had its turn (TURN_ANSWERS, TURN_SECONDS) makes room. `due`: when sites wait for
    another call, by name. `on_end(name, crawler)` is called after each. `arguments`: for all spiders. `quiet`: print no
    summaries.
    """

    def __init__(
        self,
        process: AsyncCrawlerProcess,
        names: Iterable[str],
        parallel: int,
        on_end: Callable[[str, Crawler], None],
        arguments: Mapping[str, str] | None = None,
        *,
        due: Mapping[str, datetime] | None = None,
        quiet: bool = False,
    ) -> None:
        self.due = due or {}
        self.process, self.waiting, self.status = process, deque(names), 0
        self.parallel, self.on_end = parallel, on_end
        self.arguments, self.quiet = arguments or {}, quiet
        self.interrupted = False
        #: Sites whose crawl did not finish: no worker process can be started, or other sites are due.
        self.unfinished: list[str] = []
        self.open: set[OpenCrawl] = set()
        self.loop = asyncio.get_event_loop()
        self._next_collection = 0.0

    def run(self) -> None:
        """Runs all crawls; each one that ends or stalls lets the next one start."""
        self._check()
        start(self.process)

    def _check(self) -> None:
        self._fill()
        for crawl in [*self.open]:
            if self.waiting or self._are_others_due(crawl.name):
                crawl.hand_on(self.loop.time())
        if self.waiting or self.open:
            self.loop.call_later(CHECK_INTERVAL, self._check)

    def _fill(self) -> None:
        now = self.loop.time()
        while (
            self.waiting
            and len(self.open) < MAX_OPEN * self.parallel
            and sum(not crawl.is_stalled(now) for crawl in self.open) < self.parallel
        ):
            self._start(self.waiting.popleft(), now)

    def _are_others_due(self, name: str) -> bool:
        """Whether a further call would crawl other sites by now."""
        now, own = datetime.now(UTC), {name, *self.waiting, *(crawl.name for crawl in self.open)}
        return any(due <= now for other, due in self.due.items() if other not in own)

    def _start(self, name: str, now: float) -> None:
        try:
            crawler = self.process.create_crawler(name)
        except KeyError:  # the file has changed since it was read
            self.status = 1
            say(f"{name}: its entry is missing or invalid; see above", err=True)
            return
        crawl = OpenCrawl(name, crawler, now)
        self.open.add(crawl)
        self.process.crawl(crawler, **self.arguments).add_done_callback(partial(self._ended, crawl))

    def _stop(self, name: str, reason: str) -> None:
        """Starts no more crawls, because none could read a page; says so once."""
        self.unfinished += [name, *self.waiting]
        self.waiting.clear()
        if not self.interrupted:
            self.interrupted = True
            say(f"The crawl stops: {reason}", err=True)

    def _ended(self, crawl: OpenCrawl, task: "asyncio.Task[None]") -> None:
        self.open.discard(crawl)
        name, crawler = crawl.name, crawl.crawler
        if crawler.stats is None or crawler.stats.get_value("finish_reason") != HANDED_ON:
            self.on_end(name, crawler)
        error = None if task.cancelled() else task.exception()
        if error or crawler.spider is None:
            self.status = 1
            say(f"{name}: the crawl could not start: {error or 'see the log'}", err=True)
        else:
            self.status = max(self.status, exit_status(crawler))
            reason = crawler.stats.get_value("finish_reason")
            if reason == NO_WORKERS:
                self._stop(name, CrawlCounts(crawler.stats).fatal or "")
            elif not self.quiet:
                say(f"{name}: {summary(crawler)}", err=True)
            if reason == HANDED_ON:
                (self.unfinished if self.interrupted or self._are_others_due(name) else self.waiting).append(name)
            if reason == "shutdown":
                self.interrupted = True
                self.waiting.clear()
        self._fill()
        self.loop.call_soon(self._collect)  # when nothing on the stack refers to the crawl any more

    def _collect(self) -> None:
        """Collects the garbage of finished crawls, every COLLECT_INTERVAL, because it pauses all other crawls."""
        if self.loop.time() >= self._next_collection:
            self._next_collection = self.loop.time() + COLLECT_INTERVAL
            gc.collect()
            return_free_memory()
