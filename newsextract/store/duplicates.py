"""Near-duplicates: articles are found by signature keys and marked as copies of the first one stored.

`bands` is an index from keys to articles, so a look-up reads a few rows however many articles are stored. It happens
inside the transaction that stores the articles, after taking their change numbers and thereby the lock that is held
until the commit: of two workers with the same copy, the second sees the first one's.

When an original changes, goes or is retracted, its copies are compared again, with its new text, if any, and with each
other, so the next one takes its place. An original is never a copy itself, so `duplicate_of` never has to be followed
twice.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from newsextract.items import Article
from newsextract.limits import SIMILAR_TEXTS
from newsextract.reasons import GONE_KINDS
from newsextract.store.changes import record_changes, take_numbers
from newsextract.store.engine import execute_many, insert_rows, rows_in
from newsextract.store.schema import articles, bands, signatures

if TYPE_CHECKING:  # imported in functions: it imports numpy, which look-ups don't need
    from newsextract.near_duplicates import Signature  # loads numpy

#: Articles indexed under one key. A key that more texts share is a sentence of a template or a site.
MAX_PER_KEY = 16
#: A copy of a copy must share this much with the original to be a copy of it.
MIN_SHARED_WITH_ORIGINAL = 0.4
#: Two articles of one site must share this much, each of the other, to be copies: its pages share boxes and endings.
MIN_SHARED_WITHIN_SITE = 0.85
KEYS = select(bands.c.band, bands.c.article)
SIGNED = select(
    signatures.c.article, signatures.c.signature, articles.c.url, articles.c.site, articles.c.duplicate_of
).join(articles, articles.c.id == signatures.c.article)


@dataclass(slots=True)
class SignedArticle:
    """An article in the search for copies: `original` is the one that it is a copy of."""

    url: str
    site: str
    signature: "Signature"
    original: int | None = None


def mark(
    connection: Connection,
    present: Mapping[int, Article],
    texts: "Mapping[int, Signature]",
    changed: Collection[int],
    now: datetime,
    run: int | None = None,
    known: Mapping[int, Collection[int]] | None = None,
) -> dict[int, list[int]]:
    """Stores the signatures of articles, by id, and sets `duplicate_of` to the URLs of their originals.

    `changed`: articles that had another text before; `known`: `read_keys` of these texts, if it was called in this
    transaction. Call it after `take_numbers`, whose lock it needs. Returns for each article those of its site that may
    be the same story.
    """
    own = {number: SignedArticle(present[number].url, present[number].site, text) for number, text in texts.items()}
    _remove_signatures(connection, changed)
    originals = _release_copies(connection, changed, own, now, run) if changed else frozenset()
    by_key: defaultdict[int, list[int]] = defaultdict(list)
    for key, numbers in (read_keys(connection, texts.values()) if known is None else known).items():
        by_key[key] = [number for number in numbers if number not in changed]
    similar: dict[int, list[int]] = {}
    rows: list[tuple[int, int]] = []
    for number in sorted(texts, key=lambda number: (number not in originals, number)):
        keys = texts[number].keys.tolist()
        counted = Counter(chain.from_iterable(by_key.get(key, ()) for key in keys))
        similar[number] = [other for other, _ in counted.most_common(SIMILAR_TEXTS)]
        free = [key for key in keys if len(by_key[key]) < MAX_PER_KEY]
        rows += [(key, number) for key in free]
        for key in free:
            by_key[key].append(number)
    entries = _read_signed(connection, {other for others in similar.values() for other in others} - texts.keys())
    entries |= _read_signed(connection, {entry.original or 0 for entry in entries.values()} - {0, *entries})
    marks: dict[int, int | None] = dict.fromkeys(changed)
    for article in present.values():
        article.duplicate_of = None
    for number, others in similar.items():
        entry = entries[number] = own[number]
        if number not in originals:
            entry.original = _original_of(entry, others, entries)
        if entry.original is not None:
            marks[number], present[number].duplicate_of = entry.original, entries[entry.original].url
    _set_originals(connection, marks)
    values = [{"article": number, "signature": text.to_bytes()} for number, text in sorted(texts.items())]
    execute_many(connection, insert(signatures), values)
    insert_rows(connection, bands, ("band", "article"), sorted(rows))
    return {number: _alike(own[number], others, entries) for number, others in similar.items() if others}


def _alike(entry: SignedArticle, others: Iterable[int], entries: Mapping[int, SignedArticle]) -> list[int]:
    """Those of these articles that are of the same site and may be this one as it was or is; best first.

    One text of the two is a copy of the other one; reports of one template, whose facts differ, are none.
    """
    from newsextract.near_duplicates import is_version, shared  # loads numpy

    own = entry.signature
    of_site = {number: entries[number].signature for number in others if number in entries}
    of_site = {number: text for number, text in of_site.items() if entries[number].site == entry.site}
    alike = {number: text for number, text in of_site.items() if is_version(own, text)}
    common = {number: max(shared(own, text), shared(text, own)) for number, text in alike.items()}
    return sorted(common, key=lambda number: -common[number])


def find_alike(connection: Connection, ids: Collection[int]) -> dict[int, list[int]]:
    """For each of these articles those of its site that may be the same story, by their texts."""
    texts = _read_signed(connection, ids)
    by_key = read_keys(connection, (entry.signature for entry in texts.values()))
    similar = {number: find_similar(by_key, [entry.signature]) - {number} for number, entry in texts.items()}
    entries = _read_signed(connection, {other for others in similar.values() for other in others})
    return {number: _alike(texts[number], others, entries) for number, others in similar.items()}


def signature_of(connection: Connection, number: int) -> "Signature | None":
    """The signature of an article's present text, if it has one."""
    entry = _read_signed(connection, [number]).get(number)
    return entry.signature if entry is not None else None


def read_keys(connection: Connection, texts: "Iterable[Signature]") -> dict[int, list[int]]:
    """The articles that have each key of these texts."""
    by_key: defaultdict[int, list[int]] = defaultdict(list)
    keys = chain.from_iterable(text.keys.tolist() for text in texts)
    for key, number in rows_in(connection, KEYS, bands.c.band, keys):
        by_key[key].append(number)
    return by_key


def find_similar(by_key: Mapping[int, Collection[int]], texts: "Iterable[Signature]") -> set[int]:
    """The articles that share keys with these texts (`read_keys`): for each, those with most."""
    shared = (chain.from_iterable(by_key.get(key, ()) for key in text.keys.tolist()) for text in texts)
    return {number for numbers in shared for number, _ in Counter(numbers).most_common(SIMILAR_TEXTS)}


def _read_signed(connection: Connection, ids: Collection[int]) -> dict[int, SignedArticle]:
    """The articles with these ids that have signatures."""
    from newsextract.near_duplicates import Signature  # loads numpy

    return {
        number: SignedArticle(url, site, signature, original)
        for number, stored, url, site, original in rows_in(connection, SIGNED, signatures.c.article, ids)
        if (signature := Signature.from_bytes(stored)) is not None
    }


def _original_of(copy: SignedArticle, candidates: Iterable[int], entries: Mapping[int, SignedArticle]) -> int | None:
    """Of the candidates that an article copies, the one it shares most with, or that one's original."""
    from newsextract.near_duplicates import is_copy, shared  # loads numpy

    ranked: list[tuple[bool, float, int]] = []
    for number in candidates:
        earlier = entries.get(number)
        if earlier is None or not is_copy(copy.signature, earlier.signature):
            continue
        common = shared(copy.signature, earlier.signature)
        if (
            copy.site == earlier.site
            and min(common, shared(earlier.signature, copy.signature)) < MIN_SHARED_WITHIN_SITE
        ):
            continue
        original = earlier.original or number
        if original != number:
            common = shared(copy.signature, entries[original].signature) if original in entries else 0.0
        if original == number or common >= MIN_SHARED_WITH_ORIGINAL:
            ranked.append((original != number, -common, original))
    return min(ranked)[2] if ranked else None


def release(connection: Connection, ids: Collection[int], now: datetime, run: int | None = None) -> None:
    """Prepares articles for their end: the first copy of one becomes the original of the others."""
    take_numbers(connection, 0)  # so that no other writer finds copies of them meanwhile
    _remove_signatures(connection, ids)
    _release_copies(connection, ids, {}, now, run)


def _release_copies(
    connection: Connection, ids: Collection[int], texts: Mapping[int, SignedArticle], now: datetime, run: int | None
) -> frozenset[int]:
    """Finds new originals for the copies of these articles, which are gone or have other texts now (`texts`), and logs
    the changes, so that readers of the change log get them. Returns which of the articles keep a copy.
    """
    columns = (articles.c.id, articles.c.duplicate_of, articles.c.version, articles.c.change_kind)
    query = select(*columns).order_by(articles.c.id)
    rows = [*rows_in(connection, query, articles.c.duplicate_of, ids)]
    entries = {**texts, **_read_signed(connection, {row.id for row in rows} - {*ids})}
    earlier: defaultdict[int, list[int]] = defaultdict(list)
    heirs: defaultdict[int, list[int]] = defaultdict(list)  # new originals behind the first SIMILAR_TEXTS
    moved: dict[int, int | None] = {}
    for row in rows:
        copy, siblings = entries.get(row.id), earlier[row.duplicate_of]
        original = None
        if copy is not None and row.id not in ids:  # without a signature, it is gone itself
            copy.original = None
            behind = heirs[row.duplicate_of]
            compared = (row.duplicate_of, *siblings[:SIMILAR_TEXTS], *behind[:SIMILAR_TEXTS])
            original = copy.original = _original_of(copy, compared, entries)
            if original is None and len(siblings) >= SIMILAR_TEXTS:
                behind.append(row.id)
            siblings.append(row.id)
        if original != row.duplicate_of:
            moved[row.id] = original
    _set_originals(connection, moved)
    kinds = [
        (row.id, row.version, row.change_kind if row.change_kind in GONE_KINDS else "changed")
        for row in rows
        if row.id in moved and row.id not in ids
    ]
    record_changes(connection, kinds, now, run)
    return frozenset(row.duplicate_of for row in rows if row.id not in moved)


def _remove_signatures(connection: Connection, ids: Collection[int]) -> None:
    from newsextract.near_duplicates import Signature  # loads numpy

    rows = [*rows_in(connection, select(signatures), signatures.c.article, ids)]
    texts = [(row.article, Signature.from_bytes(row.signature)) for row in rows]
    entries = [{"key": key, "of": number} for number, text in texts if text for key in text.keys.tolist()]
    is_entry = (bands.c.band == bindparam("key")) & (bands.c.article == bindparam("of"))
    execute_many(connection, delete(bands).where(is_entry), entries)
    is_own = signatures.c.article == bindparam("of")
    execute_many(connection, delete(signatures).where(is_own), [{"of": row.article} for row in rows])


def _set_originals(connection: Connection, originals: Mapping[int, int | None]) -> None:
    rows = [{"which": article, "duplicate_of": original} for article, original in sorted(originals.items())]
    execute_many(connection, update(articles).where(articles.c.id == bindparam("which")), rows)
