"""Change numbers: a reader who has read up to N never finds a change <= N later.

A number is taken as the last thing before the commit, under a lock that lasts until after it: so changes become visible
in the order of their numbers. SQLite has one writer anyway; PostgreSQL gets an advisory transaction lock.
"""

from sqlalchemy import Connection, func, select, update

from newsextract.store.schema import change_counter

#: PostgreSQL's advisory lock for change numbers ("changes" as a number).
CHANGES_LOCK = 0x6368616E676573


def take_numbers(connection: Connection, count: int) -> range:
    """Takes the next `count` change numbers; other writers wait here until this transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(CHANGES_LOCK)))
    taking = update(change_counter).values(last=change_counter.c.last + count).returning(change_counter.c.last)
    last = connection.execute(taking).scalar_one()
    return range(last - count + 1, last + 1)


def cursor(connection: Connection) -> int:
    """The highest change number taken; all changes up to it are visible."""
    return int(connection.execute(select(change_counter.c.last)).scalar_one())
