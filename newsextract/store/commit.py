"""Commits groups of outcomes: one function for each thing that an outcome may bring, called for the whole group.

Links (`links.queue_links`), articles (`_store_articles`), pages that turn out not to be articles
(`endings.mark_retracted`), the end of each URL (`url_states.end_urls`), URLs that are gone (`endings.mark_deleted`),
two articles that are one (`renames.unite`), candidates and the memory of sites (`site_pages`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain

from sqlalchemy import Connection, bindparam, insert, update

from newsextract.items import StoredArticle
from newsextract.store import duplicates, frontier, renames, site_pages, url_states
from newsextract.store.articles import ArticleRecord, key_hash, version_row
from newsextract.store.changes import log_changes, take_numbers
from newsextract.store.corrections import note_pages
from newsextract.store.endings import mark_deleted, mark_retracted
from newsextract.store.engine import RowValues, database_now, execute_many
from newsextract.store.former_urls import Rename, record_renames
from newsextract.store.identity import ArticleResolver, Resolution
from newsextract.store.links import queue_links
from newsextract.store.names import find_removed_names
from newsextract.store.outcome import CommitResult, PageOutcome
from newsextract.store.schema import article_row, article_versions, articles, fingerprint


def commit_outcomes(connection: Connection, outcomes: Sequence[PageOutcome]) -> list[CommitResult]:
    """Writes the group, in a writing transaction that the caller commits."""
    if not outcomes:
        return []
    frontier.lock_sites(connection, outcomes)
    now, run, given = database_now(connection), outcomes[0].run, outcomes
    known, outdated = url_states.read_captures(connection, outcomes)
    outcomes = [one for one in outcomes if id(one) not in known]
    names = find_removed_names(connection)
    names.without_in(outcomes)
    queued = queue_links(connection, outcomes, now)
    if any(one.signature is not None for one in outcomes):
        take_numbers(connection, 0)  # takes the lock before the resolver reads the keys of texts
    resolver = ArticleResolver(connection, outcomes, now, names, outdated)
    resolutions = [resolver.resolve(outcome) for outcome in outcomes]
    asked = _store_articles(connection, resolver, resolutions, now, run)
    retracted = mark_retracted(connection, outcomes, now)
    new_links = [links.new + one.list_read.new_links for links, one in zip(queued, outcomes, strict=True)]
    gone = url_states.end_urls(connection, resolutions, new_links, outdated, retracted, now)
    deleted = mark_deleted(connection, gone, now, run)
    pairs = [(one.united[0].id, one.united[1].id) for one in resolutions if one.united is not None]
    united = renames.unite(connection, pairs, now, run)
    site_pages.save_candidates(connection, outcomes)
    site_pages.save_site_pages(connection, outcomes)
    results = {
        id(one.outcome): _result(one, links.waiting + asked.get(id(one), 0), retracted, deleted, united)
        for one, links in zip(resolutions, queued, strict=True)
    }
    return [results.get(id(one)) or CommitResult("unchanged" if one.article else "none") for one in given]


def _result(
    one: Resolution,
    queued: int,
    retracted: Mapping[str, int],
    deleted: Collection[str],
    united: Mapping[int, StoredArticle],
) -> CommitResult:
    """What became of an outcome's article; `queued`: links."""
    key = fingerprint(one.outcome.url)
    if one.outcome.retract and key in retracted:
        return CommitResult("retracted", retracted[key], queued=queued)
    if key in deleted:
        return CommitResult("deleted", queued=queued)
    if one.united is not None and (article := united.get(one.united[0].id)) is not None:
        return CommitResult("changed", article.change, one.canonical_refused, article, queued)
    return CommitResult(one.kind, one.change, one.canonical_refused, one.article, queued)


# ---- articles --------------------------------------------------------------------------------------------------------


def _store_articles(
    connection: Connection, resolver: ArticleResolver, resolutions: Sequence[Resolution], now: datetime, run: int | None
) -> dict[int, int]:
    """Writes new and changed articles with their versions, copies and corrections.

    Returns how many URLs were queued that may be an article's earlier one, by the `id` of the resolution.
    """
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
        run,
        resolver.keys,
    )
    _write_versions(connection, changed, records)
    note_pages(connection, resolver.extracted)
    return _ask_again(connection, last, alike)


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
        versions.append(version_row(one.stored.id, one.article, one.outcome.response.page_hash))
        entry = {"kind": one.kind, "at": one.outcome.when, "run": one.outcome.run, "version": one.article.version}
        log.append({"change": one.change, "article": one.stored.id, **entry})
    versions += [version_row(record.id, older, None) for record in records for older in record.older]
    execute_many(connection, insert(article_versions), versions)
    log_changes(connection, log)
