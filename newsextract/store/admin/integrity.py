"""Integrity check of a database: each invariant that commits keep, as a query for rows that break it; table sizes."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, Select, and_, exists, func, or_, select, text
from sqlalchemy.exc import OperationalError

from newsextract.reasons import UrlState
from newsextract.store.engine import Database
from newsextract.store.outcome import TAKEN
from newsextract.store.schema import article_versions, articles, change_counter, changes, metadata, originals, urls

#: Name of a fault, and the query that finds it.
FAULTS: tuple[tuple[str, Select[int]], ...] = (
    (
        "articles without their present version",
        select(articles.c.id).where(
            ~exists().where(
                article_versions.c.article == articles.c.id, article_versions.c.version == articles.c.version
            )
        ),
    ),
    (
        "articles whose last change is not in the log",
        select(articles.c.id).where(
            ~exists().where(changes.c.change == articles.c.change, changes.c.article == articles.c.id)
        ),
    ),
    (
        "changes with a number that was never given",
        select(changes.c.change).where(changes.c.change > select(change_counter.c.last).scalar_subquery()),
    ),
    (
        "versions of articles that are not there",
        select(article_versions.c.article).where(~exists().where(articles.c.id == article_versions.c.article)),
    ),
    (
        "copies of articles that are not there, or are copies themselves",
        select(articles.c.id).where(
            articles.c.duplicate_of.is_not(None),
            ~exists(select(originals.c.id)).where(
                originals.c.id == articles.c.duplicate_of, originals.c.duplicate_of.is_(None)
            ),
        ),
    ),
    (
        "URLs that led to articles that are not there",
        select(urls.c.run).where(
            urls.c.article.is_not(None), ~exists(select(articles.c.id).where(articles.c.id == urls.c.article))
        ),
    ),
    (
        "URLs in a state that there is not, or leased by nobody, or by somebody though they are done",
        select(urls.c.run).where(
            or_(
                urls.c.state.not_in([*UrlState]),
                and_(urls.c.state == UrlState.leased, urls.c.lease_owner.is_(None)),
                and_(urls.c.state.not_in(TAKEN), urls.c.lease_owner.is_not(None)),
            )
        ),
    ),
)
SQLITE_SIZES = """SELECT sqlite_master.tbl_name, sum(dbstat.pgsize) AS size FROM dbstat JOIN sqlite_master
                  ON sqlite_master.name = dbstat.name GROUP BY 1"""


@dataclass(frozen=True, slots=True)
class TableSize:
    """Rows of a table, and its bytes with all indexes; None where the database does not report them."""

    table: str
    rows: int
    size: int | None


def check_integrity(database: Database) -> list[str]:
    """What is broken, one clause per fault; empty for a sound database. Reads all of it."""
    with database.reading() as connection:
        broken = [*_sqlite_faults(connection)] if database.is_sqlite else []
        for what, query in FAULTS:
            count = connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
            if count:
                broken.append(f"{count} {what}")
    return broken


def _sqlite_faults(connection: Connection) -> Iterator[str]:
    """The first faults that SQLite's own checks report."""
    for (line,) in connection.execute(text("PRAGMA integrity_check(10)")):
        if line != "ok":
            yield f"the file is damaged: {line}"
    rows = connection.execute(text("PRAGMA foreign_key_check")).fetchmany(10)
    yield from (f"a row of {row[0]} names one of {row[2]} that is not there" for row in rows)


def table_sizes(database: Database) -> list[TableSize]:
    """The sizes of all tables, the largest first."""
    with database.reading() as connection:
        sizes = _sqlite_sizes(connection) if database.is_sqlite else _postgresql_sizes(connection)
        tables = [
            TableSize(name, connection.execute(select(func.count()).select_from(table)).scalar_one(), sizes.get(name))
            for name, table in metadata.tables.items()
        ]
    return sorted(tables, key=lambda table: (-(table.size or 0), -table.rows, table.table))


def _sqlite_sizes(connection: Connection) -> dict[str, int]:
    try:
        return {row.tbl_name: row.size for row in connection.execute(text(SQLITE_SIZES))}
    except OperationalError:  # SQLite built without the dbstat table
        return {}


def _postgresql_sizes(connection: Connection) -> dict[str, int]:
    return {
        name: connection.execute(select(func.pg_total_relation_size(name))).scalar_one() for name in metadata.tables
    }
