"""Removed articles: what stays of one, so that it never comes back and readers hear that it is gone.

An article may come back under another URL (a mobile edition, a print view, https), with another headline, cut, or
corrected. So its key, its site, and the hashes and signatures of its texts stay, and no page with one of them is stored
again. They only say whether another text is like them. A text that is too short for a signature, or that stands under
several headlines, as a wall does, identifies no article by itself: it counts with its headline only.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sqlalchemy import Connection, insert, select

from newsextract.items import Article
from newsextract.store.articles import read_records
from newsextract.store.changes import take_numbers
from newsextract.store.duplicates import MAX_PER_KEY, MIN_SHARED_WITHIN_SITE, find_similar, read_keys
from newsextract.store.engine import chunked, execute_many, rows_in
from newsextract.store.schema import article_versions, articles, removals, removed_bands, removed_texts, signatures
from newsextract.text import letters_and_digits

if TYPE_CHECKING:  # imported in functions: it imports numpy, which look-ups don't need
    from newsextract.near_duplicates import Signature  # loads numpy

T = TypeVar("T")

#: The kind of change that a removed article has in exports.
REMOVED = "removed"
#: How many other headlines of its site a text has that identifies no article.
MANY_HEADLINES = 2
_KEYS = select(removals.c.key_hash)
_BANDS = select(removed_bands)
#: The texts of removed articles, with their sites.
_KEPT = select(removed_texts, removals.c.site).join(removals, removals.c.change == removed_texts.c.removal)


@dataclass(frozen=True, slots=True)
class Text:
    """A text of an article: the hash of headline and body, and the body's signature, if that identifies the article."""

    site: str
    content_hash: str
    signature: "Signature | None" = None


@dataclass(frozen=True, slots=True)
class Removals:
    """What was removed, of some pages' articles: hashes of their keys, and texts like theirs."""

    keys: frozenset[str] = frozenset()
    texts: tuple[Text, ...] = ()

    def has_key(self, key_hashes: Iterable[str]) -> bool:
        """Whether an article with one of these keys was removed."""
        return not self.keys.isdisjoint(key_hashes)

    def has_text(self, text: Text) -> bool:
        """Whether an article of the site was removed that had this headline and text."""
        return any((one.site, one.content_hash) == (text.site, text.content_hash) for one in self.texts)

    def has_like(self, text: Text) -> bool:
        """Whether it is the text of a removed article of the site, under any headline, also cut or corrected."""
        from newsextract.near_duplicates import is_republished  # loads numpy

        known = (one.signature for one in self.texts if one.site == text.site)
        return text.signature is not None and any(one and is_republished(text.signature, one) for one in known)


def find_removals(connection: Connection, key_hashes: Iterable[str], texts: Collection[Text]) -> Removals:
    """What was removed of articles with these hashes of keys, and of those with these texts or texts like them."""
    keys = rows_in(connection, _KEYS, removals.c.key_hash, key_hashes)
    hashes = {text.content_hash for text in texts} - {""}
    similar = find_similar(_read_bands(connection, texts), [one.signature for one in texts if one.signature])
    rows = chain(
        rows_in(connection, _KEPT, removed_texts.c.content_hash, hashes),
        rows_in(connection, _KEPT, removed_texts.c.removal, similar),
    )
    return Removals(frozenset(key for (key,) in keys), tuple(map(_kept_text, rows)))


def has_texts(connection: Connection) -> bool:
    """Whether any article was removed whose text alone identifies it."""
    return connection.execute(select(removed_bands.c.band).limit(1)).first() is not None


def record_removals(connection: Connection, ids: Iterable[int], now: datetime) -> None:
    """Records what stays of these articles, each with the next change number; call it before they are deleted."""
    query = select(articles.c.id, articles.c.key_hash, articles.c.url, articles.c.site)
    for chunk in chunked([*ids]):
        rows = connection.execute(query.where(articles.c.id.in_(chunk)).order_by(articles.c.id)).all()
        numbers = dict(zip((row.id for row in rows), take_numbers(connection, len(rows)), strict=True))
        values = [
            {"key_hash": row.key_hash, "url": row.url, "site": row.site, "change": numbers[row.id], "at": now}
            for row in rows
        ]
        execute_many(connection, insert(removals), values)
        texts = _read_texts(connection, numbers)
        keep_texts(connection, {numbers[number]: of_article for number, of_article in texts.items()})


def keep_texts(connection: Connection, texts: Mapping[int, Collection[Text]]) -> None:
    """Stores the texts of removed articles, by the change numbers of their removals."""
    rows, bands = [], []
    by_key = _read_bands(connection, chain.from_iterable(texts.values()))
    for removal, of_article in texts.items():
        for number, text in enumerate(of_article, 1):
            signature = text.signature.to_bytes() if text.signature else None
            values = {"content_hash": text.content_hash, "signature": signature}
            rows.append({"removal": removal, "number": number, **values})
        for key in sorted(_keys_of(of_article)):
            if len(by_key[key]) < MAX_PER_KEY:  # what more texts have is a sentence of a template
                by_key[key].append(removal)
                bands.append({"band": key, "removal": removal})
    execute_many(connection, insert(removed_texts), rows)
    execute_many(connection, insert(removed_bands), bands)


def read_kept_texts(connection: Connection, numbers: Iterable[int]) -> dict[int, list[Text]]:
    """The texts of removed articles, by the change numbers of their removals."""
    texts: defaultdict[int, list[Text]] = defaultdict(list)
    for row in rows_in(connection, _KEPT, removed_texts.c.removal, numbers):
        texts[row.removal].append(_kept_text(row))
    return texts


def removed_since(connection: Connection, since: int, until: int | None = None) -> Iterator[tuple[Article, int]]:
    """What is left of the articles removed after this change, in order, each with the number of its removal."""
    query = select(removals.c.url, removals.c.site, removals.c.change, removals.c.at).where(removals.c.change > since)
    if until is not None:
        query = query.where(removals.c.change <= until)
    for row in connection.execute(query.order_by(removals.c.change)):
        yield Article(url=row.url, site=row.site, is_article=False, fetched_at=row.at), row.change


def _kept_text(row: Any) -> Text:
    from newsextract.near_duplicates import Signature  # loads numpy

    return Text(row.site, row.content_hash, Signature.from_bytes(row.signature or b""))


def _keys_of(texts: Iterable[Text]) -> set[int]:
    return {key for text in texts if text.signature for key in text.signature.keys.tolist()}


def _read_bands(connection: Connection, texts: Iterable[Text]) -> defaultdict[int, list[int]]:
    """The removals that have each key of these texts."""
    by_key: defaultdict[int, list[int]] = defaultdict(list)
    for key, removal in rows_in(connection, _BANDS, removed_bands.c.band, _keys_of(texts)):
        by_key[key].append(removal)
    return by_key


def _read_texts(connection: Connection, ids: Collection[int]) -> dict[int, list[Text]]:
    """The texts of all versions of these articles; without a signature if that doesn't identify the article."""
    from newsextract.near_duplicates import Signature, signature_of  # loads numpy

    is_present = (signatures.c.article == articles.c.id) & (articles.c.version == article_versions.c.version)
    columns = (article_versions.c.article, article_versions.c.content_hash, article_versions.c.document)
    query = select(*columns, articles.c.site, signatures.c.signature)
    query = query.join(articles, articles.c.id == article_versions.c.article).outerjoin(signatures, is_present)
    entries = dict[tuple[int, str], _Entry]()
    for row in rows_in(connection, query, article_versions.c.article, ids):
        document = json.loads(row.document)
        signature = Signature.from_bytes(row.signature or b"") or signature_of(document["article_body"])
        entry = _Entry(row.site, letters_and_digits(document["headline"] or ""), signature)
        entries.setdefault((row.article, row.content_hash), entry)
    alike = _find_alike(connection, entries)
    texts: defaultdict[int, list[Text]] = defaultdict(list)
    for (number, content_hash), entry in entries.items():
        others = [other for found, other in alike[number, content_hash].items() if found != number]
        signature = None if _is_generic(entry, others) else entry.signature
        texts[number].append(Text(entry.site, content_hash, signature))
    return texts


# ---- articles with the same text -------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """A text of an article, and the letters and digits of its headline."""

    site: str
    headline: str
    signature: "Signature | None"


def find_twins(connection: Connection, ids: Collection[int]) -> set[int]:
    """The articles that have the bodies of these at other URLs of their sites, where a body identifies an article."""
    entries = _read_entries(connection, ids)
    twins = set[int]()
    for number, alike in _find_alike(connection, entries).items():
        if not _is_generic(entries[number], alike.values()):
            records = read_records(connection, (), {number, *alike})
            bodies = {one.id: letters_and_digits(one.article.article_body) for one in records}
            twins.update(other for other in alike if bodies[other] == bodies[number])
    return twins - {*ids}


def find_like(connection: Connection, texts: Iterable[Text]) -> set[int]:
    """The articles of the same sites with these texts, also corrected ones, under any headline."""
    entries = {number: _Entry(text.site, "", text.signature) for number, text in enumerate(texts)}
    return set(chain.from_iterable(_find_alike(connection, entries).values()))


def _is_generic(entry: _Entry, alike: Iterable[_Entry]) -> bool:
    """Whether a text stands under several other headlines of its site."""
    return len({one.headline for one in alike} - {entry.headline}) >= MANY_HEADLINES


def _read_entries(connection: Connection, ids: Iterable[int]) -> dict[int, _Entry]:
    """The present texts of these articles, of those that have signatures."""
    from newsextract.near_duplicates import Signature  # loads numpy

    query = select(signatures, articles.c.site, articles.c.headline)
    query = query.join(articles, articles.c.id == signatures.c.article)
    return {
        row.article: _Entry(row.site, letters_and_digits(row.headline or ""), Signature.from_bytes(row.signature))
        for row in rows_in(connection, query, signatures.c.article, ids)
    }


def _find_alike(connection: Connection, entries: Mapping[T, _Entry]) -> dict[T, dict[int, _Entry]]:
    """For each of these texts the articles of its site that have it, also corrected."""
    by_key = read_keys(connection, (one.signature for one in entries.values() if one.signature))
    similar = {key: find_similar(by_key, [one.signature]) for key, one in entries.items() if one.signature}
    found = _read_entries(connection, set(chain.from_iterable(similar.values())))
    return {
        key: {number: found[number] for number in similar.get(key, ()) if _is_like(entry, found.get(number))}
        for key, entry in entries.items()
    }


def _is_like(one: _Entry, other: _Entry | None) -> bool:
    from newsextract.near_duplicates import is_republished, shared  # loads numpy

    if other is None or one.signature is None or other.signature is None or one.site != other.site:
        return False
    common = min(shared(one.signature, other.signature), shared(other.signature, one.signature))
    return common >= MIN_SHARED_WITHIN_SITE and is_republished(one.signature, other.signature)
