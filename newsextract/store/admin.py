"""Administration of a database: deleting articles, pruning, copies, integrity, sizes.

`prune` deletes what is old in small transactions, so that a crawl can write in between; the current version of an
article and the last run of each kind stay. A copy reads the source as of one moment, in batches; the target gets
everything in one transaction or nothing. Leased URLs are queued in it, as the owners of leases work on the source.
"""

import sqlite3
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from newsextract.errors import DatabaseError
from newsextract.reasons import FORGOTTEN, UrlState
from newsextract.store import duplicates
from newsextract.store.engine import (
    CHUNK,
    Database,
    chunked,
    count_rows,
    database_now,
    overwrite_deleted,
    parse_database_url,
    rows_in,
)
from newsextract.store.histories import begin_history
from newsextract.store.leases import NO_LEASE
from newsextract.store.lookup import ids_of, site_named
from newsextract.store.outcome import OPEN, TAKEN
from newsextract.store.removals import find_twins, record_removals
from newsextract.store.schema import (
    CHANGES_REMOVED,
    article_versions,
    articles,
    candidates,
    change_counter,
    changes,
    fingerprint,
    histories,
    jsonl_files,
    metadata,
    originals,
    peers,
    runs,
    site_pages,
    sites,
    urls,
)
from newsextract.store.store import Store

#: Called with a table's name, how many of its rows are copied, and how many it has.
ProgressCallback = Callable[[str, int, int], None]


# ---- remove ----------------------------------------------------------------------------------------------------------


def remove_articles(connection: sa.Connection, url_or_site: str) -> tuple[int, int]:
    """Deletes the articles of a URL or site and their kept pages; returns the number of articles and URLs.

    The URLs get the state `refused` and are not fetched again; the articles aren't stored under other URLs either
    (`store.removals`). An article of the same site with the same text goes, too; copies of other sites stay, the first
    one as the original. The next crawl rewrites its JSON lines without the articles.
    """
    overwrite_deleted(connection)
    site = site_named(url_or_site)
    of_articles = articles.c.site == site if site is not None else articles.c.id.in_(ids_of(url_or_site))
    ids = [*connection.scalars(sa.select(articles.c.id).where(of_articles))]
    if site is not None:
        count = _refuse_urls(connection, urls.c.site == site)
        for kept in (peers, site_pages, candidates):
            connection.execute(sa.delete(kept).where(kept.c.site == site))
    else:
        ids += sorted(find_twins(connection, ids))
        count = _refuse_pages(connection, ids, [url_or_site])
    record_removals(connection, ids, database_now(connection))
    _delete_articles(connection, ids)
    return len(ids), count


def remove_by_id(connection: sa.Connection, ids: Collection[int], now: datetime) -> None:
    """Deletes these articles for good, as `remove_articles` does."""
    _refuse_pages(connection, ids)
    record_removals(connection, ids, now)
    _delete_articles(connection, ids)


def _refuse_pages(connection: sa.Connection, ids: Collection[int], given: Collection[str] = ()) -> int:
    """Refuses these URLs and those that lead to the articles, and deletes what is kept of their pages; how many."""
    pages = {fingerprint(url): url for url in given}
    pages |= dict([*rows_in(connection, sa.select(urls.c.fingerprint, urls.c.url), urls.c.article, ids)])
    count = 0
    for chunk in chunked(pages):
        count += _refuse_urls(connection, urls.c.fingerprint.in_(chunk))
        connection.execute(sa.delete(peers).where(peers.c.url.in_([pages[key] for key in chunk])))
        for kept in (site_pages, candidates):
            connection.execute(sa.delete(kept).where(kept.c.fingerprint.in_(chunk)))
    return count


def _refuse_urls(connection: sa.Connection, which: sa.ColumnElement[bool]) -> int:
    refused = {"state": UrlState.refused, "reason": FORGOTTEN, "next_due": None, "article": None, "etag": None}
    refused |= {"page_hash": None, "anchor_text": None, "meta": None, **NO_LEASE}
    return connection.execute(sa.update(urls).where(which).values(refused)).rowcount


def _delete_articles(connection: sa.Connection, ids: Collection[int]) -> None:
    """Deletes articles that no URL leads to any more, with their versions and changes."""
    duplicates.release(connection, set(ids), database_now(connection))
    for chunk in chunked(ids):
        connection.execute(sa.delete(articles).where(articles.c.id.in_(chunk)))
    if ids:
        connection.execute(sa.update(jsonl_files).values(change=CHANGES_REMOVED))


# ---- prune -----------------------------------------------------------------------------------------------------------


def prune(
    database: Database,
    before: datetime,
    sites: Sequence[str] | None = None,
    spider: str | None = None,
    *,
    with_articles: bool = False,
    dry_run: bool = False,
    kept_runs: Collection[int] = (),
) -> dict[str, int]:
    """Deletes what is older than `before`; returns the number of rows by table. `dry_run`: only counts them.

    `sites`: only these; then `spider` names the one whose runs are deleted (None: no runs). `with_articles`: also
    articles last seen before that, for good; their URLs are not fetched again. `kept_runs`: what these wrote stays.
    """
    is_kept = sa.exists().where(changes.c.article == articles.c.id, changes.c.run.in_(kept_runs))
    old = (articles.c.last_seen_at < before) & _is_of(articles, sites) & ~is_kept

    def delete_articles(connection: sa.Connection) -> int:
        ids = connection.scalars(sa.select(articles.c.id).where(old).limit(CHUNK)).all()
        _refuse_urls(connection, urls.c.article.in_(ids))
        _delete_articles(connection, ids)
        return len(ids)

    counts = {}
    if with_articles:
        counts["articles"] = _count(database, articles, old) if dry_run else _in_batches(database, delete_articles)
    handle_rows = _count if dry_run else _delete_rows
    conditions = _old_rows(before, sites, spider, kept_runs)
    counts |= {table.name: handle_rows(database, table, condition) for table, condition in conditions.items()}
    return {name: count for name, count in counts.items() if count}


def _old_rows(
    before: datetime, sites: Sequence[str] | None, spider: str | None, kept_runs: Collection[int]
) -> dict[sa.Table, sa.ColumnElement[bool]]:
    """Which rows of each table `prune` deletes, beside articles."""
    of_article, version = articles.c.id == article_versions.c.article, article_versions.c.version
    old_version = (article_versions.c.fetched_at < before) & sa.exists().where(
        of_article, articles.c.version != version, _is_of(articles, sites)
    )
    of_version = (changes.c.article == article_versions.c.article) & (changes.c.version == version)
    old_version &= ~sa.exists().where(of_version, changes.c.run.in_(kept_runs)).correlate(article_versions)
    of_old_version = sa.exists().where(
        article_versions.c.article == changes.c.article, version == changes.c.version, old_version
    )
    # rows about URLs that nothing waits for and no deleted article needs
    old_url = (sa.func.coalesce(urls.c.last_fetched, urls.c.first_seen) < before) & urls.c.state.not_in(OPEN)
    last_runs = sa.select(sa.func.max(runs.c.id)).group_by(runs.c.identity)
    made = sa.select(changes.c.run).where(changes.c.run.is_not(None), ~of_old_version)  # those say what made an article
    old_run = (runs.c.finished_at < before) & runs.c.id.not_in(made.union(last_runs)) & runs.c.id.not_in(kept_runs)
    return {
        changes: of_old_version,
        article_versions: old_version,
        urls: old_url & (urls.c.reason != FORGOTTEN) & _is_of(urls, sites) & _not_of(urls, kept_runs),
        site_pages: (site_pages.c.fetched_at < before) & _is_of(site_pages, sites) & _not_of(site_pages, kept_runs),
        peers: (peers.c.fetched_at < before) & _is_of(peers, sites),
        runs: old_run if sites is None else old_run & (runs.c.spider == spider),
    }


def _is_of(table: sa.Table, sites: Sequence[str] | None) -> sa.ColumnElement[bool]:
    return sa.true() if sites is None else table.c.site.in_(sites)


def _not_of(table: sa.Table, run_ids: Collection[int]) -> sa.ColumnElement[bool]:
    return sa.func.coalesce(table.c.run, 0).not_in(run_ids)


def _count(database: Database, table: sa.Table, condition: sa.ColumnElement[bool]) -> int:
    with database.reading() as connection:
        return count_rows(connection, table, condition)


def _delete_rows(database: Database, table: sa.Table, condition: sa.ColumnElement[bool]) -> int:
    key = table.primary_key.columns
    deletion = sa.delete(table).where(sa.tuple_(*key).in_(sa.select(*key).where(condition).limit(CHUNK)))
    return _in_batches(database, lambda connection: connection.execute(deletion).rowcount)


def _in_batches(database: Database, delete_batch: Callable[[sa.Connection], int]) -> int:
    """Repeats a deletion, each time in its own transaction, until it finds less than a batch; returns the sum."""
    total = 0
    while (count := database.write(delete_batch)) >= CHUNK:
        total += count
    return total + count


# ---- copy ------------------------------------------------------------------------------------------------------------


def copy_store(source: str, target: str, progress: ProgressCallback = lambda name, done, of: None) -> dict[str, int]:
    """Copies the database at one URL to another; returns the number of rows of each table.

    Raises DatabaseError without a source or for a target that isn't empty. On failure, a new target is removed.
    """
    file = parse_database_url(target).path
    created = None if file is None or file.exists() else file
    with Store.open(source, must_exist=True, read_only=True) as source_store:
        try:
            with Store.open(target) as target_store:
                return _copy_all(source_store.database, target_store.database, progress)
        except BaseException:
            if created is not None:
                for ending in ("", "-wal", "-shm"):
                    created.with_name(created.name + ending).unlink(missing_ok=True)
            raise


def _copy_all(source: Database, target: Database, progress: ProgressCallback) -> dict[str, int]:
    with source.reading() as reading, target.writing() as writing:
        for connection, database in ((reading, source), (writing, target)):
            if not database.is_sqlite:  # reader and writer wait for each other
                connection.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        _lock_empty(writing, target)
        counts = {table.name: _copy(reading, writing, table, progress) for table in metadata.sorted_tables}
        for table in () if target.is_sqlite else metadata.sorted_tables:
            if (column := table.autoincrement_column) is not None:  # past the copied ids, inserted without the sequence
                sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
                highest = sa.select(sa.func.max(column)).scalar_subquery()
                writing.execute(sa.select(sa.func.setval(sequence, highest)).where(highest.is_not(None)))
        begin_history(writing)
    return counts


def _lock_empty(connection: sa.Connection, target: Database) -> None:
    """Locks the target. Raises DatabaseError if it has more rows than the counter of every new database."""
    if not target.is_sqlite:
        names = ", ".join(table.name for table in metadata.sorted_tables)
        connection.execute(sa.text(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE"))
    for table in metadata.sorted_tables:
        if table not in (change_counter, histories) and count_rows(connection, table):
            raise DatabaseError(
                f"{target.name} is not empty: its table {table.name} has rows; copy into a new database"
            )
    for table in (change_counter, histories):
        connection.execute(sa.delete(table))


def _copy(reading: sa.Connection, writing: sa.Connection, table: sa.Table, progress: ProgressCallback) -> int:
    total, done = count_rows(reading, table), 0
    progress(table.name, done, total)
    for rows in reading.execution_options(yield_per=CHUNK).execute(sa.select(table)).mappings().partitions():
        batch = [dict(row) for row in rows]
        for values in batch if table in (urls, sites) else ():
            values |= NO_LEASE
            if values.get("state") == UrlState.leased:
                values["state"] = UrlState.queued
        writing.execute(sa.insert(table), batch)
        done += len(batch)
        progress(table.name, done, total)
    return done


# ---- integrity -------------------------------------------------------------------------------------------------------


#: Name of a fault -> the table and the condition of the rows that have it.
FAULTS: dict[str, tuple[sa.Table, sa.ColumnElement[bool]]] = {
    "articles without their current version": (
        articles,
        ~sa.exists().where(
            article_versions.c.article == articles.c.id, article_versions.c.version == articles.c.version
        ),
    ),
    "articles whose last change is not in the log": (
        articles,
        ~sa.exists().where(changes.c.change == articles.c.change, changes.c.article == articles.c.id),
    ),
    "changes with a number that was never assigned": (
        changes,
        changes.c.change > sa.select(change_counter.c.last).scalar_subquery(),
    ),
    "copies of articles that don't exist, or are copies themselves": (
        articles,
        articles.c.duplicate_of.is_not(None)
        & ~sa.exists().where(originals.c.id == articles.c.duplicate_of, originals.c.duplicate_of.is_(None)),
    ),
    "URLs of articles that don't exist": (
        urls,
        urls.c.article.is_not(None) & ~sa.exists().where(articles.c.id == urls.c.article),
    ),
    "URLs in an unknown state, leased without an owner, or owned though they are done": (
        urls,
        sa.or_(
            urls.c.state.not_in([*UrlState]),
            sa.and_(urls.c.state == UrlState.leased, urls.c.lease_owner.is_(None)),
            sa.and_(urls.c.state.not_in(TAKEN), urls.c.lease_owner.is_not(None)),
        ),
    ),
}


def check_integrity(connection: sa.Connection) -> list[str]:
    """All faults, one clause each; none for a sound database. Reads all of it."""
    broken = []
    if connection.dialect.name == "sqlite":
        lines = connection.scalars(sa.text("PRAGMA integrity_check(10)"))
        broken += [f"the file is damaged: {line}" for line in lines if line != "ok"]
        rows = connection.execute(sa.text("PRAGMA foreign_key_check")).fetchmany(10)
        broken += [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in rows]
    for what, (table, condition) in FAULTS.items():
        if count := count_rows(connection, table, condition):
            broken.append(f"{count} {what}")
    return broken


# ---- size ------------------------------------------------------------------------------------------------------------

SQLITE_SIZES = """SELECT sqlite_master.tbl_name, sum(dbstat.pgsize) AS size FROM dbstat JOIN sqlite_master
                  ON sqlite_master.name = dbstat.name GROUP BY 1"""


@dataclass(frozen=True, slots=True)
class TableSize:
    """Rows of a table, and its bytes with all indexes; None if the database doesn't report them."""

    table: str
    rows: int
    size: int | None


def table_sizes(connection: sa.Connection) -> list[TableSize]:
    """The sizes of all tables, the largest first."""
    sizes: dict[str, int] = {}
    if connection.dialect.name == "sqlite":
        with suppress(OperationalError):  # SQLite built without the dbstat table
            sizes = {row.tbl_name: row.size for row in connection.execute(sa.text(SQLITE_SIZES))}
    else:
        for name in metadata.tables:
            sizes[name] = connection.execute(sa.select(sa.func.pg_total_relation_size(name))).scalar_one()
    tables = [
        TableSize(name, count_rows(connection, table), sizes.get(name)) for name, table in metadata.tables.items()
    ]
    return sorted(tables, key=lambda table: (-(table.size or 0), -table.rows, table.table))


def database_size(connection: sa.Connection) -> int:
    if connection.dialect.name == "postgresql":
        return int(connection.execute(sa.select(sa.func.pg_database_size(sa.func.current_database()))).scalar_one())
    pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    return int(connection.execute(sa.text(pages)).scalar_one())


def shrink_file(connection: sa.Connection) -> None:
    """Returns free space of an SQLite file to the disk. Raises DatabaseError if another program is writing."""
    if connection.dialect.name != "sqlite":
        return
    connection.rollback()
    raw = cast(sqlite3.Connection, connection.connection.dbapi_connection)
    raw.execute("VACUUM")
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
