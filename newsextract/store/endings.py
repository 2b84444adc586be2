"""Articles that end: deleted, because their URLs are gone, or retracted, because they turn out not to be articles."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from newsextract.items import StoredArticle
from newsextract.reasons import GONE, GONE_KINDS, REASONS, UrlState
from newsextract.store import duplicates, renames, site_pages
from newsextract.store.articles import ArticleRecord, read_records, version_row
from newsextract.store.changes import record_changes
from newsextract.store.engine import count_rows, database_now
from newsextract.store.links import LINKED, READ
from newsextract.store.manual import manual_fields
from newsextract.store.outcome import PageOutcome
from newsextract.store.recrawl_policy import BACK_OFF
from newsextract.store.schema import article_versions, articles, fingerprint, site_column, urls

#: How many articles may be gone at once, if no more were still there.
MANY_GONE = 2
#: Reasons of lists.
LISTS = tuple(name for name, reason in REASONS.items() if reason.is_list)


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
