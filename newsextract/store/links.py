"""The links of pages, on their way into the frontier: new URLs, and known ones that a run may still fetch."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from newsextract.items import Listing
from newsextract.reasons import REMOVED_REASONS, UrlState
from newsextract.store import leases
from newsextract.store.announcements import find_announced
from newsextract.store.engine import RowValues, add_missing, driver_value, execute_many, insert_rows, rows_in
from newsextract.store.leases import PAGE_KINDS
from newsextract.store.outcome import LISTING, TAKEN, WAITING, ListedUrl, PageOutcome, QueuedLink
from newsextract.store.recrawl_policy import is_promising
from newsextract.store.schema import LONGEST_URL, fingerprint, site_column, sites, urls
from newsextract.urls import is_of_site, strip_tracking

#: What only a URL's own site may say of it: keys of a request's meta, and kinds.
SITE_META = (LISTING, "listed_in", "date", "map_date", "asked_for", "errback", "guessed")
SITE_KINDS = ("home", "feed", "sitemap", "robots")
#: That key of Scrapy's: the URLs that redirected to this one; at most MAX_REDIRECTED are kept.
REDIRECTED = "redirect_urls"
MAX_REDIRECTED = 50
#: Key of the meta of an article's URL: the last run in which a page linked to it before it was fetched, or gone.
LINKED = "linked_in_run"
#: States of URLs that gave an article.
READ = (UrlState.stored, UrlState.unchanged)
#: Columns of a new row of a page that a large list has.
LISTED = "fingerprint url site meta anchor_text referrer priority run first_seen state reason depth".split()
KNOWN = select(
    urls.c.fingerprint, urls.c.site, urls.c.state, urls.c.reason, urls.c.run, urls.c.next_due, urls.c.priority,
    urls.c.depth, urls.c.referrer, urls.c.anchor_text, urls.c.meta, urls.c.last_fetched, urls.c.article,
)  # fmt: skip
CHANGING = update(urls).where(urls.c.fingerprint == bindparam("which"))
REQUEUING = CHANGING.where(*(urls.c.state != state for state in TAKEN))
#: By how much the priority of a link is higher than that of the next one on the page, which breaks ties.
TIE = 1e-4
#: The reason of a page that is more links away than the arguments allow, until a shorter path is found.
TOO_DEEP = "too_deep"


class QueuedCount(NamedTuple):
    """An outcome's links: how many were newly queued, and how many likely articles were never seen before."""

    waiting: int = 0
    new: int = 0


def queue_links(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> list[QueuedCount]:
    """Queues the links of each outcome, and counts them."""
    links = [_links_of(outcome) for outcome in outcomes]
    found = rows_in(connection, KNOWN, urls.c.fingerprint, chain.from_iterable(links))
    known: dict[str, Mapping[Any, Any]] = {row.fingerprint: row._mapping for row in found}
    other_runs = {row["run"] for row in known.values()} - {outcome.run for outcome in outcomes}
    alive = set(connection.scalars(leases.live_runs(now))) if other_runs else set()
    announced = find_announced(connection, outcomes, links, known)
    new, requeued = dict[str, RowValues](), dict[str, RowValues]()
    better: dict[str, str | None] = {}
    counts = []
    for outcome, by_key in zip(outcomes, links, strict=True):
        waiting = promising = 0
        for position, (key, link) in enumerate(by_key.items()):
            priority = link.priority - position * TIE
            row = known.get(key)
            if row is None:
                new[key] = known[key] = _row(outcome, link, priority)
                promising += link.kind in PAGE_KINDS and is_promising(link.priority)
            elif key in announced or _may_requeue(link, priority, row, outcome.run, alive, now):
                announced.discard(key)
                values = _row(outcome, link, priority)
                values["meta"] = _merged_meta(values["meta"], row["meta"], is_older=True)
                if row.get("article"):
                    values["meta"] = _as_linked(values["meta"], outcome.run)
                if row["run"] == outcome.run:
                    values["depth"] = min(link.depth, row["depth"])
                better.pop(key, None)
                (new if key in new else requeued)[key] = known[key] = values
            else:  # in any state: a page that is fetched or read again gets the listing
                meta = row["meta"]
                if row["reason"] in REMOVED_REASONS:
                    continue
                if link.meta and not link.meta.keys().isdisjoint((LISTING, REDIRECTED)):
                    meta = _merged_meta(meta, as_meta(link.meta))
                if row.get("article") and row["run"] == outcome.run and row["state"] not in READ:
                    meta = _as_linked(meta, outcome.run)
                if meta != row["meta"]:
                    better[key], known[key] = meta, {**row, "meta": meta}
                continue
            waiting += not link.left_out
        counts.append(QueuedCount(waiting, promising))
    _write_links(connection, new, requeued, better)
    return counts


def queue_listed(connection: Connection, listed: Sequence[ListedUrl], run: int, now: datetime) -> QueuedCount:
    """Queues the pages of a large list: those without a row by a plain insertion, the others as links."""
    by_key: dict[str, ListedUrl] = {}
    for one in listed:
        if len(one.url) <= LONGEST_URL:
            by_key.setdefault(fingerprint(one.url), one)
    known = {row[0] for row in rows_in(connection, select(urls.c.fingerprint), urls.c.fingerprint, by_key)}
    links = [
        QueuedLink(url, text, priority=priority, depth=1, referrer=referrer, meta=json.loads(meta) if meta else None)
        for url, text, meta, priority, referrer in map(by_key.__getitem__, filter(known.__contains__, by_key))
    ]
    outcome = PageOutcome("", UrlState.queued, links=links, run=run)
    queued = queue_links(connection, [outcome], now)[0] if links else QueuedCount()
    new = [(position, key, one) for position, (key, one) in enumerate(by_key.items()) if key not in known]
    site_names = {origin: site_column(origin) for origin in {_origin(one.url) for _, _, one in new}}
    add_missing(connection, sites, [{"site": site, "first_seen": now} for site in sorted({*site_names.values()})])
    at = driver_value(connection, urls.c.first_seen, now)
    rows = [  # values of LISTED
        (
            key,
            one.url,
            site_names[_origin(one.url)],
            one.meta,
            one.anchor_text,
            one.referrer,
            one.priority - position * TIE,
            run,
            at,
            UrlState.queued.value,
            "",
            1,
        )
        for position, key, one in new
    ]
    insert_rows(connection, urls, LISTED, sorted(rows, key=itemgetter(0)))
    promising = sum(is_promising(one.priority) for _, _, one in new)
    return QueuedCount(queued.waiting + len(rows), queued.new + promising)


def _origin(url: str) -> str:
    """Scheme, host and port of a URL."""
    return "/".join(url.split("/", 3)[:3])


def _links_of(outcome: PageOutcome) -> dict[str, QueuedLink]:
    """The links of an outcome that may have a row, by fingerprint; the first of each.

    Only a site itself says what its URLs are. What another one says, in a list or by a redirect, is a link, unless the
    user gave the URL that redirects.
    """
    links: dict[str, QueuedLink] = {}
    for link in outcome.links:
        if len(link.url) <= LONGEST_URL and site_column(link.url):
            owners = [*filter(None, (outcome.url, link.referrer))]
            if owners and not link.is_given and not any(is_of_site(link.url, owner) for owner in owners):
                meta = {name: value for name, value in (link.meta or {}).items() if name not in SITE_META}
                kind = "page" if link.kind in SITE_KINDS else link.kind
                link = replace(link, kind=kind, meta=meta or None, refetch=False, anchor_text="")
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
    """Writes rows in the order of fingerprints, so that two writers with the same links don't deadlock."""
    first_seen = {values["site"]: values["first_seen"] for values in new.values()}
    add_missing(connection, sites, [{"site": site, "first_seen": at} for site, at in sorted(first_seen.items())])
    add_missing(connection, urls, [{"fingerprint": key, **values} for key, values in sorted(new.items())])
    changed = [{"which": key, **values} for key, values in sorted(requeued.items())]
    for row in changed:
        del row["url"], row["site"], row["first_seen"]
    execute_many(connection, REQUEUING, changed)
    execute_many(connection, CHANGING, [{"which": key, "meta": meta} for key, meta in sorted(better.items())])


def as_meta(values: Mapping[str, object] | None) -> str | None:
    """The value of the column `meta` of the table `urls`."""
    return json.dumps(values, ensure_ascii=False) if values else None


def redirected(meta: str | None) -> Sequence[str]:
    """The URLs that redirected to the one of this meta."""
    return json.loads(meta).get(REDIRECTED, ()) if meta and REDIRECTED in meta else ()


def _merged_meta(meta: str | None, other: str | None, *, is_older: bool = False) -> str | None:
    """The request's meta, with the other one's listing if that says more, and unless that is older, its redirects."""
    values, others = (json.loads(text) if text else {} for text in (meta, other))
    added: dict[str, object] = {}
    if (listing := Listing.from_dict(others.get(LISTING))) is not None:
        known = Listing.from_dict(values.get(LISTING))
        best = listing if known is None else listing.merged(known) if is_older else known.merged(listing)
        added = {} if best == known else {LISTING: best.to_dict()}
    origins = values.get(REDIRECTED, [])
    new = [] if is_older else [url for url in others.get(REDIRECTED, []) if url not in origins]
    if new and len(origins) < MAX_REDIRECTED:
        added[REDIRECTED] = origins + new
    return as_meta({**values, **added}) if added else meta


def _as_linked(meta: str | None, run: int | None) -> str | None:
    """The meta of a request for an article that a page of this run links to."""
    values = json.loads(meta) if meta else {}
    return meta if values.get(LINKED) == run else json.dumps({**values, LINKED: run}, ensure_ascii=False)


def _may_requeue(
    link: QueuedLink, priority: float, row: Mapping[str, Any], run: int | None, alive: set[int], now: datetime
) -> bool:
    """Whether a known URL should be queued for this run, move up in the queue, or leave it."""
    state = row["state"]
    if state in TAKEN:
        return False
    if link.left_out:  # "too_deep" is true of one path to the page only, and this run has found a shorter one
        return link.left_out != TOO_DEEP and state in WAITING and row["run"] == run
    if state == UrlState.dropped and row["reason"] == TOO_DEEP:
        return True
    if state in WAITING:
        return bool(priority > row["priority"] + 1) if row["run"] == run else row["run"] not in alive
    if row["run"] == run:
        return link.refetch and bool(link.meta and link.meta.get("redirect_times"))
    return link.refetch or (row["next_due"] is not None and row["next_due"] <= now)
