"""From a database URL to connections that keep what they acknowledge.

SQLite: WAL, synchronous=FULL, foreign keys, writes begin IMMEDIATE (a read that turns into a write can't wait for
another writer, it fails), locks are waited for. PostgreSQL: psycopg 3, READ COMMITTED (a statement after a lock was
waited for must see what the holder wrote), UTC, locks and forgotten transactions end after a time.
"""

import importlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool

from newsextract.errors import DatabaseError, WrongSetting
from newsextract.store.failures import is_transient, translated

T = TypeVar("T")

SQLITE = frozenset({"sqlite", "sqlite+pysqlite"})
POSTGRESQL = frozenset({"postgresql", "postgres", "postgresql+psycopg"})
RIGHT = "use sqlite:///FILE or postgresql://USER@HOST/NAME"
#: How often a transaction that met a deadlock is tried.
ATTEMPTS = 5


@dataclass(frozen=True)
class Address:
    """Where a database is: one of `path` (SQLite) and `url` (PostgreSQL)."""

    name: str
    path: Path | None = None
    url: URL | None = None

    @property
    def password(self) -> str | None:
        """The password, to keep it out of messages."""
        if self.url is None:
            return None
        return self.url.password or str(self.url.query.get("password", "")) or None


def address(text: str) -> Address:
    """The address behind a URL; raises WrongSetting where it is none of ours."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        hint = f"; for a file of that name write sqlite:///{text}" if text and "://" not in text else ""
        raise WrongSetting(f"The database URL is no URL: {RIGHT}{hint}") from None
    if url.drivername in SQLITE:
        return Address(*_sqlite_file(url))
    if url.drivername in POSTGRESQL:
        url = url.set(drivername="postgresql+psycopg")
        port = f":{url.port}" if url.port else ""
        return Address(f"PostgreSQL database {url.database or ''!r} at {url.host or 'this machine'}{port}", url=url)
    raise WrongSetting(f"newsextract has no driver for {url.drivername}:// databases; {RIGHT}")


def _sqlite_file(url: URL) -> tuple[str, Path]:
    if url.host:
        raise WrongSetting(f"sqlite://{url.host} has a slash too few: write sqlite:///{url.host}{url.database or ''}")
    if not url.database or url.database == ":memory:" or url.database.startswith("file:") or url.query:
        raise WrongSetting("The database URL of SQLite names a file and nothing else: sqlite:///FILE")
    path = Path(url.database).expanduser().absolute()
    return str(path), path


class Database:
    """Transactions on one database; any thread may begin one."""

    def __init__(self, where: Address, *, create: bool, read_only: bool, patience: float) -> None:
        """`patience`: seconds to wait for another program's lock. With `create` a missing SQLite file is made."""
        self.name = where.name
        self.read_only = read_only
        self._password = where.password
        if where.path is not None:
            self.engine = _sqlite_engine(where.path, create, read_only, patience)
        else:
            self.engine = _postgresql_engine(where, read_only, patience)

    @property
    def is_sqlite(self) -> bool:
        """Whether one lock guards all writes."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads, all of it as of one moment."""
        with translated(self.name, self._password), self.engine.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes: committed at the end of the block, undone by an exception."""
        with translated(self.name, self._password), self.engine.connect() as connection:
            connection.execution_options(newsextract_writes=True)
            with connection.begin():
                yield connection

    def write(self, work: Callable[[Connection], T]) -> T:
        """Runs `work` in a writing transaction, again where it met a deadlock."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self.writing() as connection:
                    return work(connection)
            except DatabaseError as error:
                if attempt == ATTEMPTS or error.__cause__ is None or not is_transient(error.__cause__):
                    raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Ends the connections."""
        self.engine.dispose()


def _sqlite_engine(path: Path, create: bool, read_only: bool, patience: float) -> Engine:
    mode = "ro" if read_only else "rwc" if create else "rw"

    def connect() -> sqlite3.Connection:
        options = f"?mode={mode}"
        if read_only and not _may_lock(path):
            options += "&immutable=1"
        return sqlite3.connect(path.as_uri() + options, uri=True, timeout=patience, check_same_thread=False)

    engine = create_engine("sqlite:///", creator=connect, poolclass=QueuePool, pool_size=5, max_overflow=20)

    @event.listens_for(engine, "connect")
    def settle(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # `begin` below decides, not the driver
        for pragma in ("synchronous=FULL", "fullfsync=ON", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("newsextract_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _may_lock(path: Path) -> bool:
    """Readers in WAL mode write the -shm file; where they may not, and nobody writes, the file is read as it is."""
    return os.access(path.parent, os.W_OK) or path.with_name(path.name + "-wal").exists()


def _postgresql_engine(where: Address, read_only: bool, patience: float) -> Engine:
    try:
        importlib.import_module("psycopg")
    except ImportError:
        raise DatabaseError(f"{where.name} needs psycopg: pip install 'newsextract[postgres]'") from None
    assert where.url is not None
    arguments = {} if "connect_timeout" in where.url.query else {"connect_timeout": 10}
    engine = create_engine(
        where.url, connect_args=arguments, isolation_level="READ COMMITTED", pool_pre_ping=True, max_overflow=20
    )
    milliseconds = max(1, int(patience * 1000))
    settings = [
        "TimeZone = 'UTC'",
        f"lock_timeout = {milliseconds}",
        "idle_in_transaction_session_timeout = 20000",  # under `PATIENCE`: a frozen writer must not stop others
        f"default_transaction_read_only = {'on' if read_only else 'off'}",
    ]

    @event.listens_for(engine, "connect")
    def settle(connection: Any, _: Any) -> None:
        with connection.cursor() as cursor:
            for setting in settings:
                cursor.execute(f"SET {setting}")
        connection.commit()

    return engine
