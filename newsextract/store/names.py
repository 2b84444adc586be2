"""People whose names were taken out of the database: no article by them has their names any more, nor gets them again.

What stays of a name is a hash of its words. Articles about a person keep the name; only those that name the person as
an author lose it, in all their fields and versions. Addresses stay as they are.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, bindparam, delete, func, insert, or_, select, update

from newsextract.errors import WrongCall
from newsextract.items import Article
from newsextract.reasons import GONE_KINDS
from newsextract.store.articles import as_document
from newsextract.store.changes import record_changes
from newsextract.store.engine import RowValues, chunked, database_now, execute_many, overwrite_deleted, rows_in
from newsextract.store.outcome import LISTING, PageOutcome, QueuedLink
from newsextract.store.schema import (
    CHANGES_REMOVED,
    article_row,
    article_versions,
    articles,
    candidates,
    corrections,
    jsonl_files,
    peers,
    removed_names,
    urls,
)
from newsextract.text import ALPHANUMERICS, normalized
from newsextract.urls import content_hash

#: What stands in a text where a name was taken out.
OMITTED = "[…]"
#: Words of the longest name that is looked for in a line of authors.
MAX_WORDS = 6
ASCII_WORD = re.compile(r"[a-z0-9]+")
#: Keys of what are addresses, in articles and in the meta of requests.
ADDRESSES = frozenset("url canonical_url discovered_from peer_url duplicate_of site redirect_urls".split())


class Taken(NamedTuple):
    """How many articles, with how many versions, and how many queued URLs had a name."""

    articles: int
    versions: int
    urls: int


@dataclass(frozen=True, slots=True)
class Name:
    """A person's name, as its words in lower case."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Name":
        """The name in a text. Raises WrongCall if there is none."""
        words = _words(text)
        if not 0 < len(words) <= MAX_WORDS:
            raise WrongCall(f"--author {text!r} isn't a name: it has to have 1 to {MAX_WORDS} words")
        return cls(words)

    @property
    def hash(self) -> str:
        return hashlib.sha256(" ".join(self.words).encode()).hexdigest()

    @property
    def pattern(self) -> re.Pattern[str]:
        """Finds the name in any case, with any marks between its words."""
        spaced = r"[\W_]{1,3}".join(map(re.escape, self.words))
        has_case = spaced != spaced.upper()  # in scripts without case, words may follow a name without a space
        return re.compile(rf"(?<![^\W_]){spaced}(?![^\W_])" if has_case else spaced, re.IGNORECASE)

    def is_in(self, column: Column[Any]) -> ColumnElement[bool]:
        """A condition that all rows with the name meet, and hardly others: databases fold only ASCII letters alike."""
        longest = max((run for word in self.words for run in ASCII_WORD.findall(word)), key=len, default="")
        return func.lower(column).contains(longest, autoescape=True)

    def is_of(self, authors: Iterable[str]) -> bool:
        return any(self.hash in _hashes(author) for author in authors)


@dataclass(frozen=True, slots=True)
class RemovedNames:
    """The hashes of the names that were taken out."""

    hashes: frozenset[str] = frozenset()

    def without(self, article: Article) -> Article:
        """The article without those of its authors' names that were taken out."""
        for name in self.named_in(article.authors):
            article = without_name(article, name)
        return article

    def without_in(self, outcomes: Sequence[PageOutcome]) -> None:
        """Takes the names from what lists say, and from links to the pages of authors."""
        for outcome in outcomes if self.hashes else ():
            outcome.links = [self._link(link) for link in outcome.links]

    def _link(self, link: QueuedLink) -> QueuedLink:
        listing = (link.meta or {}).get(LISTING)
        authors = listing.get("authors", ()) if isinstance(listing, dict) else ()
        for name in self.named_in(
            [*filter(None, (link.anchor_text,)), *(one for one in authors if isinstance(one, str))]
        ):
            meta = None if link.meta is None else _without(link.meta, name.pattern)
            link = replace(link, anchor_text=name.pattern.sub("", link.anchor_text).strip(), meta=meta)
        return link

    def named_in(self, authors: Iterable[str]) -> Iterator[Name]:
        """The names that were taken out and stand in these lines of authors."""
        for author in authors if self.hashes else ():
            yield from (Name(words) for known, words in _hashes(author).items() if known in self.hashes)


def _words(text: str) -> tuple[str, ...]:
    return tuple(ALPHANUMERICS.findall(normalized("NFKC", text).casefold()))


def _hashes(author: str) -> dict[str, tuple[str, ...]]:
    """The hashes of all names that may stand in a line of authors, with their words."""
    words = _words(author)
    runs = (words[at : at + n] for at in range(len(words)) for n in range(1, MAX_WORDS + 1) if at + n <= len(words))
    return {Name(run).hash: run for run in runs}


def find_removed_names(connection: Connection) -> RemovedNames:
    return RemovedNames(frozenset(connection.scalars(select(removed_names.c.name_hash))))


def without_name(article: Article, name: Name) -> Article:
    """The article with the name taken out of all its texts."""
    taken = Article.from_dict(_without(article.to_dict(), name.pattern))
    if not taken.authors:
        taken.sources = {field: source for field, source in taken.sources.items() if field != "authors"}
    taken.content_hash = content_hash(taken.headline, taken.article_body)
    return taken


def _without(value: Any, pattern: re.Pattern[str]) -> Any:
    """A JSON value without the name; an author or keyword that has it goes."""
    if isinstance(value, str):
        return pattern.sub(OMITTED, value)
    if isinstance(value, list):
        return [_without(item, pattern) for item in value if not (isinstance(item, str) and pattern.search(item))]
    if isinstance(value, Mapping):
        return {key: item if key in ADDRESSES else _without(item, pattern) for key, item in value.items()}
    return value


def take_name_out(connection: Connection, text: str) -> Taken:
    """Takes an author's name out of articles with their versions, of the queue and of kept pages, and for the future.

    Readers get the articles as changed; the next crawl rewrites its JSON lines. Raises WrongCall without a name.
    """
    name, now = Name.of(text), database_now(connection)
    overwrite_deleted(connection)
    if not connection.execute(select(removed_names).where(removed_names.c.name_hash == name.hash)).first():
        connection.execute(insert(removed_names).values(name_hash=name.hash, at=now, articles=0))
    ids = _by_author(connection, name)
    counting = update(removed_names).where(removed_names.c.name_hash == name.hash)
    connection.execute(counting.values(articles=func.coalesce(removed_names.c.articles, 0) + len(ids)))
    versions = _take_from_versions(connection, name, ids)
    _take_from_kept(connection, name, ids)
    if ids:
        connection.execute(update(jsonl_files).values(change=CHANGES_REMOVED))
    return Taken(len(ids), versions, _take_from_queue(connection, name))


def _by_author(connection: Connection, name: Name) -> list[int]:
    """The articles that name the person as an author in one of their versions."""
    query = select(article_versions.c.article, article_versions.c.document)
    rows = connection.execute(query.where(name.is_in(article_versions.c.document)))
    return sorted({row.article for row in rows if name.is_of(json.loads(row.document)["authors"])})


def _take_from_versions(connection: Connection, name: Name, ids: Sequence[int]) -> int:
    """Writes the versions of these articles without the name, and logs the articles as changed; how many versions."""
    columns = (articles.c.id, articles.c.version, articles.c.change_kind)
    present = {row.id: row for row in rows_in(connection, select(*columns), articles.c.id, ids)}
    of_version = select(article_versions.c.article, article_versions.c.version, article_versions.c.document)
    written: list[RowValues] = []
    for number, version, document in rows_in(connection, of_version, article_versions.c.article, ids):
        article = without_name(Article.from_dict(json.loads(document)), name)
        values = {"document": as_document(article), "content_hash": article.content_hash}
        written.append({"of": number, "which": version, **values})
        if version == present[number].version:
            row = {key: value for key, value in article_row(article).items() if key in ("headline", "content_hash")}
            connection.execute(update(articles).where(articles.c.id == number).values(row))
    which = (article_versions.c.article == bindparam("of")) & (article_versions.c.version == bindparam("which"))
    execute_many(connection, update(article_versions).where(which), written)
    kinds = [
        (row.id, row.version, row.change_kind if row.change_kind in GONE_KINDS else "changed")
        for row in present.values()
    ]
    record_changes(connection, kinds, database_now(connection))
    return len(written)


def _take_from_kept(connection: Connection, name: Name, ids: Sequence[int]) -> None:
    """Takes the name from what was corrected, and from pages that wait; deletes kept pages of the articles."""
    for row in [*rows_in(connection, select(corrections), corrections.c.article, ids)]:
        which = (corrections.c.article == row.article) & (corrections.c.version == row.version)
        values = {
            key: json.dumps(_without(json.loads(getattr(row, key)), name.pattern))
            for key in ("value", "replaced", "page")
        }
        connection.execute(update(corrections).where(which, corrections.c.field == row.field).values(values))
    for chunk in chunked(ids):
        of_articles = select(urls.c.url).where(urls.c.article.in_(chunk))
        connection.execute(delete(peers).where(peers.c.url.in_(of_articles)))
    waiting = select(candidates.c.fingerprint, candidates.c.article).where(name.is_in(candidates.c.article))
    for row in connection.execute(waiting).all():
        article = Article.from_dict(json.loads(row.article))
        if name.is_of(article.authors):
            changing = update(candidates).where(candidates.c.fingerprint == row.fingerprint)
            connection.execute(changing.values(article=as_document(without_name(article, name))))


def _take_from_queue(connection: Connection, name: Name) -> int:
    """Takes the name from the texts of links and from what lists said; returns from how many URLs."""
    query = select(urls.c.fingerprint, urls.c.anchor_text, urls.c.meta)
    pattern, rows = name.pattern, []
    for row in connection.execute(query.where(or_(name.is_in(urls.c.anchor_text), name.is_in(urls.c.meta)))):
        text = row.anchor_text and pattern.sub("", row.anchor_text).strip()
        meta = row.meta and json.dumps(_without(json.loads(row.meta), pattern), ensure_ascii=False)
        if (text, meta) != (row.anchor_text, row.meta):
            rows.append({"which": row.fingerprint, "anchor_text": text, "meta": meta})
    execute_many(connection, update(urls).where(urls.c.fingerprint == bindparam("which")), rows)
    return len(rows)
