"""How the URLs of a committed group end: their states, failures in a row, and when they are due again."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Row, update
from sqlalchemy.dialects import sqlite

from newsextract.reasons import FORGOTTEN, GONE_STATUSES, REMOVED_REASONS, UrlState
from newsextract.store.engine import RowValues, execute_many, insert, rows_in
from newsextract.store.identity import Resolution
from newsextract.store.links import as_meta, redirected
from newsextract.store.outcome import OPEN, PageOutcome, RequestedUrl
from newsextract.store.recrawl_policy import count_failures, missing_before, next_due
from newsextract.store.schema import fingerprint, site_column, urls

#: Days on which an article must have been gone.
GONE_DAYS = 3
#: States of pages that need not be decided again.
DECIDED = (UrlState.stored, UrlState.unchanged, UrlState.not_article, UrlState.pending)
FAILURES: sa.Select[Any] = sa.select(
    urls.c.fingerprint, urls.c.state, urls.c.kind, urls.c.priority, urls.c.reason, urls.c.article, urls.c.failures,
    urls.c.last_fetched, urls.c.meta,
)  # fmt: skip


@dataclass(slots=True)
class _Ends:
    """The ends of a group's URLs, by fingerprint.

    `rows`: of fetched URLs; `settled`: of URLs that were committed before. `gone`: those that were gone on several
    days. `origins`: when URLs are due that redirect to one that fails.
    """

    rows: dict[str, RowValues] = field(default_factory=dict)
    settled: dict[str, RowValues] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    origins: dict[str, datetime] = field(default_factory=dict)


def end_urls(
    connection: Connection,
    resolutions: Sequence[Resolution],
    new_links: Sequence[int],
    outdated: Collection[int],
    retracted: Collection[str],
    now: datetime,
) -> set[str]:
    """Writes the states of the outcomes' URLs; returns which were gone on several days."""
    outcomes = [one.outcome for one in resolutions]
    before, astray = read_failures(connection, outcomes)
    ends = _Ends()
    for resolution, new in zip(resolutions, new_links, strict=True):
        if id(resolution.outcome) not in outdated:
            key = fingerprint(resolution.outcome.url)
            _end_url(ends, resolution, new, now, key, before.get(key), leads_on=key not in astray)
    set_states(connection, ends.rows)
    forgotten = [fingerprint(outcome.url) for outcome in outcomes if outcome.reason in REMOVED_REASONS]
    if forgotten:  # the text of a link to a removed article is its headline
        connection.execute(update(urls).where(urls.c.fingerprint.in_(forgotten)).values(anchor_text=None, meta=None))
    settle_urls(connection, ends.settled, retracted)
    delay_redirects(connection, ends.origins)
    return ends.gone


def _end_url(
    ends: _Ends,
    resolution: Resolution,
    new_links: int,
    now: datetime,
    key: str,
    known: Row[Any] | None,
    *,
    leads_on: bool,
) -> None:
    """Adds how one URL ends; `known`: its row, if it has no article now."""
    outcome, article = resolution.outcome, resolution.stored.id if resolution.stored else None
    state = outcome.state
    if state == UrlState.stored and resolution.kind == "unchanged":
        state = UrlState.unchanged
    failures, later = count_failures(outcome, state, resolution.article, known, leads_on), 0
    if known is not None and outcome.response.status in GONE_STATUSES:
        later = missing_before(known)
        if known.article is not None and failures >= GONE_DAYS:
            ends.gone.add(key)
    due = next_due(outcome, state, resolution.article, new_links, now, failures + later, leads_on=leads_on)
    if known is not None and failures and due:  # what redirects to a wall is due with it
        ends.origins |= dict.fromkeys(map(fingerprint, redirected(known.meta)), due)
    if outcome.settles:
        ends.settled[key] = ended_row(outcome, state, article, due, failures)
        return
    for url in outcome.parts:
        part = PageOutcome(url, state, "part", run=outcome.run, requested=RequestedUrl(outcome.requested.depth))
        ends.rows[fingerprint(url)] = ended_row(part, state, article)
    ends.rows[key] = ended_row(outcome, state, article, due, failures)


def ended_row(
    outcome: PageOutcome, state: UrlState, article: int | None, due: datetime | None = None, failures: int = 0
) -> RowValues:
    """The row of a URL whose outcome has this state; `article`: what it led to; `due`: when to fetch it again."""
    response = outcome.response
    return {
        "url": outcome.url,
        "site": site_column(outcome.url),
        "state": state,
        "reason": outcome.reason,
        "run": outcome.run,
        "depth": outcome.requested.depth,
        "status": response.status,
        "etag": response.etag,
        "last_modified": response.last_modified,
        "page_hash": response.page_hash,
        "entries": outcome.list_read.entries,
        "meta": as_meta(outcome.meta),
        "next_due": due,
        "failures": failures,
        "first_seen": outcome.when,
        "last_fetched": outcome.when,
        "attempts": 1,
        "article": article,
    }


def set_states(connection: sa.Connection, ends: Mapping[str, RowValues]) -> None:
    """Writes the new states, by fingerprint: rows of `ended_row`. The lease ends, and the attempt is counted."""
    rows = [{"fingerprint": key, **end} for key, end in sorted(ends.items())]
    execute_many(connection, _ending(connection.dialect.name), rows)


@cache
def _ending(dialect: str) -> sqlite.Insert:
    inserting = insert(dialect, urls)
    new = inserting.excluded
    values: RowValues = {name: new[name] for name in ("state", "reason", "last_fetched", "run", "next_due")}
    values["failures"] = sa.case((sa.or_(*(new.state == state for state in OPEN)), urls.c.failures), else_=new.failures)
    for name in (
        "etag",
        "last_modified",
        "page_hash",
        "entries",
        "article",
        "status",
        "meta",
    ):  # a failed fetch has no new values
        values[name] = sa.func.coalesce(new[name], urls.c[name])
    values["depth"] = sa.case((new.depth < urls.c.depth, new.depth), else_=urls.c.depth)
    values["attempts"] = urls.c.attempts + 1
    values["lease_owner"] = values["lease_until"] = sa.null()
    return inserting.on_conflict_do_update(index_elements=["fingerprint"], set_=values)


def settle_urls(connection: sa.Connection, ends: Mapping[str, RowValues], retracted: Collection[str]) -> None:
    """Writes the states of URLs, by fingerprint, that were pending, or whose articles were retracted."""
    for key, end in sorted(ends.items()):
        values = {name: end[name] for name in ("state", "reason", "next_due", "failures")}
        values["article"] = sa.func.coalesce(end["article"], urls.c.article)
        changing = sa.update(urls).where(urls.c.fingerprint == key)
        if key not in retracted:
            changing = changing.where(urls.c.state == UrlState.pending)
        connection.execute(changing.values(values))


def read_failures(
    connection: sa.Connection, outcomes: Sequence[PageOutcome]
) -> tuple[dict[str, sa.Row[Any]], set[str]]:
    """What is known about URLs that have no article now, by fingerprint; and which redirects lead to a known page that
    isn't an article.
    """
    failed = {fingerprint(one.url) for one in outcomes if one.article is None and one.state not in OPEN}
    targets = {one.url: fingerprint(one.target) for one in outcomes if one.target}
    found = rows_in(connection, FAILURES, urls.c.fingerprint, failed.union(targets.values()))
    rows = {row.fingerprint: row for row in found}
    astray = set()
    for url, key in targets.items():
        if (target := rows.get(key)) is not None:
            is_own = target.state == UrlState.queued and url in redirected(target.meta)[:1]
            if not is_own and target.article is None:
                astray.add(fingerprint(url))
    return {key: rows[key] for key in failed & rows.keys()}, astray


def delay_redirects(connection: sa.Connection, due: Mapping[str, datetime]) -> None:
    """Makes URLs that redirect due at these times, by fingerprint."""
    redirects = (urls.c.fingerprint == sa.bindparam("which")) & (urls.c.state == UrlState.redirected)
    rows = [{"which": key, "next_due": at} for key, at in sorted(due.items())]
    execute_many(connection, sa.update(urls).where(redirects), rows)


def read_captures(connection: sa.Connection, outcomes: Sequence[PageOutcome]) -> tuple[set[int], set[int]]:
    """The captures of an archive that are known, and those whose URLs were fetched later, or then; as `id`s of objects.

    The state of a URL that was fetched later stays, and what ended since stays ended.
    """
    captured = {fingerprint(one.url) for one in outcomes if one.captured}
    query = sa.select(urls.c.fingerprint, urls.c.last_fetched, urls.c.state, urls.c.reason)
    rows = {row.fingerprint: row for row in rows_in(connection, query, urls.c.fingerprint, captured)}
    known, outdated = set(), set()
    for one in outcomes:
        if one.captured and (row := rows.get(fingerprint(one.url))) is not None:
            if row.last_fetched is not None and row.last_fetched >= one.when:
                outdated.add(id(one))
            if is_known_capture(row, one.at):
                known.add(id(one))
    return known, outdated


def is_known_capture(row: sa.Row[*tuple[Any, ...]], at: datetime | None) -> bool:
    """Whether the page fetched at that time was decided before, or its URL is forgotten for good."""
    return row.reason == FORGOTTEN or (row.last_fetched == at and row.state in DECIDED)
