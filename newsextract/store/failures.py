"""What went wrong with a database, in one sentence that names it and never its password."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from newsextract.errors import DatabaseError

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
