"""Connections and durable transactions for a database URL; driver errors become one-sentence `DatabaseError`s.

SQLite: WAL, synchronous=FULL, foreign keys, writing transactions begin IMMEDIATE (a reading transaction that becomes a
writing one fails instead of waiting for another writer). PostgreSQL: psycopg 3, READ COMMITTED (a statement that waited
for a lock must see what the holder wrote), time zone UTC, timeouts for locks and for idle transactions.
"""

import importlib
import json
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain, islice
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple, cast
from weakref import WeakValueDictionary

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, InternalError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from newsextract.errors import DatabaseError, WrongSetting
from newsextract.files import package_data
from newsextract.store.schema import in_utc

if TYPE_CHECKING:
    from psycopg import Connection as PostgresConnection

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

SQLITE = frozenset({"sqlite", "sqlite+pysqlite"})
POSTGRESQL = frozenset({"postgresql", "postgres", "postgresql+psycopg"})
VALID_URLS = "use sqlite:///FILE or postgresql://USER@HOST/NAME"
#: How a URL that lacks a slash begins; no file name does.
OTHER_PROGRAM = re.compile(r"(?:sqlite|postgres\w*|mysql|mariadb)\b[:/]", re.I)
#: Seconds to wait for another program's lock.
LOCK_TIMEOUT = 30.0
#: Statements that a connection keeps prepared. A crawl's writer makes some 40 in turn; with fewer kept, SQLite would
#: prepare each of them again. With the default, 128, a crawl's process has 10 MB more at page 5,000. As many queries
#: are kept with the condition of `rows_in`.
STATEMENTS = 64
#: How often a transaction that met a deadlock is tried.
MAX_ATTEMPTS = 5
#: How many values an IN (...) may have on every database, and how many rows are deleted, copied or merged at a time.
CHUNK = 1000

#: The values of a row by column.
RowValues = dict[str, Any]
Clock = Callable[[sa.Connection], datetime]
#: This process's locks by file, while in use.
_write_locks: WeakValueDictionary[Path, threading.RLock] = WeakValueDictionary()


def write_lock(path: Path) -> threading.RLock:
    """The lock that threads of this process take before they write a file, such as the crawls of a schedule.

    Between processes, SQLite or filelock locks the file, retrying after pauses: of forty threads, some got no lock for
    half a minute. This lock is waited for as long as it takes, because its holder is at work.
    """
    return _write_locks.setdefault(path.resolve(), threading.RLock())


def database_now(connection: sa.Connection) -> datetime:
    """The server's time, so that workers agree on when leases end; for SQLite, this machine's. Tests override it."""
    if (clock := connection.get_execution_options().get("newsextract_clock")) is not None:
        return cast(Clock, clock)(connection)
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    return in_utc(connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one())


@dataclass(frozen=True)
class DatabaseAddress:
    """The address of a database: `path` for SQLite, `url` for PostgreSQL; `name` is for messages."""

    name: str
    path: Path | None = None
    url: sa.URL | None = None


def parse_database_url(text: str) -> DatabaseAddress:
    """Parses a database URL; text without `://` is the path of an SQLite file. WrongSetting for anything else."""
    if text and "://" not in text and not OTHER_PROGRAM.match(text):
        return _sqlite_file(text)
    try:
        url = sa.make_url(text)
    except (ArgumentError, ValueError):
        raise WrongSetting(f"the database URL isn't a URL: {VALID_URLS}") from None
    if url.drivername in SQLITE:
        if url.host:
            raise WrongSetting(f"sqlite://{url.host} lacks a slash: write sqlite:///{url.host}{url.database or ''}")
        return _sqlite_file("" if url.query else url.database or "")
    if url.drivername in POSTGRESQL:
        url = url.set(drivername="postgresql+psycopg")
        port = f":{url.port}" if url.port else ""
        return DatabaseAddress(
            f"PostgreSQL database {url.database or ''!r} at {url.host or 'this machine'}{port}", url=url
        )
    raise WrongSetting(f"newsextract has no driver for {url.drivername}:// databases; {VALID_URLS}")


def _sqlite_file(name: str) -> DatabaseAddress:
    if not name.strip() or name == ":memory:" or name.startswith("file:"):
        raise WrongSetting("an SQLite database URL has only a file: sqlite:///FILE")
    path = Path(name).expanduser().absolute()
    return DatabaseAddress(str(path), path)


class Database:
    """Transactions on one database, from any thread."""

    def __init__(self, address: DatabaseAddress, *, create: bool, read_only: bool) -> None:
        """`create`: create a missing SQLite file."""
        self.name = address.name
        self.read_only = read_only
        #: Clock for leases and due dates; by default `database_now`.
        self.clock: Clock | None = None
        url = address.url  # messages must not have its password
        self._password = None if url is None else url.password or str(url.query.get("password", "")) or None
        self._write_lock: AbstractContextManager[object] = nullcontext()
        if address.path is not None:
            self._write_lock = write_lock(address.path)
            self.engine = _sqlite_engine(address.path, create, read_only)
        else:
            self.engine = _postgresql_engine(address, read_only)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite, where one lock guards all writes."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A reading transaction, which sees one snapshot."""
        with translated(self.name, self._password), self.engine.connect() as connection:
            connection.execution_options(newsextract_clock=self.clock)
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A writing transaction: committed at the end of the block, rolled back by an exception."""
        with translated(self.name, self._password), self._write_lock, self.engine.connect() as connection:
            connection.execution_options(newsextract_writes=True, newsextract_clock=self.clock)
            with connection.begin():
                yield connection

    def write(self, work: Callable[[sa.Connection], T]) -> T:
        """Runs `work` in a writing transaction; retries after a deadlock."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                with self.writing() as connection:
                    return work(connection)
            except DatabaseError as error:
                if attempt == MAX_ATTEMPTS or _state(_cause(error)) not in TRANSIENT_STATES:
                    raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        self.engine.dispose()


def _sqlite_engine(path: Path, create: bool, read_only: bool) -> sa.Engine:
    mode = "ro" if read_only else "rwc" if create else "rw"

    def connect() -> sqlite3.Connection:
        options = f"?mode={mode}"
        # a reader writes the -shm file, as WAL mode requires; if it can't, the file must not change
        if read_only and not (os.access(path.parent, os.W_OK) or path.with_name(path.name + "-wal").exists()):
            options += "&immutable=1"
        return sqlite3.connect(
            path.as_uri() + options,
            timeout=LOCK_TIMEOUT,
            uri=True,
            check_same_thread=False,
            cached_statements=STATEMENTS,
        )

    engine = sa.create_engine("sqlite:///", creator=connect, poolclass=QueuePool, pool_size=5, max_overflow=20)

    @sa.event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions begin in `begin` below, not in the driver
        for pragma in ("synchronous=FULL", "fullfsync=ON", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("newsextract_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def use_wal(connection: sqlite3.Connection, seconds: float) -> None:
    """Sets the journal mode, a property of the file: readers continue while one process writes.

    SQLite doesn't wait for a lock for this statement, so this tries it again, for that many seconds.
    """
    until = monotonic() + seconds
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
            sleep(0.01)


def _postgresql_engine(address: DatabaseAddress, read_only: bool) -> sa.Engine:
    try:
        importlib.import_module("psycopg")
    except ImportError:
        raise DatabaseError(f"{address.name} needs psycopg: pip install 'newsextract[postgres]'") from None
    assert address.url is not None
    arguments = {} if "connect_timeout" in address.url.query else {"connect_timeout": 10}
    engine = sa.create_engine(
        address.url, connect_args=arguments, isolation_level="READ COMMITTED", pool_pre_ping=True, max_overflow=20
    )
    settings = [
        "TimeZone = 'UTC'",
        f"lock_timeout = {LOCK_TIMEOUT * 1000:.0f}",
        "idle_in_transaction_session_timeout = 20000",  # below `LOCK_TIMEOUT`: a frozen writer must not stop others
        f"default_transaction_read_only = {'on' if read_only else 'off'}",
    ]

    @sa.event.listens_for(engine, "connect")
    def configure(connection: "PostgresConnection[object]", _: object) -> None:
        with connection.cursor() as cursor:
            for setting in settings:
                cursor.execute(f"SET {setting}")
        connection.commit()

    return engine


def take_lock(connection: sa.Connection, name: str) -> None:
    """Holds PostgreSQL's advisory lock of this name (of at most eight letters) until the transaction ends.

    SQLite has one writer anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(int.from_bytes(name.encode(), "big"))))


# ---- statements ------------------------------------------------------------------------------------------------------


def chunked(values: Iterable[T]) -> Iterator[list[T]]:
    """The values in lists of at most CHUNK."""
    remaining = iter(values)
    while chunk := list(islice(remaining, CHUNK)):
        yield chunk


def rows_in(
    connection: sa.Connection, query: sa.Select[*Ts], column: sa.ColumnElement[Any], values: Iterable[Any]
) -> Iterator[sa.Row[*Ts]]:
    """The rows of a query whose column has one of these values, however many they are.

    A query that is made once for all calls takes half the time.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    for chunk in chunked(sorted(set(values))):
        limited = _limited(query, column, is_sqlite)
        rows = connection.execute(limited, {"among": json.dumps(chunk) if is_sqlite else chunk})
        yield from chain.from_iterable(rows.partitions(CHUNK))  # one by one takes three times as long


@lru_cache(STATEMENTS)
def _limited(query: sa.Select[*Ts], column: sa.ColumnElement[Any], is_sqlite: bool) -> sa.Select[*Ts]:
    return query.where(_is_among(column, is_sqlite))


def is_among(connection: sa.Connection, column: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Whether a column has one of the values that `rows_in` looks up, also in subqueries of its query.

    One parameter for all: with one for each, SQLAlchemy takes longer for them than SQLite for the statement, which
    would be another one for each number of values.
    """
    return _is_among(column, connection.dialect.name == "sqlite")


def _is_among(column: sa.ColumnElement[Any], is_sqlite: bool) -> sa.ColumnElement[bool]:
    if is_sqlite:
        among = sa.func.json_each(sa.bindparam("among", type_=sa.Text)).table_valued("value")
        return column.in_(sa.select(among.c.value))
    return column == sa.any_(sa.bindparam("among", type_=sa.ARRAY(column.type)))


def overwrite_deleted(connection: sa.Connection) -> None:
    """Has SQLite overwrite in its file what this connection deletes from now on."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


def count_rows(connection: sa.Connection, table: sa.Table, *which: sa.ColumnElement[bool]) -> int:
    """The number of rows of a table that meet the conditions."""
    return connection.execute(sa.select(sa.func.count()).select_from(table).where(*which)).scalar_one()


def execute_many(connection: sa.Connection, statement: sa.Executable, rows: Sequence[RowValues]) -> None:
    """Executes a statement for each of these rows, if there are any."""
    if rows:
        connection.execute(statement, rows)


def insert_rows(
    connection: sa.Connection, table: sa.Table, columns: Sequence[str], rows: list[tuple[Any, ...]]
) -> None:
    """Inserts the rows that the table doesn't have yet: values of these columns, as the driver takes them.

    It takes half the time of `add_missing`, because SQLAlchemy, which cleans text and converts times, makes no
    parameters.
    """
    if rows:
        mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
        values = ", ".join([mark] * len(columns))
        statement = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({values}) ON CONFLICT DO NOTHING"
        connection.exec_driver_sql(statement, rows)


def driver_value(connection: sa.Connection, column: sa.Column[T], value: T) -> Any:
    """A value of a column as the driver takes it."""
    process = column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect)
    return process(value) if process else value


def add_missing(connection: sa.Connection, table: sa.Table, rows: Sequence[RowValues]) -> None:
    """Inserts the rows that the table doesn't have yet."""
    execute_many(connection, insert(connection.dialect.name, table).on_conflict_do_nothing(), rows)


def insert(dialect: str, table: sa.Table) -> sqlite.Insert:
    """An INSERT that supports ON CONFLICT, by the same methods for SQLite and PostgreSQL."""
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # takes a tenth of a second to import; SQLite doesn't need it

    return cast(sqlite.Insert, postgresql.insert(table))


def upsert(
    connection: sa.Connection, table: sa.Table, rows: Sequence[RowValues], replaced: tuple[str, ...] | None = None
) -> None:
    """Inserts rows, each replacing these columns of one with the same primary key; by default all others."""
    execute_many(connection, _upserting(connection.dialect.name, table, replaced), rows)


@cache  # building it takes longer than executing it
def _upserting(dialect: str, table: sa.Table, replaced: tuple[str, ...] | None) -> sqlite.Insert:
    inserting = insert(dialect, table)
    names = replaced or [column.name for column in table.columns if not column.primary_key]
    values = {name: inserting.excluded[name] for name in names}
    return inserting.on_conflict_do_update(index_elements=[*table.primary_key.columns], set_=values)


# ---- errors ----------------------------------------------------------------------------------------------------------

#: Part of the driver's message in lower case -> message for the user: "lost", of a server that can't be reached right
#: now, and "refused", all others.
MESSAGES: dict[str, dict[str, str]] = package_data(__package__, "messages.toml")
#: SQLSTATEs after which the same transaction may succeed: deadlock, serialization failure, unique violation.
TRANSIENT_STATES = frozenset({"40P01", "40001", "23505"})
#: SQLSTATEs of a server that shuts down or starts, or whose connection broke.
LOST_STATES = ("08", "57P01", "57P02", "57P03")


@contextmanager
def translated(name: str, password: str | None = None) -> Iterator[None]:
    """Turns the exceptions of SQLAlchemy and the drivers into a DatabaseError about the database `name`."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OverflowError, UnicodeError) as error:  # the latter: refused values
        raise DatabaseError(f"{name}: {_message(error, password)}") from error


def _cause(error: BaseException) -> BaseException | None:
    """The driver's error behind a DatabaseError."""
    return error.__cause__ if isinstance(error, DatabaseError) else error


def _state(error: BaseException | None) -> str:
    """The SQLSTATE of an error, or ""."""
    return str(getattr(error.orig, "sqlstate", None) or "") if isinstance(error, DBAPIError) else ""


def is_data_error(error: BaseException) -> bool:
    """Whether the values caused the error, rather than a lock, a full disk or a lost connection."""
    return not isinstance(_cause(error), OperationalError | InterfaceError | InternalError | PoolTimeout)


def is_connection_lost(error: BaseException) -> bool:
    """Whether the server can't be reached right now: the connection broke, or none can be made."""
    cause = _cause(error)
    if not isinstance(cause, DBAPIError):
        return False
    lost = _state(cause).startswith(LOST_STATES)
    return lost or _sentence(str(cause.orig)) in MESSAGES["lost"].values()


def _sentence(message: str) -> str:
    """The sentence in MESSAGES for a driver's message, or the driver's own line."""
    lines = message.strip().splitlines() or [message]
    for part, sentence in {**MESSAGES["refused"], **MESSAGES["lost"]}.items():
        if part in message.lower():
            return sentence or next(line for line in lines if part in line.lower()).strip()
    return lines[0]


def _message(error: Exception, password: str | None) -> str:
    if isinstance(error, PoolTimeout):
        return "all connections of this process are in use"
    message = str(error.orig if isinstance(error, DBAPIError) and error.orig else error)
    return _sentence(message.replace(password, "***") if password else message) or type(error).__name__
