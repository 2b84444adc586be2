"""Writes articles: commits groups of outcomes, and stores new versions of re-extracted articles.

`revise` stores the result of another extraction of the same pages: what was decided at the fetch stays (key, canonical
URL, times of fetch and first sight), and there is a new version only if a field that is read from the page differs.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, insert, select, update

from newsextract.items import ARTICLE_FIELDS, Article, FetchedPage, Listing, StoredArticle, is_plausible_date
from newsextract.reasons import GONE, GONE_KINDS, GONE_STATUSES, REASONS, REMOVED_REASONS, UrlState
from newsextract.store import duplicates, frontier, renames, site_pages
from newsextract.store.articles import ArticleRecord, key_hash, key_of, read_records, storable, version_row
from newsextract.store.changes import log_changes, record_changes, take_numbers
from newsextract.store.corrections import note_pages
from newsextract.store.engine import RowValues, count_rows, database_now, execute_many, rows_in
from newsextract.store.former_urls import Rename, record_renames
from newsextract.store.frontier import ended_row
from newsextract.store.identity import ArticleResolver, Resolution
from newsextract.store.links import LINKED, READ, queue_links, redirected
from newsextract.store.lookup import ids_of
from newsextract.store.manual import manual_fields, with_manual_fields
from newsextract.store.names import find_removed_names
from newsextract.store.outcome import CommitResult, PageOutcome, SitePage
from newsextract.store.recrawl_policy import BACK_OFF, count_failures, missing_before, next_due
from newsextract.store.schema import (
    article_row,
    article_versions,
    articles,
    fingerprint,
    site_column,
    sites,
    urls,
)
from newsextract.urls import content_hash

if TYPE_CHECKING:
    from newsextract.near_duplicates import Signature

#: Days on which an article must have been gone; and how many may be gone at once, if no more were still there.
GONE_DAYS = 3
MANY_GONE = 2
#: Reasons of lists.
LISTS = tuple(name for name, reason in REASONS.items() if reason.is_list)
#: The kind of change that a new extraction makes.
REEXTRACTED = "reextracted"
#: Fields whose difference makes a new version of an article; fields that are taken over from the old one.
READ_FROM_PAGE = tuple(spec.name for spec in ARTICLE_FIELDS if spec.origin == "page")
KEPT = tuple(spec.name for spec in ARTICLE_FIELDS if spec.origin == "fetch")


# ---- outcomes --------------------------------------------------------------------------------------------------------


def commit_outcomes(connection: Connection, outcomes: Sequence[PageOutcome]) -> list[CommitResult]:
    """Writes the group, in a writing transaction that the caller commits."""
    if not outcomes:
        return []
    frontier.lock_sites(connection, outcomes)
    now, given = database_now(connection), outcomes
    known = frontier.read_captures(connection, outcomes)
    outcomes = [one for one in outcomes if id(one) not in known]
    names = find_removed_names(connection)
    names.without_in(outcomes)
    queued = queue_links(connection, outcomes, now)
    if any(one.signature is not None for one in outcomes):
        take_numbers(connection, 0)  # takes the lock before the resolver reads the keys of texts
    resolver = ArticleResolver(connection, outcomes, now, names)
    resolutions = [resolver.resolve(outcome) for outcome in outcomes]
    every = [*chain.from_iterable((one, one.readdressed) for one in resolutions)]
    affected = chain(resolver.moved, (one.stored for one in every if one is not None))
    records = [*{id(one): one for one in affected if one is not None}.values()]
    changed = [one for one in every if one is not None and one.kind in ("new", "changed")]
    record_renames(connection, _renames(changed), now)
    for one, number in zip(changed, take_numbers(connection, len(changed)) if changed else (), strict=True):
        assert one.stored is not None
        one.change = one.stored.change = number
        one.stored.change_kind = one.kind
    _free_keys(connection, resolver.moved)
    _write_articles(connection, records)
    last = {one.stored.id: one for one in resolutions if one.change is not None and one.stored}
    alike = duplicates.mark(
        connection,
        {number: one.article for number, one in last.items() if one.article},
        {number: one.outcome.signature for number, one in last.items() if one.outcome.signature is not None},
        {number for number, one in last.items() if one.kind != "new"},
        now,
        given[0].run,
        resolver.keys,
    )
    _write_versions(connection, changed, records)
    note_pages(connection, resolver.extracted)
    asked = _ask_again(connection, last, alike)
    retracted = mark_retracted(connection, outcomes, now)
    new_links = [links.new + one.new_links for links, one in zip(queued, outcomes, strict=True)]
    gone = _end_urls(connection, resolutions, new_links, retracted, now)
    deleted = mark_deleted(connection, gone, now, given[0].run)
    pairs = [(one.united[0].id, one.united[1].id) for one in resolutions if one.united is not None]
    united = renames.unite(connection, pairs, now, given[0].run)
    site_pages.save_candidates(connection, outcomes)
    site_pages.save_site_pages(connection, outcomes)
    results: dict[int, CommitResult] = {}
    for one, links in zip(resolutions, queued, strict=True):
        key, number = fingerprint(one.outcome.url), links.waiting + asked.get(id(one), 0)
        result = CommitResult(one.kind, one.change, one.canonical_refused, one.article, number)
        if one.outcome.retract and key in retracted:
            result = CommitResult("retracted", retracted[key], queued=number)
        elif key in deleted:
            result = CommitResult("deleted", queued=number)
        elif one.united is not None and (article := united.get(one.united[0].id)) is not None:
            result = CommitResult("changed", article.change, one.canonical_refused, article, number)
        results[id(one.outcome)] = result
    return [results.get(id(one)) or CommitResult("unchanged" if one.article else "none") for one in given]


def _renames(changed: Iterable[Resolution]) -> Iterator[Rename]:
    for one in changed:
        if one.former_url and one.stored is not None and one.article is not None:
            yield Rename(one.former_url, one.article.url, one.stored.id)


def _ask_again(
    connection: Connection, last: Mapping[int, Resolution], alike: Mapping[int, Sequence[int]]
) -> dict[int, int]:
    """Queues the URLs of stories that the new ones of the group may be; returns how many, by the id of the object."""
    new = {number: one for number, one in last.items() if one.kind == "new" and alike.get(number)}
    runs = {one.outcome.run for one in new.values() if one.outcome.run is not None and not one.outcome.captured}
    queued: dict[int, int] = {}
    for run in runs:
        of_run = {number: alike[number] for number, one in new.items() if one.outcome.run == run}
        found = renames.ask_again(connection, of_run, run)
        queued |= {id(new[number]): count for number, count in found.items()}
    return queued


def _free_keys(connection: Connection, moved: Sequence[ArticleRecord]) -> None:
    """Takes the keys of articles away that exchange theirs: a key is unique at any moment."""
    rows = [{"which": record.id, "key_hash": f"moving {record.id}"} for record in moved if record.id]
    execute_many(connection, update(articles).where(articles.c.id == bindparam("which")), rows)


def _write_articles(connection: Connection, records: Sequence[ArticleRecord]) -> None:
    """Inserts new articles and updates known ones; for unchanged ones, only key and time of last sight."""
    new: dict[str, ArticleRecord] = {}
    inserted: list[RowValues] = []
    updated: dict[bool, list[RowValues]] = {False: [], True: []}
    for record in sorted(records, key=lambda record: record.id):
        key, is_changed = key_hash(record.key), record.change is not None
        row: RowValues = {"key": record.key, "key_hash": key, "last_seen_at": record.last_seen_at}
        if is_changed:
            row |= {**article_row(record.article), "change": record.change, "change_kind": record.change_kind}
        if record.id:
            updated[is_changed].append({"which": record.id, **row})
        else:
            new[key] = record
            inserted.append(row)
    for rows in updated.values():
        execute_many(connection, update(articles).where(articles.c.id == bindparam("which")), rows)
    if inserted:
        adding = insert(articles).returning(articles.c.id, articles.c.key_hash)
        for number, key in connection.execute(adding, inserted):
            new[key].id = number


def _write_versions(connection: Connection, changed: Sequence[Resolution], records: Sequence[ArticleRecord]) -> None:
    """Logs the changes with their versions, and adds texts of earlier fetches to the history."""
    versions, log = [], []
    for one in changed:
        assert one.stored is not None and one.article is not None
        versions.append(version_row(one.stored.id, one.article, one.outcome.page_hash))
        entry = {"kind": one.kind, "at": one.outcome.when, "run": one.outcome.run, "version": one.article.version}
        log.append({"change": one.change, "article": one.stored.id, **entry})
    versions += [version_row(record.id, older, None) for record in records for older in record.older]
    execute_many(connection, insert(article_versions), versions)
    log_changes(connection, log)


def _articles_at(connection: Connection, fingerprints: Collection[str]) -> dict[str, ArticleRecord]:
    """The articles, neither deleted nor retracted, that were extracted at these URLs, by fingerprint."""
    led_to = select(urls.c.article).where(urls.c.fingerprint.in_(fingerprints), urls.c.article.is_not(None))
    found = read_records(connection, (), connection.scalars(led_to.distinct())) if fingerprints else ()
    by_url = {fingerprint(record.article.url): record for record in found if record.change_kind not in GONE_KINDS}
    return {key: record for key, record in by_url.items() if key in fingerprints}


def mark_deleted(connection: Connection, gone: Collection[str], now: datetime, run: int | None) -> Collection[str]:
    """Marks articles as deleted whose own URLs, given by their fingerprints, are gone; returns which. They are kept."""
    found = _articles_at(connection, gone)
    deleted = [(record.id, record.article.version, "deleted") for record in found.values()]
    if deleted:
        duplicates.release(connection, [number for number, *_ in deleted], now, run)
        record_changes(connection, deleted, now, run)
    return found.keys()


def believe_gone(connection: Connection, site: str, run: int) -> tuple[int, list[StoredArticle]]:
    """Marks articles of a site as deleted on one answer of 404 or 410, if something else says so, too; how many.

    Either the site's lists were read in this run, and none has the URL any more; but if much is gone at once, the site
    may be broken. Or there is a copy of the article, so that no export loses the text. If the copy was stored after the
    article was seen last, it is the article under a new URL; returns what became of those.
    """
    of_run = (urls.c.site == site_column(f"http://{site}/")) & (urls.c.run == run)
    is_known = of_run & urls.c.article.is_not(None)
    query = select(urls.c.fingerprint, urls.c.article, urls.c.meta)
    gone = connection.execute(query.where(is_known, urls.c.state == UrlState.failed, urls.c.reason.in_(GONE))).all()
    if not gone:
        return 0, []
    now = database_now(connection)
    own = {record.id for record in _articles_at(connection, {row.fingerprint for row in gone}).values()}
    united = renames.unite(connection, [*renames.find_successors(connection, own).items()], now, run)
    gone = [row for row in gone if row.article not in united]
    is_living = articles.c.duplicate_of.in_([row.article for row in gone]) & articles.c.change_kind.not_in(GONE_KINDS)
    with_copies = set(connection.scalars(select(articles.c.duplicate_of).where(is_living)))
    answered = count_rows(connection, urls, is_known, urls.c.state.in_(READ))
    is_list = urls.c.kind.not_in(("page", "robots")) | urls.c.reason.in_(LISTS)
    of_lists = select(urls.c.state).where(of_run, urls.c.article.is_(None), is_list).distinct()
    states = set(connection.scalars(of_lists))  # a list that is as before isn't read
    were_read = UrlState.not_article in states and UrlState.unchanged not in states
    are_few = were_read and len(gone) <= max(MANY_GONE, answered)
    linked = {row.fingerprint for row in gone if row.meta and json.loads(row.meta).get(LINKED) == run}
    unlisted = {row.fingerprint for row in gone} - linked if are_few else set[str]()
    believed = unlisted.union(row.fingerprint for row in gone if row.article in with_copies)
    return len(mark_deleted(connection, believed, now, run)), [*united.values()]


def mark_retracted(connection: Connection, outcomes: Sequence[PageOutcome], now: datetime) -> dict[str, int]:
    """Retracts stored articles of these URLs as versions with the reason; returns change numbers by fingerprint."""
    reasons = {fingerprint(outcome.url): outcome.reason for outcome in outcomes if outcome.retract}
    retracted = _articles_at(connection, reasons.keys())
    retracted = {key: one for key, one in retracted.items() if "is_article" not in manual_fields(one.article)}
    if not retracted:
        return {}
    ids = {record.id for record in retracted.values()}
    duplicates.release(connection, ids, now, outcomes[0].run)
    present = []
    for key, record in retracted.items():
        version = record.last_version + 1
        article = replace(record.article, is_article=False, not_article_because=reasons[key], version=version)
        connection.execute(insert(article_versions).values(version_row(record.id, article, record.page_hash)))
        site_pages.remove_peer(connection, article.url)
        present.append((record.id, version, "retracted"))
    # other URLs that led to it may have pages of their own
    led = urls.c.article.in_(ids) & urls.c.fingerprint.not_in(retracted.keys()) & (urls.c.state == UrlState.unchanged)
    freed = {"state": UrlState.not_article, "reason": min(reasons.values()), "article": None}
    connection.execute(update(urls).where(led).values(**freed, next_due=now + BACK_OFF[0]))
    connection.execute(update(articles).where(articles.c.id.in_(ids)).values(duplicate_of=None))
    return dict(zip(retracted, record_changes(connection, present, now, outcomes[0].run), strict=True))


def _end_urls(
    connection: Connection,
    resolutions: Sequence[Resolution],
    new_links: Sequence[int],
    retracted: Collection[str],
    now: datetime,
) -> set[str]:
    """Writes the states of the outcomes' URLs; returns which were gone on several days."""
    ends, settled = {}, {}
    gone = set[str]()
    origins: dict[str, datetime] = {}
    before = frontier.read_failures(connection, [one.outcome for one in resolutions])
    for resolution, new in zip(resolutions, new_links, strict=True):
        outcome, key = resolution.outcome, fingerprint(resolution.outcome.url)
        state = outcome.state
        if state == UrlState.stored and resolution.kind == "unchanged":
            state = UrlState.unchanged
        article = resolution.stored.id if resolution.stored else None
        if outcome.is_outdated:
            continue
        known = before.get(key)
        failures = count_failures(outcome, state, resolution.article, known)
        later = 0
        if known is not None and outcome.status in GONE_STATUSES:
            later = missing_before(known)
            if known.article is not None and failures >= GONE_DAYS:
                gone.add(key)
        due = next_due(outcome, state, resolution.article, new, now, failures + later)
        if known is not None and failures and due:  # what redirects to a wall is due with it
            origins |= dict.fromkeys(map(fingerprint, redirected(known.meta)), due)
        if outcome.settles:
            settled[key] = ended_row(outcome, state, article, due, failures)
            continue
        for url in outcome.parts:
            part = PageOutcome(url, state, "part", depth=outcome.depth, run=outcome.run)
            ends[fingerprint(url)] = ended_row(part, state, article)
        ends[key] = ended_row(outcome, state, article, due, failures)
    frontier.set_states(connection, ends)
    forgotten = [fingerprint(one.outcome.url) for one in resolutions if one.outcome.reason in REMOVED_REASONS]
    if forgotten:  # the text of a link to a removed article is its headline
        connection.execute(update(urls).where(urls.c.fingerprint.in_(forgotten)).values(anchor_text=None, meta=None))
    frontier.settle_urls(connection, settled, retracted)
    frontier.delay_redirects(connection, origins)
    return gone


# ---- the same pages extracted again ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewVersion:
    """The article that a page gives now, beside the stored one; `differing`: the fields that differ."""

    stored: ArticleRecord
    article: Article
    differing: tuple[str, ...]
    signature: "Signature | None" = None
    extracted: Article | None = None

    @classmethod
    def of(cls, stored: ArticleRecord, extracted: Article, signature: "Signature | None" = None) -> "NewVersion":
        """Compares a new extraction with the stored version; `signature`: of the new text."""
        old = stored.article
        new = storable(extracted, old.fetched_at or old.first_seen_at or datetime.min)
        new = with_manual_fields(old, replace(new, **{name: getattr(old, name) for name in KEPT}))
        if "canonical_url" in old.sources:
            new.sources = {**new.sources, "canonical_url": old.sources["canonical_url"]}
        new.content_hash, new.version = content_hash(new.headline, new.article_body), stored.last_version + 1
        before, after = old.to_dict(), new.to_dict()
        differing = tuple(name for name in READ_FROM_PAGE if before[name] != after[name])
        return cls(stored, new, differing, signature, extracted)


def present_versions(connection: Connection, pages: Sequence[FetchedPage]) -> dict[str, ArticleRecord]:
    """By page id, the stored articles whose current versions were extracted from these pages: same URL, same time."""
    led_to = select(urls.c.article).where(urls.c.article.is_not(None))
    rows = rows_in(connection, led_to, urls.c.fingerprint, (fingerprint(page.url) for page in pages))
    records = read_records(connection, {key_of(page.url) for page in pages}, {row.article for row in rows})
    present = {(record.article.url, record.article.fetched_at): record for record in records}
    return {page.id: present[page.url, page.fetched_at] for page in pages if (page.url, page.fetched_at) in present}


def revise(connection: Connection, revisions: Sequence[NewVersion], run: int | None = None) -> list[int | None]:
    """Writes the new versions; returns their change numbers, None if the article changed meanwhile."""
    now = database_now(connection)
    # like a commit, so that no other writer decides on these articles; SQLite has one writer
    locking = select(sites.c.site).order_by(sites.c.site).with_for_update()
    [*rows_in(connection, locking, sites.c.site, {site_column(revision.article.url) for revision in revisions})]
    names = find_removed_names(connection)
    if names.hashes:
        revisions = [NewVersion.of(one.stored, names.without(one.article), one.signature) for one in revisions]
    present = {record.id: record for record in read_records(connection, (), {one.stored.id for one in revisions})}
    current = {
        record.id: revision
        for revision in revisions
        if (record := present.get(revision.stored.id)) is not None
        and record.article.version == revision.stored.article.version
        and record.change_kind not in GONE_KINDS
        and revision.differing
    }
    take_numbers(connection, 0)  # takes the lock before copies are marked
    texts = {
        number: one.signature for number, one in current.items() if one.signature and "article_body" in one.differing
    }
    duplicates.mark(connection, {number: current[number].article for number in texts}, texts, texts, now)
    note_pages(connection, {number: (one.stored, one.extracted) for number, one in current.items() if one.extracted})
    for number, revision in current.items():
        record = present[number]
        revision.article.version = record.last_version + 1
        connection.execute(insert(article_versions).values(version_row(number, revision.article, record.page_hash)))
        values = {name: value for name, value in article_row(revision.article).items() if name not in KEPT}
        connection.execute(update(articles).where(articles.c.id == number).values(values))
    log = [(number, revision.article.version, REEXTRACTED) for number, revision in current.items()]
    numbers = dict(zip(map(id, current.values()), record_changes(connection, log, now, run), strict=True))
    return [numbers.get(id(revision)) for revision in revisions]


def replace_text(
    connection: Connection, page: SitePage, article: Article, signature: "Signature | None"
) -> StoredArticle | None:
    """Gives a stored article another text of the same page, and its site's memory the decision by which it has it.

    Returns it as stored; None if it changed meanwhile.
    """
    site_pages.save_decision(connection, page)
    ids = {number for (number,) in connection.execute(ids_of(page.url))}
    records = [one for one in read_records(connection, (), ids) if one.article.url == article.url]
    versions = [NewVersion.of(record, article, signature) for record in records[:1]]
    numbers = revise(connection, versions)
    return next(
        (
            one.article.as_kind(StoredArticle, change=number, change_kind=REEXTRACTED)
            for one, number in zip(versions, numbers, strict=True)
            if number
        ),
        None,
    )


def add_listed_dates(connection: Connection, site: str) -> list[StoredArticle]:
    """Gives undated articles the publication date that a feed has given since; returns them as stored."""
    undated = (
        (articles.c.site == site) & articles.c.date_published.is_(None) & articles.c.change_kind.not_in(GONE_KINDS)
    )
    listed = select(articles.c.id, urls.c.meta).join(urls, urls.c.article == articles.c.id)
    rows = connection.execute(listed.where(undated, urls.c.meta.contains('"date_published"'))).all()
    listings = {row.id: Listing.from_dict(json.loads(row.meta).get("listing")) for row in rows}
    dated = []
    for record in read_records(connection, (), listings):
        listing = listings[record.id]
        when = listing and listing.date_published
        if listing and when and is_plausible_date(when, record.article.fetched_at):
            sources = {**record.article.sources, "date_published": listing.source}
            article = replace(record.article, date_published=when, date_published_raw=when.isoformat(), sources=sources)
            dated.append(NewVersion.of(record, article))
    numbers = revise(connection, dated)
    return [
        one.article.as_kind(StoredArticle, change=number, change_kind=REEXTRACTED)
        for one, number in zip(dated, numbers, strict=True)
        if number
    ]
