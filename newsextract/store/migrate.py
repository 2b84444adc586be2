"""Checks that a database is newsextract's and upgrades its schema with Alembic, one program at a time."""

import importlib.resources
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, column, inspect, select, table, text
from sqlalchemy.schema import SetColumnComment
from sqlalchemy.sql import quoted_name

from newsextract.errors import DatabaseError
from newsextract.store.engine import Database
from newsextract.store.schema import REVISION, VERSION_TABLE, metadata

#: Advisory lock of PostgreSQL that one upgrade holds ("newsextr" as a number).
UPGRADE_LOCK = 0x6E6577736578
#: Alembic's `op` and `context` are module globals.
ALEMBIC_LOCK = threading.Lock()


def ensure_schema(database: Database, *, must_exist: bool = False, goal: str = REVISION) -> str | None:
    """Upgrades an empty or older database to the revision `goal`; returns the revision it had, None if it was empty.

    DatabaseError for another program's database, a newer schema, or an older one opened read-only.
    """
    with database.reading() as connection:
        current = revision(connection, database.name)
        _check_encoding(connection, database)
    if current == goal:
        return current
    if current is not None and current not in migrations():
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
        if revision(connection, database.name) != goal:
            _upgrade(connection, goal)
    return current


def revision(connection: Connection, name: str) -> str | None:
    """The schema's revision; None for an empty database; DatabaseError for another program's."""
    tables = inspect(connection).get_table_names()
    if VERSION_TABLE in tables:
        versions = table(quoted_name(VERSION_TABLE, False), column("version_num"))
        return connection.execute(select(versions.c.version_num)).scalar()
    if tables:
        names = ", ".join(sorted(tables)[:3])
        raise DatabaseError(
            f"{name} is another program's database (its tables: {names}); use another database for newsextract"
        )
    return None


def migrations() -> list[str]:
    """All revisions that this version knows, newest first."""
    from alembic.script import ScriptDirectory

    with _folder() as folder:
        return [script.revision for script in ScriptDirectory(folder).walk_revisions()]


def _upgrade(connection: Connection, goal: str) -> None:
    from alembic import command
    from alembic.config import Config

    with ALEMBIC_LOCK, _folder() as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, goal)
    if goal == REVISION and connection.dialect.supports_comments:
        for documented in (column for table in metadata.sorted_tables for column in table.columns):
            connection.execute(SetColumnComment(documented))


@contextmanager
def _folder() -> Iterator[Path]:
    """The folder of the migrations, unpacked from an egg (a zip file) if needed, because Alembic lists a folder."""
    packed = importlib.resources.files("newsextract.store.migrations")
    if isinstance(packed, Path):
        yield packed
        return
    folder = Path(tempfile.mkdtemp(prefix="newsextract-"))
    try:
        (folder / "versions").mkdir()
        for source, target in ((packed, folder), (packed / "versions", folder / "versions")):
            for file in source.iterdir():
                if file.name.endswith(".py"):
                    (target / file.name).write_bytes(file.read_bytes())
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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
