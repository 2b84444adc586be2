"""The change log: each new, changed, deleted or re-extracted article gets the next change number.

A reader who has read up to N never finds a change <= N later: numbers are taken last before the commit, under a lock
that is held until after it, so changes become visible in the order of their numbers. SQLite has one writer anyway;
PostgreSQL uses an advisory transaction lock.
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, insert, select, update

from newsextract.store.engine import RowValues, execute_many, take_lock
from newsextract.store.schema import articles, change_counter, changes

#: `changes.original` of a change whose article became one with another at revision 0020, which kept nothing of before.
UNITED = -1


def take_numbers(connection: Connection, count: int) -> range:
    """Takes the next `count` change numbers; other writers wait here until this transaction ends."""
    take_lock(connection, "changes")
    taking = update(change_counter).values(last=change_counter.c.last + count).returning(change_counter.c.last)
    last = connection.execute(taking).scalar_one()
    return range(last - count + 1, last + 1)


def last_change(connection: Connection) -> int:
    """The highest change number taken; all changes up to it are visible."""
    return int(connection.execute(select(change_counter.c.last)).scalar_one())


def record_changes(
    connection: Connection, present: Sequence[tuple[int, int, str]], now: datetime, run: int | None = None
) -> list[int]:
    """Logs changes of stored articles, given as (id, version, kind); returns their numbers."""
    if not present:
        return []
    numbers = take_numbers(connection, len(present))
    log, last = [], []
    for (article, version, kind), number in zip(present, numbers, strict=True):
        log.append({"article": article, "version": version, "kind": kind, "change": number, "at": now, "run": run})
        last.append({"which": article, "version": version, "change": number, "change_kind": kind})
    connection.execute(update(articles).where(articles.c.id == bindparam("which")), last)
    log_changes(connection, log)
    return [*numbers]


def log_changes(connection: Connection, log: Sequence[RowValues]) -> None:
    """Adds rows to the log, each with what its article is a copy of by now."""
    original = select(func.coalesce(articles.c.duplicate_of, 0)).where(articles.c.id == bindparam("of"))
    adding = insert(changes).values(original=original.scalar_subquery())
    execute_many(connection, adding, [{**row, "of": row["article"]} for row in log])
