"""Checks that a database is newsextract's, and creates or upgrades its tables, one program at a time."""

from sqlalchemy import Column, Connection, MetaData, String, Table, insert, inspect, select, text, update
from sqlalchemy.schema import SetColumnComment

from newsextract.errors import DatabaseError
from newsextract.store.engine import Database
from newsextract.store.migrations import FIRST, MIGRATIONS
from newsextract.store.schema import change_counter, metadata, runs

#: The revision of the tables of `schema`. A database of an unknown revision was made by a newer newsextract.
REVISION = next(reversed(MIGRATIONS))
#: The table that holds the revision. A database with tables but without this one is another program's.
VERSIONS = Table("newsextract_schema", MetaData(), Column("version_num", String(32), primary_key=True))
#: Advisory lock of PostgreSQL that one upgrade holds ("newsextr" as a number).
UPGRADE_LOCK = 0x6E6577736578


def ensure_schema(database: Database, *, must_exist: bool = False) -> str | None:
    """Creates the tables of an empty database, or upgrades older ones; returns the revision that the database had, None
    if it was empty.

    DatabaseError for another program's database, a newer schema, or an older one opened read-only.
    """
    with database.reading() as connection:
        current = revision(connection, database.name)
        _check_encoding(connection, database)
    if current == REVISION:
        return current
    if current is not None and current != FIRST and current not in MIGRATIONS:
        raise DatabaseError(
            f"{database.name} has schema {current} of a newer newsextract; this one supports {REVISION}: upgrade it"
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
    """The schema's revision; None for an empty database; DatabaseError for another program's."""
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
    """Sets the journal mode, a persistent property of the file, outside a transaction."""
    with database.reading() as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        connection.rollback()
        raw.cursor().execute("PRAGMA journal_mode=WAL")


def _check_encoding(connection: Connection, database: Database) -> None:
    if not database.is_sqlite:
        encoding = connection.execute(text("SHOW server_encoding")).scalar()
        if encoding != "UTF8":
            raise DatabaseError(f"{database.name} has the encoding {encoding}; newsextract needs UTF8")
