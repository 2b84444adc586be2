"""The tables of a database: created, checked to be newsextract's, and upgraded, one program at a time.

A new database gets the tables of `schema`, whose revision is that of the last migration in `migrations.toml`.
"""

import sqlite3
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy import Connection, MetaData, Table, insert, inspect, select, text, update
from sqlalchemy.schema import SetColumnComment
from sqlalchemy.types import TypeEngine

from newsextract.errors import DatabaseError
from newsextract.files import package_data
from newsextract.store.engine import LOCK_TIMEOUT, Database, count_rows, take_lock, use_wal
from newsextract.store.histories import begin_history
from newsextract.store.schema import Number, change_counter, histories, metadata, runs

#: The revision of version 1.0.0, the oldest.
FIRST = "0003"
#: The statements of each later revision.
MIGRATIONS: dict[str, list[str]] = package_data(__package__, "migrations.toml")
#: The revision of the tables in `schema`. Unknown ones come from another version.
REVISION = max(MIGRATIONS)
#: The types in the statements that the databases call by different names.
TYPES: dict[str, TypeEngine[Any]] = {
    "number": Number,
    "bytes": sa.LargeBinary(),
    "time": sa.DateTime(timezone=True),
}
#: The table with the revision. A database with tables but without this one belongs to another program.
VERSIONS = Table("newsextract_schema", MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))


def ensure_schema(database: Database, *, must_exist: bool = False) -> str | None:
    """Creates the tables of an empty database, or upgrades older ones; returns the previous revision, None if empty.

    Raises DatabaseError for another program's database, an unknown schema, or an older one opened read-only.
    """
    with database.reading() as connection:
        current = revision(connection, database.name)
        encoding = "UTF8" if database.is_sqlite else connection.execute(text("SHOW server_encoding")).scalar()
    if encoding != "UTF8":
        raise DatabaseError(f"{database.name} has the encoding {encoding}; newsextract needs UTF8")
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
        with database.reading() as connection:
            connection.rollback()  # the journal mode is set outside of transactions
            use_wal(cast(sqlite3.Connection, connection.connection.dbapi_connection), LOCK_TIMEOUT)
    with database.writing() as connection:
        take_lock(connection, "newsex")
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
    begin_history(connection)
    connection.execute(insert(VERSIONS).values(version_num=REVISION))


def _upgrade(connection: Connection, current: str) -> None:
    types = {name: kind.compile(dialect=connection.dialect) for name, kind in TYPES.items()}
    for statement in (one for number in sorted(MIGRATIONS) if number > current for one in MIGRATIONS[number]):
        connection.exec_driver_sql(statement.format(**types))
    if connection.dialect.supports_comments:
        for documented in (column for table in metadata.sorted_tables for column in table.columns):
            connection.execute(SetColumnComment(documented))
    if not count_rows(connection, histories):
        begin_history(connection)
    connection.execute(update(VERSIONS).values(version_num=REVISION))
