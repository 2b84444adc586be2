"""Runs, and the leases of their URLs: which URLs a worker fetches, and how the leases of dead workers are recovered.

A worker leases a site, then URLs of it, so that one worker at a time fetches from a site and keeps its delays. A lease
ends in the transaction that stores what the URL came to. A lease that is not renewed expires; so does one that ends
later than any given now could, because a clock was set back. The leases of a dead process of this machine are recovered
at once: the name of an owner identifies a process, even after its process id is reused.

The table `runs` has a row per run of a spider with certain arguments. An unfinished run is continued by the next crawl
of the same spider and arguments, or joined while other workers are alive in it. After a finished one a new run begins,
which fetches what is due.
"""

import hashlib
import json
import math
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import accumulate, zip_longest
from pathlib import Path
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    bindparam,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from newsextract.reasons import LEFT_OUT, UrlState
from newsextract.store.engine import chunked, database_now
from newsextract.store.outcome import OPEN, WAITING
from newsextract.store.schema import PUBLISHED_AT, articles, cleaned, runs, sites, urls

#: How long a lease holds unless it is renewed; seconds between two renewals.
LEASE_DURATION = timedelta(seconds=60)
RENEWAL_INTERVAL = 15.0
#: Kinds of URLs that `max_pages` counts.
PAGE_KINDS = ("page", "home")
#: What the columns of a lease hold where there is none.
NO_LEASE: Mapping[str, None] = {"lease_owner": None, "lease_until": None}
#: Whether a run takes over a URL, by its URL, depth, kind, and the date of its page as far as it is known.
Accepts = Callable[[str, int, str, datetime | None], bool]
#: Sites of which a worker looks for URLs to lease at a time.
SITES_AT_A_TIME = 32
#: PostgreSQL's advisory lock while a run is looked up or begun ("runs" as a number).
RUNS_LOCK = 0x72756E73
#: A run in which no worker was alive for so long is not continued; a new one takes over its URLs.
STALE_AFTER = timedelta(days=1)
#: The reason of a run that ended because no host has answered.
NO_ANSWER = "no_answer"
#: Reasons of runs that are finished though URLs of theirs are queued, which the next run takes over.
FINISHED_EARLY = ("max_pages", NO_ANSWER)


# ---- runs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """A run's id, when it began, whether it continues an earlier crawl, and whether that crawl still runs."""

    id: int
    started_at: datetime
    continued: bool = False
    joined: bool = False


def as_json(values: Mapping[str, object]) -> str:
    """Arguments or statistics of a run as JSON, keys sorted."""
    return json.dumps(cleaned(dict(values)), sort_keys=True, ensure_ascii=False, default=str)


def identity(spider: str, arguments: Mapping[str, str]) -> tuple[str, str]:
    """The hash of spider and arguments that `runs.identity` holds, and the arguments as JSON."""
    given = as_json(arguments)
    return hashlib.sha256(f"{spider}\0{given}".encode("utf-8", "replace")).hexdigest(), given


def begin_run(connection: Connection, spider: str, arguments: Mapping[str, str], owner: str | None = None) -> Run:
    """Continues the unfinished run of this spider with these arguments, else begins a new one; `owner`: who does."""
    now = database_now(connection)
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(RUNS_LOCK)))
    key, given = identity(spider, arguments)
    unfinished = (runs.c.identity == key) & runs.c.finished_at.is_(None)
    alive = {"alive_until": now + LEASE_DURATION, "owner": owner}
    query = select(runs).where(unfinished).order_by(runs.c.id.desc())
    for row in connection.execute(query).all():
        if row.alive_until is not None and row.alive_until > now - STALE_AFTER:
            connection.execute(update(runs).where(runs.c.id == row.id).values(reason=None, **alive))
            is_running = row.reason is None and row.alive_until > now and not is_dead(row.owner or "")
            return Run(row.id, row.started_at, continued=True, joined=is_running and row.owner != owner)
        connection.execute(update(runs).where(runs.c.id == row.id).values(finished_at=now, reason="stale"))
    new = {"spider": spider, "arguments": given, "identity": key, "started_at": now, **alive}
    return Run(int(connection.execute(insert(runs).values(new).returning(runs.c.id)).scalar_one()), now)


# ---- owners ----------------------------------------------------------------------------------------------------------


def owner_name(process: int | None = None) -> str:
    """A new owner name for a process, by default this one: machine, process id, its start time, a random number."""
    process = os.getpid() if process is None else process
    return f"{_machine()}|{process}|{_started(process)}|{uuid4().hex[:8]}"


def is_dead(owner: str) -> bool:
    """Whether the owner was a process of this machine that has ended; False where that is not known."""
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


@dataclass(slots=True)
class LeasedUrl:
    """A URL leased by this worker, with its row; `published_at`: of the article that it led to, if any."""

    fingerprint: str
    url: str
    site: str
    kind: str
    priority: float
    depth: int
    referrer: str | None
    anchor_text: str | None
    meta: str | None
    attempts: int
    reason: str
    etag: str | None
    last_modified: str | None
    page_hash: str | None
    article: int | None
    last_fetched: datetime | None = None
    published_at: datetime | None = None


OF_ARTICLE = select(PUBLISHED_AT).where(articles.c.id == urls.c.article).scalar_subquery().label("published_at")
COLUMNS = (*(urls.c[name] for name in LeasedUrl.__dataclass_fields__ if name != "published_at"), OF_ARTICLE)


@dataclass(slots=True)
class LeaseBatch:
    """What `lease` leased.

    `drained`: nothing is left that waits or that another worker has leased. `exhausted`: `max_pages` is reached.
    `is_cut`: there are more, of a lower priority.
    """

    leased: list[LeasedUrl] = field(default_factory=list)
    drained: bool = False
    exhausted: bool = False
    is_cut: bool = False


def lease(
    connection: Connection,
    run: int,
    owner: str,
    limit: int,
    max_pages: int | None = None,
    likely: float | None = None,
    above: float = -math.inf,
) -> LeaseBatch:
    """Leases URLs of a run for a worker, those of highest priority, sites in turn; call it in a writing transaction.

    At most `limit`; of those of a priority of at most `likely` one, and only while there are no others; none of at most
    `above`. If there are none though the run is not done, the leases of dead workers are freed for the next call.
    """
    batch, now = LeaseBatch(), database_now(connection)
    remaining = _remaining_pages(connection, run, max_pages)
    batch.exhausted = remaining == 0
    states = WAITING[:1] if batch.exhausted else WAITING
    sites_in_turn = _free_sites(connection, run, owner, now)
    by_site = [_best_urls(connection, run, site, states, limit, now) for site in sites_in_turn]
    in_turn = [row for rank in zip_longest(*by_site) for row in rank if row is not None]
    if likely is not None:
        better = [row for row in in_turn if row.priority > above]
        better = [row for row in better if row.priority > likely] or better[:1]
        batch.is_cut, in_turn = len(better) < len(in_turn), better
    batch.leased = (in_turn if remaining is None else _within(in_turn, remaining))[:limit]
    lists = urls.c.kind.not_in(PAGE_KINDS) & (urls.c.state == UrlState.leased)
    if remaining is not None and (
        any(row.kind not in PAGE_KINDS for row in batch.leased) or has_urls(connection, run, lists)
    ):  # pages wait for feeds and sitemaps, which may list better ones
        batch.leased = [row for row in batch.leased if row.kind not in PAGE_KINDS or row.attempts]
    taking = {"lease_owner": owner, "lease_until": now + LEASE_DURATION}
    for chunk in chunked(batch.leased):
        of_chunk = urls.c.fingerprint.in_([row.fingerprint for row in chunk])
        connection.execute(update(urls).where(of_chunk).values(state=UrlState.leased, **taking))
        connection.execute(update(sites).where(sites.c.site.in_({row.site for row in chunk})).values(taking))
    if not batch.leased:
        # a candidate is settled by the worker that has its site, or by the next run
        left = urls.c.state.in_((*WAITING, UrlState.leased)) & (func.coalesce(urls.c.lease_owner, "") != owner)
        batch.drained = batch.exhausted or not has_urls(connection, run, left)
        if not batch.drained:
            recover(connection, now, run)
    return batch


def has_urls(connection: Connection, run: int, which: ColumnElement[bool]) -> bool:
    """Whether the run has URLs that meet the condition."""
    query = select(urls.c.fingerprint).where(urls.c.run == run, which).limit(1)
    return connection.execute(query).first() is not None


def _within(rows: list[LeasedUrl], remaining: int) -> list[LeasedUrl]:
    """The rows, with at most `remaining` pages; a page that is retried was counted before."""
    counted = accumulate(row.kind in PAGE_KINDS and not row.attempts for row in rows)
    return [
        row
        for row, pages in zip(rows, counted, strict=True)
        if pages <= remaining or row.kind not in PAGE_KINDS or row.attempts
    ]


def _remaining_pages(connection: Connection, run: int, max_pages: int | None) -> int | None:
    """How many more pages the run may fetch; None without a limit."""
    if max_pages is None:
        return None
    counted = urls.c.kind.in_(PAGE_KINDS) & (urls.c.state != UrlState.redirected)
    started = or_(urls.c.state != UrlState.queued, urls.c.attempts > 0)
    is_left_out = (urls.c.state == UrlState.dropped) & urls.c.reason.in_(LEFT_OUT) & urls.c.last_fetched.is_(None)
    query = select(func.count()).select_from(urls).where(urls.c.run == run, counted, started, ~is_left_out)
    return max(0, max_pages - connection.execute(query).scalar_one())


def _free(owner: str, now: datetime) -> ColumnElement[bool]:
    """Condition: the site is leased by nobody, by this owner, or by one whose lease has expired."""
    return or_(sites.c.lease_owner.is_(None), sites.c.lease_owner == owner, _expired(sites, now))


def _expired(table: Table, now: datetime) -> ColumnElement[bool]:
    return or_(table.c.lease_until < now, table.c.lease_until > now + 2 * LEASE_DURATION)


def _free_sites(connection: Connection, run: int, owner: str, now: datetime) -> list[str]:
    """Sites with URLs that wait, and that no other worker has; the one least recently fetched from first."""
    waiting = exists().where(urls.c.run == run, urls.c.site == sites.c.site, urls.c.state.in_(WAITING))
    query = select(sites.c.site).where(_free(owner, now), waiting)
    query = query.order_by(sites.c.lease_owner.is_(None), sites.c.last_fetched).limit(SITES_AT_A_TIME)
    if connection.dialect.name == "postgresql":
        query = query.with_for_update(skip_locked=True)
    return list(connection.execute(query).scalars())


def _best_urls(
    connection: Connection, run: int, site: str, states: Sequence[UrlState], limit: int, now: datetime
) -> list[LeasedUrl]:
    """The waiting URLs of a site with the highest priority, at most `limit`."""
    rows: list[LeasedUrl] = []
    for state in states:
        query = select(*COLUMNS).where(urls.c.run == run, urls.c.site == site, urls.c.state == state)
        if state == UrlState.retried:
            query = query.where(or_(urls.c.next_due.is_(None), urls.c.next_due <= now))
        query = query.order_by(urls.c.priority.desc()).limit(max(0, limit - len(rows)))
        rows += [LeasedUrl(*row) for row in connection.execute(query)]
    return rows


def claim_site(connection: Connection, owner: str, site: str) -> bool:
    """Leases a site whatever waits of it; False where another worker has leased it."""
    now = database_now(connection)
    taking = {"lease_owner": owner, "lease_until": now + LEASE_DURATION}
    free = (sites.c.site == site) & _free(owner, now)
    return connection.execute(update(sites).where(free).values(taking)).rowcount > 0


def renew_leases(connection: Connection, owner: str, run: int) -> int:
    """Renews the leases of a worker, and that of its run; returns how many URLs of dead workers it freed.

    Sites that have URLs waiting, but none leased, are given back: a worker that joined late takes them over.
    """
    now = database_now(connection)
    of_site = urls.c.site == sites.c.site
    busy = exists().where(urls.c.lease_owner == owner, of_site)
    waiting = exists().where(of_site, urls.c.state.in_(WAITING))
    connection.execute(update(sites).where(sites.c.lease_owner == owner, waiting, ~busy).values(NO_LEASE))
    for table in (sites, urls):
        own = table.c.lease_owner == owner
        connection.execute(update(table).where(own).values(lease_until=now + LEASE_DURATION))
    connection.execute(update(runs).where(runs.c.id == run).values(alive_until=now + LEASE_DURATION))
    return recover(connection, now, run)


def abandoned_runs(connection: Connection, now: datetime) -> set[int]:
    """The runs that are alive by their own word, but whose owner is a dead process of this machine."""
    alive = runs.c.finished_at.is_(None) & (runs.c.alive_until > now) & runs.c.owner.is_not(None)
    return {run for run, owner in connection.execute(select(runs.c.id, runs.c.owner).where(alive)) if is_dead(owner)}


def recover(connection: Connection, now: datetime, run: int) -> int:
    """Ends the leases that have expired or whose owner is a dead process of this machine; returns how many URLs.

    Other abandoned runs than the worker's own are no longer alive, and may be continued.
    """
    for chunk in chunked(abandoned_runs(connection, now) - {run}):
        connection.execute(update(runs).where(runs.c.id.in_(chunk)).values(alive_until=now))
    for table in (sites, urls):
        is_leased = table.c.lease_owner.is_not(None)
        owners = connection.execute(select(table.c.lease_owner).where(is_leased).distinct()).scalars()
        lost = or_(_expired(table, now), table.c.lease_owner.in_([*filter(is_dead, owners)]))
        connection.execute(update(table).where(is_leased, lost).values(NO_LEASE))
    freed = update(urls).where(urls.c.state == UrlState.leased, urls.c.lease_owner.is_(None))
    return connection.execute(freed.values(state=UrlState.queued)).rowcount


def give_back(connection: Connection, owner: str) -> int:
    """Ends all leases of a worker and queues its unfinished URLs. Returns how many."""
    unfinished = update(urls).where(urls.c.lease_owner == owner, urls.c.state == UrlState.leased)
    count = connection.execute(unfinished.values(state=UrlState.queued)).rowcount
    for table in (sites, urls):
        connection.execute(update(table).where(table.c.lease_owner == owner).values(NO_LEASE))
    return count


def requeue(connection: Connection, run: int, scope: ColumnElement[bool], accepts: Accepts, now: datetime) -> int:
    """Queues for a new run the URLs in `scope` that are due, that earlier runs left waiting or that the arguments of
    these left out; returns how many.

    Lists that a run with other arguments read lose their validators: the entries that it left out are not in the table.
    """
    due = and_(urls.c.state.not_in(OPEN), urls.c.next_due <= now)
    left_out = (urls.c.state == UrlState.dropped) & urls.c.reason.in_(LEFT_OUT)
    own = select(runs.c.identity).where(runs.c.id == run).scalar_subquery()
    alike = urls.c.run.in_(select(runs.c.id).where(runs.c.identity == own)).label("alike")
    columns = (urls.c.fingerprint, urls.c.url, urls.c.depth, urls.c.kind, urls.c.meta, alike)
    rows = connection.execute(select(*columns).where(scope, or_(due, left_out, urls.c.state.in_(WAITING)))).all()
    chosen = [row for row in rows if accepts(row.url, row.depth, row.kind, date_of_meta(row.meta))]
    anew = [row for row in chosen if row.kind != "page" and not row.alike]
    queued: dict[str, object] = {"state": UrlState.queued, "run": run, "attempts": 0, "next_due": None}
    for group, values in ((chosen, queued), (anew, {"etag": None, "last_modified": None})):
        changing = update(urls).where(urls.c.fingerprint == bindparam("which")).values(values)
        for chunk in chunked({"which": row.fingerprint} for row in group):
            connection.execute(changing, chunk)
    return len(chosen)


def date_of_meta(meta: str | None) -> datetime | None:
    """The date of a page that its row carries for its request; None where there is none."""
    date = json.loads(meta).get("date") if meta else None
    return datetime.fromisoformat(date) if date else None


def is_open(connection: Connection, run: int) -> bool:
    """Whether any URL of the run waits, is leased, or is pending."""
    return has_urls(connection, run, urls.c.state.in_(OPEN))
