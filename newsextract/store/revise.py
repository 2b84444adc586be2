"""Stores new versions of articles that were extracted again from the same pages.

What was decided when the page was fetched stays: key, canonical URL, times of fetch and first sight. A version is
written only where a field that is read from the page differs.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, insert, select, update

from newsextract.items import ARTICLE_FIELDS, Article, FetchedPage, Listing, StoredArticle
from newsextract.store import duplicates
from newsextract.store.articles import any_of, as_document, key_of, storable
from newsextract.store.changes import take_numbers
from newsextract.store.outcome import GONE_KINDS
from newsextract.store.schema import article_row, article_versions, articles, changes, current_articles, sites, urls
from newsextract.store.url_states import chunked, fingerprint, site_column
from newsextract.urls import content_hash

if TYPE_CHECKING:
    from newsextract.near_duplicates import Signature

CHANGE_KIND = "reextracted"
#: Fields whose difference makes a new version; fields that a new version takes over from the old one.
READ_FROM_PAGE = tuple(spec.name for spec in ARTICLE_FIELDS if spec.use.origin == "page")
KEPT = tuple(spec.name for spec in ARTICLE_FIELDS if spec.use.origin == "fetch")


@dataclass(frozen=True, slots=True)
class PresentVersion:
    """A stored article whose current version was extracted from a given page; `last_version`: the highest number of its
    versions."""

    id: int
    article: Article
    change_kind: str
    last_version: int


@dataclass(frozen=True, slots=True)
class NewVersion:
    """The article that a page gives now, beside the stored version of it; `differing`: the fields that differ."""

    stored: PresentVersion
    article: Article
    differing: tuple[str, ...]
    signature: "Signature | None" = None

    @classmethod
    def of(cls, stored: PresentVersion, extracted: Article, signature: "Signature | None" = None) -> "NewVersion":
        """Compares a new extraction with the stored version; `signature`: of the new text."""
        old = stored.article
        new = storable(extracted, old.fetched_at or old.first_seen_at or datetime.min)
        new = replace(new, **{name: getattr(old, name) for name in KEPT})
        if "canonical_url" in old.sources:
            new.sources = {**new.sources, "canonical_url": old.sources["canonical_url"]}
        new.content_hash, new.version = content_hash(new.headline, new.article_body), stored.last_version + 1
        before, after = old.to_dict(), new.to_dict()
        return cls(stored, new, tuple(name for name in READ_FROM_PAGE if before[name] != after[name]), signature)


def present_versions(connection: Connection, pages: Sequence[FetchedPage]) -> dict[str, PresentVersion]:
    """By page id the stored articles whose current versions were extracted from these pages: same URL, same time."""
    ids: set[int] = set()
    for chunk in chunked(sorted({fingerprint(page.url) for page in pages})):
        query = select(urls.c.article).where(urls.c.fingerprint.in_(chunk), urls.c.article.is_not(None))
        ids.update(connection.execute(query).scalars())
    candidates = _read(connection, ids, {key_of(page.url) for page in pages})
    present = {(version.article.url, version.article.fetched_at): version for version in candidates}
    return {page.id: present[page.url, page.fetched_at] for page in pages if (page.url, page.fetched_at) in present}


def revise(connection: Connection, revisions: Sequence[NewVersion], now: datetime) -> list[int | None]:
    """Writes the revisions as versions; returns their change numbers, None where the article changed meanwhile."""
    _lock_sites(connection, revisions)
    ids = sorted({revision.stored.id for revision in revisions})
    present = {version.id: version for version in _read(connection, ids, ())}
    current = [revision for revision in revisions if _is_current(revision, present.get(revision.stored.id))]
    numbers = dict(zip(map(id, current), take_numbers(connection, len(current)) if current else (), strict=True))
    _mark_duplicates(connection, current)
    for revision in current:
        revision.article.version = present[revision.stored.id].last_version + 1
        _write(connection, revision, numbers[id(revision)], now)
    return [numbers.get(id(revision)) for revision in revisions]


def add_listed_dates(connection: Connection, site: str, now: datetime) -> list[StoredArticle]:
    """Gives articles of a site without a date of publication the one that a feed or list says since they were read.

    Returns them as they are stored now.
    """
    undated = (
        (articles.c.site == site) & articles.c.date_published.is_(None) & articles.c.change_kind.not_in(GONE_KINDS)
    )
    listed = select(articles.c.id, urls.c.meta).join(urls, urls.c.article == articles.c.id)
    rows = connection.execute(listed.where(undated, urls.c.meta.contains('"date_published"'))).all()
    listings = {row.id: Listing.from_dict(json.loads(row.meta).get("listing")) for row in rows}
    dated = []
    for version in _read(connection, listings, ()):
        if (listing := listings[version.id]) is not None and (when := listing.date_published) is not None:
            sources = {**version.article.sources, "date_published": listing.source}
            article = replace(
                version.article, date_published=when, date_published_raw=when.isoformat(), sources=sources
            )
            dated.append(NewVersion.of(version, article))
    changes = revise(connection, dated, now)
    return [
        StoredArticle.of(one.article, change, CHANGE_KIND) for one, change in zip(dated, changes, strict=True) if change
    ]


def _mark_duplicates(connection: Connection, revisions: Sequence[NewVersion]) -> None:
    """Marks anew whose copies the articles with another text are."""
    texts = {
        revision.stored.id: revision.signature
        for revision in revisions
        if revision.signature and "article_body" in revision.differing
    }
    originals = duplicates.mark(connection, texts, set(texts))
    addresses = {version.id: version.article.url for version in _read(connection, set(originals.values()), ())}
    for revision in revisions:
        if revision.stored.id in texts:
            revision.article.duplicate_of = addresses.get(originals.get(revision.stored.id, -1))


def _is_current(revision: NewVersion, present: PresentVersion | None) -> bool:
    """Whether the version that the revision was compared with is still current; a live blog's may be replaced."""
    if present is None or present.change_kind in GONE_KINDS:
        return False
    before, now = revision.stored.article, present.article
    return (now.version, now.fetched_at) == (before.version, before.fetched_at)


def _lock_sites(connection: Connection, revisions: Iterable[NewVersion]) -> None:
    """Locks the sites as a commit does, so that no other writer decides on their articles. SQLite has one writer."""
    names = sorted({site_column(revision.article.url) for revision in revisions})
    for chunk in chunked(names):
        rows = select(sites.c.site).where(sites.c.site.in_(chunk)).order_by(sites.c.site).with_for_update()
        connection.execute(rows).all()


def _read(connection: Connection, ids: Iterable[int], keys: Iterable[str]) -> list[PresentVersion]:
    numbered = article_versions.alias("numbered")
    last = select(func.max(numbered.c.version)).where(numbered.c.article == articles.c.id).scalar_subquery()
    columns = (articles.c.id, articles.c.change_kind, last.label("last_version"), article_versions.c.document)
    query = current_articles(*columns)
    versions: dict[int, PresentVersion] = {}
    for condition in any_of(keys, ids):
        for row in connection.execute(query.where(condition)):
            article = Article.from_dict(json.loads(row.document))
            versions[row.id] = PresentVersion(row.id, article, row.change_kind, row.last_version)
    return list(versions.values())


def _write(connection: Connection, revision: NewVersion, number: int, now: datetime) -> None:
    article, key = revision.article, {"article": revision.stored.id, "version": revision.article.version}
    before = (article_versions.c.article == revision.stored.id) & (
        article_versions.c.version == revision.stored.article.version
    )
    page_hash = connection.execute(select(article_versions.c.page_hash).where(before)).scalar_one()
    version = {"fetched_at": article.fetched_at, "content_hash": article.content_hash, "page_hash": page_hash}
    connection.execute(insert(article_versions).values(**key, **version, document=as_document(article)))
    connection.execute(insert(changes).values(**key, change=number, kind=CHANGE_KIND, at=now))
    values = {name: value for name, value in article_row(article).items() if name not in KEPT}
    values |= {"change": number, "change_kind": CHANGE_KIND}
    connection.execute(update(articles).where(articles.c.id == revision.stored.id).values(values))
