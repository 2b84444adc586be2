"""Removed articles: what stays of one, so that it never comes back and readers hear that it is gone.

An article may come back under another URL: a mobile edition, a print view, https. So its key, its site and the hash of
its headline and text stay, and no page with one of them is stored again. The hash says nothing about the text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select

from newsextract.items import Article
from newsextract.store.changes import take_numbers
from newsextract.store.engine import chunked, rows_in
from newsextract.store.schema import articles, removals

#: The kind of change that a removed article has in exports.
REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Removals:
    """Which of some pages' articles were removed: hashes of their keys, and sites with hashes of their texts."""

    keys: frozenset[str] = frozenset()
    texts: frozenset[tuple[str, str]] = frozenset()

    def has(self, key_hashes: Iterable[str], texts: Iterable[tuple[str, str]]) -> bool:
        """Whether an article with one of these keys, or with one of these texts on its site, was removed."""
        return not self.texts.isdisjoint(texts) or not self.keys.isdisjoint(key_hashes)


def record_removals(connection: Connection, ids: Iterable[int], now: datetime) -> None:
    """Records what stays of these articles, each with the next change number; call it before they are deleted."""
    query = select(articles.c.key_hash, articles.c.url, articles.c.site, articles.c.content_hash)
    for chunk in chunked([*ids]):
        rows = connection.execute(query.where(articles.c.id.in_(chunk)).order_by(articles.c.id)).all()
        numbers = take_numbers(connection, len(rows))
        values = [{**row._mapping, "change": change, "at": now} for row, change in zip(rows, numbers, strict=True)]
        if values:
            connection.execute(insert(removals), values)


def find_removals(connection: Connection, key_hashes: Iterable[str], hashes: Iterable[str]) -> Removals:
    """The removed articles with these hashes of keys, and those with these hashes of headline and text."""
    keys = rows_in(connection, select(removals.c.key_hash), removals.c.key_hash, key_hashes)
    texts = rows_in(
        connection, select(removals.c.site, removals.c.content_hash), removals.c.content_hash, filter(None, hashes)
    )
    return Removals(frozenset(key for (key,) in keys), frozenset((row.site, row.content_hash) for row in texts))


def removed_since(connection: Connection, since: int, until: int | None = None) -> Iterator[tuple[Article, int]]:
    """What is left of the articles removed after this change, in order, each with the number of its removal."""
    query = select(removals.c.url, removals.c.site, removals.c.change, removals.c.at).where(removals.c.change > since)
    if until is not None:
        query = query.where(removals.c.change <= until)
    for row in connection.execute(query.order_by(removals.c.change)):
        yield Article(url=row.url, site=row.site, is_article=False, fetched_at=row.at), row.change
