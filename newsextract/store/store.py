"""`Store`: the front of the storage room. What each call does stands in the file of its subject."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import TracebackType

from sqlalchemy import Connection, func, select

from newsextract.errors import DatabaseError
from newsextract.items import Article, FetchedPage
from newsextract.near_duplicates import Signature
from newsextract.store import changes, export, leases, lookup, peers, revise, runs, url_states, yield_alerts
from newsextract.store.admin import integrity
from newsextract.store.admin.integrity import Size
from newsextract.store.admin.rededuplicate import DeduplicationProgress, rededuplicate
from newsextract.store.commit import commit_outcomes
from newsextract.store.engine import Database, address
from newsextract.store.export import ArticleRow, Snapshot
from newsextract.store.frontier import Frontier
from newsextract.store.lookup import RunStatus, SiteStatus, Version
from newsextract.store.migrate import ensure_schema
from newsextract.store.outcome import CommitResult, PageOutcome, UrlState
from newsextract.store.revise import PresentVersion, Revision
from newsextract.store.schema import articles
from newsextract.store.schema import runs as runs_table
from newsextract.store.url_states import UrlRow
from newsextract.store.yield_alerts import PastRun

#: Seconds to wait for another program's lock.
PATIENCE = 30.0


class Store:
    """One database. Any thread may call; each call is one transaction, on disk when it returns."""

    def __init__(self, database: Database) -> None:
        """Use `Store.open`, which also checks and upgrades the schema."""
        self.database = database
        #: The schema that was found; None for a database that was empty.
        self.schema_before: str | None = None

    @classmethod
    def open(
        cls, url: str, *, must_exist: bool = False, read_only: bool = False, patience: float = PATIENCE
    ) -> "Store":
        """Opens `sqlite:///FILE` or `postgresql://…`, making or upgrading the tables where needed.

        WrongSetting for a URL that is none; DatabaseError, one sentence, for a database that cannot be used. With
        `must_exist` or `read_only` nothing is created. `patience`: seconds to wait for another program's lock.
        """
        where = address(url)
        if (must_exist or read_only) and where.path is not None and not where.path.is_file():
            raise DatabaseError(f"{where.name}: there is no such database")
        database = Database(where, create=not must_exist, read_only=read_only, patience=patience)
        try:
            before = ensure_schema(database, must_exist=must_exist)
        except BaseException:
            database.close()
            raise
        store = cls(database)
        store.schema_before = before
        return store

    @property
    def name(self) -> str:
        """What messages call this database: its path, or host and name; never a password."""
        return self.database.name

    def close(self) -> None:
        """Ends the connections."""
        self.database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def finish_run(self, run_id: int, reason: str, stats: Mapping[str, object]) -> dict[str, str]:
        """Notes how it ended; the run itself is finished where nothing of it is left.

        Then what it brought is counted; returns a sentence for each site that brought far less than it used to.
        """

        def note(connection: Connection) -> dict[str, str]:
            done = reason == "max_pages" or (reason == "finished" and not leases.is_open(connection, run_id))
            now, told, more = self.database.clock(connection), dict[str, str](), dict[str, object]()
            if done:
                found = yield_alerts.of_run(connection, run_id)
                told = yield_alerts.detect_drops(found, now, yield_alerts.previous_runs(connection, run_id))
                more = yield_alerts.figures(found, told)
            runs.finish(connection, run_id, reason, {**stats, **more}, now, done=done)
            if done:
                yield_alerts.forget_older(connection, run_id)
            return told

        return self.database.write(note)

    def past_runs(self, spider: str, arguments: Mapping[str, str], limit: int = yield_alerts.RUNS) -> list[PastRun]:
        """The last runs of a spider with these arguments, newest first, with what they brought."""
        kind, _ = runs.identity(spider, arguments)
        with self.database.reading() as connection:
            return yield_alerts.past(connection, runs_table.c.identity == kind, limit)

    def now(self) -> datetime:
        """What time it is for leases and for what is due."""
        with self.database.reading() as connection:
            return self.database.clock(connection)

    def frontier(self, spider: str, arguments: Mapping[str, str], max_pages: int | None = None) -> Frontier:
        """A worker's hold on the run of this spider with these arguments: an unfinished one, else a new one."""
        run = self.database.write(lambda c: runs.begin(c, spider, arguments, self.database.clock(c)))
        return Frontier(self.database, run, max_pages)

    def commit(self, outcomes: Sequence[PageOutcome]) -> list[CommitResult]:
        """Stores these outcomes in one transaction: all of them, on disk, or none and a DatabaseError."""
        return self.database.write(lambda connection: commit_outcomes(connection, outcomes, self.database.clock))

    def articles(
        self, since: int = 0, sites: Sequence[str] = (), languages: Sequence[str] = (), until: int | None = None
    ) -> Iterator[ArticleRow]:
        """Each article changed after `since` once, in its present state, by order of change, as of one moment.

        `languages` match their regions too (`en`: `en-GB`). Rows come as they are read; close the iterator or read
        it to its end, a reader in the middle keeps a SQLite log from being tidied.
        """
        with self.snapshot() as snapshot:
            yield from snapshot.articles(since, sites, languages, until)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Cursor and articles of one moment: `with store.snapshot() as s: s.cursor, s.articles(since=…)`."""
        with self.database.reading() as connection:
            if not self.database.is_sqlite:  # a slow reader is no frozen writer
                connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield Snapshot(connection)

    def changes(self, since: int, limit: int) -> list[ArticleRow]:
        """The next entries of the change log after `since`, each with the article as of that change."""
        with self.database.reading() as connection:
            return export.log(connection, since, limit)

    def cursor(self) -> int:
        """The highest change number given so far; no change up to it will appear later."""
        with self.database.reading() as connection:
            return changes.cursor(connection)

    def article(self, url_or_key: str) -> Article | None:
        """The article of that key, or that a fetched URL led to, in its present state."""
        with self.database.reading() as connection:
            return export.find(connection, url_or_key)

    def present_versions(self, pages: Sequence[FetchedPage]) -> dict[str, PresentVersion]:
        """The articles whose present versions were made from these very pages, by the pages' ids."""
        with self.database.reading() as connection:
            return revise.present_versions(connection, pages)

    def revise(self, revisions: Sequence[Revision]) -> list[int | None]:
        """Stores revisions as new versions, all in one transaction; the change number of each, None for one that is
        no longer about the present version."""
        return self.database.write(
            lambda connection: revise.revise(connection, revisions, self.database.clock(connection))
        )

    def save_peers(self, pattern_pages: Sequence[tuple[str, FetchedPage]], retired: Sequence[FetchedPage] = ()) -> None:
        """Keeps pages as references of their patterns for later runs, and lets others go."""

        def work(connection: Connection) -> None:
            peers.save(connection, pattern_pages)
            peers.retire(connection, retired)

        self.database.write(work)

    def peers(self, site: str) -> list[FetchedPage]:
        """The reference pages of a site, newest first."""
        with self.database.reading() as connection:
            return peers.load(connection, site)

    def url(self, url: str) -> UrlRow | None:
        """What the ledger knows of a URL."""
        with self.database.reading() as connection:
            return url_states.look_up(connection, url)

    def versions(self, url: str) -> list[Version]:
        """All versions of the article at a URL, oldest first."""
        with self.database.reading() as connection:
            return lookup.versions(connection, url)

    def rededuplicate(self, signature_of: Callable[[str], Signature | None]) -> Iterator[DeduplicationProgress]:
        """Looks through all articles for copies once more, portion by portion; tells how far it is."""
        return rededuplicate(self.database, signature_of)

    def forget(self, url_or_site: str) -> tuple[int, int]:
        """Removes the articles of a URL or of a site for good; returns how many articles, and of how many URLs."""
        return self.database.write(
            lambda connection: lookup.forget(connection, url_or_site, self.database.clock(connection))
        )

    def status(self, last: int = 10) -> tuple[list[SiteStatus], list[RunStatus]]:
        """Every site in figures, and the last runs."""
        with self.database.reading() as connection:
            return lookup.site_statuses(connection), lookup.run_statuses(connection, last)

    def url_states(self) -> dict[UrlState, int]:
        """How many URLs stand in each state."""
        with self.database.reading() as connection:
            return url_states.states(connection)

    def urls_in(self, state: UrlState) -> list[str]:
        """The URLs that stand in a state."""
        with self.database.reading() as connection:
            return url_states.urls_in(connection, state)

    def faults(self) -> list[str]:
        """What is broken in the database, a clause each; reads all of it."""
        return integrity.faults(self.database)

    def sizes(self) -> list[Size]:
        """Rows and bytes of every table, the largest first."""
        return integrity.sizes(self.database)

    def count_articles(self) -> int:
        """How many articles there are."""
        with self.database.reading() as connection:
            return connection.execute(select(func.count()).select_from(articles)).scalar_one()
