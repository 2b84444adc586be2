"""The URL ledger: one row a URL, from first seen as a link to where it ended."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Any

from sqlalchemy import Connection, case, func, null, select
from sqlalchemy.dialects import postgresql, sqlite
from w3lib.url import canonicalize_url

from newsextract.store.outcome import PageOutcome, UrlState
from newsextract.store.schema import UNSTORABLE, sites, urls
from newsextract.urls import REMEMBERED, site_of, split_url, strip_tracking

#: Longer URLs are traps, not pages; they get no row.
LONGEST_URL = 4000
LONGEST_SITE = 255
#: Values an IN (...) takes at once on every database.
CHUNK = 1000


@dataclass(frozen=True)
class UrlRow:
    """What the ledger knows of a URL."""

    url: str
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


@lru_cache(REMEMBERED)
def fingerprint(url: str) -> str:
    """What two spellings of one request share: tracking parameters, fragment, order of the query do not count."""
    plain = strip_tracking(UNSTORABLE.sub("�", url))
    return hashlib.sha256((canonicalize_url(plain) if split_url(plain) else plain).encode()).hexdigest()


def site_column(url: str) -> str:
    """The URL's site, short enough to be indexed; no real host is longer."""
    return site_of(url)[:LONGEST_SITE]


def insert(connection: Connection, table: Any) -> Any:
    """An INSERT that knows ON CONFLICT; both dialects spell it alike."""
    return (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(table)


def chunked(values: Iterable[Any]) -> Iterator[list[Any]]:
    """Values in portions that an IN (...) takes."""
    rest = iter(values)
    while some := list(islice(rest, CHUNK)):
        yield some


def lock_sites(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Notes the sites that were fetched from, and when; other writers of these sites wait here for this transaction.

    Two articles that compete for a key are of one site, so a site's lock is all that deciding between them needs.
    """
    fetched = {site_column(outcome.url): outcome.when for outcome in sorted(outcomes, key=lambda o: o.when)}
    rows = [{"site": site, "first_seen": at, "last_fetched": at} for site, at in sorted(fetched.items()) if site]
    if rows:
        adding = insert(connection, sites)
        newer = {"last_fetched": adding.excluded.last_fetched}
        connection.execute(adding.on_conflict_do_update(index_elements=["site"], set_=newer), rows)


@dataclass(frozen=True)
class Ended:
    """Where a URL ended: what was told of it, the state that this made, its article, and when it is due again."""

    outcome: PageOutcome
    state: UrlState
    article: int | None = None
    due: datetime | None = None


def set_states(connection: Connection, ended: Mapping[str, Ended]) -> None:
    """Writes where URLs ended, by fingerprint. The lease ends and the attempt counts, unless the page is held."""
    rows = [{"fingerprint": key, **_row(end)} for key, end in sorted(ended.items())]
    if not rows:
        return
    adding = insert(connection, urls)
    new = adding.excluded
    updated = {name: new[name] for name in ("state", "reason", "last_fetched", "run", "next_due")}
    for name in (
        "etag",
        "last_modified",
        "page_hash",
        "article",
        "status",
    ):  # a failed fetch tells nothing new of these
        updated[name] = func.coalesce(new[name], urls.c[name])
    updated["depth"] = case((new.depth < urls.c.depth, new.depth), else_=urls.c.depth)
    held = new.state == UrlState.held
    updated["attempts"] = urls.c.attempts + case((held, 0), else_=1)
    for name in ("lease_owner", "lease_until"):
        updated[name] = case((held, urls.c[name]), else_=null())
    connection.execute(adding.on_conflict_do_update(index_elements=["fingerprint"], set_=updated), rows)


def _row(end: Ended) -> dict[str, Any]:
    outcome = end.outcome
    return {
        "url": outcome.url,
        "site": site_column(outcome.url),
        "state": end.state,
        "reason": outcome.reason,
        "depth": outcome.depth,
        "status": outcome.status,
        "etag": outcome.etag,
        "last_modified": outcome.last_modified,
        "page_hash": outcome.page_hash,
        "next_due": end.due,
        "first_seen": outcome.when,
        "last_fetched": outcome.when,
        "attempts": 1,
        "run": outcome.run,
        "article": end.article,
        "lease_owner": None,
        "lease_until": None,
    }


def known(connection: Connection, fingerprints: Iterable[str]) -> dict[str, tuple[UrlState, int | None]]:
    """State and article of those URLs that the ledger has."""
    found: dict[str, tuple[UrlState, int | None]] = {}
    for some in chunked(sorted(set(fingerprints))):
        query = select(urls.c.fingerprint, urls.c.state, urls.c.article).where(urls.c.fingerprint.in_(some))
        found.update({row.fingerprint: (UrlState(row.state), row.article) for row in connection.execute(query)})
    return found


def look_up(connection: Connection, url: str) -> UrlRow | None:
    """The ledger's row of a URL, if it was ever seen."""
    query = select(*(urls.c[name] for name in UrlRow.__dataclass_fields__)).where(
        urls.c.fingerprint == fingerprint(url)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else UrlRow(**{**row._mapping, "state": UrlState(row.state)})


def states(connection: Connection) -> dict[UrlState, int]:
    """How many URLs stand in each state."""
    counted = connection.execute(select(urls.c.state, func.count()).group_by(urls.c.state))
    return {UrlState(state): count for state, count in counted}


def urls_in(connection: Connection, state: UrlState) -> list[str]:
    """The URLs that stand in a state."""
    return list(connection.execute(select(urls.c.url).where(urls.c.state == state)).scalars())
