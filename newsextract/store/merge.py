"""Merges another database into one: articles by identity, versions, corrections, removals, URLs, and what was learned.

All is written in one transaction. Nothing that the database has gets another number: its versions keep theirs, those of
the other one follow (`history` shows them in order of time), and each article that is new or changed by the merge is a
change of now. So exports as of earlier changes and the cursors of this database stay as they are. Merging the same
database again changes nothing.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Table, insert, select, text, update

from newsextract.errors import WrongCall
from newsextract.reasons import FORGOTTEN, UrlState
from newsextract.store.admin import remove_by_id
from newsextract.store.changes import last_change, take_numbers
from newsextract.store.engine import CHUNK, RowValues, add_missing, chunked, database_now, execute_many, rows_in
from newsextract.store.histories import OF_MERGED, begin_history, history_id
from newsextract.store.leases import NO_LEASE, refuse_running
from newsextract.store.merge_articles import merge_batch
from newsextract.store.names import RemovedNames, find_removed_names, take_name_out
from newsextract.store.outcome import OPEN
from newsextract.store.removals import find_like, keep_texts, read_kept_texts
from newsextract.store.schema import (
    article_versions,
    articles,
    histories,
    peers,
    removals,
    removed_names,
    runs,
    site_pages,
    sites,
    urls,
)
from newsextract.store.store import Store

#: The reason of an unfinished run of the other database, whose URLs the next run here takes over.
MERGED = "merged"
#: Called with how many articles of the other database are merged, and how many it has.
Progress = Callable[[int, int], None]


@dataclass
class MergeResult:
    """What a merge did: articles of the other database by what became of them, removed ones, and URLs added.

    `here`: the ids of its articles here, by those there.
    """

    new: int = 0
    changed: int = 0
    known: int = 0
    left_out: int = 0
    removed: int = 0
    urls: int = 0
    here: dict[int, int] = field(default_factory=dict)


def merge_stores(target: Store, other: Store, progress: Progress = lambda done, of: None) -> MergeResult:
    """Merges the other database into the target, all or nothing.

    Raises WrongCall for the same database, DatabaseError while either is crawled.
    """
    with other.database.reading() as reading:
        if not other.database.is_sqlite:
            reading.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        refuse_running(reading, other.name, "merge")
        return target.write(lambda writing: _merge(reading, writing, target.name, other.name, progress))


def _merge(reading: Connection, writing: Connection, name: str, other: str, progress: Progress) -> MergeResult:
    if writing.dialect.name != "sqlite":
        writing.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
    take_numbers(writing, 0)  # other writers wait until the merge is done
    refuse_running(writing, name, "merge")
    if history_id(reading) == history_id(writing) and last_change(reading) == last_change(writing):
        raise WrongCall(f"{other} is the same database as {name}, or a copy of its file: there is nothing to merge")
    before, now, result = last_change(writing), database_now(writing), MergeResult()
    result.removed = _merge_removals(reading, writing, now)
    names = _merge_names(reading, writing, now)
    _merge_sites(reading, writing)
    known_runs = _merge_runs(reading, writing, now)
    ids = reading.scalars(select(articles.c.id).order_by(articles.c.id)).all()
    for start in range(0, len(ids), CHUNK):
        batch = merge_batch(reading, writing, ids[start : start + CHUNK], known_runs, names, now)
        result.here |= batch.here
        result.new += batch.new
        result.changed += batch.changed
        result.known += batch.known
        result.left_out += batch.left_out
        progress(min(start + CHUNK, len(ids)), len(ids))
    result.urls = _merge_urls(reading, writing, result.here, known_runs)
    _merge_pages(reading, writing)
    _merge_histories(reading, writing)
    if last_change(writing) > before:
        begin_history(writing)
    return result


def _merge_removals(reading: Connection, writing: Connection, now: datetime) -> int:
    """Removes here what was removed there, and keeps it away; returns how many articles that were."""
    known = set(writing.scalars(select(removals.c.key_hash)))
    rows = [row for row in reading.execute(select(removals).order_by(removals.c.change)) if row.key_hash not in known]
    kept = read_kept_texts(reading, [row.change for row in rows])
    texts = [*chain.from_iterable(kept.values())]
    query = select(articles.c.id, articles.c.site, articles.c.content_hash)
    ids = {row.id for row in rows_in(writing, query, articles.c.key_hash, [row.key_hash for row in rows])}
    hashes = {(text.site, text.content_hash) for text in texts if text.content_hash}
    alike = rows_in(writing, query, articles.c.content_hash, {content_hash for _, content_hash in hashes})
    ids.update(row.id for row in alike if (row.site, row.content_hash) in hashes)
    ids |= find_like(writing, texts)
    remove_by_id(writing, sorted(ids), now)
    known = set(writing.scalars(select(removals.c.key_hash)))
    left = [row for row in rows if row.key_hash not in known]
    numbers = take_numbers(writing, len(left)) if left else ()
    for row, number in zip(left, numbers, strict=True):
        writing.execute(insert(removals).values({**row._mapping, "change": number, "at": now}))
    keep_texts(writing, {number: kept[row.change] for row, number in zip(left, numbers, strict=True)})
    return len(ids)


def _merge_names(reading: Connection, writing: Connection, now: datetime) -> RemovedNames:
    """Takes out the authors' names here that were taken out there; returns those of both sides."""
    here, there = find_removed_names(writing), find_removed_names(reading)
    new = RemovedNames(there.hashes - here.hashes)
    if new.hashes:
        documents = writing.execution_options(yield_per=CHUNK).scalars(select(article_versions.c.document))
        found = {name for document in documents for name in new.named_in(json.loads(document)["authors"])}
        for name in sorted(found, key=lambda name: name.words):
            take_name_out(writing, " ".join(name.words))
    add_missing(writing, removed_names, [{"name_hash": one, "at": now, "articles": 0} for one in sorted(new.hashes)])
    return RemovedNames(here.hashes | there.hashes)


def _merge_sites(reading: Connection, writing: Connection) -> None:
    known = {row.site: row for row in writing.execute(select(sites))}
    added = []
    for row in reading.execute(select(sites)):
        values = {**row._mapping, **NO_LEASE}
        if row.site not in known:
            added.append(values)
            continue
        own = known[row.site]
        times = {"first_seen": min(own.first_seen, row.first_seen), "last_fetched": _later(own, row, "last_fetched")}
        if _later(own, row, "robots_at") != own.robots_at:
            times |= {"robots": row.robots, "robots_at": row.robots_at}
        writing.execute(update(sites).where(sites.c.site == row.site).values(times))
    add_missing(writing, sites, added)


def _later(own: Any, row: Any, name: str) -> datetime | None:
    return max(filter(None, (getattr(own, name), getattr(row, name))), default=None)


def _merge_runs(reading: Connection, writing: Connection, now: datetime) -> dict[int, int]:
    """Adds the runs of the other database, finished; returns their ids here by those there."""
    known = {(row.identity, row.started_at): row.id for row in writing.execute(select(runs).order_by(runs.c.id.desc()))}
    here = {}
    for row in reading.execute(select(runs).order_by(runs.c.id)).all():
        number = known.get((row.identity, row.started_at))
        if number is None:
            values: RowValues = {**row._mapping, "owner": None, "alive_until": None}
            del values["id"]
            if row.finished_at is None:
                values |= {"finished_at": row.alive_until or now, "reason": MERGED}
            number = writing.execute(insert(runs).values(values).returning(runs.c.id)).scalar_one()
        here[row.id] = number
    return here


def _merge_urls(
    reading: Connection, writing: Connection, here: Mapping[int, int], known_runs: Mapping[int, int]
) -> int:
    """Adds URLs, and brings those up to date that the other database fetched later; returns how many are new."""
    added = 0
    own = select(urls.c.fingerprint, urls.c.state, urls.c.reason, urls.c.last_fetched, urls.c.article)
    query = select(urls).order_by(urls.c.fingerprint).execution_options(yield_per=CHUNK)
    for rows in reading.execute(query).partitions(CHUNK):
        keys = {row.fingerprint for row in rows}
        known = {row.fingerprint: row for row in rows_in(writing, own, urls.c.fingerprint, keys)}
        new, newer = [], []
        for row in rows:
            values = _url_here(row, here, known_runs)
            present = known.get(row.fingerprint)
            if present is None:
                new.append(values)
            elif _is_newer(row, present, values["article"]):
                newer.append({"which": values.pop("fingerprint"), **values})
        add_missing(writing, urls, new)
        added += len(new)
        for values in newer:
            key = values.pop("which")
            writing.execute(update(urls).where(urls.c.fingerprint == key).values(values))
    return added


def _url_here(row: Any, here: Mapping[int, int], known_runs: Mapping[int, int]) -> RowValues:
    """The row of a URL as this database has it; what was leased or waited for a decision is fetched again."""
    values: RowValues = {**row._mapping, **NO_LEASE}
    values |= {"article": here.get(row.article), "run": known_runs.get(row.run)}
    if row.state in OPEN:
        values |= {"state": UrlState.queued, "attempts": 0, "next_due": None}
    elif row.article is not None and values["article"] is None:  # the article was removed here
        values |= {"state": UrlState.refused, "reason": FORGOTTEN, "next_due": None, "page_hash": None, "etag": None}
        values |= {"anchor_text": None, "meta": None, "last_modified": None}
    return values


def _is_newer(row: Any, present: Any, article: int | None) -> bool:
    """Whether the other database's row takes the place of the present one: removed, read later, or with an article."""
    if FORGOTTEN in (row.reason, present.reason):
        return bool(present.reason != FORGOTTEN)
    if row.state in OPEN or row.last_fetched is None:
        return False
    if present.last_fetched is None or present.state in OPEN:
        return True
    if (article is None) != (present.article is None):
        return article is not None
    return bool(row.last_fetched > present.last_fetched)


def _merge_pages(reading: Connection, writing: Connection) -> None:
    """Adds what the other database has learned of sites' pages, and its kept pages of sites that have none here."""
    for rows in reading.execute(select(site_pages)).partitions(CHUNK):
        add_missing(writing, site_pages, [{**row._mapping, "run": None} for row in rows])
    known = set(writing.scalars(select(peers.c.site).distinct()))
    _add(writing, peers, (row._mapping for row in reading.execute(select(peers)) if row.site not in known), {"id"})


def _add(writing: Connection, table: Table, rows: Iterable[Mapping[Any, Any]], without: set[str]) -> None:
    for chunk in chunked(rows):
        values = [{name: value for name, value in row.items() if name not in without} for row in chunk]
        execute_many(writing, insert(table), values)


def _merge_histories(reading: Connection, writing: Connection) -> None:
    """Notes whose changes have other numbers here, so that a cursor of the other database can be told so."""
    known = set(writing.scalars(select(histories.c.id)))
    rows = [{"id": one, "last": OF_MERGED} for one in reading.scalars(select(histories.c.id)) if one not in known]
    add_missing(writing, histories, rows)
