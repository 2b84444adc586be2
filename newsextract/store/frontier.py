"""`Frontier`: one worker's hold on a run. Each call is one transaction, by the database's clock."""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, or_, select, update

from newsextract.items import FetchedPage, Link
from newsextract.store import leases, peers, runs
from newsextract.store.engine import Database
from newsextract.store.lease_owner import this_worker
from newsextract.store.leases import LeaseBatch, LeasedUrl, LeaseRequest
from newsextract.store.outcome import TAKEN, WAITING, PageOutcome, QueuedLink, UrlState
from newsextract.store.runs import Run
from newsextract.store.schema import runs as runs_table
from newsextract.store.schema import sites, urls
from newsextract.store.url_states import LONGEST_URL, chunked, fingerprint, insert, site_column
from newsextract.urls import strip_tracking

T = TypeVar("T")


class Frontier:
    """What one worker of a run may do with the ledger. `Store.frontier` makes it."""

    def __init__(self, database: Database, run: Run, max_pages: int | None = None, owner: str | None = None) -> None:
        self._database, self._max_pages = database, max_pages
        self.run, self.continued = run.id, run.continued
        self.owner = owner or this_worker()

    def start(
        self, spider: str, sites: Sequence[str], parents: Sequence[str], accepts: Callable[[str, int, str], bool]
    ) -> int:
        """Frees what dead workers held. A new run then takes what is due, and what earlier ones left.

        Of all that lies on `sites` or below `parents`, or, without any, of what earlier runs of its kind met; if
        `accepts(url, depth, callback)`. Returns how many URLs.
        """

        def work(connection: Connection) -> int:
            now = self._database.clock(connection)
            leases.recover(connection, now)
            if self.continued:
                return 0
            return leases.requeue(connection, self.run, self._place(connection, spider, sites, parents), accepts, now)

        return self._write(work)

    def _place(
        self, connection: Connection, spider: str, sites: Sequence[str], parents: Sequence[str]
    ) -> ColumnElement[bool]:
        """Which URLs a new run looks through: not those that a run somebody works on is at."""
        now = self._database.clock(connection)
        alive = select(runs_table.c.id).where(
            runs_table.c.finished_at.is_(None), runs_table.c.alive_until > now, runs_table.c.id != self.run
        )
        free = or_(urls.c.run.is_(None), urls.c.run.not_in(alive))
        own = select(runs_table.c.identity).where(runs_table.c.id == self.run).scalar_subquery()
        if not sites and not parents:
            return free & urls.c.run.in_(select(runs_table.c.id).where(runs_table.c.identity == own))
        near = or_(urls.c.site.in_(sites), *(urls.c.site.endswith(f".{parent}", autoescape=True) for parent in parents))
        kin = urls.c.run.in_(select(runs_table.c.id).where(runs_table.c.spider == spider))
        return free & near & or_(kin, urls.c.callback == "parse_page")

    def add(self, leads: Iterable[QueuedLink]) -> int:
        """Queues where the crawl begins; returns how many are to be fetched."""
        outcome = PageOutcome("", UrlState.queued, links=[*leads], run=self.run)
        return self._write(lambda c: queue_links(c, [outcome], self._database.clock(c))[0])

    def lease(self, limit: int, per_site: int) -> LeaseBatch:
        """Up to `limit` URLs, no more than `per_site` of one site.

        Where there are none though the run is not done, what dead workers had is freed for the next call.
        """
        wish = LeaseRequest(self.run, self.owner, limit, per_site, self._max_pages)

        def work(connection: Connection) -> LeaseBatch:
            now = self._database.clock(connection)
            batch = leases.lease(connection, wish, now)
            if not batch.leased and not batch.drained:
                leases.recover(connection, now)
            return batch

        return self._write(work)

    def take_pending(self) -> list[tuple[LeasedUrl, FetchedPage]]:
        """Pages that a dead worker had put aside; they need no fetching. What is lost of them is queued."""

        def work(connection: Connection) -> list[tuple[LeasedUrl, FetchedPage]]:
            rows = leases.take_pending(connection, self.run, self.owner, self._database.clock(connection))
            pages = peers.pending_pages(connection, [row.url for row in rows])
            leases.release_pending(connection, [row.fingerprint for row in rows if row.url not in pages])
            return [(row, pages[row.url]) for row in rows if row.url in pages]

        return self._write(work)

    def renew_leases(self) -> int:
        """Renews this worker's leases and the run, and frees what dead workers held; returns how many URLs."""

        def work(connection: Connection) -> int:
            now = self._database.clock(connection)
            leases.renew_leases(connection, self.owner, now)
            runs.keep_alive(connection, self.run, now)
            return leases.recover(connection, now)

        return self._write(work)

    def close(self) -> int:
        """Gives back whatever this worker still has; returns how many URLs."""
        return self._write(lambda connection: leases.give_back(connection, self.owner))

    def _write(self, work: Callable[[Connection], T]) -> T:
        return self._database.write(work)


Known = Row[Any]


def queue_links(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> list[int]:
    """Queues the links of these pages; for each of them how many are to be fetched that were not before."""
    wanted = [rows_of(outcome) for outcome in outcomes]
    known = _known(connection, {key for rows in wanted for key in rows})
    counts = []
    for outcome, rows in zip(outcomes, wanted, strict=True):
        counts.append(_queue(connection, rows, known, outcome.run, now) if rows else 0)
    return counts


def rows_of(outcome: PageOutcome) -> dict[str, tuple[QueuedLink, dict[str, Any]]]:
    """The rows of an outcome's links by fingerprint; of two with one fingerprint, the first."""
    rows: dict[str, tuple[QueuedLink, dict[str, Any]]] = {}
    for position, link in enumerate(outcome.links):
        if len(link.url) > LONGEST_URL or not (site := site_column(link.url)):
            continue
        lead = link if isinstance(link, QueuedLink) else _as_lead(link)
        row = {
            "url": strip_tracking(lead.url),
            "site": site,
            "state": WAITING[1],
            "reason": "",
            "callback": lead.callback,
            "meta": json.dumps(lead.meta, ensure_ascii=False) if lead.meta else None,
            "priority": lead.priority - position * 1e-4,  # among equals, what stands first on the page
            "depth": outcome.depth + 1 if lead.depth is None else lead.depth,
            "referrer": lead.referrer if lead.referrer is not None or lead.callback != "parse_page" else outcome.url,
            "anchor_text": lead.anchor_text,
            "first_seen": outcome.when,
            "run": outcome.run,
        }
        rows.setdefault(fingerprint(lead.url), (lead, row))
    return rows


def _as_lead(link: Link) -> QueuedLink:
    return QueuedLink(link.url, link.anchor_text, link.key)


def _known(connection: Connection, fingerprints: Iterable[str]) -> dict[str, Known]:
    columns = (urls.c.fingerprint, urls.c.state, urls.c.run, urls.c.next_due, urls.c.priority)
    found: dict[str, Known] = {}
    for some in chunked(sorted(fingerprints)):
        rows = connection.execute(select(*columns).where(urls.c.fingerprint.in_(some)))
        found.update({row.fingerprint: row for row in rows})
    return found


def _queue(
    connection: Connection,
    rows: dict[str, tuple[QueuedLink, dict[str, Any]]],
    known: dict[str, Known],
    run: int | None,
    now: datetime,
) -> int:
    new = {key: row for key, (_, row) in rows.items() if key not in known}
    alive = _alive(connection, run, now) if len(new) < len(rows) else set()
    back = [
        {"which": key, **row, "attempts": 0, "next_due": None}
        for key, (lead, row) in rows.items()
        if key in known and _may_return(lead, row["priority"], known[key], run, alive, now)
    ]
    if new:  # in order, so that two writers with the same links wait for each other instead of deadlocking
        found = {row["site"]: row["first_seen"] for row in new.values()}
        places = [{"site": site, "first_seen": at} for site, at in sorted(found.items())]
        connection.execute(insert(connection, sites).on_conflict_do_nothing(), places)
        values = [{"fingerprint": key, **new[key]} for key in sorted(new)]
        connection.execute(insert(connection, urls).on_conflict_do_nothing(), values)
    if back:
        for row in back:
            for fixed in ("first_seen", "url", "site"):
                del row[fixed]
        settled = and_(urls.c.fingerprint == bindparam("which"), *(urls.c.state != state for state in TAKEN))
        connection.execute(update(urls).where(settled), sorted(back, key=lambda row: str(row["which"])))
    return len(new) + len(back)


def _may_return(lead: QueuedLink, priority: float, row: Known, run: int | None, alive: set[int], now: datetime) -> bool:
    """Whether a URL that the ledger has is to wait for this run, or to wait with a higher priority."""
    if row.state in TAKEN:
        return False
    if row.state in WAITING:
        return priority > row.priority + 1 if row.run == run else row.run not in alive
    if row.run == run:
        return lead.refetch and bool(lead.meta and lead.meta.get("redirect_times"))
    return lead.refetch or (row.next_due is not None and row.next_due <= now)


def _alive(connection: Connection, run: int | None, now: datetime) -> set[int]:
    """Other runs that somebody works on."""
    query = select(runs_table.c.id).where(
        runs_table.c.finished_at.is_(None), runs_table.c.alive_until > now, runs_table.c.id != (run or 0)
    )
    return set(connection.execute(query).scalars())
