"""The tables of a database: created, checked to be newsextract's, and upgraded, one program at a time.

A new database gets the tables of `schema`, whose revision is that of the last migration. Each migration upgrades the
tables of the revision before it with Alembic's operations. It is never edited, and doesn't use `schema`, whose tables
change.
"""

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import sqlalchemy as sa
from sqlalchemy import Connection, MetaData, Table, insert, inspect, select, text, update
from sqlalchemy.schema import SetColumnComment

from newsextract.errors import DatabaseError
from newsextract.store.engine import LOCK_TIMEOUT, Database, use_wal
from newsextract.store.schema import change_counter, metadata, runs

if TYPE_CHECKING:
    from alembic.operations import Operations

# ---- migrations ------------------------------------------------------------------------------------------------------

#: The revision of version 1.0, the oldest.
FIRST = "0006"


def add_candidates(op: "Operations") -> None:
    """Pages held by an interrupted crawl become candidates. URLs get a kind instead of a spider's method."""
    op.create_table(
        "candidates",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger().with_variant(sa.Integer(), "sqlite")),
        sa.Column("article", sa.Text()),
        sa.Column("text_confidence", sa.Float()),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("site", "fingerprint", name="pk_candidates"),
    )
    op.create_index("ix_candidates_run", "candidates", ["run"])
    op.execute(
        "INSERT INTO candidates (site, fingerprint, url, run, page, body) "
        "SELECT urls.site, urls.fingerprint, urls.url, urls.run, peers.page, peers.body FROM urls JOIN peers "
        "ON peers.site = urls.site AND peers.url = urls.url WHERE peers.held AND urls.state = 'held'"
    )
    lease = "lease_owner = NULL, lease_until = NULL"
    op.execute(
        f"UPDATE urls SET state = 'pending', {lease} "
        "WHERE state = 'held' AND fingerprint IN (SELECT fingerprint FROM candidates)"
    )
    op.execute(f"UPDATE urls SET state = 'queued', {lease} WHERE state = 'held'")
    op.execute("DELETE FROM peers WHERE held")
    op.drop_index("ix_peers_site_held", "peers")
    op.drop_column("peers", "held")
    op.create_index("ix_peers_site", "peers", ["site"])
    op.drop_table("review_pages")
    op.alter_column("site_pages", "reviewed", new_column_name="settled")
    op.alter_column("site_pages", "flips", new_column_name="decision_changes")
    op.create_index("ix_site_pages_run_settled", "site_pages", ["run", "settled"])
    op.add_column("urls", sa.Column("kind", sa.String(length=40), server_default="page", nullable=False))
    op.execute("UPDATE urls SET kind = replace(callback, 'parse_', '') WHERE callback <> 'parse_page'")
    op.drop_column("urls", "callback")


def add_notified_at(op: "Operations") -> None:
    """Alerts get the time at which services were notified."""
    op.alter_column("alerts", "told_at", new_column_name="notified_at")


def drop_unused_columns(op: "Operations") -> None:
    """Drops unused columns: counts of a page's decisions, pauses and failures of a site, times of JSON lines."""
    for table, columns in {
        "site_pages": ("known", "decision_changes"),
        "sites": ("next_due", "failures"),
        "jsonl_files": ("written_at",),
    }.items():
        for column in columns:
            op.drop_column(table, column)


def index_texts(op: "Operations") -> None:
    """Articles are looked up by their text; another index of `urls` begins with the columns of the one dropped."""
    op.create_index("ix_articles_content_hash", "articles", ["content_hash"])
    op.drop_index("ix_urls_site_state_priority", "urls")


def count_failures(op: "Operations") -> None:
    """URLs get the number of runs in a row that failed to fetch them; what has failed for good so far is due again."""
    op.add_column("urls", sa.Column("failures", sa.Integer(), server_default="0", nullable=False))
    op.execute(
        "UPDATE urls SET next_due = last_fetched WHERE next_due IS NULL AND kind = 'page' AND reason <> 'forgotten' "
        "AND (state IN ('failed', 'refused') OR (state = 'not_article' AND reason IN "
        "('bot_check', 'paywall_stub', 'login', 'error_page', 'product', 'empty', 'redirects')))"
    )


def keep_robots(op: "Operations") -> None:
    """Sites get the last robots.txt that was read, and when."""
    op.add_column("sites", sa.Column("robots", sa.LargeBinary()))
    op.add_column("sites", sa.Column("robots_at", sa.DateTime(timezone=True)))


def add_made_by(op: "Operations") -> None:
    """Runs get what extracted their articles."""
    op.add_column("runs", sa.Column("made_by", sa.Text()))


MIGRATIONS: dict[str, Callable[["Operations"], None]] = {
    "0007": add_candidates,
    "0008": add_notified_at,
    "0009": drop_unused_columns,
    "0010": index_texts,
    "0011": count_failures,
    "0012": keep_robots,
    "0013": add_made_by,
}


# ---- the schema of a database ----------------------------------------------------------------------------------------

#: The revision of the tables in `schema`. Unknown ones come from another version.
REVISION = next(reversed(MIGRATIONS))
#: The table with the revision. A database with tables but without this one belongs to another program.
VERSIONS = Table("newsextract_schema", MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
#: Advisory lock of PostgreSQL that one upgrade holds ("newsextr" as a number).
UPGRADE_LOCK = 0x6E6577736578


def ensure_schema(database: Database, *, must_exist: bool = False) -> str | None:
    """Creates the tables of an empty database, or upgrades older ones; returns the previous revision, None if empty.

    Raises DatabaseError for another program's database, an unknown schema, or an older one opened read-only.
    """
    with database.reading() as connection:
        current = revision(connection, database.name)
        _check_encoding(connection, database)
    if current == REVISION:
        return current
    if current is not None and current != FIRST and current not in MIGRATIONS:
        age, rest = ("a newer", "upgrade it") if current > FIRST else ("an older", "crawl into a new database")
        raise DatabaseError(
            f"{database.name} has schema {current} of {age} newsextract; this one has {FIRST} to {REVISION}: {rest}"
        )
    if current is None and (must_exist or database.read_only):
        raise DatabaseError(f"{database.name} has no newsextract tables yet; a crawl creates them")
    if database.read_only:
        raise DatabaseError(f"{database.name} has the older schema {current}; run newsextract db upgrade")
    if database.is_sqlite:
        _use_wal(database)
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": UPGRADE_LOCK})
        present = revision(connection, database.name)  # another program may have been first
        if present is None:
            _create(connection)
        elif present != REVISION:
            _upgrade(connection, present)
    return current


def revision(connection: Connection, name: str) -> str | None:
    """The schema's revision; None for an empty database. Raises DatabaseError for another program's."""
    tables = inspect(connection).get_table_names()
    if VERSIONS.name in tables:
        return connection.execute(select(VERSIONS.c.version_num)).scalar()
    if tables:
        names = ", ".join(sorted(tables)[:3])
        raise DatabaseError(
            f"{name} is another program's database (its tables: {names}); use another database for newsextract"
        )
    return None


def _create(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":  # not in `schema`, where it would load this dialect in every process
        for index in runs.indexes:
            index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]
    metadata.create_all(connection, checkfirst=False)
    VERSIONS.create(connection)
    connection.execute(insert(change_counter).values(id=1, last=0))
    connection.execute(insert(VERSIONS).values(version_num=REVISION))


def _upgrade(connection: Connection, current: str) -> None:
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    operations = Operations(MigrationContext.configure(connection))
    for number, migrate in MIGRATIONS.items():
        if number > current:
            migrate(operations)
    if connection.dialect.supports_comments:
        for documented in (column for table in metadata.sorted_tables for column in table.columns):
            connection.execute(SetColumnComment(documented))
    connection.execute(update(VERSIONS).values(version_num=REVISION))


def _use_wal(database: Database) -> None:
    """Sets the journal mode, outside a transaction. Raises DatabaseError."""
    with database.reading() as connection:
        connection.rollback()
        try:
            use_wal(cast(sqlite3.Connection, connection.connection.dbapi_connection), LOCK_TIMEOUT)
        except sqlite3.Error as error:
            raise DatabaseError(f"{database.name} can't be prepared for writing: {error}") from error


def _check_encoding(connection: Connection, database: Database) -> None:
    if not database.is_sqlite:
        encoding = connection.execute(text("SHOW server_encoding")).scalar()
        if encoding != "UTF8":
            raise DatabaseError(f"{database.name} has the encoding {encoding}; newsextract needs UTF8")
