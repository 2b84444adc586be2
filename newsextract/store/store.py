"""`Store`: a database for any thread, each call one transaction; `Writer`: commits of many pages in groups."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from newsextract.errors import DatabaseError, NewsextractError
from newsextract.items import Article
from newsextract.limits import POLL_INTERVAL
from newsextract.store import lookup
from newsextract.store.changes import last_change
from newsextract.store.commit import commit_outcomes
from newsextract.store.engine import Database, is_connection_lost, is_data_error, parse_database_url
from newsextract.store.frontier import Frontier
from newsextract.store.leases import begin_run, owner_name
from newsextract.store.lookup import ArticleRow, Selection, Snapshot
from newsextract.store.migrations import ensure_schema
from newsextract.store.outcome import CommitResult, PageOutcome

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds after which a group is committed if no more outcomes have come, how often it waits that long while more do,
#: and the maximum size of a group. One group of forty takes half the processor time of four groups of ten.
LINGER = 0.1
MAX_LINGERS = 5
GROUP_SIZE = 100
#: Seconds to wait for a lost server, and between two attempts.
RECONNECT_TIMEOUT = 90.0


class Store(AbstractContextManager["Store"]):
    """One database. Any thread may call; each call is one transaction, on disk when it returns."""

    def __init__(self, database: Database) -> None:
        """Use `Store.open`, which also checks and upgrades the schema."""
        #: `name`: in messages: its path, or server and database name; never a password.
        self.database, self.name = database, database.name
        #: The schema's revision when it was opened; None for an empty database.
        self.schema_before: str | None = None

    @classmethod
    def open(cls, url: str, *, must_exist: bool = False, read_only: bool = False) -> "Store":
        """Opens `sqlite:///FILE` or `postgresql://…`; creates or upgrades the tables if necessary.

        Raises WrongSetting for an unsupported URL, DatabaseError for an unusable database. With `must_exist` or
        `read_only` nothing is created.
        """
        address = parse_database_url(url)
        if (must_exist or read_only) and address.path is not None and not address.path.is_file():
            raise DatabaseError(f"{address.name}: there is no such database")
        store = cls(Database(address, create=not must_exist, read_only=read_only))
        try:
            store.schema_before = ensure_schema(store.database, must_exist=must_exist)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        self.database.close()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def read(self, work: Callable[Concatenate[Connection, P], T], *given: P.args, **options: P.kwargs) -> T:
        """Calls a reading function that takes a connection first, as of one moment."""
        with self.database.reading() as connection:
            return work(connection, *given, **options)

    def write(self, work: Callable[Concatenate[Connection, P], T], *given: P.args, **options: P.kwargs) -> T:
        """Calls a writing function that takes a connection first, in a transaction."""
        return self.database.write(lambda connection: work(connection, *given, **options))

    def frontier(
        self, spider: str, arguments: Mapping[str, str], max_pages: int | None = None, made_by: str | None = None
    ) -> Frontier:
        """A worker's access to the run of this spider with these arguments: the unfinished one, or a new one."""
        owner = owner_name()
        return Frontier(self.database, self.write(begin_run, spider, arguments, owner, made_by), max_pages, owner)

    def commit(self, outcomes: Sequence[PageOutcome]) -> list[CommitResult]:
        """Stores the outcomes in one transaction: all of them, on disk, or none and a DatabaseError."""
        return self.write(commit_outcomes, outcomes)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Cursor and articles of one moment: `with store.snapshot() as s: s.cursor, s.select(Selection(since=…))`."""
        with self.database.reading() as connection:
            if not self.database.is_sqlite:  # the timeout is for frozen writers, not for slow readers
                connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield Snapshot(connection)

    def articles(
        self, since: int = 0, sites: Sequence[str] = (), languages: Sequence[str] = (), until: int | None = None
    ) -> Iterator[ArticleRow]:
        """Each article changed after `since` once, in its current state, in order of change, as of one moment.

        `languages` match their regions too (`en`: `en-GB`). Rows are read as they are iterated over; read the iterator
        to its end or close it, because an open reader keeps SQLite's log from being checkpointed.
        """
        with self.snapshot() as snapshot:
            yield from snapshot.select(Selection(since, until, sites, languages))

    def article(self, url_or_key: str) -> Article | None:
        """The article with that key, or of a fetched URL, in its current state."""
        return self.read(lookup.find_article, url_or_key)

    def changes(self, since: int, limit: int) -> list[ArticleRow]:
        """The next entries of the change log after `since`, each with the article as of that change."""
        return self.read(lookup.changes_since, since, limit)

    def cursor(self) -> int:
        """The highest change number taken so far; no change up to it will appear later."""
        return self.read(last_change)


#: Outcomes to commit, each with its future.
Group = list[tuple[PageOutcome, "Future[CommitResult]"]]


class Writer:
    """Takes outcomes from any thread. A future is done when its outcome is on disk, or fails with a DatabaseError.

    `run`: of the outcomes that `commit` gets; `on_failure`: called with an error that isn't one of an outcome's data.
    """

    def __init__(
        self,
        store: Store,
        run: int | None = None,
        on_failure: Callable[[DatabaseError], None] | None = None,
        *,
        linger: float = LINGER,
        group_size: int = GROUP_SIZE,
    ) -> None:
        self._store, self._linger, self._group_size = store, linger, group_size
        self._run, self._on_failure = run, on_failure
        self._waiting: Group = []
        self._lock, self._hurry = threading.Lock(), threading.Event()
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "newsextract-writer")

    async def commit(self, outcome: PageOutcome) -> CommitResult:
        """Commits an outcome of the run to disk, for callers in an event loop. Raises DatabaseError."""
        outcome.run = self._run
        try:
            return await asyncio.wrap_future(self.submit(outcome))
        except DatabaseError as error:
            if self._on_failure is not None and not is_data_error(error):
                self._on_failure(error)
            raise

    def submit(self, outcome: PageOutcome) -> "Future[CommitResult]":
        """Adds the outcome to the next group; DatabaseError if the writer is closed."""
        future: Future[CommitResult] = Future()
        with self._lock:
            if self._closed:
                raise DatabaseError(f"{self._store.name}: its writer is closed, {outcome.url} comes too late")
            self._waiting.append((outcome, future))
            if len(self._waiting) == 1:
                self._thread.submit(self._commit_groups)
            elif len(self._waiting) >= self._group_size:
                self._hurry.set()
        return future

    def call(self, work: Callable[[], T]) -> "Future[T]":
        """Makes another writing call in the writer's thread, because two writing threads would wait for each other."""
        with self._lock:
            if self._closed:
                raise DatabaseError(f"{self._store.name}: its writer is closed")
            if self._waiting:
                self._hurry.set()
            return self._thread.submit(self.with_reconnect, work)

    def with_reconnect(self, work: Callable[[], T]) -> T:
        """Runs `work` in this thread, retrying while the server is gone: it may be restarting."""
        deadline = time.monotonic() + RECONNECT_TIMEOUT
        while True:
            try:
                return work()
            except DatabaseError as error:
                if not is_connection_lost(error) or time.monotonic() > deadline or self._closed:
                    raise
                logger.warning("%s; trying again", error)
                time.sleep(POLL_INTERVAL)

    def close(self) -> None:
        """Commits what was submitted and ends the thread; the store stays open."""
        with self._lock:
            self._closed = True
            self._hurry.set()
        self._thread.shutdown()

    def _commit_groups(self) -> None:
        """Commits what is waiting: a full group at once, others when no more come, or before another call."""
        more = True
        while more:
            self._wait_for_more()
            with self._lock:
                group, self._waiting = self._waiting[: self._group_size], self._waiting[self._group_size :]
                more = bool(self._waiting)
                if not self._closed and len(self._waiting) < self._group_size:
                    self._hurry.clear()
            group = [(outcome, future) for outcome, future in group if future.set_running_or_notify_cancel()]
            if group:
                self._commit(group)

    def _wait_for_more(self) -> None:
        """Waits as long as each `linger` brings more outcomes, MAX_LINGERS times at most."""
        for _ in range(MAX_LINGERS):
            before = len(self._waiting)
            if self._hurry.wait(self._linger) or len(self._waiting) == before:
                return

    def _commit(self, group: Group) -> None:
        """Commits the group; if the data of one fails, each alone. A full disk or a lock fails the whole group."""
        try:
            outcomes = [outcome for outcome, _ in group]
            results = self.with_reconnect(lambda: self._store.write(commit_outcomes, outcomes))
        except Exception as error:
            if len(group) > 1 and is_data_error(error):
                for one in group:
                    self._commit([one])
                return
            for outcome, future in group:
                if not isinstance(error, NewsextractError):
                    reason = f"{outcome.url} cannot be stored ({type(error).__name__}: {error})"
                    error = DatabaseError(f"{self._store.name}: {reason}")
                future.set_exception(error)
        else:
            for (_, future), result in zip(group, results, strict=True):
                future.set_result(result)
