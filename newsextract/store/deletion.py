"""Deletes on demand: an article or a site for good (`db forget`), and what is older than it is to be kept (`db prune`).

`prune` deletes old versions of articles, rows about URLs, what is known of old pages, and old runs, in small
transactions, so that a crawl can write between them. The present version of an article, and the last run of each kind,
stay; so does an article itself, unless asked for.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Table, delete, func, or_, select, text, tuple_, update
from sqlalchemy.exc import OperationalError

from newsextract.reasons import UrlState
from newsextract.store import duplicates
from newsextract.store.engine import Database
from newsextract.store.lookup import ids_of, site_named
from newsextract.store.outcome import OPEN
from newsextract.store.schema import (
    CHANGES_REMOVED,
    article_versions,
    articles,
    candidates,
    changes,
    jsonl_files,
    peers,
    runs,
    site_pages,
    urls,
)
from newsextract.store.url_states import chunked, fingerprint

#: The reason of URLs that are never fetched again, because their articles were deleted.
FORGOTTEN = "forgotten"
#: Rows deleted in one transaction.
BATCH = 1000


# ---- forget ----------------------------------------------------------------------------------------------------------


def forget(connection: Connection, url_or_site: str, now: datetime) -> tuple[int, int]:
    """Deletes the articles of a URL or of a site, and the pages kept of it; returns how many articles and URLs.

    The URLs stay in the state `refused`, so that they are not fetched again. Copies of the articles stay too, the first
    of them as the original. The next crawl that uses a file of JSON lines writes it again without the articles.
    """
    site = site_named(url_or_site)
    if site is None:
        of_articles: ColumnElement[bool] = articles.c.id.in_(ids_of(url_or_site))
        of_urls = or_(urls.c.fingerprint == fingerprint(url_or_site), urls.c.article.in_(ids_of(url_or_site)))
        of_peers = peers.c.url == url_or_site
        of_memory: tuple[ColumnElement[bool], ...] = tuple(
            table.c.fingerprint == fingerprint(url_or_site) for table in (site_pages, candidates)
        )
    else:
        of_articles, of_urls, of_peers = articles.c.site == site, urls.c.site == site, peers.c.site == site
        of_memory = tuple(table.c.site == site for table in (site_pages, candidates))
    ids = list(connection.execute(select(articles.c.id).where(of_articles)).scalars())
    count = _refuse_urls(connection, of_urls)
    connection.execute(delete(peers).where(of_peers))
    for memory, condition in zip((site_pages, candidates), of_memory, strict=True):
        connection.execute(delete(memory).where(condition))
    _delete_articles(connection, ids, now)
    return len(ids), count


def _refuse_urls(connection: Connection, which: ColumnElement[bool]) -> int:
    refused = {"state": UrlState.refused, "reason": FORGOTTEN, "next_due": None, "article": None, "etag": None}
    refused |= {"page_hash": None, "anchor_text": None, "lease_owner": None, "lease_until": None}
    return connection.execute(update(urls).where(which).values(refused)).rowcount


def _delete_articles(connection: Connection, ids: Collection[int], now: datetime) -> None:
    """Deletes articles to which no URL leads any more."""
    duplicates.release(connection, set(ids), now)
    for table, column in ((changes, "article"), (article_versions, "article"), (articles, "id")):
        for chunk in chunked(ids):
            connection.execute(delete(table).where(table.c[column].in_(chunk)))
    if ids:
        connection.execute(update(jsonl_files).values(change=CHANGES_REMOVED))


# ---- prune -----------------------------------------------------------------------------------------------------------


def prune(
    database: Database,
    before: datetime,
    sites: Sequence[str] | None = None,
    spider: str | None = None,
    *,
    with_articles: bool = False,
) -> dict[str, int]:
    """Deletes what is older than `before`; returns the number of rows by table.

    `sites`: of these sites alone; then `spider` names the one whose runs go, None for no runs. `with_articles`: also
    the articles that were last seen before that, for good: their URLs are not fetched again.
    """
    counts = {"articles": _prune_articles(database, before, sites) if with_articles else 0}
    counts["article_versions"], counts["changes"] = _prune_versions(database, before, sites)
    last_runs = select(func.max(runs.c.id)).group_by(runs.c.identity)
    old_runs = (runs.c.finished_at < before) & runs.c.id.not_in(last_runs)
    if sites is not None:
        old_runs &= runs.c.spider == spider
    conditions: tuple[tuple[Table, ColumnElement[bool]], ...] = (
        (urls, _old_urls(before) & _of_sites(urls, sites)),
        (site_pages, (site_pages.c.fetched_at < before) & _of_sites(site_pages, sites)),
        (peers, (peers.c.fetched_at < before) & _of_sites(peers, sites)),
        (runs, old_runs),
    )
    for table, condition in conditions:
        counts[table.name] = sum(_delete_in_batches(database, table, condition))
    return {name: count for name, count in counts.items() if count}


def _old_urls(before: datetime) -> ColumnElement[bool]:
    """Rows about URLs that nothing waits for, and that no deleted article needs."""
    return (
        (func.coalesce(urls.c.last_fetched, urls.c.first_seen) < before)
        & urls.c.state.not_in(OPEN)
        & (urls.c.reason != FORGOTTEN)
    )


def _of_sites(table: Table, sites: Sequence[str] | None) -> ColumnElement[bool]:
    return table.c.site.in_(sites) if sites is not None else table.c.site.is_not(None)


def _prune_articles(database: Database, before: datetime, sites: Sequence[str] | None) -> int:
    """Deletes articles that were last seen before that, batch by batch; returns how many."""
    query = select(articles.c.id).where(articles.c.last_seen_at < before, _of_sites(articles, sites)).limit(BATCH)

    def delete_batch(connection: Connection) -> int:
        ids = list(connection.execute(query).scalars())
        _refuse_urls(connection, urls.c.article.in_(ids))
        _delete_articles(connection, ids, database.clock(connection))
        return len(ids)

    return sum(_batches(database, delete_batch))


def _prune_versions(database: Database, before: datetime, sites: Sequence[str] | None) -> tuple[int, int]:
    """Deletes versions that are not the present ones, and their entries in the change log; returns how many of each."""
    key = (article_versions.c.article, article_versions.c.version)
    present = select(articles.c.version).where(articles.c.id == article_versions.c.article).scalar_subquery()
    query = select(*key).where(article_versions.c.fetched_at < before, article_versions.c.version != present)
    if sites is not None:
        query = query.where(article_versions.c.article.in_(select(articles.c.id).where(articles.c.site.in_(sites))))
    changed = 0

    def delete_batch(connection: Connection) -> int:
        nonlocal changed
        pairs = [tuple(row) for row in connection.execute(query.limit(BATCH))]
        if pairs:
            log = tuple_(changes.c.article, changes.c.version).in_(pairs)
            changed += connection.execute(delete(changes).where(log)).rowcount
            connection.execute(delete(article_versions).where(tuple_(*key).in_(pairs)))
        return len(pairs)

    return sum(_batches(database, delete_batch)), changed


def _delete_in_batches(database: Database, table: Table, condition: ColumnElement[bool]) -> Iterator[int]:
    keys = [*table.primary_key.columns]
    chosen = select(*keys).where(condition).limit(BATCH)

    def delete_batch(connection: Connection) -> int:
        return connection.execute(delete(table).where(tuple_(*keys).in_(chosen))).rowcount

    return _batches(database, delete_batch)


def _batches(database: Database, delete_batch: Callable[[Connection], int]) -> Iterator[int]:
    """Runs a deletion, each time in a transaction of its own, until it finds less than a batch."""
    while True:
        count = database.write(delete_batch)
        yield count
        if count < BATCH:
            return


# ---- size ------------------------------------------------------------------------------------------------------------


def size(database: Database) -> int:
    """Bytes of the database."""
    with database.reading() as connection:
        if not database.is_sqlite:
            return int(connection.execute(select(func.pg_database_size(func.current_database()))).scalar_one())
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()
        return int(pages) * int(connection.execute(text("PRAGMA page_size")).scalar_one())


def shrink(database: Database) -> None:
    """Gives the space of deleted rows of an SQLite file back to the disk; PostgreSQL uses it for new ones by itself.

    Needs as much free space as the file has, and that nobody else writes: raises DatabaseError.
    """
    if not database.is_sqlite:
        return
    with database.reading() as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        connection.rollback()
        try:
            raw.cursor().execute("VACUUM")
            raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.Error as error:
            raise OperationalError("VACUUM", None, error) from error
