"""Runs, the workers that lease their URLs, and the recovery of leases of dead workers.

A worker leases a site, then URLs of it, so that one worker at a time fetches from a site and keeps its delays. A lease
ends in the transaction that stores the result of the URL. A lease that is not renewed expires; so does one that ends
later than any granted now could, because a clock was set back. The leases of a dead process of this machine are
recovered at once: an owner's name identifies a process, even if its process id is reused. docs/OPERATIONS.md says which
run a crawl continues or joins.
"""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, Select, Table, case, func, insert, or_, select, update

from newsextract.errors import DatabaseError
from newsextract.reasons import UrlState
from newsextract.store.engine import database_now, take_lock
from newsextract.store.schema import cleaned, runs, sites, urls

#: How long a lease holds unless it is renewed; seconds between two renewals.
LEASE_DURATION = timedelta(seconds=60)
RENEWAL_INTERVAL = 15.0
#: Kinds of URLs that count towards `max_pages`.
PAGE_KINDS = ("page", "home")
#: States of URLs that don't wait for their first lease.
TOUCHED = tuple(state for state in UrlState if state != UrlState.queued)
#: The lease columns of a row without a lease.
NO_LEASE: Mapping[str, None] = {"lease_owner": None, "lease_until": None}
#: A run without a living worker for this long is not continued; a new one takes over its URLs.
STALE_AFTER = timedelta(days=1)
#: The reason of a run that ended because no host has answered.
NO_ANSWER = "no_answer"
#: Reasons of runs that are finished although URLs are queued, which the next run takes over.
FINISHED_EARLY = ("max_pages", NO_ANSWER)


# ---- runs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """A run's id, when it began, whether it continues an earlier crawl, and whether that crawl is still running."""

    id: int
    started_at: datetime
    continued: bool = False
    joined: bool = False


def as_json(values: Mapping[str, object]) -> str:
    """Arguments or stats of a run as JSON, keys sorted."""
    return json.dumps(cleaned(dict(values)), sort_keys=True, ensure_ascii=False, default=str)


def identity(spider: str, arguments: Mapping[str, str]) -> tuple[str, str]:
    """The hash of spider and arguments (the column `identity` of the table `runs`), and the arguments as JSON."""
    given = as_json(arguments)
    return hashlib.sha256(f"{spider}\0{given}".encode("utf-8", "replace")).hexdigest(), given


def begin_run(
    connection: Connection, spider: str, arguments: Mapping[str, str], owner: str, made_by: str | None = None
) -> Run:
    """Continues the unfinished run of this spider with these arguments, or begins a new one, for `owner`."""
    now = database_now(connection)
    take_lock(connection, "runs")
    key, given = identity(spider, arguments)
    unfinished = (runs.c.identity == key) & runs.c.finished_at.is_(None)
    alive = {"alive_until": now + LEASE_DURATION, "owner": owner}
    query = select(runs).where(unfinished).order_by(runs.c.id.desc())
    for row in connection.execute(query).all():
        if row.alive_until is not None and row.alive_until > now - STALE_AFTER:
            makers = "\n".join(dict.fromkeys(filter(None, [*(row.made_by or "").splitlines(), made_by]))) or None
            connection.execute(update(runs).where(runs.c.id == row.id).values(reason=None, made_by=makers, **alive))
            is_running = row.reason is None and row.alive_until > now and not is_dead(row.owner or "")
            return Run(row.id, row.started_at, continued=True, joined=is_running and row.owner != owner)
        connection.execute(update(runs).where(runs.c.id == row.id).values(finished_at=now, reason="stale"))
    new = {"spider": spider, "arguments": given, "identity": key, "started_at": now, "made_by": made_by, **alive}
    return Run(int(connection.execute(insert(runs).values(new).returning(runs.c.id)).scalar_one()), now)


def record_command(connection: Connection, name: str, arguments: Mapping[str, str], made_by: str) -> int:
    """Adds a finished run for a command that stores articles without fetching; its number."""
    run = begin_run(connection, name, arguments, owner_name(), made_by)
    ended = {"finished_at": run.started_at, "reason": "finished"}
    connection.execute(update(runs).where(runs.c.id == run.id).values(ended))
    return run.id


# ---- owners ----------------------------------------------------------------------------------------------------------


def owner_name(process: int | None = None) -> str:
    """A new owner name for a process, by default this one: machine, process id, its start time, a random number."""
    process = os.getpid() if process is None else process
    return f"{_machine()}|{process}|{_started(process)}|{uuid4().hex[:8]}"


def is_dead(owner: str) -> bool:
    """Whether the owner was a process of this machine that has ended; False if unknown."""
    parts = owner.split("|")
    if len(parts) != 4 or parts[0] != _machine() or not parts[1].isdigit():
        return False
    return _started(int(parts[1])) != parts[2]


def _machine() -> str:
    """Identifies this machine since its last boot, and this container's process id namespace."""
    namespace = Path("/proc/self/ns/pid")
    boot = _read("/proc/sys/kernel/random/boot_id")
    return f"{platform.node()}/{boot}/{namespace.readlink() if namespace.is_symlink() else ''}"


def _started(pid: int) -> str:
    """The start time of a process in clock ticks since boot; "" if there is no such process."""
    if stat := _read(f"/proc/{pid}/stat"):
        fields = stat.rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    if sys.platform == "win32":
        return ""  # os.kill(pid, 0) would interrupt it; there, the leases of dead owners end by their time
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return ""
    except OSError:
        pass
    return "running"


def _read(path: str) -> str:
    try:
        return Path(path).read_text("ascii", "replace").strip()
    except OSError:
        return ""


# ---- leases ----------------------------------------------------------------------------------------------------------


def has_urls(connection: Connection, run: int, *which: ColumnElement[bool]) -> bool:
    """Whether the run has URLs that meet the conditions."""
    query = select(urls.c.fingerprint).where(urls.c.run == run, *which).limit(1)
    return connection.execute(query).first() is not None


def touched(run: int) -> tuple[ColumnElement[bool], ...]:
    """Conditions: URLs of the run that don't wait for their first lease, however they came to be fetched.

    The index gives just these, site by site, and not a million that wait. The sites are read from it one after another:
    when a site was fetched doesn't tell, because a page of an archive was fetched long before its run.
    """
    first = select(func.min(urls.c.site).label("site")).where(urls.c.run == run)
    of_run = first.cte("sites_of_run", recursive=True)
    after = select(func.min(urls.c.site)).where(urls.c.run == run, urls.c.site > of_run.c.site).scalar_subquery()
    of_run = of_run.union_all(select(after).where(of_run.c.site.is_not(None)))
    found = select(of_run.c.site).where(of_run.c.site.is_not(None))
    return urls.c.run == run, urls.c.site.in_(found), urls.c.state.in_(TOUCHED)


def is_expired(table: Table, now: datetime) -> ColumnElement[bool]:
    """Condition: the lease of a row of `urls` or `sites` has expired."""
    return or_(table.c.lease_until < now, table.c.lease_until > now + 2 * LEASE_DURATION)


def live_runs(now: datetime) -> Select[int]:
    """SELECT of the runs with a living worker."""
    return select(runs.c.id).where(runs.c.finished_at.is_(None), runs.c.alive_until > now)


def abandoned_runs(connection: Connection, now: datetime) -> set[int]:
    """Runs that claim to be alive, but whose owner is a dead process of this machine."""
    alive = live_runs(now).add_columns(runs.c.owner)
    return {run for run, owner in connection.execute(alive) if is_dead(owner or "")}


def recover(connection: Connection, now: datetime, run: int) -> int:
    """Ends expired leases and those of dead processes of this machine, also of other runs; returns how many URLs."""
    abandoned = runs.c.id.in_(abandoned_runs(connection, now) - {run})
    connection.execute(update(runs).where(abandoned).values(alive_until=now))
    for table in (sites, urls):
        is_leased = table.c.lease_owner.is_not(None)
        owners = connection.scalars(select(table.c.lease_owner).where(is_leased).distinct())
        lost = or_(is_expired(table, now), table.c.lease_owner.in_([*filter(is_dead, owners)]))
        connection.execute(update(table).where(is_leased, lost).values(NO_LEASE))
    freed = update(urls).where(urls.c.state == UrlState.leased, urls.c.lease_owner.is_(None))
    return connection.execute(freed.values(state=released_state())).rowcount


def released_state() -> ColumnElement[str]:
    """The state of a URL whose lease ends without a result: those that wait without an attempt are `queued`."""
    return case((urls.c.attempts > 0, UrlState.retried), else_=UrlState.queued)


def date_of_meta(meta: str | None, key: str = "date") -> datetime | None:
    """The date of a page in its row's meta, or None; `key`: under which it stands there."""
    date = json.loads(meta).get(key) if meta and key in meta else None
    return datetime.fromisoformat(date) if date else None


def refuse_running(connection: Connection, name: str, work: str) -> None:
    """Raises DatabaseError while the database is crawled; `work`: what to do once it isn't."""
    now = database_now(connection)
    running = set(connection.scalars(live_runs(now))) - abandoned_runs(connection, now)
    if running:
        spider = connection.execute(select(runs.c.spider).where(runs.c.id == min(running))).scalar()
        raise DatabaseError(f"{name} is being crawled (run {min(running)} of {spider}): stop the crawl, then {work}")
