"""The crawl frontier, the table `urls`: a row per URL, from the link where it was first seen to its final state.

`Frontier` is a worker's view of a run; each call is a transaction. `url_states` ends the leases of a committed group.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import wraps
from itertools import accumulate, zip_longest
from operator import itemgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa

from newsextract.reasons import LEFT_OUT, REASONS, UrlState
from newsextract.store import leases
from newsextract.store.engine import (
    CHUNK,
    Database,
    RowValues,
    chunked,
    database_now,
    execute_many,
    rows_in,
    upsert,
)
from newsextract.store.leases import PAGE_KINDS, Run, date_of_meta
from newsextract.store.links import READ, QueuedCount, queue_links, queue_listed, redirected
from newsextract.store.outcome import OPEN, WAITING, ListedUrl, PageOutcome, QueuedLink
from newsextract.store.recrawl_policy import BACK_OFF, is_retry, lower_retried, retried_priority
from newsextract.store.schema import PUBLISHED_AT, articles, fingerprint, runs, site_column, sites, urls

P = ParamSpec("P")
T = TypeVar("T")

#: URLs that are re-ranked at a time, and pages in each state that a new run learns from.
RERANKED = 2_000
KNOWN_PAGES = 500
#: How long a kept robots.txt counts (RFC 9309).
ROBOTS_AGE = timedelta(days=1)
#: Sites in which a worker looks for URLs to lease at a time.
SITES_AT_A_TIME = 32


# ---- a worker's view -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class RankedUrl:
    """A row of `urls` with what its priority depends on."""

    fingerprint: str
    url: str
    anchor_text: str | None
    depth: int
    referrer: str | None
    meta: str | None
    priority: float
    reason: str


RANKED = [urls.c[one.name] for one in fields(RankedUrl)]
#: Whether a run takes over a URL, by its URL, depth, kind, and the date of its page, if known.
Accepts = Callable[[str, int, str, datetime | None], bool]
Rank = Callable[[RankedUrl], float]


@dataclass(slots=True)
class LeasedUrl(RankedUrl):
    """A URL leased by this worker, with its row; `published_at`: of the article with its URL, if any."""

    site: str
    kind: str
    attempts: int
    etag: str | None
    last_modified: str | None
    page_hash: str | None
    article: int | None
    last_fetched: datetime | None
    published_at: datetime | None

    @property
    def is_new_page(self) -> bool:
        """Whether it counts towards `max_pages`: a page that was not tried before."""
        return self.kind in PAGE_KINDS and not self.attempts


IS_OWN = (articles.c.id == urls.c.article) & (articles.c.url == urls.c.url)
OF_ARTICLE = sa.select(PUBLISHED_AT).where(IS_OWN).scalar_subquery()
LEASED = [*(urls.c[one.name] for one in fields(LeasedUrl) if one.name in urls.c), OF_ARTICLE]


@dataclass(slots=True)
class LeaseBatch:
    """The result of `lease`. `drained`: no other URLs are left. `exhausted`: `max_pages` is reached."""

    leased: list[LeasedUrl] = field(default_factory=list)
    drained: bool = False
    exhausted: bool = False


def in_transaction(
    method: Callable[Concatenate["Frontier", sa.Connection, P], T],
) -> Callable[Concatenate["Frontier", P], T]:
    """Wraps a method so that it runs in a writing transaction, with the connection as its first argument."""

    @wraps(method)
    def call(self: "Frontier", /, *given: P.args, **options: P.kwargs) -> T:
        return self.database.write(lambda connection: method(self, connection, *given, **options))

    return call


class Frontier:
    """A worker's access to the URL queue of a run. `Store.frontier` creates it."""

    def __init__(self, database: Database, run: Run, max_pages: int | None, owner: str) -> None:
        self.database, self._max_pages = database, max_pages
        self.run, self.continued, self.started_at = run.id, run.continued, run.started_at
        #: Whether another process was working on the run when this one started.
        self.joined = run.joined
        self.owner = owner

    @in_transaction
    def start(
        self,
        connection: sa.Connection,
        spider: str,
        sites: Sequence[str],
        parents: Sequence[str],
        accepts: Accepts | None = None,
    ) -> int:
        """Frees the leases of dead workers. A new run then queues what is due, what earlier runs left in the queue, and
        what their arguments left out.

        This covers URLs on `sites` and subdomains of `parents`, or without either, those of earlier runs of this spider
        with these arguments; each if `accepts(url, depth, kind, date)`, if that is given. Returns how many URLs were
        queued. Lists that a run with other arguments read lose their validators, because the entries that it left out
        are not in the table.
        """
        now = database_now(connection)
        leases.recover(connection, now, self.run)
        if self.continued:
            of_others = urls.c.lease_owner.is_not(None) & (urls.c.lease_owner != self.owner)
            self.joined |= leases.has_urls(connection, self.run, of_others)
            return 0
        # a URL that was fetched in the future, by a clock that was wrong, is due by no moment that it wrote
        was_ahead = urls.c.last_fetched > now  # by that clock an article may have been too old to be due again
        is_due = sa.or_(urls.c.next_due <= now, was_ahead & (urls.c.next_due.is_not(None) | urls.c.state.in_(READ)))
        due = sa.and_(urls.c.state.not_in(OPEN), is_due)
        left_out = (urls.c.state == UrlState.dropped) & urls.c.reason.in_(LEFT_OUT)
        scope = [*self._scope(spider, sites, parents, now)]
        found = sa.and_(sa.or_(due, left_out, urls.c.state.in_(WAITING)), *scope)
        if accepts is not None:
            columns = (urls.c.fingerprint, urls.c.url, urls.c.depth, urls.c.kind, urls.c.meta)
            rows = connection.execute(sa.select(*columns).where(found).execution_options(yield_per=CHUNK))
            chosen = [row[0] for row in rows if accepts(row.url, row.depth, row.kind, date_of_meta(row.meta))]
            return sum(self._queue(connection, urls.c.fingerprint.in_(keys)) for keys in chunked(chosen))
        # what only waits may be a million rows: nothing but the run changes, and one index
        waits = (urls.c.state == UrlState.queued) & (urls.c.reason == "") & (urls.c.kind == "page")
        waiting = sa.update(urls).where(waits, urls.c.attempts == 0, *scope).values(run=self.run)
        return connection.execute(waiting).rowcount + self._queue(
            connection, found & urls.c.run.is_distinct_from(self.run)
        )

    def _queue(self, connection: sa.Connection, which: sa.ColumnElement[bool]) -> int:
        """Queues URLs that earlier runs know for this one; returns how many."""
        is_retried = (urls.c.kind == "page") & urls.c.reason.in_([*filter(is_retry, REASONS)])
        is_anew = (urls.c.kind != "page") & sa.func.coalesce(urls.c.run, 0).not_in(self._runs_alike())
        values: RowValues = {"state": UrlState.queued, "run": self.run, "attempts": 0, "next_due": None}
        for name in ("etag", "last_modified", "entries"):
            values[name] = sa.case((is_anew, sa.null()), else_=urls.c[name])
        values["priority"] = sa.case((is_retried, lower_retried(urls.c.priority)), else_=urls.c.priority)
        return connection.execute(sa.update(urls).where(which).values(values)).rowcount

    def _runs_alike(self) -> sa.Select[int]:
        identity = sa.select(runs.c.identity).where(runs.c.id == self.run).scalar_subquery()
        return sa.select(runs.c.id).where(runs.c.identity == identity)

    def _scope(
        self, spider: str, sites: Sequence[str], parents: Sequence[str], now: datetime
    ) -> Iterator[sa.ColumnElement[bool]]:
        """The conditions for URLs that a new run may take over: not those of a run with a living worker."""
        yield sa.or_(urls.c.run.is_(None), urls.c.run == self.run, urls.c.run.not_in(leases.live_runs(now)))
        if not sites and not parents:
            yield urls.c.run.in_(self._runs_alike())
            return
        below = (urls.c.site.endswith(f".{parent}", autoescape=True) for parent in parents)
        yield sa.or_(urls.c.site.in_(sites), *below)
        yield sa.or_(urls.c.run.in_(sa.select(runs.c.id).where(runs.c.spider == spider)), urls.c.kind == "page")

    @in_transaction
    def rerank(self, connection: sa.Connection, rank: Rank, site: str = "") -> int:
        """Re-ranks the run's queued URLs with the highest priorities, by default of all sites, or of one and those
        below it; returns how many changed."""
        waiting = (urls.c.run == self.run) & (urls.c.state == UrlState.queued) & (urls.c.kind == "page")
        if site:
            waiting &= (urls.c.site == site) | urls.c.site.endswith(f".{site}", autoescape=True)
        changed = []
        best = sa.select(*RANKED).where(waiting).order_by(urls.c.priority.desc()).limit(RERANKED)
        for row in [RankedUrl(*row) for row in connection.execute(best)]:
            priority = retried_priority(rank(row)) if is_retry(row.reason) else rank(row)
            if abs(priority - row.priority) > 1:
                position = row.priority - round(row.priority)  # on the page where it was found
                changed.append({"which": row.fingerprint, "priority": priority + position})
        still = (urls.c.fingerprint == sa.bindparam("which")) & (urls.c.state == UrlState.queued)
        execute_many(connection, sa.update(urls).where(still), sorted(changed, key=itemgetter("which")))
        return len(changed)

    def known_pages(self, sites: Sequence[str]) -> list[tuple[RankedUrl, bool]]:
        """Fetched pages of these sites, KNOWN_PAGES in each state, and whether each was an article."""
        known: list[tuple[RankedUrl, bool]] = []
        with self.database.reading() as connection:
            for state in (UrlState.stored, UrlState.unchanged, UrlState.not_article):
                of_state = (urls.c.state == state) & (urls.c.kind == "page") & urls.c.site.in_(sites)
                if state == UrlState.unchanged:
                    of_state &= urls.c.article.is_not(None)
                rows = connection.execute(sa.select(*RANKED).where(of_state).limit(KNOWN_PAGES))
                known += [(RankedUrl(*row), state != UrlState.not_article) for row in rows]
        return known

    @in_transaction
    def add(self, connection: sa.Connection, links: Iterable[QueuedLink]) -> QueuedCount:
        """Queues start requests, or links of a list that is being read; counts those to be fetched, and new stories."""
        outcome = PageOutcome("", UrlState.queued, links=[*links], run=self.run)
        return queue_links(connection, [outcome], database_now(connection))[0]

    @in_transaction
    def add_listed(self, connection: sa.Connection, listed: Sequence[ListedUrl]) -> QueuedCount:
        """Queues pages of a large list, most of which are new; counts them."""
        return queue_listed(connection, listed, self.run, database_now(connection))

    @in_transaction
    def lease(self, connection: sa.Connection, limit: int) -> LeaseBatch:
        """Leases up to `limit` URLs, the best of each site in turn; if there are none, frees those of dead workers."""
        batch, now = LeaseBatch(), database_now(connection)
        remaining = self._remaining_pages(connection)
        batch.exhausted = remaining == 0
        states = WAITING[:1] if batch.exhausted else WAITING
        free = self._free_sites(connection, now)
        by_site = [self._best_urls(connection, site, states, limit, now) for site in free]
        in_turn = [row for rank in zip_longest(*by_site) for row in rank if row is not None]
        if remaining is not None:
            waiting = self._sites_with_lists(connection, in_turn[:limit])
            in_turn = [row for row in in_turn if not (row.is_new_page and row.site in waiting)]
            counted = zip(in_turn, accumulate(row.is_new_page for row in in_turn), strict=True)
            in_turn = [row for row, pages in counted if pages <= remaining or not row.is_new_page]
        batch.leased = in_turn[:limit]
        if batch.leased:
            taking = {"lease_owner": self.owner, "lease_until": now + leases.LEASE_DURATION}
            chosen = urls.c.fingerprint.in_([row.fingerprint for row in batch.leased])
            connection.execute(sa.update(urls).where(chosen).values(state=UrlState.leased, **taking))
            of_chosen = sites.c.site.in_({row.site for row in batch.leased})
            connection.execute(sa.update(sites).where(of_chosen).values(taking))
        else:
            # a candidate is settled by the worker that has its site, or by the next run
            of_others = sa.func.coalesce(urls.c.lease_owner, "") != self.owner
            left = urls.c.state.in_((*WAITING, UrlState.leased)) & of_others
            batch.drained = batch.exhausted or not leases.has_urls(connection, self.run, left)
            if not batch.drained and not any(by_site):
                leases.recover(connection, now, self.run)
        return batch

    def _sites_with_lists(self, connection: sa.Connection, next_ones: Iterable[LeasedUrl]) -> set[str]:
        """The sites whose pages wait, because a feed or sitemap that comes before them may list better ones."""
        is_list = (urls.c.state == UrlState.leased) & urls.c.kind.not_in(PAGE_KINDS)
        under_way = sa.select(urls.c.site).where(*leases.touched(self.run), is_list).distinct()
        return {*connection.scalars(under_way), *(row.site for row in next_ones if row.kind not in PAGE_KINDS)}

    def _remaining_pages(self, connection: sa.Connection) -> int | None:
        """How many more pages the run may fetch; None for no limit."""
        if self._max_pages is None:
            return None
        is_left_out = (urls.c.state == UrlState.dropped) & urls.c.reason.in_(LEFT_OUT) & urls.c.last_fetched.is_(None)
        counted = (urls.c.state != UrlState.redirected, urls.c.kind.in_(PAGE_KINDS), ~is_left_out)
        query = sa.select(sa.func.count()).where(*leases.touched(self.run), *counted)
        return max(0, self._max_pages - connection.execute(query).scalar_one())

    def _is_free(self, now: datetime) -> sa.ColumnElement[bool]:
        """Condition: nobody has leased the site, or this worker has, or the lease has expired."""
        return sa.or_(sites.c.lease_owner.is_(None), sites.c.lease_owner == self.owner, leases.is_expired(sites, now))

    def _free_sites(self, connection: sa.Connection, now: datetime) -> list[str]:
        """Sites with queued URLs that no other worker has leased, least recently fetched first."""
        waiting = sa.exists().where(urls.c.run == self.run, urls.c.site == sites.c.site, urls.c.state.in_(WAITING))
        query = sa.select(sites.c.site).where(self._is_free(now), waiting)
        query = query.order_by(sites.c.lease_owner.is_(None), sites.c.last_fetched).limit(SITES_AT_A_TIME)
        if connection.dialect.name == "postgresql":
            query = query.with_for_update(skip_locked=True)
        return list(connection.scalars(query))

    def _best_urls(
        self, connection: sa.Connection, site: str, states: Sequence[UrlState], limit: int, now: datetime
    ) -> list[LeasedUrl]:
        """A site's queued URLs with the highest priorities, at most `limit`."""
        rows: list[LeasedUrl] = []
        for state in states:
            query = sa.select(*LEASED).where(urls.c.run == self.run, urls.c.site == site, urls.c.state == state)
            if state == UrlState.retried:
                query = query.where(sa.or_(urls.c.next_due.is_(None), urls.c.next_due <= now))
            query = query.order_by(urls.c.priority.desc()).limit(max(0, limit - len(rows)))
            rows += [LeasedUrl(*row) for row in connection.execute(query)]
        return rows

    @in_transaction
    def claim_site(self, connection: sa.Connection, site: str) -> bool:
        """Leases a site, with or without queued URLs, unless another worker has it; whether it is leased now."""
        now = database_now(connection)
        taking = {"lease_owner": self.owner, "lease_until": now + leases.LEASE_DURATION}
        free = (sites.c.site == site) & self._is_free(now)
        return connection.execute(sa.update(sites).where(free).values(taking)).rowcount > 0

    @in_transaction
    def renew_leases(self, connection: sa.Connection) -> int:
        """Renews the leases of this worker and the run, and frees those of dead workers; returns how many URLs.

        Sites with queued but no leased URLs are released, so that a worker that joins late can take them.
        """
        now = database_now(connection)
        of_site = urls.c.site == sites.c.site
        busy = sa.exists().where(urls.c.lease_owner == self.owner, of_site)
        waiting = sa.exists().where(of_site, urls.c.state.in_(WAITING))
        connection.execute(
            sa.update(sites).where(sites.c.lease_owner == self.owner, waiting, ~busy).values(leases.NO_LEASE)
        )
        for table in (sites, urls):
            own = table.c.lease_owner == self.owner
            connection.execute(sa.update(table).where(own).values(lease_until=now + leases.LEASE_DURATION))
        connection.execute(sa.update(runs).where(runs.c.id == self.run).values(alive_until=now + leases.LEASE_DURATION))
        return leases.recover(connection, now, self.run)

    @in_transaction
    def put_back(self, connection: sa.Connection, site: str, reason: str, unsent: Collection[str]) -> int:
        """Ends the site's retries after this failure that are queued, or leased and not sent (fingerprints), until
        those that were tried in this run are due again."""
        alike = (urls.c.run == self.run) & (urls.c.site == site) & (urls.c.reason == reason) & (urls.c.kind == "page")
        tried = sa.select(sa.func.min(urls.c.next_due)).where(alike, urls.c.state.not_in(OPEN), urls.c.failures > 1)
        due = connection.execute(tried).scalar() or database_now(connection) + BACK_OFF[-1]
        waiting = sa.or_(urls.c.state == UrlState.queued, urls.c.fingerprint.in_(unsent))
        ended = {"state": UrlState.failed, "next_due": due, **leases.NO_LEASE}
        return connection.execute(sa.update(urls).where(alike, waiting).values(ended)).rowcount

    @in_transaction
    def close(self, connection: sa.Connection) -> int:
        """Releases all leases of this worker, and queues its unfinished URLs; returns how many."""
        unfinished = sa.update(urls).where(urls.c.lease_owner == self.owner, urls.c.state == UrlState.leased)
        count = connection.execute(unfinished.values(state=leases.released_state())).rowcount
        for table in (sites, urls):
            connection.execute(sa.update(table).where(table.c.lease_owner == self.owner).values(leases.NO_LEASE))
        return count


# ---- sites and look-ups ----------------------------------------------------------------------------------------------


def lock_sites(connection: sa.Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Updates `last_fetched`, which locks the sites against other writers: an article's rivals are of its site."""
    fetched = {site_column(outcome.url): outcome.when for outcome in sorted(outcomes, key=lambda o: o.when)}
    rows = [{"site": site, "first_seen": at, "last_fetched": at} for site, at in sorted(fetched.items()) if site]
    upsert(connection, sites, rows, ("last_fetched",))


def keep_robots(connection: sa.Connection, site: str, body: bytes | None) -> None:
    """Keeps a site's robots.txt for later runs; None: it has none."""
    values = {"robots": body, "robots_at": database_now(connection)}
    connection.execute(sa.update(sites).where(sites.c.site == site).values(values))


def find_robots(connection: sa.Connection, site: str) -> tuple[bytes, datetime] | None:
    """A site's robots.txt as it was read within ROBOTS_AGE, and when."""
    now = database_now(connection)
    is_copy = sites.c.robots_at.between(now - ROBOTS_AGE, now) & sites.c.robots.is_not(None)
    query = sa.select(sites.c.robots, sites.c.robots_at).where(sites.c.site == site, is_copy)
    return next((tuple(row) for row in connection.execute(query)), None)


def redirects_to(connection: sa.Connection, url: str) -> list[tuple[str, str]]:
    """The URLs that redirect to this one, with the texts of the links to them."""
    row = find_url(connection, url)
    origins = {fingerprint(origin) for origin in redirected(row.meta if row else None)}
    query = sa.select(urls.c.url, urls.c.anchor_text).where(urls.c.state == UrlState.redirected)
    found = connection.execute(query.where(urls.c.fingerprint.in_(origins)))
    return [(origin, text or "") for origin, text in found]


def former_sites(connection: sa.Connection, sites: Iterable[str]) -> dict[str, str]:
    """Of these sites those to which another one's given URL redirected when it was fetched last, with that one.

    If it did so by way of others, that is the last one that has articles.
    """
    led = (urls.c.state == UrlState.redirected) & (urls.c.kind == "home") & (urls.c.reason != urls.c.site)
    before = {row.reason: row.site for row in connection.execute(sa.select(urls.c.reason, urls.c.site).where(led))}
    former = {}
    for site in set(sites) & before.keys():
        passed, one = {site}, before[site]
        while one in before and one not in passed and not has_articles(connection, one):
            passed.add(one)
            one = before[one]
        former[site] = one
    return former


def has_articles(connection: sa.Connection, site: str) -> bool:
    """Whether articles of a site are stored."""
    return connection.execute(sa.select(articles.c.id).where(articles.c.site == site).limit(1)).first() is not None


def find_url(connection: sa.Connection, url: str) -> sa.Row[*tuple[Any, ...]] | None:
    """The row of `urls` of a URL; None if it was never seen."""
    return connection.execute(sa.select(urls).where(urls.c.fingerprint == fingerprint(url))).one_or_none()


def find_entries(connection: sa.Connection, url: str) -> bytes | None:
    """The memory of a large list."""
    return connection.execute(sa.select(urls.c.entries).where(urls.c.fingerprint == fingerprint(url))).scalar()


def find_fetches(connection: sa.Connection, given: Iterable[str]) -> dict[str, datetime | None]:
    """When each of these URLs was fetched last, of those that have a row; None: not yet."""
    by_key = {fingerprint(url): url for url in given}
    rows = rows_in(connection, sa.select(urls.c.fingerprint, urls.c.last_fetched), urls.c.fingerprint, by_key)
    return {by_key[row.fingerprint]: row.last_fetched for row in rows}


def urls_of_run(connection: sa.Connection, run: int) -> Sequence[sa.Row[*tuple[Any, ...]]]:
    return connection.execute(sa.select(urls).where(urls.c.run == run)).all()
