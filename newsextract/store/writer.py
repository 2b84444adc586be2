"""One thread that commits outcomes in groups: one fsync for many pages, no database call on a crawl's own thread."""

import queue
import threading
import time
from concurrent.futures import Future
from types import TracebackType

from newsextract.errors import DatabaseError, NewsextractError
from newsextract.store.failures import is_fault_of_the_row
from newsextract.store.outcome import Outcome, Saved
from newsextract.store.store import Store

#: Seconds that the first outcome of a group waits for company, and how many go together at most.
LINGER = 0.1
GROUP = 100

Submission = tuple[Outcome, "Future[Saved]"]


class Writer:
    """Submit from any thread; a future ends when its outcome is on disk, or with the DatabaseError why it is not."""

    def __init__(self, store: Store, linger: float = LINGER, group: int = GROUP) -> None:
        """Starts the thread."""
        self._store, self._linger, self._group = store, linger, group
        self._waiting: queue.SimpleQueue[Submission | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="newsextract-writer", daemon=True)
        self._thread.start()

    def submit(self, outcome: Outcome) -> "Future[Saved]":
        """Puts the outcome into the next group."""
        future: Future[Saved] = Future()
        with self._closing:
            if self._closed:
                raise DatabaseError(f"{self._store.name}: its writer is closed, {outcome.url} comes too late")
            self._waiting.put((outcome, future))
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
            group, more = self._next_group()
            group = [(outcome, future) for outcome, future in group if future.set_running_or_notify_cancel()]
            if group:
                self._commit(group)

    def _next_group(self) -> tuple[list[Submission], bool]:
        """The outcomes that come within `linger` of the first; and whether more may follow."""
        first = self._waiting.get()
        if first is None:
            return [], False
        group, deadline = [first], time.monotonic() + self._linger
        while len(group) < self._group:
            try:
                submission = self._waiting.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if submission is None:
                return group, False
            group.append(submission)
        return group, True

    def _commit(self, group: list[Submission]) -> None:
        """Commits the group; where one row spoils it, each alone. A full disk or a lock fails the group at once."""
        try:
            saved = self._store.commit([outcome for outcome, _ in group])
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


def _as_database_error(error: Exception, outcome: Outcome, name: str) -> Exception:
    if isinstance(error, NewsextractError):
        return error
    wrapped = DatabaseError(f"{name}: {outcome.url} cannot be stored ({type(error).__name__}: {error})")
    wrapped.__cause__ = error
    return wrapped
