"""Group commit: one thread that commits outcomes in groups, so that many pages share one fsync.

A crawl's own thread makes no database call.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

from newsextract.errors import DatabaseError, NewsextractError
from newsextract.store.engine import is_connection_lost, is_data_error
from newsextract.store.outcome import CommitResult, PageOutcome
from newsextract.store.store import Store

logger = logging.getLogger(__name__)

#: Seconds that the first outcome of a group waits for more, and the most outcomes of a group.
LINGER = 0.1
GROUP_SIZE = 100
#: Seconds for which a lost server is waited for, and seconds between two attempts.
RECONNECT_TIMEOUT = 90.0
RECONNECT_INTERVAL = 1.0

Submission = tuple[PageOutcome, "Future[CommitResult]"]
Call = tuple[Callable[[], Any], "Future[Any]"]
T = TypeVar("T")


class Writer:
    """Takes outcomes from any thread. A future is done when its outcome is on disk, or fails with a DatabaseError."""

    def __init__(self, store: Store, linger: float = LINGER, group_size: int = GROUP_SIZE) -> None:
        """Starts the thread."""
        self._store, self._linger, self._group_size = store, linger, group_size
        self._waiting: queue.SimpleQueue[Submission | Call | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="newsextract-writer", daemon=True)
        self._thread.start()

    def submit(self, outcome: PageOutcome) -> "Future[CommitResult]":
        """Adds the outcome to the next group; DatabaseError if the writer is closed."""
        future: Future[CommitResult] = Future()
        with self._closing:
            if self._closed:
                raise DatabaseError(f"{self._store.name}: its writer is closed, {outcome.url} comes too late")
            self._waiting.put((outcome, future))
        return future

    def call(self, work: Callable[[], T]) -> "Future[T]":
        """Runs another writing call in the writer's thread, because two writing threads would wait for each other."""
        future: Future[T] = Future()
        with self._closing:
            if self._closed:
                raise DatabaseError(f"{self._store.name}: its writer is closed")
            self._waiting.put((work, future))
        return future

    def close(self) -> None:
        """Commits what was submitted and ends the thread; the store stays open."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._waiting.put(None)
        self._thread.join()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _run(self) -> None:
        more = True
        while more:
            group, call, more = self._next_group()
            group = [(outcome, future) for outcome, future in group if future.set_running_or_notify_cancel()]
            if group:
                self._commit(group)
            if call is not None and call[1].set_running_or_notify_cancel():
                self._run_call(*call)

    def _next_group(self) -> tuple[list[Submission], Call | None, bool]:
        """Waits for work: the outcomes that come within `linger` of the first, a call, whether more may follow."""
        group: list[Submission] = []
        deadline = None
        while len(group) < self._group_size:
            try:
                given = self._waiting.get(timeout=None if deadline is None else max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if given is None:
                return group, None, False
            if not isinstance(given[0], PageOutcome):
                return group, (given[0], given[1]), True
            group.append((given[0], given[1]))
            deadline = deadline or time.monotonic() + self._linger
        return group, None, True

    def _run_call(self, work: Callable[[], Any], future: "Future[Any]") -> None:
        try:
            future.set_result(self._with_reconnect(work))
        except BaseException as error:
            future.set_exception(error)

    def _with_reconnect(self, work: Callable[[], T]) -> T:
        """Runs `work`, and again while the server is gone: it may be restarting."""
        deadline = time.monotonic() + RECONNECT_TIMEOUT
        while True:
            try:
                return work()
            except DatabaseError as error:
                if not is_connection_lost(error) or time.monotonic() > deadline or self._closed:
                    raise
                logger.warning("%s; trying again", error)
                time.sleep(RECONNECT_INTERVAL)

    def _commit(self, group: list[Submission]) -> None:
        """Commits the group; if the data of one fails, each alone. A full disk or a lock fails the whole group."""
        try:
            results = self._with_reconnect(lambda: self._store.commit([outcome for outcome, _ in group]))
        except Exception as error:
            if len(group) > 1 and is_data_error(error):
                for submission in group:
                    self._commit([submission])
                return
            for outcome, future in group:
                future.set_exception(_as_database_error(error, outcome, self._store.name))
        else:
            for (_, future), result in zip(group, results, strict=True):
                future.set_result(result)


def _as_database_error(error: Exception, outcome: PageOutcome, name: str) -> Exception:
    if isinstance(error, NewsextractError):
        return error
    wrapped = DatabaseError(f"{name}: {outcome.url} cannot be stored ({type(error).__name__}: {error})")
    wrapped.__cause__ = error
    return wrapped
