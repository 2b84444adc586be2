"""One thread that commits outcomes in groups: one fsync for many pages, no database call on a crawl's own thread."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

from newsextract.errors import DatabaseError, NewsextractError
from newsextract.store.engine import is_fault_of_the_row, is_gone
from newsextract.store.outcome import CommitResult, PageOutcome
from newsextract.store.store import Store

logger = logging.getLogger(__name__)

#: Seconds that the first outcome of a group waits for company, and how many go together at most.
LINGER = 0.1
GROUP = 100

#: Seconds for which a server that went away is waited for, and between two tries.
GONE = 90.0
AGAIN = 1.0

Submission = tuple[PageOutcome, "Future[CommitResult]"]
Call = tuple[Callable[[], Any], "Future[Any]"]
T = TypeVar("T")


class Writer:
    """Submit from any thread; a future ends when its outcome is on disk, or with the DatabaseError why it is not."""

    def __init__(self, store: Store, linger: float = LINGER, group: int = GROUP) -> None:
        """Starts the thread."""
        self._store, self._linger, self._group = store, linger, group
        self._waiting: queue.SimpleQueue[Submission | Call | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="newsextract-writer", daemon=True)
        self._thread.start()

    def submit(self, outcome: PageOutcome) -> "Future[CommitResult]":
        """Puts the outcome into the next group."""
        future: Future[CommitResult] = Future()
        with self._closing:
            if self._closed:
                raise DatabaseError(f"{self._store.name}: its writer is closed, {outcome.url} comes too late")
            self._waiting.put((outcome, future))
        return future

    def call(self, work: Callable[[], T]) -> "Future[T]":
        """Does other writing of the crawl in the same thread: two threads would only wait for each other."""
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
                self._answer(*call)

    def _next_group(self) -> tuple[list[Submission], Call | None, bool]:
        """The outcomes that come within `linger` of the first, up to a call; the call; and whether more may follow."""
        group: list[Submission] = []
        deadline = None
        while len(group) < self._group:
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

    def _answer(self, work: Callable[[], Any], future: "Future[Any]") -> None:
        try:
            future.set_result(self._patiently(work))
        except BaseException as error:
            future.set_exception(error)

    def _patiently(self, work: Callable[[], T]) -> T:
        """Does it, again and again while the server is gone: it may only be started anew."""
        deadline = time.monotonic() + GONE
        while True:
            try:
                return work()
            except DatabaseError as error:
                if not is_gone(error) or time.monotonic() > deadline or self._closed:
                    raise
                logger.warning("%s; trying again", error)
                time.sleep(AGAIN)

    def _commit(self, group: list[Submission]) -> None:
        """Commits the group; where one row spoils it, each alone. A full disk or a lock fails the group at once."""
        try:
            saved = self._patiently(lambda: self._store.commit([outcome for outcome, _ in group]))
        except Exception as error:
            if len(group) > 1 and is_fault_of_the_row(error):
                for submission in group:
                    self._commit([submission])
                return
            for outcome, future in group:
                future.set_exception(_as_database_error(error, outcome, self._store.name))
        else:
            for (_, future), one in zip(group, saved, strict=True):
                future.set_result(one)


def _as_database_error(error: Exception, outcome: PageOutcome, name: str) -> Exception:
    if isinstance(error, NewsextractError):
        return error
    wrapped = DatabaseError(f"{name}: {outcome.url} cannot be stored ({type(error).__name__}: {error})")
    wrapped.__cause__ = error
    return wrapped
