"""Articles as the database has them: keys, rows and records."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Select, func, select

from newsextract.items import ARTICLE_FIELDS, DATETIME_FIELDS, Article
from newsextract.store.engine import RowValues, rows_in
from newsextract.store.schema import article_versions, articles, cleaned, current_articles, replace_unstorable
from newsextract.urls import article_key, content_hash, site_of


@dataclass(slots=True, eq=False)
class ArticleRecord:
    """An article as the database has it, or will have it after this transaction.

    `id`: 0 until a new article is inserted. `change`: the last one in this transaction. `last_version`: the highest
    version number. `older`: texts of earlier fetches that are added as versions.
    """

    id: int
    key: str
    article: Article
    last_seen_at: datetime
    change: int | None = None
    change_kind: str = "new"
    page_hash: str | None = None
    last_version: int = 0
    older: list[Article] = field(default_factory=list)


def key_hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def key_of(url: str) -> str:
    """The article key of a URL, without characters that the database refuses."""
    return article_key(replace_unstorable(url))


def storable(article: Article, at: datetime) -> Article:
    """A copy as the store guarantees it: clean text, aware datetimes, a site, a content hash and a fetch time."""
    copy = Article(**{spec.name: cleaned(getattr(article, spec.name)) for spec in ARTICLE_FIELDS})
    for name in DATETIME_FIELDS:
        moment: datetime | None = getattr(copy, name)
        if moment is not None and moment.tzinfo is None:
            setattr(copy, name, moment.replace(tzinfo=UTC))
    copy.site = copy.site or site_of(copy.url)
    copy.content_hash = copy.content_hash or content_hash(copy.headline, copy.article_body)
    copy.fetched_at = copy.fetched_at or at
    return copy


def as_document(article: Article) -> str:
    """The value of `article_versions.document`."""
    return json.dumps(article.to_dict(), ensure_ascii=False)


def version_row(article: int, values: Article, page_hash: str | None) -> RowValues:
    """The row of `article_versions` for these values of an article."""
    return {
        "article": article,
        "version": values.version,
        "fetched_at": values.fetched_at,
        "content_hash": values.content_hash,
        "page_hash": page_hash,
        "document": as_document(values),
    }


@cache
def _records() -> Select[*tuple[Any, ...]]:
    versions = article_versions.alias()
    last_version = select(func.max(versions.c.version)).where(versions.c.article == articles.c.id).scalar_subquery()
    columns = (articles.c.id, articles.c.key, articles.c.last_seen_at, articles.c.change_kind)
    of_version = (article_versions.c.page_hash, article_versions.c.document, last_version.label("last_version"))
    return current_articles(*columns, *of_version)


def read_records(
    connection: Connection, keys: Iterable[str], ids: Iterable[int], texts: Iterable[str] = ()
) -> list[ArticleRecord]:
    """The articles with these keys, those with these ids, and those with these content hashes."""
    by_id: dict[int, ArticleRecord] = {}
    query = _records()
    found = chain(
        rows_in(connection, query, articles.c.key_hash, map(key_hash, keys)),
        rows_in(connection, query, articles.c.id, ids),
        rows_in(connection, query, articles.c.content_hash, texts),
    )
    for number, key, last_seen_at, kind, page_hash, document, version in found:
        article = Article.from_dict(json.loads(document))
        by_id[number] = ArticleRecord(number, key, article, last_seen_at, None, kind, page_hash, version)
    return list(by_id.values())
