"""Runs: which crawl, with what arguments, from when to when, how it ended.

A run that is not finished is continued by the next crawl of the same spider and arguments, or joined while others work
on it; after a finished one a new run begins, which fetches what can have changed.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, func, insert, select, update

from newsextract.store.leases import LEASE_DURATION
from newsextract.store.schema import cleaned, runs

#: PostgreSQL's advisory lock while a run is sought or begun ("runs" as a number).
RUNS_LOCK = 0x72756E73
#: A run that nobody worked on for so long is not continued: what it left is taken over by a new one.
STALE = timedelta(days=1)
#: Endings after which a run has done what it was asked for.
FINISHED = ("finished", "max_pages", "stale")


@dataclass(frozen=True, slots=True)
class Run:
    """A run's number, and whether it was there before."""

    id: int
    continued: bool = False


def identity(spider: str, arguments: Mapping[str, str]) -> tuple[str, str]:
    """What runs of one kind share, and the arguments as they are written."""
    said = json.dumps(cleaned(dict(arguments)), sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(f"{spider}\0{said}".encode("utf-8", "replace")).hexdigest(), said


def begin(connection: Connection, spider: str, arguments: Mapping[str, str], now: datetime) -> Run:
    """The unfinished run of this spider with these arguments, else a new one."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(RUNS_LOCK)))
    mark, said = identity(spider, arguments)
    place = (runs.c.identity == mark) & runs.c.finished_at.is_(None)
    alive = {"alive_until": now + LEASE_DURATION}
    for row in connection.execute(select(runs.c.id, runs.c.alive_until).where(place).order_by(runs.c.id.desc())).all():
        if row.alive_until is not None and row.alive_until > now - STALE:
            connection.execute(update(runs).where(runs.c.id == row.id).values(reason=None, **alive))
            return Run(row.id, continued=True)
        connection.execute(update(runs).where(runs.c.id == row.id).values(finished_at=now, reason="stale"))
    new = {"spider": spider, "arguments": said, "identity": mark, "started_at": now, **alive}
    return Run(int(connection.execute(insert(runs).values(new).returning(runs.c.id)).scalar_one()))


def keep_alive(connection: Connection, run: int, now: datetime) -> None:
    """Says that somebody works on the run."""
    connection.execute(update(runs).where(runs.c.id == run).values(alive_until=now + LEASE_DURATION))


def finish(
    connection: Connection, run: int, reason: str, stats: Mapping[str, object], now: datetime, *, done: bool
) -> None:
    """Notes how a crawl of the run ended; with `done` the run is finished, else the next crawl goes on with it."""
    said = json.dumps(cleaned(dict(stats)), sort_keys=True, ensure_ascii=False, default=str)
    ending = {"reason": reason, "stats": said, "finished_at": now if done else None}
    connection.execute(update(runs).where(runs.c.id == run, runs.c.finished_at.is_(None)).values(ending))
