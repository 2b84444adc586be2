"""`Frontier`: one worker's hold on a run. Each call is one transaction, by the database's clock."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import ColumnElement, Connection, or_, select

from newsextract.items import FetchedPage
from newsextract.store import leases, peers, runs
from newsextract.store.lease_owner import this_worker
from newsextract.store.leases import Batch, Leased, Wish
from newsextract.store.outcome import Lead, Outcome, UrlState
from newsextract.store.queueing import queue_links
from newsextract.store.runs import Run
from newsextract.store.schema import runs as runs_table
from newsextract.store.schema import urls

if TYPE_CHECKING:
    from newsextract.store.store import Store

T = TypeVar("T")


class Frontier:
    """What one worker of a run may do with the ledger. `Store.frontier` makes it."""

    def __init__(self, store: "Store", run: Run, max_pages: int | None = None, owner: str | None = None) -> None:
        self._store, self._max_pages = store, max_pages
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
            now = self._store.clock(connection)
            leases.recover(connection, now)
            if self.continued:
                return 0
            return leases.requeue(connection, self.run, self._place(connection, spider, sites, parents), accepts, now)

        return self._write(work)

    def _place(
        self, connection: Connection, spider: str, sites: Sequence[str], parents: Sequence[str]
    ) -> ColumnElement[bool]:
        """Which URLs a new run looks through: not those that a run somebody works on is at."""
        now = self._store.clock(connection)
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

    def add(self, leads: Iterable[Lead]) -> int:
        """Queues where the crawl begins; returns how many are to be fetched."""
        outcome = Outcome("", UrlState.queued, links=[*leads], run=self.run)
        return self._write(lambda c: queue_links(c, [outcome], self._store.clock(c))[0])

    def lease(self, limit: int, per_site: int) -> Batch:
        """Up to `limit` URLs, no more than `per_site` of one site.

        Where there are none though the run is not done, what dead workers had is freed for the next call.
        """
        wish = Wish(self.run, self.owner, limit, per_site, self._max_pages)

        def work(connection: Connection) -> Batch:
            now = self._store.clock(connection)
            batch = leases.lease(connection, wish, now)
            if not batch.leased and not batch.drained:
                leases.recover(connection, now)
            return batch

        return self._write(work)

    def take_held(self) -> list[tuple[Leased, FetchedPage]]:
        """Pages that a dead worker had put aside; they need no fetching. What is lost of them is queued."""

        def work(connection: Connection) -> list[tuple[Leased, FetchedPage]]:
            rows = leases.take_held(connection, self.run, self.owner, self._store.clock(connection))
            pages = peers.held(connection, [row.url for row in rows])
            leases.unhold(connection, [row.fingerprint for row in rows if row.url not in pages])
            return [(row, pages[row.url]) for row in rows if row.url in pages]

        return self._write(work)

    def beat(self) -> int:
        """Renews this worker's leases and the run, and frees what dead workers held; returns how many URLs."""

        def work(connection: Connection) -> int:
            now = self._store.clock(connection)
            leases.beat(connection, self.owner, now)
            runs.keep_alive(connection, self.run, now)
            return leases.recover(connection, now)

        return self._write(work)

    def close(self) -> int:
        """Gives back whatever this worker still has; returns how many URLs."""
        return self._write(lambda connection: leases.give_back(connection, self.owner))

    def _write(self, work: Callable[[Connection], T]) -> T:
        return self._store.database.write(work)
