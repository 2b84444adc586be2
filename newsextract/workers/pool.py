"""The pool of workers that parse and extract a crawl's pages: processes, or one thread of this process.

All crawls of a process that use the same extractor share one pool.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ClassVar, Concatenate, ParamSpec, TypeVar

from newsextract.errors import WorkerDied, WorkersUnusable
from newsextract.extractors import make_extractor
from newsextract.limits import PAGE_TIMEOUT
from newsextract.workers.messages import Call, Worker
from newsextract.workers.process import SENT_AHEAD, STOPPED, WorkerProcess
from newsextract.workers.start import start_ahead

P = ParamSpec("P")
T = TypeVar("T")

#: Calls submitted to each worker; more would only cost memory.
CALLS_PER_WORKER = SENT_AHEAD
#: Callers per worker at which the crawl should pause fetching.
CALLERS_PER_WORKER = 24


class WorkerPool:
    """Reads and extracts pages with one extractor.

    `workers`: processes; 0: a thread of this process, which a page that hangs can block; None: one a core (the crawl
    itself needs half of one). `counts`: processes started, died and timed out, and the longest queue. `on_unusable`:
    called with the reason if no process can be started. Raises UnknownExtractor, WrongOption.
    """

    #: The pools of this process by extractor, options as text, number of workers: processes take long to start.
    _shared: ClassVar[dict[tuple[str, str, int | None], "WorkerPool"]] = {}

    def __init__(
        self,
        extractor: str,
        options: Mapping[str, object],
        workers: int | None = None,
        call_timeout: float = PAGE_TIMEOUT,
    ) -> None:
        local_extractor = make_extractor(extractor, options)  # raises here what would otherwise be raised in a worker
        self.size = (os.cpu_count() or 2) if workers is None else workers
        if self.size:
            start_ahead()
        self.counts: dict[str, int] = {"started": 0, "died": 0, "timeout": 0, "queue": 0}
        self._processes = [WorkerProcess(extractor, options, call_timeout, self.counts) for _ in range(self.size)]
        self._thread: tuple[Worker, ThreadPoolExecutor] | None = None
        if not self.size:
            from newsextract.workers.worker import PageWorker  # imported here: most crawls don't need it

            self._thread = PageWorker(local_extractor), ThreadPoolExecutor(1, "newsextract-extraction")
        self.on_unusable: set[Callable[[str], None]] = set()
        self._slots = asyncio.Semaphore(CALLS_PER_WORKER * max(1, self.size))
        self._users, self._callers, self._ended = 0, 0, False

    @classmethod
    def shared(cls, extractor: str, options: Mapping[str, object], workers: int | None = None) -> "WorkerPool":
        """The process's pool for that extractor; each caller must call `release` at the end."""
        key = extractor, repr(sorted(options.items())), workers
        pool = cls._shared[key] = cls._shared.get(key) or cls(extractor, options, workers)
        pool._users += 1
        return pool

    def release(self) -> None:
        """Releases the pool; the last user's call ends its processes."""
        self._users -= 1
        if self._users <= 0:
            for key in [key for key, pool in self._shared.items() if pool is self]:
                del self._shared[key]
            self.close()

    def close(self) -> None:
        """Ends the processes: idle ones let end by themselves, the others at once."""
        for process in self._processes:
            process.close(wait=process.load == 0)
        if self._thread is not None:
            self._thread[1].shutdown(wait=True, cancel_futures=True)

    def end_now(self) -> None:
        """Ends the processes, even in the middle of a page; waiting and later calls raise WorkerDied."""
        self._ended = True
        for process in self._processes:
            process.interrupt()

    @classmethod
    def end_all(cls) -> None:
        """Ends all shared pools that crawls of this process did not release."""
        for pool in [*cls._shared.values()]:
            pool.end_now()

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait that fetching more would only fill the memory."""
        return self._callers >= CALLERS_PER_WORKER * max(1, self.size)

    async def run(self, method: Callable[Concatenate[Worker, P], T], *arguments: P.args, **options: P.kwargs) -> T:
        """The result of a worker's method. Raises PageError, WorkerDied, WorkerTimeout, WorkersUnusable."""
        if self._ended:
            raise WorkerDied(STOPPED)
        self._callers += 1
        try:
            async with self._slots:
                return await asyncio.wrap_future(self.submit(method, *arguments, **options))
        except WorkersUnusable as error:
            for stop in [*self.on_unusable]:
                stop(str(error))
            raise
        finally:
            self._callers -= 1

    def submit(
        self, method: Callable[Concatenate[Worker, P], T], *arguments: P.args, **options: P.kwargs
    ) -> "Future[T]":
        """Like `run`, by the least busy worker, for callers that limit the number of running calls themselves."""
        if self._thread is not None:
            worker, executor = self._thread
            return executor.submit(getattr(worker, method.__name__), *arguments, **options)
        call = Call(method.__name__, arguments, options)
        future: Future[T] = min(self._processes, key=lambda each: each.load).submit(call)
        self.counts["queue"] = max(self.counts["queue"], sum(each.load for each in self._processes))
        return future
