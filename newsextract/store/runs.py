"""The table `runs`: one row per run of a spider with certain arguments.

An unfinished run is continued by the next crawl of the same spider and arguments, or joined while other workers are
alive in it. After a finished one a new run begins, which fetches what is due.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, func, insert, select, update

from newsextract.store.lease_owner import is_dead
from newsextract.store.leases import LEASE_DURATION
from newsextract.store.schema import cleaned, runs

#: PostgreSQL's advisory lock while a run is looked up or begun ("runs" as a number).
RUNS_LOCK = 0x72756E73
#: A run in which no worker was alive for so long is not continued; a new one takes over its URLs.
STALE_AFTER = timedelta(days=1)
#: The reason of a run that ended because no host has answered.
NO_ANSWER = "no_answer"
#: Reasons of runs that are finished though URLs of theirs are queued, which the next run takes over.
FINISHED_EARLY = ("max_pages", NO_ANSWER)


@dataclass(frozen=True, slots=True)
class Run:
    """A run's id, when it began, whether it continues an earlier crawl, and whether that crawl still runs."""

    id: int
    started_at: datetime
    continued: bool = False
    joined: bool = False


def identity(spider: str, arguments: Mapping[str, str]) -> tuple[str, str]:
    """The hash of spider and arguments that `runs.identity` holds, and the arguments as JSON."""
    as_json = json.dumps(cleaned(dict(arguments)), sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(f"{spider}\0{as_json}".encode("utf-8", "replace")).hexdigest(), as_json


def begin(
    connection: Connection, spider: str, arguments: Mapping[str, str], now: datetime, owner: str | None = None
) -> Run:
    """Continues the unfinished run of this spider with these arguments, else begins a new one; `owner`: who does."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(RUNS_LOCK)))
    key, as_json = identity(spider, arguments)
    unfinished = (runs.c.identity == key) & runs.c.finished_at.is_(None)
    alive = {"alive_until": now + LEASE_DURATION, "owner": owner}
    query = select(runs).where(unfinished).order_by(runs.c.id.desc())
    for row in connection.execute(query).all():
        if row.alive_until is not None and row.alive_until > now - STALE_AFTER:
            connection.execute(update(runs).where(runs.c.id == row.id).values(reason=None, **alive))
            is_running = row.reason is None and row.alive_until > now and not is_dead(row.owner or "")
            return Run(row.id, row.started_at, continued=True, joined=is_running and row.owner != owner)
        connection.execute(update(runs).where(runs.c.id == row.id).values(finished_at=now, reason="stale"))
    new = {"spider": spider, "arguments": as_json, "identity": key, "started_at": now, **alive}
    return Run(int(connection.execute(insert(runs).values(new).returning(runs.c.id)).scalar_one()), now)


def keep_alive(connection: Connection, run: int, now: datetime) -> None:
    """Notes that a worker is alive in the run."""
    connection.execute(update(runs).where(runs.c.id == run).values(alive_until=now + LEASE_DURATION))


def finish(
    connection: Connection, run: int, reason: str, stats: Mapping[str, object], now: datetime, *, done: bool
) -> None:
    """Notes how a crawl of the run ended; with `done` the run is finished, else the next crawl continues it."""
    as_json = json.dumps(cleaned(dict(stats)), sort_keys=True, ensure_ascii=False, default=str)
    ending = {"reason": reason, "stats": as_json, "finished_at": now if done else None}
    connection.execute(update(runs).where(runs.c.id == run, runs.c.finished_at.is_(None)).values(ending))
