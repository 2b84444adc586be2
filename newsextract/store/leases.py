"""The frontier: which URLs of the ledger a run fetches, who fetches them now, and what becomes of those who died.

A worker leases a site, then URLs of it, so that one worker at a time keeps the manners of a site. A lease ends with the
transaction that stores what the URL came to. One that its worker does not renew goes back, and so does one that ends
later than any given now could: its worker's clock was set back, or ours.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import zip_longest
from math import ceil
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, exists, func, or_, select, update

from newsextract.store.lease_owner import is_dead
from newsextract.store.outcome import OPEN, TAKEN, WAITING, UrlState
from newsextract.store.schema import articles, sites, urls
from newsextract.store.url_states import chunked

#: How long a lease holds unless it is renewed, and how often it is.
LEASE_DURATION = timedelta(seconds=60)
RENEWAL_INTERVAL = 15.0
#: Callbacks of requests for pages: what `max_pages` counts.
PAGE_CALLBACKS = ("parse_page", "parse_home")
#: Sites that a worker holds at a time.
SITES = 32


@dataclass(slots=True)
class LeasedUrl:
    """A URL that is this worker's to fetch, with all that the ledger knows of it."""

    fingerprint: str
    url: str
    site: str
    callback: str
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
    published_at: datetime | None = None


PUBLISHED_AT = (
    select(func.coalesce(articles.c.date_published, articles.c.first_seen_at))
    .where(articles.c.id == urls.c.article)
    .scalar_subquery()
    .label("published_at")
)
COLUMNS = (*(urls.c[name] for name in LeasedUrl.__dataclass_fields__ if name != "published_at"), PUBLISHED_AT)


@dataclass(slots=True)
class LeaseBatch:
    """What a worker got: URLs; whether the run has any left that are not this worker's; whether `max_pages` is full."""

    leased: list[LeasedUrl] = field(default_factory=list)
    drained: bool = False
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """What a worker asks for: at most `limit` URLs, at most `per_site` of one site, for `run` with its `max_pages`."""

    run: int
    owner: str
    limit: int
    per_site: int
    max_pages: int | None = None


def lease(connection: Connection, wish: LeaseRequest, now: datetime) -> LeaseBatch:
    """Leases what is most worth fetching, the sites taking turns; inside a writing transaction."""
    batch = LeaseBatch()
    room = _room(connection, wish)
    batch.exhausted = room == 0
    states = WAITING[:1] if batch.exhausted else WAITING
    found = [_top(connection, wish, site, states, wish.per_site, now) for site in _sites(connection, wish, now)]
    in_turn = [row for rank in zip_longest(*found) for row in rank if row is not None]
    batch.leased = (in_turn if room is None else _within(in_turn, room))[: wish.limit]
    if room is not None and _lists_first(connection, wish, batch.leased):
        batch.leased = [row for row in batch.leased if row.callback not in PAGE_CALLBACKS or row.attempts]
    for some in chunked(row.fingerprint for row in batch.leased):
        taking = {"state": UrlState.leased, "lease_owner": wish.owner, "lease_until": now + LEASE_DURATION}
        connection.execute(update(urls).where(urls.c.fingerprint.in_(some)).values(taking))
    batch.drained = not batch.leased and (batch.exhausted or not _others(connection, wish))
    if not batch.leased:
        _leave_sites(connection, wish)
    return batch


def _lists_first(connection: Connection, wish: LeaseRequest, found: Sequence[LeasedUrl]) -> bool:
    """Whether a run of few pages should wait with them: feeds and sitemaps under way may name better ones."""
    if any(row.callback not in PAGE_CALLBACKS for row in found):
        return True
    query = select(urls.c.fingerprint).where(
        urls.c.run == wish.run, urls.c.state == UrlState.leased, urls.c.callback.not_in(PAGE_CALLBACKS)
    )
    return connection.execute(query.limit(1)).first() is not None


def _within(rows: list[LeasedUrl], room: int) -> list[LeasedUrl]:
    """The rows up to the last page that `max_pages` leaves room for; a page that is tried again has its place."""
    kept = []
    for row in rows:
        if row.callback in PAGE_CALLBACKS and not row.attempts:
            if room <= 0:
                continue
            room -= 1
        kept.append(row)
    return kept


def _room(connection: Connection, wish: LeaseRequest) -> int | None:
    """How many pages more the run may fetch; None without limit."""
    if wish.max_pages is None:
        return None
    counted = urls.c.callback.in_(PAGE_CALLBACKS) & (urls.c.state != UrlState.redirected)
    begun = or_(urls.c.state != UrlState.queued, urls.c.attempts > 0)
    query = select(func.count()).select_from(urls).where(urls.c.run == wish.run, counted, begun)
    return max(0, wish.max_pages - connection.execute(query).scalar_one())


def _free(table: Any, owner: str, now: datetime) -> ColumnElement[bool]:
    """Whether a row is nobody's, ours, or of an owner who is late."""
    return or_(table.c.lease_owner.is_(None), table.c.lease_owner == owner, _late(table, now))


def _late(table: Any, now: datetime) -> ColumnElement[bool]:
    return or_(table.c.lease_until < now, table.c.lease_until > now + 2 * LEASE_DURATION)


def _sites(connection: Connection, wish: LeaseRequest, now: datetime) -> list[str]:
    """Sites with something to fetch that are ours from now on, those not fetched from for longest first."""
    waiting = exists().where(urls.c.run == wish.run, urls.c.site == sites.c.site, urls.c.state.in_(WAITING))
    ready = or_(sites.c.next_due.is_(None), sites.c.next_due <= now)
    query = select(sites.c.site).where(_free(sites, wish.owner, now), ready, waiting)
    query = query.order_by(sites.c.lease_owner.is_(None), sites.c.last_fetched).limit(SITES)
    if connection.dialect.name == "postgresql":
        query = query.with_for_update(skip_locked=True)
    found = list(connection.execute(query).scalars()) or spare_sites(connection, wish.owner, ready & waiting)
    if found:
        taking = {"lease_owner": wish.owner, "lease_until": now + LEASE_DURATION}
        connection.execute(update(sites).where(sites.c.site.in_(found)).values(taking))
    return found


def _top(
    connection: Connection, wish: LeaseRequest, site: str, states: Sequence[UrlState], limit: int, now: datetime
) -> list[LeasedUrl]:
    found: list[LeasedUrl] = []
    for state in states:
        place = (urls.c.run == wish.run) & (urls.c.site == site) & (urls.c.state == state)
        query = select(*COLUMNS).where(place).order_by(urls.c.priority.desc()).limit(max(0, limit - len(found)))
        if state == UrlState.retried:
            query = query.where(or_(urls.c.next_due.is_(None), urls.c.next_due <= now))
        found += [LeasedUrl(*row) for row in connection.execute(query)]
    return found


def _others(connection: Connection, wish: LeaseRequest) -> bool:
    """Whether the run has URLs that wait, or that other workers have."""
    ours = and_(urls.c.state.in_(TAKEN), func.coalesce(urls.c.lease_owner, "") == wish.owner)
    query = select(urls.c.fingerprint).where(urls.c.run == wish.run, urls.c.state.in_(OPEN), ~ours).limit(1)
    return connection.execute(query).first() is not None


def _leave_sites(connection: Connection, wish: LeaseRequest) -> None:
    """Sites of ours from which nothing is to be fetched any more are free for others."""
    busy = exists().where(urls.c.lease_owner == wish.owner, urls.c.site == sites.c.site)
    leaving = update(sites).where(sites.c.lease_owner == wish.owner, ~busy)
    connection.execute(leaving.values(lease_owner=None, lease_until=None))


def renew_leases(connection: Connection, owner: str, now: datetime) -> None:
    """Renews all that this worker has."""
    for table in (urls, sites):
        mine = table.c.lease_owner == owner
        connection.execute(update(table).where(mine).values(lease_until=now + LEASE_DURATION))


def recover(connection: Connection, now: datetime) -> int:
    """Gives back what workers held that are late, or dead on this machine; returns how many URLs."""
    owners = connection.execute(select(urls.c.lease_owner).where(urls.c.lease_owner.is_not(None)).distinct()).scalars()
    holders = connection.execute(select(sites.c.lease_owner).where(sites.c.lease_owner.is_not(None)).distinct())
    dead = [owner for owner in {*owners, *holders.scalars()} if owner and is_dead(owner)]
    for table in (sites, urls):
        gone = table.c.lease_owner.is_not(None) & or_(_late(table, now), table.c.lease_owner.in_(dead))
        freed: dict[str, Any] = {"lease_owner": None, "lease_until": None}
        connection.execute(update(table).where(gone).values(freed))
    back = update(urls).where(urls.c.state == UrlState.leased, urls.c.lease_owner.is_(None))
    return connection.execute(back.values(state=UrlState.queued)).rowcount


def give_back(connection: Connection, owner: str) -> int:
    """Ends all leases of a worker; what it had not finished waits again, its held pages stay held. How many URLs."""
    back = update(urls).where(urls.c.lease_owner == owner, urls.c.state == UrlState.leased)
    given = connection.execute(back.values(state=UrlState.queued)).rowcount
    for table in (urls, sites):
        freed: dict[str, Any] = {"lease_owner": None, "lease_until": None}
        connection.execute(update(table).where(table.c.lease_owner == owner).values(freed))
    return given


def take_pending(connection: Connection, run: int, owner: str, now: datetime) -> list[LeasedUrl]:
    """The URLs of held pages that are nobody's; they are this worker's now."""
    free = urls.c.lease_owner.is_(None) & (urls.c.run == run) & (urls.c.state == UrlState.held)
    rows = [LeasedUrl(*row) for row in connection.execute(select(*COLUMNS).where(free))]
    for some in chunked(row.fingerprint for row in rows):
        taking = {"lease_owner": owner, "lease_until": now + LEASE_DURATION}
        connection.execute(update(urls).where(urls.c.fingerprint.in_(some)).values(taking))
    return rows


def release_pending(connection: Connection, fingerprints: Iterable[str]) -> None:
    """Queues URLs whose held page is gone."""
    for some in chunked(fingerprints):
        queueing: Mapping[str, Any] = {"state": UrlState.queued, "lease_owner": None, "lease_until": None}
        connection.execute(update(urls).where(urls.c.fingerprint.in_(some)).values(queueing))


def requeue(
    connection: Connection,
    run: int,
    place: ColumnElement[bool],
    accepts: Callable[[str, int, str], bool],
    now: datetime,
) -> int:
    """Queues for a new run what is due of a place, and what earlier runs left waiting; returns how many URLs."""
    due = and_(urls.c.state.not_in(OPEN), urls.c.next_due <= now)
    rows = connection.execute(
        select(urls.c.fingerprint, urls.c.url, urls.c.depth, urls.c.callback).where(
            place, or_(due, urls.c.state.in_(WAITING))
        )
    ).all()
    chosen = [{"which": row.fingerprint} for row in rows if accepts(row.url, row.depth, row.callback)]
    for some in chunked(chosen):
        values = {"state": UrlState.queued, "run": run, "attempts": 0, "next_due": None}
        connection.execute(update(urls).where(urls.c.fingerprint == bindparam("which")).values(values), some)
    return len(chosen)


def is_open(connection: Connection, run: int) -> bool:
    """Whether anything of the run waits or is being fetched."""
    query = select(urls.c.fingerprint).where(urls.c.run == run, urls.c.state.in_(OPEN)).limit(1)
    return connection.execute(query).first() is not None


def spare_sites(connection: Connection, owner: str, ready: ColumnElement[bool]) -> list[str]:
    """Sites of the worker that has most of those that are `ready`, up to an equal share; none if nobody has more."""
    held = select(sites.c.lease_owner, func.count()).where(ready, sites.c.lease_owner.is_not(None))
    counts = {name: number for name, number in connection.execute(held.group_by(sites.c.lease_owner)) if name != owner}
    if not counts:
        return []
    richest = max(counts, key=lambda name: counts[name])
    more = counts[richest] - ceil(sum(counts.values()) / (len(counts) + 1))
    query = select(sites.c.site).where(ready, sites.c.lease_owner == richest, sites.c.site.not_in(_busy(richest)))
    query = query.order_by(sites.c.last_fetched).limit(max(0, more))
    if connection.dialect.name == "postgresql":
        query = query.with_for_update(skip_locked=True)
    locked = list(connection.execute(query).scalars())
    busy = set(connection.execute(_busy(richest)).scalars())  # again: the rows were not locked when they were chosen
    return [site for site in locked if site not in busy]


def _busy(owner: str) -> Select[str]:
    """Sites of which a worker is fetching, or keeps, pages."""
    return select(urls.c.site).where(urls.c.lease_owner == owner, urls.c.state.in_(TAKEN)).distinct()
