"""The table `urls`: one row per URL, from the link where it was first seen to the state in which it ended."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Table, case, func, null, select, update
from sqlalchemy.dialects import sqlite
from w3lib.url import canonicalize_url

from newsextract.reasons import UrlState
from newsextract.store.outcome import PageOutcome
from newsextract.store.schema import LONGEST_SITE, replace_unstorable, sites, urls
from newsextract.urls import REMEMBERED, site_of, split_url, strip_tracking

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

T = TypeVar("T")

#: Longer URLs are crawler traps; they get no row.
LONGEST_URL = 4000
#: How many values an IN (...) takes on every database.
CHUNK = 1000


@dataclass(frozen=True)
class UrlRow:
    """A row of `urls`, as `newsextract why` shows it."""

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


@dataclass(frozen=True, slots=True)
class RunUrl:
    """A URL of a run: what is there, and what it came to."""

    url: str
    kind: str
    state: str
    reason: str
    article: int | None


@lru_cache(REMEMBERED)
def fingerprint(url: str) -> str:
    """SHA-256 of the canonicalized URL: equal for URLs that differ in tracking parameters, fragment or query order."""
    plain = strip_tracking(replace_unstorable(url))
    return hashlib.sha256((canonicalize_url(plain) if split_url(plain) else plain).encode()).hexdigest()


def site_column(url: str) -> str:
    """The URL's site, cut to the length that is indexed."""
    return site_of(url)[:LONGEST_SITE]


def insert(connection: Connection, table: Table) -> "sqlite.Insert | postgresql.Insert":
    """An INSERT that supports ON CONFLICT; SQLite and PostgreSQL spell it alike."""
    return _insert(connection.dialect.name, table)


def upsert(
    connection: Connection, table: Table, keys: tuple[str, ...], replaced: tuple[str, ...]
) -> "sqlite.Insert | postgresql.Insert":
    """An INSERT that replaces these columns of a row with the same keys."""
    return _upsert(connection.dialect.name, table, keys, replaced)


def _insert(dialect: str, table: Table) -> "sqlite.Insert | postgresql.Insert":
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # takes a tenth of a second, which SQLite's users need not wait for

    return postgresql.insert(table)


@cache
def _upsert(
    dialect: str, table: Table, keys: tuple[str, ...], replaced: tuple[str, ...]
) -> "sqlite.Insert | postgresql.Insert":
    """Built once: it takes longer to build than to execute."""
    inserting = _insert(dialect, table)
    values = {name: inserting.excluded[name] for name in replaced}
    return inserting.on_conflict_do_update(index_elements=[*keys], set_=values)


def chunked(values: Iterable[T]) -> Iterator[list[T]]:
    """The values in lists of at most CHUNK."""
    remaining = iter(values)
    while chunk := list(islice(remaining, CHUNK)):
        yield chunk


def lock_sites(connection: Connection, outcomes: Sequence[PageOutcome]) -> None:
    """Updates `last_fetched` of the sites, which locks their rows against other writers until the transaction ends.

    Two articles that compete for a key are of one site, so a site's lock is all that deciding between them needs.
    """
    fetched = {site_column(outcome.url): outcome.when for outcome in sorted(outcomes, key=lambda o: o.when)}
    rows = [{"site": site, "first_seen": at, "last_fetched": at} for site, at in sorted(fetched.items()) if site]
    if rows:
        connection.execute(upsert(connection, sites, ("site",), ("last_fetched",)), rows)


@dataclass(frozen=True)
class UrlEnd:
    """Where a fetch left a URL: its outcome, its new state, the article it led to, and when it is due again."""

    outcome: PageOutcome
    state: UrlState
    article: int | None = None
    due: datetime | None = None


def set_states(connection: Connection, ends: Mapping[str, UrlEnd]) -> None:
    """Writes the new states, by fingerprint. The lease ends, and the attempt is counted."""
    rows = [{"fingerprint": key, **_row(end)} for key, end in sorted(ends.items())]
    if rows:
        connection.execute(_ending(connection.dialect.name), rows)


@cache
def _ending(dialect: str) -> "sqlite.Insert | postgresql.Insert":
    inserting = _insert(dialect, urls)
    new = inserting.excluded
    values: dict[str, Any] = {name: new[name] for name in ("state", "reason", "last_fetched", "run", "next_due")}
    for name in ("etag", "last_modified", "page_hash", "article", "status", "meta"):  # a failed fetch has no new values
        values[name] = func.coalesce(new[name], urls.c[name])
    values["depth"] = case((new.depth < urls.c.depth, new.depth), else_=urls.c.depth)
    values["attempts"] = urls.c.attempts + 1
    values["lease_owner"] = values["lease_until"] = null()
    return inserting.on_conflict_do_update(index_elements=["fingerprint"], set_=values)


def settle(connection: Connection, ends: Mapping[str, UrlEnd], retracted: Collection[str]) -> None:
    """Writes the states of URLs, by fingerprint, that are pending, or whose articles were retracted."""
    for key, end in sorted(ends.items()):
        values: dict[str, Any] = {"state": end.state, "reason": end.outcome.reason, "next_due": end.due}
        if end.article is not None:
            values["article"] = end.article
        changing = update(urls).where(urls.c.fingerprint == key)
        if key not in retracted:
            changing = changing.where(urls.c.state == UrlState.pending)
        connection.execute(changing.values(values))


def _row(end: UrlEnd) -> dict[str, Any]:
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
        "meta": None if outcome.meta is None else json.dumps(outcome.meta, ensure_ascii=False),
        "next_due": end.due,
        "first_seen": outcome.when,
        "last_fetched": outcome.when,
        "attempts": 1,
        "run": outcome.run,
        "article": end.article,
        "lease_owner": None,
        "lease_until": None,
    }


def states_and_articles(connection: Connection, fingerprints: Iterable[str]) -> dict[str, tuple[UrlState, int | None]]:
    """State and article id of the URLs that have a row, by fingerprint."""
    rows: dict[str, tuple[UrlState, int | None]] = {}
    for chunk in chunked(sorted(set(fingerprints))):
        query = select(urls.c.fingerprint, urls.c.state, urls.c.article).where(urls.c.fingerprint.in_(chunk))
        rows.update({row.fingerprint: (UrlState(row.state), row.article) for row in connection.execute(query)})
    return rows


def look_up(connection: Connection, url: str) -> UrlRow | None:
    """The row of a URL; None if it was never seen."""
    query = select(*(urls.c[name] for name in UrlRow.__dataclass_fields__)).where(
        urls.c.fingerprint == fingerprint(url)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else UrlRow(**{**row._mapping, "state": UrlState(row.state)})


def count_states(connection: Connection) -> dict[UrlState, int]:
    """How many URLs are in each state."""
    counted = connection.execute(select(urls.c.state, func.count()).group_by(urls.c.state))
    return {UrlState(state): count for state, count in counted}


def of_run(connection: Connection, run: int) -> list[RunUrl]:
    """The URLs that a run touched last."""
    columns = (urls.c[name] for name in RunUrl.__dataclass_fields__)
    return [RunUrl(**row._mapping) for row in connection.execute(select(*columns).where(urls.c.run == run))]


def urls_in(connection: Connection, state: UrlState) -> list[str]:
    """The URLs in a state."""
    return list(connection.execute(select(urls.c.url).where(urls.c.state == state)).scalars())
