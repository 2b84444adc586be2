"""The crawl frontier, the table `urls`: a row per URL, from the link where it was first seen to the state it ended in.

`queue_links` queues the links of a page: a new one waits to be fetched, a known one waits again where this run may
still fetch it. `Frontier` is one worker's view of a run; each call is a transaction. `set_states` ends the leases of a
committed group.
"""

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    func,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import sqlite

from newsextract.items import Listing
from newsextract.reasons import UrlState
from newsextract.store import leases
from newsextract.store.engine import Database, RowValues, chunked, database_now, insert, upsert
from newsextract.store.leases import LeaseBatch, Run, owner_name
from newsextract.store.outcome import TAKEN, WAITING, PageOutcome, QueuedLink
from newsextract.store.schema import LONGEST_URL, fingerprint, runs, site_column, sites, urls
from newsextract.urls import strip_tracking

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

#: Key of a request's meta: what a feed or sitemap says of the page.
LISTING = "listing"
#: The reason of a page that is more links away than the arguments allow. It is left out until a shorter way is found.
TOO_DEEP = "too_deep"
#: URLs that are ranked again at a time, and pages in each state that a run learns from before its first.
RERANKED = 2_000
KNOWN_PAGES = 500


# ---- a worker's view -------------------------------------------------------------------------------------------------


class RankedUrl(NamedTuple):
    """A row of `urls` with what its priority depends on."""

    fingerprint: str
    url: str
    anchor_text: str | None
    depth: int
    referrer: str | None
    meta: str | None
    priority: float


#: Gives a URL that waits its priority.
Rank = Callable[[RankedUrl], float]


class Frontier:
    """One worker's access to the URL queue of a run. `Store.frontier` makes it."""

    def __init__(self, database: Database, run: Run, max_pages: int | None = None, owner: str | None = None) -> None:
        self._database, self._max_pages = database, max_pages
        self.run, self.continued, self.started_at = run.id, run.continued, run.started_at
        #: Whether another process was at work on the run when this one started.
        self.joined = run.joined
        self.owner = owner or owner_name()

    def start(self, spider: str, sites: Sequence[str], parents: Sequence[str], accepts: leases.Accepts) -> int:
        """Frees the leases of dead workers. A new run then queues what is due, what earlier runs left waiting, and what
        their arguments left out.

        Considered are URLs on `sites` and on subdomains of `parents`; without either, those of earlier runs of this
        spider with these arguments; each if `accepts(url, depth, kind, date)`. Returns how many URLs were queued.
        """

        def work(connection: Connection) -> int:
            now = database_now(connection)
            leases.recover(connection, now, self.run)
            if self.continued:
                of_others = urls.c.lease_owner.is_not(None) & (urls.c.lease_owner != self.owner)
                self.joined |= leases.has_urls(connection, self.run, of_others)
                return 0
            scope = self._scope(spider, sites, parents, now)
            return leases.requeue(connection, self.run, scope, accepts, now)

        return self._database.write(work)

    def _scope(self, spider: str, sites: Sequence[str], parents: Sequence[str], now: datetime) -> ColumnElement[bool]:
        """The condition for URLs that a new run may take over: none of a run that a worker is alive in."""
        free = or_(urls.c.run.is_(None), urls.c.run == self.run, urls.c.run.not_in(_live_runs(now)))
        own = select(runs.c.identity).where(runs.c.id == self.run).scalar_subquery()
        if not sites and not parents:
            return free & urls.c.run.in_(select(runs.c.id).where(runs.c.identity == own))
        on_sites = or_(
            urls.c.site.in_(sites), *(urls.c.site.endswith(f".{parent}", autoescape=True) for parent in parents)
        )
        same_spider = urls.c.run.in_(select(runs.c.id).where(runs.c.spider == spider))
        return free & on_sites & or_(same_spider, urls.c.kind == "page")

    def rerank(self, rank: Rank, limit: int = RERANKED) -> int:
        """Gives the waiting URLs of the run with the highest priorities new ones; returns how many changed."""
        columns = [urls.c[name] for name in RankedUrl._fields]
        waiting = (urls.c.run == self.run) & (urls.c.state == UrlState.queued) & (urls.c.kind == "page")

        def work(connection: Connection) -> int:
            query = select(*columns).where(waiting).order_by(urls.c.priority.desc()).limit(limit)
            changed = {}
            for row in [RankedUrl(*row) for row in connection.execute(query).all()]:
                priority = rank(row)
                if abs(priority - row.priority) > 1:
                    position = row.priority - round(row.priority)  # on the page where it was found
                    changed[row.fingerprint] = priority + position
            if changed:
                still = (urls.c.fingerprint == bindparam("which")) & (urls.c.state == UrlState.queued)
                rows = [{"which": key, "new": priority} for key, priority in sorted(changed.items())]
                connection.execute(update(urls).where(still).values(priority=bindparam("new")), rows)
            return len(changed)

        return self._database.write(work)

    def known_pages(self, sites: Sequence[str], limit: int = KNOWN_PAGES) -> list[tuple[RankedUrl, bool]]:
        """Pages of these sites that were fetched, and whether each was an article; at most `limit` in each state."""
        columns = [urls.c[name] for name in RankedUrl._fields]
        known: list[tuple[RankedUrl, bool]] = []
        with self._database.reading() as connection:
            for state in (UrlState.stored, UrlState.unchanged, UrlState.not_article):
                of_state = (urls.c.state == state) & (urls.c.kind == "page") & urls.c.site.in_(sites)
                if state == UrlState.unchanged:
                    of_state &= urls.c.article.is_not(None)
                rows = connection.execute(select(*columns).where(of_state).limit(limit))
                known += [(RankedUrl(*row), state != UrlState.not_article) for row in rows]
        return known

    def add(self, links: Iterable[QueuedLink]) -> int:
        """Queues start requests; returns how many are to be fetched."""
        outcome = PageOutcome("", UrlState.queued, links=[*links], run=self.run)
        return self._database.write(lambda c: queue_links(c, [outcome], database_now(c))[0].waiting)

    def lease(self, limit: int, likely: float | None = None, above: float = -math.inf) -> LeaseBatch:
        """Leases URLs, as `leases.lease` does."""
        return self._database.write(
            lambda c: leases.lease(c, self.run, self.owner, limit, self._max_pages, likely, above)
        )

    def renew_leases(self) -> int:
        """Renews this worker's leases and the run's, and frees those of dead workers; returns how many URLs."""
        return self._database.write(lambda connection: leases.renew_leases(connection, self.owner, self.run))

    def claim_site(self, site: str) -> bool:
        """Leases a site, unless another worker has it; returns whether it is leased now."""
        return self._database.write(lambda connection: leases.claim_site(connection, self.owner, site))

    def close(self) -> int:
        """Gives back all leases of this worker; returns how many URLs."""
        return self._database.write(lambda connection: leases.give_back(connection, self.owner))


# ---- links -----------------------------------------------------------------------------------------------------------


class QueuedCount(NamedTuple):
    """Links of an outcome: those that are to be fetched and did not wait before, and those never seen before."""

    waiting: int = 0
    new: int = 0


def queue_links(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> list[QueuedCount]:
    """Queues the links of each outcome, and counts them."""
    links = [_links_of(outcome) for outcome in outcomes]
    columns = [urls.c[name] for name in ("fingerprint", "state", "reason", "run", "next_due", "priority", "meta")]
    known: dict[str, Mapping[str, Any]] = {}
    for chunk in chunked(sorted({key for by_key in links for key in by_key})):
        found = connection.execute(select(*columns).where(urls.c.fingerprint.in_(chunk))).mappings()
        known.update({row["fingerprint"]: row for row in found})
    live_runs = set(connection.execute(_live_runs(now)).scalars()) if known else set()
    new, requeued = dict[str, RowValues](), dict[str, RowValues]()
    better: dict[str, str | None] = {}
    counts = []
    for outcome, by_key in zip(outcomes, links, strict=True):
        waiting, seen = 0, len(new)
        for position, (key, link) in enumerate(by_key.items()):
            priority = link.priority - position * 1e-4  # ties are broken by the position on the page
            row = known.get(key)
            if row is None:
                new[key] = known[key] = _row(outcome, link, priority)
            elif _may_requeue(link, priority, row, outcome.run, live_runs, now):
                values = _row(outcome, link, priority)
                values["meta"] = _with_better_listing(values["meta"], row["meta"])
                better.pop(key, None)
                (new if key in new else requeued)[key] = known[key] = values
            else:  # in any state: a page that is fetched again, or read again at the end of the crawl, gets the listing
                if LISTING in (link.meta or ()):
                    meta = _with_better_listing(row["meta"], as_meta(link.meta))
                    if meta != row["meta"]:
                        better[key], known[key] = meta, {**row, "meta": meta}
                continue
            waiting += not link.left_out
        counts.append(QueuedCount(waiting, len(new) - seen))
    _write_links(connection, new, requeued, better)
    return counts


def _links_of(outcome: PageOutcome) -> dict[str, QueuedLink]:
    """The links of an outcome that may have a row, by fingerprint; of two with the same one, the first."""
    links: dict[str, QueuedLink] = {}
    for link in outcome.links:
        if len(link.url) <= LONGEST_URL and site_column(link.url):
            links.setdefault(fingerprint(link.url), link)
    return links


def _row(outcome: PageOutcome, link: QueuedLink, priority: float) -> RowValues:
    """The row of a link in `urls`."""
    return {
        "url": strip_tracking(link.url),
        "site": site_column(link.url),
        "state": UrlState.dropped if link.left_out else UrlState.queued,
        "reason": link.left_out,
        "kind": link.kind,
        "meta": as_meta(link.meta),
        "priority": priority,
        "depth": link.depth,
        "referrer": link.referrer if link.referrer is not None or link.kind != "page" else outcome.url,
        "anchor_text": link.anchor_text,
        "first_seen": outcome.when,
        "run": outcome.run,
        "attempts": 0,
        "next_due": None,
    }


def _write_links(
    connection: Connection,
    new: Mapping[str, RowValues],
    requeued: Mapping[str, RowValues],
    better: Mapping[str, str | None],
) -> None:
    """Writes rows by fingerprint, in its order, so that two writers with the same links don't deadlock."""
    if new:
        first_seen = {values["site"]: values["first_seen"] for values in new.values()}
        site_rows = [{"site": site, "first_seen": at} for site, at in sorted(first_seen.items())]
        connection.execute(insert(connection.dialect.name, sites).on_conflict_do_nothing(), site_rows)
        rows = [{"fingerprint": key, **values} for key, values in sorted(new.items())]
        connection.execute(insert(connection.dialect.name, urls).on_conflict_do_nothing(), rows)
    changing = update(urls).where(urls.c.fingerprint == bindparam("which"))
    if requeued:
        names = requeued[min(requeued)].keys() - {"url", "site", "first_seen"}
        rows = [{"which": key, **{name: values[name] for name in names}} for key, values in sorted(requeued.items())]
        connection.execute(changing.where(*(urls.c.state != state for state in TAKEN)), rows)
    if better:
        connection.execute(changing, [{"which": key, "meta": meta} for key, meta in sorted(better.items())])


def as_meta(values: Mapping[str, object] | None) -> str | None:
    """The value of `urls.meta`."""
    return json.dumps(values, ensure_ascii=False) if values else None


def _with_better_listing(meta: str | None, other: str | None) -> str | None:
    """What the request carries, with what is said of the page in the other one's where that tells more."""
    if other is None or LISTING not in other:
        return meta
    values = json.loads(meta) if meta else {}
    given = json.loads(other).get(LISTING)
    told = Listing.from_dict(given)
    if told is None or not told.is_better_than(Listing.from_dict(values.get(LISTING))):
        return meta
    return json.dumps({**values, LISTING: given}, ensure_ascii=False)


def _may_requeue(
    link: QueuedLink, priority: float, row: Mapping[str, Any], run: int | None, live_runs: set[int], now: datetime
) -> bool:
    """Whether a known URL is to wait for this run, to wait with a higher priority, or not to wait any more."""
    state = row["state"]
    if state in TAKEN:
        return False
    if link.left_out:  # "too_deep" is true of one way to the page alone, and this run has found a shorter one
        return link.left_out != TOO_DEEP and state in WAITING and row["run"] == run
    if state == UrlState.dropped and row["reason"] == TOO_DEEP:
        return True
    if state in WAITING:
        return bool(priority > row["priority"] + 1) if row["run"] == run else row["run"] not in live_runs
    if row["run"] == run:
        return link.refetch and bool(link.meta and link.meta.get("redirect_times"))
    return link.refetch or (row["next_due"] is not None and row["next_due"] <= now)


def _live_runs(now: datetime) -> Select[int]:
    """SELECT of the runs that a worker is alive in."""
    return select(runs.c.id).where(runs.c.finished_at.is_(None), runs.c.alive_until > now)


# ---- states ----------------------------------------------------------------------------------------------------------


def lock_sites(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Updates `last_fetched` of the sites, which locks their rows against other writers until the transaction ends.

    Two articles that compete for a key are of one site, so a site's lock is all that deciding between them needs.
    """
    fetched = {site_column(outcome.url): outcome.when for outcome in sorted(outcomes, key=lambda o: o.when)}
    rows = [{"site": site, "first_seen": at, "last_fetched": at} for site, at in sorted(fetched.items()) if site]
    if rows:
        connection.execute(upsert(connection, sites, ("last_fetched",)), rows)


def set_states(connection: Connection, ends: Mapping[str, RowValues]) -> None:
    """Writes the new states, by fingerprint: rows of `ended_row`. The lease ends, and the attempt is counted."""
    rows = [{"fingerprint": key, **end} for key, end in sorted(ends.items())]
    if rows:
        connection.execute(_ending(connection.dialect.name), rows)


@cache
def _ending(dialect: str) -> "sqlite.Insert | postgresql.Insert":
    inserting = insert(dialect, urls)
    new = inserting.excluded
    values: RowValues = {name: new[name] for name in ("state", "reason", "last_fetched", "run", "next_due")}
    for name in ("etag", "last_modified", "page_hash", "article", "status", "meta"):  # a failed fetch has no new values
        values[name] = func.coalesce(new[name], urls.c[name])
    values["depth"] = case((new.depth < urls.c.depth, new.depth), else_=urls.c.depth)
    values["attempts"] = urls.c.attempts + 1
    values["lease_owner"] = values["lease_until"] = null()
    return inserting.on_conflict_do_update(index_elements=["fingerprint"], set_=values)


def settle_urls(connection: Connection, ends: Mapping[str, RowValues], retracted: Collection[str]) -> None:
    """Writes the states of URLs, by fingerprint, that are pending, or whose articles were retracted."""
    for key, end in sorted(ends.items()):
        values = {name: end[name] for name in ("state", "reason", "next_due")}
        values["article"] = func.coalesce(end["article"], urls.c.article)
        changing = update(urls).where(urls.c.fingerprint == key)
        if key not in retracted:
            changing = changing.where(urls.c.state == UrlState.pending)
        connection.execute(changing.values(values))


def ended_row(outcome: PageOutcome, state: UrlState, article: int | None, due: datetime | None = None) -> RowValues:
    """The row of the URL of an outcome that ended in a state; `article`: what it led to; `due`: when again."""
    names = ("url", "reason", "depth", "status", "etag", "last_modified", "page_hash", "run")
    return {
        **{name: getattr(outcome, name) for name in names},
        "site": site_column(outcome.url),
        "state": state,
        "meta": as_meta(outcome.meta),
        "next_due": due,
        "first_seen": outcome.when,
        "last_fetched": outcome.when,
        "attempts": 1,
        "article": article,
    }


def states_and_articles(connection: Connection, fingerprints: Iterable[str]) -> dict[str, tuple[UrlState, int | None]]:
    """State and article id of the URLs that have a row, by fingerprint."""
    rows: dict[str, tuple[UrlState, int | None]] = {}
    for chunk in chunked(sorted(set(fingerprints))):
        query = select(urls.c.fingerprint, urls.c.state, urls.c.article).where(urls.c.fingerprint.in_(chunk))
        rows.update({row.fingerprint: (UrlState(row.state), row.article) for row in connection.execute(query)})
    return rows


# ---- look-ups --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UrlRow:
    """A row of `urls`, as `newsextract why` shows it."""

    url: str
    kind: str
    state: UrlState
    reason: str
    depth: int
    referrer: str | None
    anchor_text: str | None
    status: int | None
    etag: str | None
    last_modified: str | None
    page_hash: str | None
    attempts: int
    first_seen: datetime
    last_fetched: datetime | None
    article: int | None
    run: int | None


def find_url(connection: Connection, url: str) -> UrlRow | None:
    """The row of a URL; None if it was never seen."""
    return next(iter(_read_urls(connection, urls.c.fingerprint == fingerprint(url))), None)


def urls_of_run(connection: Connection, run: int) -> list[UrlRow]:
    """The URLs that a run touched last."""
    return _read_urls(connection, urls.c.run == run)


def _read_urls(connection: Connection, which: ColumnElement[bool]) -> list[UrlRow]:
    query = select(*(urls.c[name] for name in UrlRow.__dataclass_fields__)).where(which)
    return [UrlRow(**{**row, "state": UrlState(row.state)}) for row in connection.execute(query).mappings()]
