"""Writes articles: commits groups of outcomes, and stores new versions of articles that were extracted again.

`commit_outcomes` writes the articles, versions, changes, links and URL states of a group in one transaction, all or
nothing. `revise` stores what another extraction of the same pages gave: what was decided when a page was fetched stays
(key, canonical URL, times of fetch and first sight), and a version is written only where a field that is read from the
page differs.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, insert, select, update

from newsextract.items import ARTICLE_FIELDS, Article, FetchedPage, Listing, StoredArticle
from newsextract.reasons import GONE_KINDS, GONE_STATUSES, UrlState
from newsextract.store import duplicates, frontier, site_pages
from newsextract.store.articles import (
    ArticleRecord,
    ArticleResolver,
    Resolution,
    as_document,
    key_hash,
    key_of,
    read_records,
    storable,
)
from newsextract.store.changes import record_changes, take_numbers
from newsextract.store.engine import RowValues, chunked, database_now
from newsextract.store.frontier import ended_row
from newsextract.store.outcome import CommitResult, PageOutcome
from newsextract.store.recrawl_policy import next_due
from newsextract.store.schema import (
    article_row,
    article_versions,
    articles,
    changes,
    fingerprint,
    replace_unstorable,
    site_column,
    sites,
    urls,
)
from newsextract.urls import content_hash

if TYPE_CHECKING:
    from newsextract.near_duplicates import Signature

#: The kind of the change that a new extraction makes.
REEXTRACTED = "reextracted"
#: Fields whose difference makes a new version of an article; fields that it takes over from the old one.
READ_FROM_PAGE = tuple(spec.name for spec in ARTICLE_FIELDS if spec.use.origin == "page")
KEPT = tuple(spec.name for spec in ARTICLE_FIELDS if spec.use.origin == "fetch")


# ---- outcomes --------------------------------------------------------------------------------------------------------


def commit_outcomes(connection: Connection, outcomes: Sequence[PageOutcome]) -> list[CommitResult]:
    """Writes the group; call it inside a writing transaction, which the caller commits."""
    frontier.lock_sites(connection, outcomes)
    now = database_now(connection)
    queued = frontier.queue_links(connection, outcomes, now)
    resolver = ArticleResolver(connection, outcomes)
    resolutions = [resolver.resolve(outcome) for outcome in outcomes]
    changed = [resolution for resolution in resolutions if resolution.kind in ("new", "changed")]
    for resolution, number in zip(changed, take_numbers(connection, len(changed)) if changed else (), strict=True):
        assert resolution.stored is not None
        resolution.change = resolution.stored.change = number
        resolution.stored.change_kind = resolution.kind
    _write_articles(connection, resolutions)
    stored = {r.stored.id: r for r in changed if r.stored and r.stored.id is not None}
    signatures = {number: r.outcome.signature for number, r in stored.items() if r.outcome.signature is not None}
    changed_texts = {number for number, r in stored.items() if r.kind != "new"}
    present = {number: r.article for number, r in stored.items() if r.article}
    duplicates.mark(connection, present, signatures, changed_texts)
    _write_versions(connection, resolutions)
    retracted = mark_retracted(connection, outcomes, now)
    _end_urls(connection, resolutions, [links.new for links in queued], retracted, now)
    mark_deleted(connection, outcomes, now)
    site_pages.save_candidates(connection, outcomes)
    site_pages.save_site_pages(connection, outcomes)
    return [
        CommitResult("retracted", queued=links.waiting, change=retracted[key])
        if resolution.outcome.retract and (key := fingerprint(resolution.outcome.url)) in retracted
        else _result(resolution, links.waiting)
        for resolution, links in zip(resolutions, queued, strict=True)
    ]


def _write_articles(connection: Connection, resolutions: Sequence[Resolution]) -> None:
    """Inserts new articles and updates known ones; of those that did not change, key and time of last sight."""
    records = {id(resolution.stored): resolution.stored for resolution in resolutions if resolution.stored}
    changed = {id(resolution.stored) for resolution in resolutions if resolution.change is not None}
    new: dict[str, ArticleRecord] = {}
    inserted: list[RowValues] = []
    updated: dict[bool, list[RowValues]] = {False: [], True: []}
    for identity, record in records.items():
        key = key_hash(record.key)
        row: RowValues = {"key": record.key, "key_hash": key, "last_seen_at": record.last_seen_at}
        if identity in changed:
            row |= {**article_row(record.article), "change": record.change, "change_kind": record.change_kind}
        if record.id is None:
            new[key] = record
            inserted.append(row)
        else:
            updated[identity in changed].append({"which": record.id, **row})
    for rows in filter(None, updated.values()):
        known = update(articles).where(articles.c.id == bindparam("which"))
        connection.execute(known, sorted(rows, key=lambda row: int(row["which"])))
    if inserted:
        connection.execute(insert(articles), inserted)
        for chunk in chunked(new):
            query = select(articles.c.id, articles.c.key_hash).where(articles.c.key_hash.in_(chunk))
            for number, key in connection.execute(query):
                new[key].id = number


def _version_row(article: int | None, values: Article, page_hash: str | None) -> RowValues:
    """The row of `article_versions` for these values of an article."""
    return {
        "article": article,
        "version": values.version,
        "fetched_at": values.fetched_at,
        "content_hash": values.content_hash,
        "page_hash": page_hash,
        "document": as_document(values),
    }


def _write_versions(connection: Connection, resolutions: Sequence[Resolution]) -> None:
    """Logs the changes with their versions, and adds texts of earlier fetches to the history."""
    versions, log = [], []
    records = {id(resolution.stored): resolution.stored for resolution in resolutions if resolution.stored}
    for resolution in resolutions:
        if resolution.change is not None and resolution.stored is not None and resolution.article is not None:
            outcome, article, number = resolution.outcome, resolution.article, resolution.stored.id
            versions.append(_version_row(number, article, outcome.page_hash))
            entry = {"kind": resolution.kind, "at": outcome.when, "run": outcome.run, "version": article.version}
            log.append({"change": resolution.change, "article": number, **entry})
    versions += [_version_row(record.id, older, None) for record in records.values() for older in record.older]
    for table, rows in ((article_versions, versions), (changes, log)):
        if rows:
            connection.execute(insert(table), rows)


def mark_deleted(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> int:
    """Marks articles whose own URL answered 404 or 410 as deleted; they are kept. Returns how many."""
    gone = [fingerprint(outcome.url) for outcome in outcomes if outcome.status in GONE_STATUSES]
    if not gone:
        return 0
    led_to = select(urls.c.article).where(urls.c.fingerprint.in_(gone))
    query = select(articles.c.id, articles.c.version, articles.c.url).where(
        articles.c.id.in_(led_to), articles.c.change_kind.not_in(GONE_KINDS)
    )
    deleted = [(row.id, row.version, "deleted") for row in connection.execute(query) if fingerprint(row.url) in gone]
    return len(record_changes(connection, deleted, now, outcomes[0].run))


def mark_retracted(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> dict[str, int]:
    """Takes back articles whose own URL turned out to be that of no article; returns change numbers by fingerprint.

    The last version of each says so, with the reason. It is no original of copies, and its page no reference, any more.
    """
    reasons = {fingerprint(outcome.url): outcome.reason for outcome in outcomes if outcome.retract}
    if not reasons:
        return {}
    led_to = select(urls.c.article).where(urls.c.fingerprint.in_(reasons), urls.c.article.is_not(None))
    records = {
        record.id or 0: record
        for record in read_records(connection, (), connection.execute(led_to.distinct()).scalars())
        if record.change_kind not in GONE_KINDS and fingerprint(record.article.url) in reasons
    }
    if not records:
        return {}
    duplicates.release(connection, {*records}, now)
    present = []
    for number, record in sorted(records.items()):
        reason, version = reasons[fingerprint(record.article.url)], record.last_version + 1
        article = replace(record.article, is_article=False, not_article_because=reason, version=version)
        connection.execute(insert(article_versions).values(_version_row(number, article, record.page_hash)))
        site_pages.remove_peer(connection, article.url)
        present.append((number, version, "retracted"))
    connection.execute(update(articles).where(articles.c.id.in_(records)).values(duplicate_of=None))
    numbers = record_changes(connection, present, now, outcomes[0].run)
    keys = [fingerprint(records[number].article.url) for number, *_ in present]
    return dict(zip(keys, numbers, strict=True))


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
            settled[key] = ended_row(outcome, state, article, due)
            continue
        for url in outcome.parts:
            part = PageOutcome(url, state, "part", depth=outcome.depth, run=outcome.run)
            ends[fingerprint(url)] = ended_row(part, state, article)
        ends[key] = ended_row(outcome, state, article, due)
    frontier.set_states(connection, ends)
    frontier.settle_urls(connection, settled, retracted)


def _result(resolution: Resolution, queued: int) -> CommitResult:
    if resolution.stored is None or resolution.article is None:
        return CommitResult(queued=queued)
    key, article = replace_unstorable(resolution.stored.key), resolution.article
    refused = resolution.canonical_refused
    return CommitResult(resolution.kind, key, article.version, resolution.change, refused, article, queued)


# ---- the same pages extracted again ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewVersion:
    """The article that a page gives now, beside the stored one; `differing`: the fields that differ."""

    stored: ArticleRecord
    article: Article
    differing: tuple[str, ...]
    signature: "Signature | None" = None

    @classmethod
    def of(cls, stored: ArticleRecord, extracted: Article, signature: "Signature | None" = None) -> "NewVersion":
        """Compares a new extraction with the stored version; `signature`: of the new text."""
        old = stored.article
        new = storable(extracted, old.fetched_at or old.first_seen_at or datetime.min)
        new = replace(new, **{name: getattr(old, name) for name in KEPT})
        if "canonical_url" in old.sources:
            new.sources = {**new.sources, "canonical_url": old.sources["canonical_url"]}
        new.content_hash, new.version = content_hash(new.headline, new.article_body), stored.last_version + 1
        before, after = old.to_dict(), new.to_dict()
        return cls(stored, new, tuple(name for name in READ_FROM_PAGE if before[name] != after[name]), signature)


def present_versions(connection: Connection, pages: Sequence[FetchedPage]) -> dict[str, ArticleRecord]:
    """By page id the stored articles whose current versions were extracted from these pages: same URL, same time."""
    ids: set[int] = set()
    for chunk in chunked(sorted({fingerprint(page.url) for page in pages})):
        query = select(urls.c.article).where(urls.c.fingerprint.in_(chunk), urls.c.article.is_not(None))
        ids.update(connection.execute(query).scalars())
    records = read_records(connection, {key_of(page.url) for page in pages}, ids)
    present = {(record.article.url, record.article.fetched_at): record for record in records}
    return {page.id: present[page.url, page.fetched_at] for page in pages if (page.url, page.fetched_at) in present}


def revise(connection: Connection, revisions: Sequence[NewVersion]) -> list[int | None]:
    """Writes the revisions as versions; returns their change numbers, None where the article changed meanwhile."""
    now = database_now(connection)
    for chunk in chunked(sorted({site_column(revision.article.url) for revision in revisions})):
        # as a commit does, so that no other writer decides on these articles; SQLite has one writer
        locking = select(sites.c.site).where(sites.c.site.in_(chunk)).order_by(sites.c.site).with_for_update()
        connection.execute(locking).all()
    present = {record.id: record for record in read_records(connection, (), {one.stored.id or 0 for one in revisions})}
    current = {
        record.id or 0: revision
        for revision in revisions
        if (record := present.get(revision.stored.id)) is not None
        and record.article.version == revision.stored.article.version
        and record.change_kind not in GONE_KINDS
    }
    take_numbers(connection, 0)  # for its lock, before copies are marked
    texts = {
        number: one.signature for number, one in current.items() if one.signature and "article_body" in one.differing
    }
    duplicates.mark(connection, {number: current[number].article for number in texts}, texts, texts)
    for number, revision in current.items():
        record = present[number]
        revision.article.version = record.last_version + 1
        connection.execute(insert(article_versions).values(_version_row(number, revision.article, record.page_hash)))
        values = {name: value for name, value in article_row(revision.article).items() if name not in KEPT}
        connection.execute(update(articles).where(articles.c.id == number).values(values))
    log = [(number, revision.article.version, REEXTRACTED) for number, revision in current.items()]
    numbers = dict(zip(map(id, current.values()), record_changes(connection, log, now), strict=True))
    return [numbers.get(id(revision)) for revision in revisions]


def add_listed_dates(connection: Connection, site: str) -> list[StoredArticle]:
    """Gives articles of a site without a date of publication the one that a feed gave since they were read.

    Returns them as they are stored now.
    """
    undated = (
        (articles.c.site == site) & articles.c.date_published.is_(None) & articles.c.change_kind.not_in(GONE_KINDS)
    )
    listed = select(articles.c.id, urls.c.meta).join(urls, urls.c.article == articles.c.id)
    rows = connection.execute(listed.where(undated, urls.c.meta.contains('"date_published"'))).all()
    listings = {row.id: Listing.from_dict(json.loads(row.meta).get("listing")) for row in rows}
    dated = []
    for record in read_records(connection, (), listings):
        listing = listings[record.id or 0]
        if listing is not None and (when := listing.date_published) is not None:
            sources = {**record.article.sources, "date_published": listing.source}
            article = replace(record.article, date_published=when, date_published_raw=when.isoformat(), sources=sources)
            dated.append(NewVersion.of(record, article))
    numbers = revise(connection, dated)
    return [
        one.article.as_kind(StoredArticle, change=number, change_kind=REEXTRACTED)
        for one, number in zip(dated, numbers, strict=True)
        if number
    ]
