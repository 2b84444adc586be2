"""Where pages are read and extracted: in worker processes that all crawls of this process share, or in a thread."""

import asyncio
import os
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

from newsextract.crawl.workers.process import PATIENCE, Lane
from newsextract.crawl.workers.worker import Reading, Worker
from newsextract.errors import WorkerDied
from newsextract.extractors import make_extractor
from newsextract.items import Article, FetchedPage

#: Pages that wait or run for each worker; more than that only costs memory.
QUEUE = 8
#: Callers, for each worker, at which the crawl should fetch no more for now.
FULL = 16


class ExtractionPool:
    """Reads and extracts pages with one extractor.

    `workers`: processes; 0 for a thread of this process, which a hanging page can't be kept from; None for one a core
    (the crawl itself needs half of one). `counts`: started, died, timeout, and the longest queue seen.
    """

    def __init__(
        self, extractor: str, options: Mapping[str, Any], workers: int | None = None, patience: float = PATIENCE
    ) -> None:
        made = make_extractor(extractor, options)  # a wrong name is told here, not in a worker
        self.size = (os.cpu_count() or 2) if workers is None else workers
        self.counts: dict[str, int] = {"started": 0, "died": 0, "timeout": 0, "queue": 0}
        self._lanes = [Lane(extractor, options, patience, self._count) for _ in range(self.size)]
        self._own = None if self.size else (Worker(made), ThreadPoolExecutor(1, "newsextract-extraction"))
        self._room: asyncio.Semaphore | None = None
        self._callers, self._ended = 0, False
        self._key: tuple[str, str, int | None] = (extractor, "", workers)

    #: The pools of this process by what they run, with how many crawls use each: processes are dear.
    _shared: ClassVar[dict[tuple[str, str, int | None], tuple["ExtractionPool", int]]] = {}

    @classmethod
    def shared(cls, extractor: str, options: Mapping[str, Any], workers: int | None = None) -> "ExtractionPool":
        """The pool of this process for that extractor; whoever takes it calls `release` in the end."""
        key = extractor, repr(sorted(options.items())), workers
        pool, users = cls._shared.get(key) or (cls(extractor, options, workers), 0)
        pool._key = key
        cls._shared[key] = pool, users + 1
        return pool

    def release(self) -> None:
        """Gives the pool back; the last one to do so ends its processes."""
        pool, users = self._shared.pop(self._key, (self, 1))
        if users > 1:
            self._shared[self._key] = pool, users - 1
        else:
            self.close()

    async def read(self, page: FetchedPage, first: str | None = None, number: int = 1) -> Reading:
        """See `Worker.read`. Raises PageError, WorkerDied, WorkerTimeout, WorkersUnusable."""
        reading: Reading = await self._call("read", page, first, number)
        return reading

    async def extract(self, page: FetchedPage, peer: FetchedPage | None = None) -> Article:
        """The page's article. Raises PageError, WorkerDied, WorkerTimeout, WorkersUnusable."""
        article: Article = await self._call("extract", page, peer)
        return article

    async def shared_lines(self, page: FetchedPage, peer: FetchedPage) -> frozenset[str]:
        """The letters of the lines that two pages share. Raises as `extract` does."""
        shared: frozenset[str] = await self._call("shared_lines", page, peer)
        return shared

    def submit(self, method: str, page: FetchedPage, *more: Any) -> "Future[Any]":
        """Calls "read" or "extract" for a caller without an event loop, who bounds what is under way."""
        return self._submit(method, (page, *more))

    def close(self) -> None:
        """Ends the processes; what still waits is given up."""
        for lane in self._lanes:
            lane.close(wait=lane.load == 0)
        if self._own is not None:
            self._own[1].shutdown(wait=True, cancel_futures=True)

    def end_now(self) -> None:
        """Ends the processes, also in the middle of a page; who asks then or later is told that the worker died."""
        self._ended = True
        for lane in self._lanes:
            lane.interrupt()

    @classmethod
    def end_all(cls) -> None:
        """Ends the pools of this process that crawls left behind: a lane would start its process anew."""
        for pool, _ in [*cls._shared.values()]:
            pool.end_now()

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait that fetching more would only fill the memory."""
        return self._callers >= FULL * max(1, self.size)

    async def _call(self, method: str, *arguments: Any) -> Any:
        if self._room is None:
            self._room = asyncio.Semaphore(QUEUE * max(1, self.size))
        if self._ended:
            raise WorkerDied("the crawl was told to stop")
        self._callers += 1
        try:
            async with self._room:
                return await asyncio.wrap_future(self._submit(method, arguments))
        finally:
            self._callers -= 1

    def _submit(self, method: str, arguments: tuple[Any, ...]) -> "Future[Any]":
        if self._own is not None:
            worker, thread = self._own
            return thread.submit(getattr(worker, method), *arguments)
        lane = min(self._lanes, key=lambda lane: lane.load - QUEUE * lane.holds(arguments[0]))
        future = lane.submit(method, arguments)
        self.counts["queue"] = max(self.counts["queue"], sum(lane.load for lane in self._lanes))
        return future

    def _count(self, name: str) -> None:
        self.counts[name] += 1
