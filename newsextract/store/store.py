"""`Store`: the interface of the store. Each method is one transaction; what it does is in the module of its subject."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from newsextract.errors import DatabaseError
from newsextract.items import Article, FetchedPage, StoredArticle
from newsextract.reasons import UrlState
from newsextract.store import (
    alerts,
    candidates,
    changes,
    deletion,
    duplicates,
    export,
    leases,
    lookup,
    peers,
    revise,
    runs,
    site_pages,
    url_states,
    yield_alerts,
)
from newsextract.store.admin import integrity
from newsextract.store.admin.integrity import TableSize
from newsextract.store.admin.rededuplicate import DeduplicationProgress, rededuplicate
from newsextract.store.alerts import Alert, Problem
from newsextract.store.candidates import PendingPage
from newsextract.store.commit import commit_outcomes
from newsextract.store.engine import Database, parse_database_url
from newsextract.store.export import ArticleRow, Snapshot
from newsextract.store.frontier import Frontier
from newsextract.store.lease_owner import owner_name
from newsextract.store.lookup import RunStatus, SiteStatus, Version
from newsextract.store.migrate import ensure_schema
from newsextract.store.outcome import Candidate, CommitResult, PageOutcome
from newsextract.store.revise import NewVersion, PresentVersion
from newsextract.store.schema import articles
from newsextract.store.schema import runs as runs_table
from newsextract.store.site_pages import StoredSitePage
from newsextract.store.url_states import RunUrl, UrlRow
from newsextract.store.yield_alerts import PastRun

if TYPE_CHECKING:
    from newsextract.near_duplicates import Signature

#: Seconds to wait for another program's lock.
LOCK_TIMEOUT = 30.0


class Store:
    """One database. Any thread may call; each call is one transaction, on disk when it returns."""

    def __init__(self, database: Database) -> None:
        """Use `Store.open`, which also checks and upgrades the schema."""
        self.database = database
        #: The schema's revision when it was opened; None for a database that was empty.
        self.schema_before: str | None = None

    @classmethod
    def open(
        cls, url: str, *, must_exist: bool = False, read_only: bool = False, lock_timeout: float = LOCK_TIMEOUT
    ) -> "Store":
        """Opens `sqlite:///FILE` or `postgresql://…`; creates or upgrades the tables where needed.

        WrongSetting for an unsupported URL; DatabaseError for a database that cannot be used. With `must_exist` or
        `read_only` nothing is created. `lock_timeout`: seconds to wait for another program's lock.
        """
        address = parse_database_url(url)
        if (must_exist or read_only) and address.path is not None and not address.path.is_file():
            raise DatabaseError(f"{address.name}: there is no such database")
        database = Database(address, create=not must_exist, read_only=read_only, lock_timeout=lock_timeout)
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
        """The database's name in messages: its path, or server and database name; never a password."""
        return self.database.name

    def close(self) -> None:
        """Closes the connections."""
        self.database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def frontier(self, spider: str, arguments: Mapping[str, str], max_pages: int | None = None) -> Frontier:
        """A worker's access to the run of this spider with these arguments: the unfinished one, else a new one."""
        owner = owner_name()
        run = self.database.write(lambda c: runs.begin(c, spider, arguments, self.database.clock(c), owner))
        return Frontier(self.database, run, max_pages, owner)

    def finish_run(self, run_id: int, reason: str, stats: Mapping[str, object]) -> dict[str, str]:
        """Notes how a crawl of the run ended. The run itself is finished once none of its URLs is open.

        A finished run gets its yields; returns a warning for each site that yielded far less than it used to.
        """

        def finish(connection: Connection) -> dict[str, str]:
            done = reason in runs.FINISHED_EARLY or (reason == "finished" and not leases.is_open(connection, run_id))
            now, warnings, yield_stats = self.database.clock(connection), dict[str, str](), dict[str, object]()
            if done:
                yields = yield_alerts.of_run(connection, run_id)
                warnings = yield_alerts.detect_drops(yields, now, yield_alerts.previous_runs(connection, run_id))
                yield_stats = yield_alerts.as_stats(yields, warnings)
            runs.finish(connection, run_id, reason, {**stats, **yield_stats}, now, done=done)
            if done:
                yield_alerts.clear_old_stats(connection, run_id)
            return warnings

        return self.database.write(finish)

    def unmark_site_copies(self, run_id: int) -> dict[str, tuple[int, int]]:
        """Unmarks a run's copies within a site where more than half of its new articles are such; see `duplicates`."""
        return self.database.write(lambda c: duplicates.unmark_site_copies(c, run_id, self.database.clock(c)))

    def past_runs(self, spider: str, arguments: Mapping[str, str], limit: int = yield_alerts.RUNS) -> list[PastRun]:
        """The last runs of a spider with these arguments and their yields, newest first."""
        identity, _ = runs.identity(spider, arguments)
        with self.database.reading() as connection:
            return yield_alerts.past(connection, runs_table.c.identity == identity, limit)

    def past_runs_of_all(
        self, arguments: Mapping[str, Mapping[str, str]], limit: int = yield_alerts.RUNS
    ) -> dict[str, list[PastRun]]:
        """The last runs of each of many spiders, newest first; `arguments` and the answer are by spider.

        A run that only dead processes of this machine worked on is not alive.
        """
        keys = {spider: runs.identity(spider, given)[0] for spider, given in arguments.items()}
        with self.database.reading() as connection:
            abandoned = leases.abandoned_runs(connection, self.database.clock(connection))
            found = yield_alerts.past_of_kinds(connection, keys.values(), limit)
        for past in found.values():
            past[:] = [replace(run, alive_until=None) if run.id in abandoned else run for run in past]
        return {spider: found.get(key, []) for spider, key in keys.items()}

    def now(self) -> datetime:
        """The database's time, by which leases expire and URLs become due."""
        with self.database.reading() as connection:
            return self.database.clock(connection)

    def commit(self, outcomes: Sequence[PageOutcome]) -> list[CommitResult]:
        """Stores the outcomes in one transaction: all of them, on disk, or none and a DatabaseError."""
        return self.database.write(lambda connection: commit_outcomes(connection, outcomes, self.database.clock))

    def articles(
        self, since: int = 0, sites: Sequence[str] = (), languages: Sequence[str] = (), until: int | None = None
    ) -> Iterator[ArticleRow]:
        """Each article changed after `since` once, in its current state, in order of change, as of one moment.

        `languages` match their regions too (`en`: `en-GB`). Rows are read as they are iterated over; read the iterator
        to its end or close it, because an open reader keeps SQLite's log from being checkpointed.
        """
        with self.snapshot() as snapshot:
            yield from snapshot.articles(since, sites, languages, until)

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Cursor and articles of one moment: `with store.snapshot() as s: s.cursor, s.articles(since=…)`."""
        with self.database.reading() as connection:
            if not self.database.is_sqlite:  # the timeout is for frozen writers, not for slow readers
                connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield Snapshot(connection)

    def changes(self, since: int, limit: int) -> list[ArticleRow]:
        """The next entries of the change log after `since`, each with the article as of that change."""
        with self.database.reading() as connection:
            return export.changes_since(connection, since, limit)

    def cursor(self) -> int:
        """The highest change number taken so far; no change up to it will appear later."""
        with self.database.reading() as connection:
            return changes.cursor(connection)

    def article(self, url_or_key: str) -> Article | None:
        """The article with that key, or that a fetched URL led to, in its current state."""
        with self.database.reading() as connection:
            return export.find_article(connection, url_or_key)

    def count_articles_of_site(self, url_or_site: str) -> int:
        """The articles of a site that `forget` would delete; 0 for the URL of one article."""
        with self.database.reading() as connection:
            return lookup.count_articles_of_site(connection, url_or_site)

    def sites(self) -> list[str]:
        """The sites that articles are stored of."""
        with self.database.reading() as connection:
            return lookup.sites_with_articles(connection)

    def count_articles(self) -> int:
        """How many articles are stored, without those that were taken back."""
        with self.database.reading() as connection:
            query = select(func.count()).select_from(articles).where(articles.c.change_kind != "retracted")
            return connection.execute(query).scalar_one()

    def versions(self, url: str) -> list[Version]:
        """All versions of the article at a URL, oldest first."""
        with self.database.reading() as connection:
            return lookup.versions(connection, url)

    def present_versions(self, pages: Sequence[FetchedPage]) -> dict[str, PresentVersion]:
        """By page id the articles whose current versions were extracted from these very pages."""
        with self.database.reading() as connection:
            return revise.present_versions(connection, pages)

    def revise(self, revisions: Sequence[NewVersion]) -> list[int | None]:
        """Stores revisions as new versions, all in one transaction.

        Returns the change number of each; None for one whose article has changed since it was compared.
        """
        return self.database.write(lambda c: revise.revise(c, revisions, self.database.clock(c)))

    def rededuplicate(self, signature_of: "Callable[[str], Signature | None]") -> Iterator[DeduplicationProgress]:
        """Marks near-duplicates among all articles again, batch by batch; yields the progress after each."""
        return rededuplicate(self.database, signature_of)

    def forget(self, url_or_site: str) -> tuple[int, int]:
        """Deletes the articles of a URL or of a site for good; returns how many articles, and of how many URLs."""
        return self.database.write(lambda c: deletion.forget(c, url_or_site, self.database.clock(c)))

    def prune(
        self,
        before: datetime,
        sites: Sequence[str] | None = None,
        spider: str | None = None,
        *,
        with_articles: bool = False,
    ) -> dict[str, int]:
        """Deletes what is older than `before`, see `deletion.prune`; returns the number of rows by table."""
        return deletion.prune(self.database, before, sites, spider, with_articles=with_articles)

    def size(self) -> int:
        """Bytes of the database."""
        return deletion.size(self.database)

    def shrink(self) -> None:
        """Gives the space of deleted rows of an SQLite file back to the disk. DatabaseError where it is in use."""
        deletion.shrink(self.database)

    def save_peers(self, pattern_pages: Sequence[tuple[str, FetchedPage]], retired: Sequence[FetchedPage] = ()) -> None:
        """Stores reference pages with their URL patterns for later runs, and deletes retired ones."""

        def save(connection: Connection) -> None:
            peers.save(connection, pattern_pages)
            peers.retire(connection, retired)

        self.database.write(save)

    def peers(self, site: str) -> list[FetchedPage]:
        """The reference pages of a site, newest first."""
        with self.database.reading() as connection:
            return peers.load(connection, site)

    def site_pages(self, site: str) -> list[StoredSitePage]:
        """The memory of a site: its pages in the order of their fingerprints."""
        with self.database.reading() as connection:
            return site_pages.load(connection, site)

    def candidate(self, url: str) -> Candidate | None:
        """The candidate of a URL that is pending; None where there is none."""
        with self.database.reading() as connection:
            return candidates.find(connection, url)

    def pending(self, site: str) -> list[PendingPage]:
        """The pages of a site that are pending."""
        with self.database.reading() as connection:
            return candidates.pending(connection, site)

    def sites_to_settle(self, run: int) -> list[str]:
        """The sites of a run on whose pages is not decided with all that is known in the end."""
        with self.database.reading() as connection:
            return candidates.sites_to_settle(connection, run)

    def settle_site(self, site: str) -> None:
        """What is decided on the pages of a site by now stands for later runs."""
        self.database.write(lambda connection: site_pages.settle(connection, site))

    def add_listed_dates(self, site: str) -> list[StoredArticle]:
        """Dates articles of a site by what lists say of them; returns these. See `revise.add_listed_dates`."""
        return self.database.write(lambda c: revise.add_listed_dates(c, site, self.database.clock(c)))

    def forget_site_pages(self, site: str, before_run: int | None = None) -> int:
        """Deletes the memory of a site, with `before_run` that of earlier runs alone; returns how many pages."""
        return self.database.write(lambda connection: site_pages.forget(connection, site, before_run))

    def url(self, url: str) -> UrlRow | None:
        """The row of a URL; None if it was never seen."""
        with self.database.reading() as connection:
            return url_states.look_up(connection, url)

    def url_states(self) -> dict[UrlState, int]:
        """How many URLs are in each state."""
        with self.database.reading() as connection:
            return url_states.count_states(connection)

    def urls_of_run(self, run: int) -> list[RunUrl]:
        """The URLs that a run touched last, and what they came to."""
        with self.database.reading() as connection:
            return url_states.of_run(connection, run)

    def urls_in(self, state: UrlState) -> list[str]:
        """The URLs in a state."""
        with self.database.reading() as connection:
            return url_states.urls_in(connection, state)

    def status(self, last: int = 10, names: Collection[str] = ()) -> tuple[list[SiteStatus], list[RunStatus]]:
        """Every site in figures, and the last runs; `names`: only of these sites, or spiders of sites.toml."""
        with self.database.reading() as connection:
            of_spiders = [site for name in names for site in lookup.sites_of_spider(connection, name)]
            chosen = {*names, *of_spiders}
            return lookup.site_statuses(connection, chosen), lookup.run_statuses(connection, last, chosen)

    def note_problems(
        self, problems: Sequence[Problem], subjects: Collection[str] | None, kinds: Collection[str]
    ) -> None:
        """Notes what is wrong, and what of these subjects and kinds is well again; see `alerts.reconcile`."""
        self.database.write(lambda c: alerts.reconcile(c, problems, subjects, kinds, self.database.clock(c)))

    def note_run(self, run: int) -> None:
        """Notes what a finished run shows of its sites."""

        def note(connection: Connection) -> None:
            problems, sites = alerts.problems_of_run(connection, run)
            alerts.reconcile(connection, problems, sites, alerts.SITE_KINDS, self.database.clock(connection))

        self.database.write(note)

    def alerts(self) -> list[Alert]:
        """What is wrong at present, and what is well again without having been told; oldest first."""
        with self.database.reading() as connection:
            return alerts.load(connection)

    def forget_alerts(self, subject: str) -> int:
        """Deletes what is noted of a subject, such as a site that is crawled no more; returns how many states."""
        return self.database.write(lambda connection: alerts.forget(connection, subject))

    def mark_told(self, told: Sequence[Alert]) -> None:
        """Notes that these states have been told."""
        self.database.write(lambda connection: alerts.mark_told(connection, told, self.database.clock(connection)))

    def check_integrity(self) -> list[str]:
        """What is broken in the database, one clause per fault; reads all of it."""
        return integrity.check_integrity(self.database)

    def table_sizes(self) -> list[TableSize]:
        """Rows and bytes of every table, the largest first."""
        return integrity.table_sizes(self.database)
