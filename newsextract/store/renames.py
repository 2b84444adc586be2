"""Stories that were stored twice: under a new URL before the old one was asked, which then turns out to lead there.

The article that was stored first keeps its id and gets the versions of both; the present one is that of the new URL. A
reader of changes who has both hears that the first one changed and has the second one's URL now. To find such a story
in the crawl that brings its new URL, the old ones of texts like it are asked again (`ask_again`).
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from newsextract.items import Article, StoredArticle
from newsextract.reasons import GONE_KINDS, UrlState
from newsextract.store import duplicates
from newsextract.store.articles import ArticleRecord, as_document, key_hash, read_records, version_row
from newsextract.store.changes import record_changes
from newsextract.store.engine import RowValues, execute_many, rows_in
from newsextract.store.former_urls import Rename, record_renames
from newsextract.store.links import READ
from newsextract.store.manual import with_manual_fields
from newsextract.store.schema import (
    article_row,
    article_versions,
    articles,
    changes,
    corrections,
    fingerprint,
    runs,
    united_changes,
    urls,
)
from newsextract.urls.shapes import is_same_story

#: Articles like a new one that are asked again, those with most of its text first.
MAX_ASKED = 2
NEAR: Select[Any] = select(
    articles.c.id, articles.c.url, articles.c.date_published, articles.c.duplicate_of, articles.c.change_kind,
    articles.c.first_seen_at,
)  # fmt: skip


def unite(
    connection: Connection, pairs: Sequence[tuple[int, int]], now: datetime, run: int | None
) -> dict[int, StoredArticle]:
    """Makes one article of each pair: that of an old URL, and that of the URL to which it leads now.

    Returns the articles as stored, by the first ids of the pairs.
    """
    kept_as: dict[int, int] = {}
    united = {}
    for pair in pairs:
        old, new = (_last(kept_as, number) for number in pair)
        found = {record.id: record for record in read_records(connection, (), {old, new})}
        if len(found) == 2:
            kept, gone = sorted(found)
            kept_as[gone] = kept
            united[pair[0]] = _unite(connection, found[kept], found[gone], found[new], now, run)
    return united


def _last(kept_as: Mapping[int, int], number: int) -> int:
    while number in kept_as:
        number = kept_as[number]
    return number


def _unite(
    connection: Connection,
    kept: ArticleRecord,
    gone: ArticleRecord,
    present: ArticleRecord,
    now: datetime,
    run: int | None,
) -> StoredArticle:
    signature = duplicates.signature_of(connection, present.id)
    duplicates.release(connection, {gone.id}, now, run)
    first_seen = min(filter(None, (kept.article.first_seen_at, gone.article.first_seen_at)), default=None)
    until_now = _move_versions(connection, kept, gone, first_seen)
    connection.execute(update(urls).where(urls.c.article == gone.id).values(article=kept.id))
    connection.execute(delete(articles).where(articles.c.id == gone.id))
    offset, page_hash = (kept.last_version, gone.page_hash) if present is gone else (0, kept.page_hash)
    article = replace(present.article, version=present.article.version + offset, first_seen_at=first_seen)
    last = kept.last_version + gone.last_version
    if (corrected := with_manual_fields(kept.article, article)) is not article:
        article = replace(corrected, version=last + 1)
        connection.execute(insert(article_versions).values(version_row(kept.id, article, page_hash)))
    row = {**article_row(article), "key": present.key, "key_hash": key_hash(present.key)}
    row["last_seen_at"] = max(kept.last_seen_at, gone.last_seen_at)
    connection.execute(update(articles).where(articles.c.id == kept.id).values(row))
    texts = {} if signature is None else {kept.id: signature}
    duplicates.mark(connection, {kept.id: article}, texts, {kept.id}, now, run)
    former = (Rename(one.article.url, article.url, kept.id) for one in (kept, gone))
    record_renames(connection, former, now)
    [change] = record_changes(connection, [(kept.id, article.version, "changed")], now, run)
    execute_many(connection, insert(united_changes), [{**row, "until": change} for row in until_now])
    return article.as_kind(StoredArticle, change=change, change_kind="changed")


def _move_versions(
    connection: Connection, kept: ArticleRecord, gone: ArticleRecord, first_seen: datetime | None
) -> list[RowValues]:
    """Appends one article's versions, with what is logged of them, to those of the other; returns its changes as they
    were, rows of `united_changes` without `until`."""
    of_gone, seen = article_versions.c.article == gone.id, dict[int, datetime | None]()
    changing = update(article_versions).where(of_gone)
    for row in connection.execute(select(article_versions).where(of_gone).order_by(article_versions.c.version)).all():
        version = row.version + kept.last_version
        article = Article.from_dict({**json.loads(row.document), "version": version})
        seen[row.version] = article.first_seen_at
        article.first_seen_at = first_seen
        moved = {"article": kept.id, "version": version, "document": as_document(article)}
        connection.execute(changing.where(article_versions.c.version == row.version).values(moved))
    logged = select(*(changes.c[name] for name in "change article version kind original".split()))
    before = [
        {**row._mapping, "first_seen_at": seen.get(row.version)}
        for row in connection.execute(logged.where(changes.c.article == gone.id))
    ]
    is_new = (changes.c.article == gone.id) & (changes.c.kind == "new")
    connection.execute(update(changes).where(is_new).values(kind="changed"))
    for table in (changes, corrections):
        moving = update(table).where(table.c.article == gone.id)
        connection.execute(moving.values(article=kept.id, version=table.c.version + kept.last_version))
    return before


def ask_again(connection: Connection, alike: Mapping[int, Sequence[int]], run: int) -> dict[int, int]:
    """Queues the URLs of articles that may be the same stories as new ones, unless this run has asked them already.

    `alike`: for each new article those with a text like it. Returns how many were queued for each.
    """
    queued: dict[int, int] = {}
    for number, others in _near(connection, alike).items():
        for other in others[:MAX_ASKED]:
            waiting = (urls.c.fingerprint == fingerprint(other.url)) & urls.c.state.in_(READ) & (urls.c.run != run)
            values = {"state": UrlState.queued, "run": run, "attempts": 0, "next_due": None}
            asked = connection.execute(update(urls).where(waiting, urls.c.article == other.id).values(values)).rowcount
            queued[number] = queued.get(number, 0) + asked
    return queued


def find_successors(connection: Connection, gone: Collection[int]) -> dict[int, int]:
    """For articles whose URLs are gone, those of the same stories that runs stored which began after they were last
    seen: two that one run found are two."""
    found = _near(connection, duplicates.find_alike(connection, gone))
    seen = select(articles.c.id, articles.c.last_seen_at)
    last = {row.id: row.last_seen_at for row in rows_in(connection, seen, articles.c.id, found)}
    began = _began(connection, {one.id for near in found.values() for one in near})
    later = {
        number: [one.id for one in near if began.get(one.id, one.first_seen_at) > last[number]]
        for number, near in found.items()
    }
    return {number: near[0] for number, near in later.items() if near}


def _began(connection: Connection, ids: Collection[int]) -> dict[int, datetime]:
    """When the runs began that stored these articles first, as far as that is known."""
    query = select(changes.c.article, runs.c.started_at).join(runs, runs.c.id == changes.c.run)
    rows = rows_in(connection, query.where(changes.c.kind == "new"), changes.c.article, ids)
    return {row.article: row.started_at for row in rows}


def _near(connection: Connection, alike: Mapping[int, Sequence[int]]) -> dict[int, list[Row[Any]]]:
    """Of the articles with a text like one, those that are a copy of it, or have its date or a number of its URL."""
    numbers = {*alike, *chain.from_iterable(alike.values())}
    known = {row.id: row for row in rows_in(connection, NEAR, articles.c.id, numbers)}
    near: dict[int, list[Row[Any]]] = {}
    for number, others in alike.items():
        one = known[number]
        near[number] = [
            other
            for other in filter(None, map(known.get, others))
            if other.change_kind not in GONE_KINDS
            and (
                (one.date_published is not None and one.date_published == other.date_published)
                or one.id == other.duplicate_of
                or other.id == one.duplicate_of
                or is_same_story(one.url, other.url)
            )
        ]
    return near
