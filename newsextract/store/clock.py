"""What time it is: the database's, so that all workers of a crawl agree on when a lease ends."""

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Connection, func, select

from newsextract.store.columns import in_utc

Clock = Callable[[Connection], datetime]


def database_now(connection: Connection) -> datetime:
    """The server's clock; with SQLite, which has none of its own, this machine's."""
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    return in_utc(connection.execute(select(func.clock_timestamp())).scalar_one())
