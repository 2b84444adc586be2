"""One transaction for a group of outcomes: articles, versions, changes, links and URL states, all or nothing."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from newsextract.store import duplicates, peers, url_states
from newsextract.store.articles import ArticleResolver, Decision, Stored, as_document, key_hash
from newsextract.store.changes import take_numbers
from newsextract.store.engine import Clock, database_now
from newsextract.store.frontier import queue_links
from newsextract.store.outcome import CommitResult, PageOutcome, UrlState
from newsextract.store.recrawl_policy import next_due
from newsextract.store.schema import UNSTORABLE, article_versions, articles, changes, urls
from newsextract.store.url_states import Ended


def commit_outcomes(
    connection: Connection, outcomes: Sequence[PageOutcome], clock: Clock = database_now
) -> list[CommitResult]:
    """Writes the group; to be called inside a writing transaction, which the caller commits."""
    url_states.lock_sites(connection, outcomes)
    now = clock(connection)
    queued = queue_links(connection, outcomes, now)
    shelf = ArticleResolver(connection, outcomes)
    decisions = [shelf.decide(outcome) for outcome in outcomes]
    numbered = [decision for decision in decisions if decision.kind in ("new", "changed")]
    _set_seen(connection, decisions)
    numbers = dict(zip(map(id, numbered), take_numbers(connection, len(numbered)) if numbered else (), strict=True))
    for decision in numbered:
        assert decision.stored is not None
        decision.stored.change, decision.stored.change_kind = numbers[id(decision)], decision.kind
    _write_articles(connection, [decision.stored for decision in numbered if decision.stored])
    _mark_duplicates(connection, numbered)
    _write_changes(connection, numbered, numbers)
    _end_urls(connection, decisions, now)
    mark_deleted(connection, outcomes, now)
    peers.keep_pending(connection, outcomes)
    return [
        _saved(decision, numbers.get(id(decision)), links) for decision, links in zip(decisions, queued, strict=True)
    ]


def _set_seen(connection: Connection, decisions: Sequence[Decision]) -> None:
    """Articles that were there before: when they were seen last, and under which key."""
    seen = {d.stored.id: d.stored for d in decisions if d.stored and d.stored.id is not None}
    rows = [
        {"which": number, "key": stored.key, "key_hash": key_hash(stored.key), "last_seen_at": stored.last_seen_at}
        for number, stored in sorted(seen.items())
    ]
    if rows:
        connection.execute(update(articles).where(articles.c.id == bindparam("which")), rows)


def _columns(stored: Stored) -> dict[str, Any]:
    article = stored.article
    return {
        "key": stored.key,
        "key_hash": key_hash(stored.key),
        "url": article.url,
        "canonical_url": article.canonical_url,
        "site": article.site[: url_states.LONGEST_SITE],
        "language": article.language,
        "headline": article.headline,
        "date_published": article.date_published,
        "content_hash": article.content_hash,
        "version": article.version,
        "change": stored.change,
        "change_kind": stored.change_kind,
        "fetched_at": article.fetched_at,
        "first_seen_at": article.first_seen_at,
        "last_seen_at": stored.last_seen_at,
    }


def _write_articles(connection: Connection, touched: Sequence[Stored]) -> None:
    old = {stored.id: stored for stored in touched if stored.id is not None}
    new = {stored.key: stored for stored in touched if stored.id is None}
    if old:
        rows = [{"which": number, **_columns(stored)} for number, stored in sorted(old.items())]
        connection.execute(update(articles).where(articles.c.id == bindparam("which")), rows)
    if new:
        connection.execute(insert(articles), [_columns(stored) for stored in new.values()])
        hashes = {key_hash(key): stored for key, stored in new.items()}
        for some in url_states.chunked(hashes):
            query = select(articles.c.id, articles.c.key_hash).where(articles.c.key_hash.in_(some))
            for row in connection.execute(query):
                hashes[row.key_hash].id = row.id


def _mark_duplicates(connection: Connection, numbered: Sequence[Decision]) -> None:
    """Articles get the address of the one that they are a copy of; those without a signature are of none."""
    stored = {d.stored.id: d for d in numbered if d.stored and d.stored.id is not None}
    texts = {number: d.outcome.signature for number, d in stored.items() if d.outcome.signature is not None}
    originals = duplicates.mark(connection, texts, {number for number, d in stored.items() if d.kind == "changed"})
    addresses: dict[int, str] = {}
    for some in url_states.chunked(set(originals.values())):
        rows = connection.execute(select(articles.c.id, articles.c.url).where(articles.c.id.in_(some)))
        addresses.update({row.id: row.url for row in rows})
    for number, decision in stored.items():
        assert decision.article is not None
        decision.article.duplicate_of = addresses[originals[number]] if number in originals else None


def _write_changes(connection: Connection, numbered: Sequence[Decision], numbers: dict[int, int]) -> None:
    versions, log = [], []
    for decision in numbered:
        assert decision.stored is not None and decision.article is not None
        place = {"article": decision.stored.id, "version": decision.article.version}
        versions.append(
            {
                **place,
                "fetched_at": decision.article.fetched_at,
                "content_hash": decision.article.content_hash,
                "page_hash": decision.outcome.page_hash,
                "document": as_document(decision.article),
            }
        )
        entry = {"change": numbers[id(decision)], "kind": decision.kind, "at": decision.outcome.when}
        log.append({**place, **entry, "run": decision.outcome.run})
    if numbered:
        adding = url_states.insert(connection, article_versions)
        over = {name: adding.excluded[name] for name in ("fetched_at", "content_hash", "page_hash", "document")}
        connection.execute(adding.on_conflict_do_update(index_elements=["article", "version"], set_=over), versions)
        connection.execute(insert(changes), log)


def mark_deleted(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> int:
    """Marks the articles whose address says that they are gone; they stay. Returns how many."""
    gone = [url_states.fingerprint(outcome.url) for outcome in outcomes if outcome.status in (404, 410)]
    if not gone:
        return 0
    led_to = select(urls.c.article).where(urls.c.fingerprint.in_(gone))
    query = select(articles.c.id, articles.c.version, articles.c.url).where(
        articles.c.id.in_(led_to), articles.c.change_kind != "deleted"
    )
    rows = [row for row in connection.execute(query) if url_states.fingerprint(row.url) in gone]
    for row, number in zip(rows, take_numbers(connection, len(rows)) if rows else (), strict=True):
        values = {"change": number, "change_kind": "deleted"}
        connection.execute(update(articles).where(articles.c.id == row.id).values(values))
        entry = {"change": number, "article": row.id, "version": row.version, "kind": "deleted", "at": now}
        connection.execute(insert(changes).values({**entry, "run": outcomes[0].run}))
    return len(rows)


def _end_urls(connection: Connection, decisions: Sequence[Decision], now: datetime) -> None:
    ended = {}
    for decision in decisions:
        state = decision.outcome.state
        if state == UrlState.stored and decision.kind == "unchanged":
            state = UrlState.unchanged
        article = decision.stored.id if decision.stored else None
        due = next_due(decision.outcome, state, decision.article, now)
        for url in decision.outcome.parts:
            part = PageOutcome(url, state, "part", depth=decision.outcome.depth, run=decision.outcome.run)
            ended[url_states.fingerprint(url)] = Ended(part, state, article)
        ended[url_states.fingerprint(decision.outcome.url)] = Ended(decision.outcome, state, article, due)
    url_states.set_states(connection, ended)


def _saved(decision: Decision, change: int | None, queued: int) -> CommitResult:
    if decision.stored is None or decision.article is None:
        return CommitResult(queued=queued)
    key = UNSTORABLE.sub("�", decision.stored.key)
    version = decision.article.version
    return CommitResult(decision.kind, key, version, change, decision.canonical_refused, decision.article, queued)
