"""How found links enter the ledger: new ones wait, known ones wait again where this run may still fetch them."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, select, update

from newsextract.items import Link
from newsextract.store.outcome import TAKEN, WAITING, Lead, Outcome
from newsextract.store.schema import runs, sites, urls
from newsextract.store.url_states import LONGEST_URL, chunked, fingerprint, insert, site_column
from newsextract.urls import strip_tracking

Known = Row[Any]


def queue_links(connection: Connection, outcomes: Sequence[Outcome], now: datetime) -> list[int]:
    """Queues the links of these pages; for each of them how many are to be fetched that were not before."""
    wanted = [rows_of(outcome) for outcome in outcomes]
    known = _known(connection, {key for rows in wanted for key in rows})
    counts = []
    for outcome, rows in zip(outcomes, wanted, strict=True):
        counts.append(_queue(connection, rows, known, outcome.run, now) if rows else 0)
    return counts


def rows_of(outcome: Outcome) -> dict[str, tuple[Lead, dict[str, Any]]]:
    """The rows of an outcome's links by fingerprint; of two with one fingerprint, the first."""
    rows: dict[str, tuple[Lead, dict[str, Any]]] = {}
    for position, link in enumerate(outcome.links):
        if len(link.url) > LONGEST_URL or not (site := site_column(link.url)):
            continue
        lead = link if isinstance(link, Lead) else _as_lead(link)
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


def _as_lead(link: Link) -> Lead:
    return Lead(link.url, link.anchor_text, link.key)


def _known(connection: Connection, fingerprints: Iterable[str]) -> dict[str, Known]:
    columns = (urls.c.fingerprint, urls.c.state, urls.c.run, urls.c.next_due, urls.c.priority)
    found: dict[str, Known] = {}
    for some in chunked(sorted(fingerprints)):
        rows = connection.execute(select(*columns).where(urls.c.fingerprint.in_(some)))
        found.update({row.fingerprint: row for row in rows})
    return found


def _queue(
    connection: Connection,
    rows: dict[str, tuple[Lead, dict[str, Any]]],
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


def _may_return(lead: Lead, priority: float, row: Known, run: int | None, alive: set[int], now: datetime) -> bool:
    """Whether a URL that the ledger has is to wait for this run, or to wait with a higher priority."""
    if row.state in TAKEN:
        return False
    if row.state in WAITING:
        return priority > row.priority + 1 if row.run == run else row.run not in alive
    if row.run == run:
        return lead.again and bool(lead.meta and lead.meta.get("redirect_times"))
    return lead.again or (row.next_due is not None and row.next_due <= now)


def _alive(connection: Connection, run: int | None, now: datetime) -> set[int]:
    """Other runs that somebody works on."""
    query = select(runs.c.id).where(runs.c.finished_at.is_(None), runs.c.alive_until > now, runs.c.id != (run or 0))
    return set(connection.execute(query).scalars())
