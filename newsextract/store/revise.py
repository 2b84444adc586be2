"""New versions of stored articles that are made from the same pages by other means.

What an article is stays as it was decided when its page was fetched: its key, its canonical URL, when it was first
seen and fetched. Only what was read out of the page is new, and only if something of it is.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from newsextract.items import Article, FetchedPage
from newsextract.near_duplicates import Signature
from newsextract.store import duplicates
from newsextract.store.articles import as_document, key_hash, key_of, storable
from newsextract.store.changes import take_numbers
from newsextract.store.schema import article_versions, articles, changes, sites, urls
from newsextract.store.url_states import chunked, fingerprint, site_column
from newsextract.urls import content_hash

KIND = "reextracted"
#: Fields that say how an article was made, or what was decided when its page was fetched: no reason for a version.
OF_ITS_MAKING = frozenset(
    """url canonical_url site is_article not_article_because extractor confidence sources peer_url discovered_from
    fetched_at first_seen_at content_hash version duplicate_of""".split()
)
READ_FROM_PAGE = tuple(field.name for field in fields(Article) if field.name not in OF_ITS_MAKING)
#: Of these a new version keeps what the old one has.
DECIDED = ("url", "canonical_url", "site", "discovered_from", "fetched_at", "first_seen_at", "duplicate_of")


@dataclass(frozen=True, slots=True)
class PresentVersion:
    """A stored article whose present version was made from a given page."""

    id: int
    article: Article
    change_kind: str


@dataclass(frozen=True, slots=True)
class Revision:
    """What the same page gives now, beside the version made of it before; `differing`: the fields that do."""

    made: PresentVersion
    article: Article
    differing: tuple[str, ...]
    signature: Signature | None = None

    @classmethod
    def of(cls, made: PresentVersion, extracted: Article, signature: Signature | None = None) -> "Revision":
        """The article as it would be stored, beside the one that is; `signature`: of its text."""
        old = made.article
        new = storable(extracted, old.fetched_at or old.first_seen_at or datetime.min)
        for name in DECIDED:
            setattr(new, name, getattr(old, name))
        if "canonical_url" in old.sources:
            new.sources = {**new.sources, "canonical_url": old.sources["canonical_url"]}
        new.content_hash, new.version = content_hash(new.headline, new.article_body), old.version + 1
        before, after = old.to_dict(), new.to_dict()
        return cls(made, new, tuple(name for name in READ_FROM_PAGE if before[name] != after[name]), signature)


def present_versions(connection: Connection, pages: Sequence[FetchedPage]) -> dict[str, PresentVersion]:
    """The articles whose present versions were made from these pages, by page id: same address, same time."""
    prints = {fingerprint(page.url) for page in pages}
    ids: set[int] = set()
    for some in chunked(sorted(prints)):
        query = select(urls.c.article).where(urls.c.fingerprint.in_(some), urls.c.article.is_not(None))
        ids.update(connection.execute(query).scalars())
    found = _read(connection, ids, {key_hash(key_of(page.url)) for page in pages})
    present = {(one.article.url, one.article.fetched_at): one for one in found}
    return {page.id: present[page.url, page.fetched_at] for page in pages if (page.url, page.fetched_at) in present}


def revise(connection: Connection, revisions: Sequence[Revision], now: datetime) -> list[int | None]:
    """Writes the revisions as versions; gives their change numbers, None where the article has changed meanwhile."""
    _lock_sites(connection, revisions)
    ids = sorted({revision.made.id for revision in revisions})
    present = {one.id: one for one in _read(connection, ids, ())}
    standing = [revision for revision in revisions if _stands(revision, present.get(revision.made.id))]
    numbers = dict(zip(map(id, standing), take_numbers(connection, len(standing)) if standing else (), strict=True))
    _mark_duplicates(connection, standing)
    for revision in standing:
        _write(connection, revision, numbers[id(revision)], now)
    return [numbers.get(id(revision)) for revision in revisions]


def _mark_duplicates(connection: Connection, revisions: Sequence[Revision]) -> None:
    """Another text is a copy of other articles, or of none; and others may be copies of it from now on."""
    texts = {one.made.id: one.signature for one in revisions if one.signature and "article_body" in one.differing}
    originals = duplicates.mark(connection, texts, set(texts))
    addresses = {one.id: one.article.url for one in _read(connection, set(originals.values()), ())}
    for revision in revisions:
        if revision.made.id in texts:
            revision.article.duplicate_of = addresses.get(originals.get(revision.made.id, -1))


def _stands(revision: Revision, present: PresentVersion | None) -> bool:
    """Whether what the revision was compared with is still there; a live blog's version may be written over."""
    if present is None or present.change_kind == "deleted":
        return False
    before, now = revision.made.article, present.article
    return (now.version, now.fetched_at) == (before.version, before.fetched_at)


def _lock_sites(connection: Connection, revisions: Iterable[Revision]) -> None:
    """As a commit does: whoever else decides on articles of these sites waits. SQLite has one writer anyway."""
    names = sorted({site_column(revision.article.url) for revision in revisions})
    for some in chunked(names):
        rows = select(sites.c.site).where(sites.c.site.in_(some)).order_by(sites.c.site).with_for_update()
        connection.execute(rows).all()


def _read(connection: Connection, ids: Iterable[int], hashes: Iterable[str]) -> list[PresentVersion]:
    query = select(articles.c.id, articles.c.change_kind, article_versions.c.document).join(
        article_versions,
        (article_versions.c.article == articles.c.id) & (article_versions.c.version == articles.c.version),
    )
    found: dict[int, PresentVersion] = {}
    wanted: tuple[tuple[Any, Iterable[Any]], ...] = (
        (articles.c.id, sorted(ids)),
        (articles.c.key_hash, sorted(hashes)),
    )
    for column, values in wanted:
        for some in chunked(values):
            for row in connection.execute(query.where(column.in_(some))):
                found[row.id] = PresentVersion(row.id, Article.from_dict(json.loads(row.document)), row.change_kind)
    return list(found.values())


def _write(connection: Connection, revision: Revision, number: int, now: datetime) -> None:
    article, place = revision.article, {"article": revision.made.id, "version": revision.article.version}
    read_before = (article_versions.c.article == revision.made.id) & (
        article_versions.c.version == revision.made.article.version
    )
    page_hash = connection.execute(select(article_versions.c.page_hash).where(read_before)).scalar_one()
    version = {"fetched_at": article.fetched_at, "content_hash": article.content_hash, "page_hash": page_hash}
    connection.execute(insert(article_versions).values(**place, **version, document=as_document(article)))
    connection.execute(insert(changes).values(**place, change=number, kind=KIND, at=now))
    known = {
        name: getattr(article, name) for name in ("language", "headline", "date_published", "content_hash", "version")
    }
    this = articles.c.id == revision.made.id
    connection.execute(update(articles).where(this).values(**known, change=number, change_kind=KIND))
