"""Commits a group of outcomes in one transaction: articles, versions, changes, links and URL states, all or nothing."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from newsextract.items import Article
from newsextract.reasons import GONE_STATUSES, UrlState
from newsextract.store import candidates, duplicates, peers, site_pages, url_states
from newsextract.store.articles import ArticleResolver, Resolution, StoredArticle, as_document, key_hash
from newsextract.store.changes import take_numbers
from newsextract.store.engine import Clock, database_now
from newsextract.store.frontier import queue_links
from newsextract.store.outcome import GONE_KINDS, CommitResult, PageOutcome
from newsextract.store.recrawl_policy import next_due
from newsextract.store.schema import (
    article_row,
    article_versions,
    articles,
    changes,
    current_articles,
    replace_unstorable,
    urls,
)
from newsextract.store.url_states import UrlEnd, chunked, fingerprint

#: Kinds of changes that write a version of an article.
WRITTEN = ("new", "changed", "reextracted")


def commit_outcomes(
    connection: Connection, outcomes: Sequence[PageOutcome], clock: Clock = database_now
) -> list[CommitResult]:
    """Writes the group; call it inside a writing transaction, which the caller commits."""
    url_states.lock_sites(connection, outcomes)
    now = clock(connection)
    queued = queue_links(connection, outcomes, now)
    resolver = ArticleResolver(connection, outcomes)
    resolutions = [resolver.resolve(outcome) for outcome in outcomes]
    changed = [resolution for resolution in resolutions if resolution.kind in WRITTEN]
    _update_seen(connection, resolutions)
    numbers = dict(zip(map(id, changed), take_numbers(connection, len(changed)) if changed else (), strict=True))
    for resolution in changed:
        assert resolution.stored is not None
        resolution.stored.change, resolution.stored.change_kind = numbers[id(resolution)], resolution.kind
    _write_articles(connection, [resolution.stored for resolution in changed if resolution.stored])
    _mark_duplicates(connection, changed)
    _write_changes(connection, changed, numbers)
    _write_older_versions(connection, resolutions)
    retracted = mark_retracted(connection, outcomes, now)
    _end_urls(connection, resolutions, [links.new for links in queued], retracted, now)
    mark_deleted(connection, outcomes, now)
    candidates.save(connection, outcomes)
    site_pages.save(connection, outcomes)
    return [
        CommitResult("retracted", queued=links.waiting, change=retracted[key])
        if resolution.outcome.retract and (key := fingerprint(resolution.outcome.url)) in retracted
        else _result(resolution, numbers.get(id(resolution)), links.waiting)
        for resolution, links in zip(resolutions, queued, strict=True)
    ]


def _update_seen(connection: Connection, resolutions: Sequence[Resolution]) -> None:
    """Updates key and time of last sight of the articles that were stored before."""
    seen = {r.stored.id: r.stored for r in resolutions if r.stored and r.stored.id is not None}
    rows = [
        {"which": number, "key": stored.key, "key_hash": key_hash(stored.key), "last_seen_at": stored.last_seen_at}
        for number, stored in sorted(seen.items())
    ]
    if rows:
        connection.execute(update(articles).where(articles.c.id == bindparam("which")), rows)


def _row(stored: StoredArticle) -> dict[str, Any]:
    return {
        **article_row(stored.article),
        "key": stored.key,
        "key_hash": key_hash(stored.key),
        "change": stored.change,
        "change_kind": stored.change_kind,
        "last_seen_at": stored.last_seen_at,
    }


def _write_articles(connection: Connection, touched: Sequence[StoredArticle]) -> None:
    old = {stored.id: stored for stored in touched if stored.id is not None}
    new = {stored.key: stored for stored in touched if stored.id is None}
    if old:
        rows = [{"which": number, **_row(stored)} for number, stored in sorted(old.items())]
        connection.execute(update(articles).where(articles.c.id == bindparam("which")), rows)
    if new:
        connection.execute(insert(articles), [_row(stored) for stored in new.values()])
        hashes = {key_hash(key): stored for key, stored in new.items()}
        for chunk in chunked(hashes):
            query = select(articles.c.id, articles.c.key_hash).where(articles.c.key_hash.in_(chunk))
            for row in connection.execute(query):
                hashes[row.key_hash].id = row.id


def _mark_duplicates(connection: Connection, changed: Sequence[Resolution]) -> None:
    """Sets `duplicate_of` to the URL of the original; an article without a signature is a copy of none."""
    stored = {r.stored.id: r for r in changed if r.stored and r.stored.id is not None}
    texts = {number: r.outcome.signature for number, r in stored.items() if r.outcome.signature is not None}
    originals = duplicates.mark(connection, texts, {number for number, r in stored.items() if r.kind != "new"})
    addresses: dict[int, str] = {}
    for chunk in chunked(set(originals.values())):
        rows = connection.execute(select(articles.c.id, articles.c.url).where(articles.c.id.in_(chunk)))
        addresses.update({row.id: row.url for row in rows})
    for number, resolution in stored.items():
        assert resolution.article is not None
        resolution.article.duplicate_of = addresses[originals[number]] if number in originals else None


def _write_changes(connection: Connection, changed: Sequence[Resolution], numbers: dict[int, int]) -> None:
    versions, log = [], []
    for resolution in changed:
        assert resolution.stored is not None and resolution.article is not None
        key = {"article": resolution.stored.id, "version": resolution.article.version}
        versions.append(
            {
                **key,
                "fetched_at": resolution.article.fetched_at,
                "content_hash": resolution.article.content_hash,
                "page_hash": resolution.outcome.page_hash,
                "document": as_document(resolution.article),
            }
        )
        entry = {"change": numbers[id(resolution)], "kind": resolution.kind, "at": resolution.outcome.when}
        log.append({**key, **entry, "run": resolution.outcome.run})
    if changed:
        replaced = ("fetched_at", "content_hash", "page_hash", "document")
        upsert = url_states.upsert(connection, article_versions, ("article", "version"), replaced)
        connection.execute(upsert, versions)
        connection.execute(insert(changes), log)


def _write_older_versions(connection: Connection, resolutions: Sequence[Resolution]) -> None:
    """Adds the texts of earlier fetches to the history; the current version and the change log stay."""
    touched = {id(resolution.stored): resolution.stored for resolution in resolutions if resolution.stored}
    rows = [
        {
            "article": stored.id,
            "version": article.version,
            "fetched_at": article.fetched_at,
            "content_hash": article.content_hash,
            "page_hash": None,
            "document": as_document(article),
        }
        for stored in touched.values()
        for article in stored.older
    ]
    if rows:
        connection.execute(insert(article_versions), rows)


def mark_deleted(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> int:
    """Marks articles whose own URL answered 404 or 410 as deleted; they are kept. Returns how many."""
    gone = [fingerprint(outcome.url) for outcome in outcomes if outcome.status in GONE_STATUSES]
    if not gone:
        return 0
    led_to = select(urls.c.article).where(urls.c.fingerprint.in_(gone))
    query = select(articles.c.id, articles.c.version, articles.c.url).where(
        articles.c.id.in_(led_to), articles.c.change_kind.not_in(GONE_KINDS)
    )
    rows = [row for row in connection.execute(query) if fingerprint(row.url) in gone]
    for row, number in zip(rows, take_numbers(connection, len(rows)) if rows else (), strict=True):
        values = {"change": number, "change_kind": "deleted"}
        connection.execute(update(articles).where(articles.c.id == row.id).values(values))
        entry = {"change": number, "article": row.id, "version": row.version, "kind": "deleted", "at": now}
        connection.execute(insert(changes).values({**entry, "run": outcomes[0].run}))
    return len(rows)


def mark_retracted(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> dict[str, int]:
    """Takes back articles whose own URL turned out to be that of no article; returns change numbers by fingerprint.

    The last version of each says so, with the reason. It is no original of copies, and its page no reference, any more.
    """
    reasons = {fingerprint(outcome.url): outcome.reason for outcome in outcomes if outcome.retract}
    if not reasons:
        return {}
    led_to = select(urls.c.article).where(urls.c.fingerprint.in_(reasons))
    query = current_articles(articles.c.id, article_versions.c.page_hash, article_versions.c.document)
    rows = connection.execute(query.where(articles.c.id.in_(led_to), articles.c.change_kind.not_in(GONE_KINDS))).all()
    present = {row.id: (row.page_hash, Article.from_dict(json.loads(row.document))) for row in rows}
    present = {number: pair for number, pair in present.items() if fingerprint(pair[1].url) in reasons}
    if not present:
        return {}
    duplicates.release(connection, {*present}, now)
    retracted = {}
    numbers = take_numbers(connection, len(present))
    for (number, (page_hash, before)), change in zip(sorted(present.items()), numbers, strict=True):
        reason = reasons[fingerprint(before.url)]
        article = replace(before, is_article=False, not_article_because=reason, version=before.version + 1)
        key = {"article": number, "version": article.version}
        values = {"fetched_at": article.fetched_at, "content_hash": article.content_hash, "page_hash": page_hash}
        connection.execute(insert(article_versions).values(**key, **values, document=as_document(article)))
        values = {"version": article.version, "change": change, "change_kind": "retracted", "duplicate_of": None}
        connection.execute(update(articles).where(articles.c.id == number).values(values))
        entry = {**key, "change": change, "kind": "retracted", "at": now, "run": outcomes[0].run}
        connection.execute(insert(changes).values(entry))
        peers.remove(connection, before.url)
        retracted[fingerprint(before.url)] = change
    return retracted


def _end_urls(
    connection: Connection,
    resolutions: Sequence[Resolution],
    new_links: Sequence[int],
    retracted: Collection[str],
    now: datetime,
) -> None:
    ends, settled = {}, {}
    for resolution, new in zip(resolutions, new_links, strict=True):
        outcome, key = resolution.outcome, fingerprint(resolution.outcome.url)
        state = outcome.state
        if state == UrlState.stored and resolution.kind == "unchanged":
            state = UrlState.unchanged
        article = resolution.stored.id if resolution.stored else None
        due = next_due(outcome, state, resolution.article, new, now)
        if outcome.settles:
            settled[key] = UrlEnd(outcome, state, article, due)
            continue
        for url in outcome.parts:
            part = PageOutcome(url, state, "part", depth=outcome.depth, run=outcome.run)
            ends[fingerprint(url)] = UrlEnd(part, state, article)
        ends[key] = UrlEnd(outcome, state, article, due)
    url_states.set_states(connection, ends)
    url_states.settle(connection, settled, retracted)


def _result(resolution: Resolution, change: int | None, queued: int) -> CommitResult:
    if resolution.stored is None or resolution.article is None:
        return CommitResult(queued=queued)
    key, version = replace_unstorable(resolution.stored.key), resolution.article.version
    refused = resolution.canonical_refused
    return CommitResult(resolution.kind, key, version, change, refused, resolution.article, queued)
