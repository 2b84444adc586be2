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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, make_url, select
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    InternalError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from newsextract.errors import DatabaseError, WrongSetting
from newsextract.store.schema import in_utc

T = TypeVar("T")

SQLITE = frozenset({"sqlite", "sqlite+pysqlite"})
POSTGRESQL = frozenset({"postgresql", "postgres", "postgresql+psycopg"})
RIGHT = "use sqlite:///FILE or postgresql://USER@HOST/NAME"
#: How often a transaction that met a deadlock is tried.
ATTEMPTS = 5


Clock = Callable[[Connection], datetime]


def database_now(connection: Connection) -> datetime:
    """The server's clock; with SQLite, which has none of its own, this machine's."""
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    return in_utc(connection.execute(select(func.clock_timestamp())).scalar_one())


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
        #: Tells the time for leases and due dates; tests replace it.
        self.clock: Clock = database_now
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


#: Part of the driver's message (lower case) -> what to tell the user, first match wins.
SENTENCES = (
    ("database is locked", "another program holds its write lock; try again when that has ended"),
    ("database table is locked", "another program holds its write lock; try again when that has ended"),
    ("lock timeout", "another program holds a lock on it; try again when that has ended"),
    (
        "database or disk is full",
        "the disk is full, or the database has reached its size limit; nothing of this was kept",
    ),
    ("no space left on device", "the server's disk is full; nothing of this was kept"),
    ("readonly database", "it is read-only; give write permission to the file and its folder"),
    ("read-only transaction", "it is read-only for this user"),
    ("unable to open database file", "the file cannot be opened; does its folder exist, and may you write there?"),
    ("file is not a database", "the file is not an SQLite database"),
    ("file is encrypted", "the file is not an SQLite database"),
    ("malformed", "the file is damaged; restore it from a backup or recover it with sqlite3's .recover"),
    ("disk i/o error", "the disk reports an error"),
    ("password authentication failed", "the server refuses this user or password"),
    ("no password supplied", "the server asks for a password and the URL has none"),
    ("does not exist", None),
    ("permission denied", None),
    ("could not translate host name", "no such host"),
    ("failed to resolve host", "no such host"),
    ("connection refused", "no server answers there"),
    ("no such file or directory", "no server answers there"),
    ("timeout expired", "the server does not answer in time"),
    ("connection timeout", "the server does not answer in time"),
    ("terminating connection", "the server closed the connection"),
    ("server closed the connection", "the server closed the connection"),
    ("connection is lost", "the connection to the server was lost"),
    ("connection is closed", "the connection to the server was lost"),
    ("connection already closed", "the connection to the server was lost"),
)

#: SQLSTATEs after which the same transaction may well succeed: deadlock, serialization failure, another was first.
TRANSIENT_STATES = frozenset({"40P01", "40001", "23505"})


#: SQLSTATEs of a server that shuts down or starts, and words of a driver that finds none.
GONE_STATES = ("08", "57P01", "57P02", "57P03")
GONE_WORDS = (
    "server closed the connection",
    "connection refused",
    "connection is lost",
    "connection is closed",
    "connection already closed",
    "no such file or directory",
    "timeout expired",
    "consuming input failed",
    "the database system is",
)


@contextmanager
def translated(name: str, password: str | None = None) -> Iterator[None]:
    """Turns whatever SQLAlchemy and the drivers raise into a DatabaseError about the database `name`."""
    try:
        yield
    except (SQLAlchemyError, OverflowError, UnicodeError) as error:  # the latter two: what a driver can not take
        raise DatabaseError(f"{name}: {_sentence(error, password)}") from error


def is_transient(error: BaseException) -> bool:
    """Whether two writers only got in each other's way."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in TRANSIENT_STATES


def is_fault_of_the_row(error: BaseException) -> bool:
    """Whether the values given are to blame, not a lock, a full disk or a lost connection, which the next meets too."""
    cause = error.__cause__ if isinstance(error, DatabaseError) else error
    return not isinstance(cause, OperationalError | InterfaceError | InternalError | PoolTimeout)


def is_gone(error: BaseException) -> bool:
    """Whether the server is not there at the moment: the connection broke, or there is none to be had."""
    cause = error.__cause__ if isinstance(error, DatabaseError) else error
    if not isinstance(cause, DBAPIError):
        return False
    state = str(getattr(cause.orig, "sqlstate", None) or "")
    said = str(cause.orig).lower()
    return state.startswith(GONE_STATES) or any(part in said for part in GONE_WORDS)


def _sentence(error: Exception, password: str | None) -> str:
    if isinstance(error, PoolTimeout):
        return "all connections of this process are in use"
    said = str(error.orig if isinstance(error, DBAPIError) and error.orig else error)
    if password:
        said = said.replace(password, "***")
    lines = said.strip().splitlines() or [type(error).__name__]
    for part, sentence in SENTENCES:
        if part in said.lower():
            return sentence or next(line for line in lines if part in line.lower()).strip()
    return lines[0]
