"""New versions of stored articles from the pages that they were extracted from, by another extraction or new evidence.

What was decided at the fetch stays (key, canonical URL, times of fetch and first sight). There is a new version only if
a field that is read from the page differs.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, insert, select, update

from newsextract.items import ARTICLE_FIELDS, Article, FetchedPage, Listing, StoredArticle, is_plausible_date
from newsextract.reasons import GONE_KINDS
from newsextract.store import duplicates, site_pages
from newsextract.store.articles import ArticleRecord, key_of, read_records, storable, version_row
from newsextract.store.changes import record_changes, take_numbers
from newsextract.store.corrections import note_pages
from newsextract.store.engine import database_now, rows_in
from newsextract.store.lookup import ids_of
from newsextract.store.manual import with_manual_fields
from newsextract.store.names import find_removed_names
from newsextract.store.outcome import SitePage
from newsextract.store.schema import article_row, article_versions, articles, fingerprint, site_column, sites, urls
from newsextract.urls import content_hash

if TYPE_CHECKING:
    from newsextract.near_duplicates import Signature

#: The kind of change that a new extraction makes.
REEXTRACTED = "reextracted"
#: Fields whose difference makes a new version of an article; fields that are taken over from the old one.
READ_FROM_PAGE = tuple(spec.name for spec in ARTICLE_FIELDS if spec.origin == "page")
KEPT = tuple(spec.name for spec in ARTICLE_FIELDS if spec.origin == "fetch")


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
