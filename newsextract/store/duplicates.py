"""Copies of an article: found by the keys of their signatures, and marked as duplicates of the first that was stored.

`bands` is an index from a key to the articles that have it, so a look-up reads a few rows however many articles there
are. All of this happens inside the transaction that stores the articles, after it has taken their change numbers and
with them the lock that is held until it commits: of two workers with the same copy the second sees what the first did.

An original is never a duplicate itself; so `duplicate_of` never has to be followed twice, and an article that others
are copies of stays one when its text changes.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from newsextract.near_duplicates import Signature, is_copy, shared
from newsextract.store.changes import take_numbers
from newsextract.store.schema import articles, bands, changes, signatures
from newsextract.store.url_states import chunked

#: Articles that one key is kept of. What more texts share is a template's or a site's own sentence.
MOST_ALIKE = 64
#: Articles with which a text is compared, those with most keys in common first.
COMPARED = 8
#: What a copy of a copy shares with the original at least.
KIN = 0.4


@dataclass(slots=True)
class Known:
    """What the database has on texts that may be alike: articles by key, signatures and originals by article."""

    by_key: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    signatures: dict[int, Signature] = field(default_factory=dict)
    original: dict[int, int | None] = field(default_factory=dict)

    def alike(self, article: int, signature: Signature) -> list[int]:
        """Earlier articles with some of the keys."""
        counted = Counter(other for key in signature.keys.tolist() for other in self.by_key[key] if other < article)
        return [other for other, _ in counted.most_common(COMPARED)]

    def original_of(self, article: int, signature: Signature) -> int | None:
        """The article that this one is a copy of: the one it shares most with, or whose copy it is a copy of.

        A copy may hold other texts too; what is a copy of those only is none of the original.
        """
        found: list[tuple[bool, float, int]] = []
        for other in self.alike(article, signature):
            if other not in self.signatures or not is_copy(signature, self.signatures[other]):
                continue
            original = self.original.get(other) or other
            common = shared(signature, self.signatures[original]) if original in self.signatures else 0.0
            if original == other or common >= KIN:
                found.append((original != other, -common, original))
        return min(found)[2] if found else None


def mark(connection: Connection, texts: Mapping[int, Signature], changed: Collection[int] = ()) -> dict[int, int]:
    """Keeps the signatures of articles and marks those that are copies; gives the original of each that is one.

    `changed`: articles that had another text before; one without a signature is a copy of none. To be called behind
    `take_numbers`.
    """
    _drop(connection, changed)
    known = _look_up(connection, texts)
    originals = _originals_among(connection, changed)
    rows: list[dict[str, int]] = []
    found: dict[int, int] = {}
    for article, signature in sorted(texts.items()):
        original = None if article in originals else known.original_of(article, signature)
        known.original[article], known.signatures[article] = original, signature
        if original is not None:
            found[article] = original
        for key in signature.keys.tolist():
            if len(known.by_key[key]) < MOST_ALIKE:
                known.by_key[key].append(article)
                rows.append({"band": key, "article": article})
    _set(connection, {article: found.get(article) for article in {*found, *changed}})
    if texts:
        kept = [{"article": article, "signature": one.to_bytes()} for article, one in sorted(texts.items())]
        connection.execute(insert(signatures), kept)
    if rows:
        connection.execute(insert(bands), sorted(rows, key=lambda row: (row["band"], row["article"])))
    return found


def release(connection: Connection, ids: Collection[int], now: datetime) -> None:
    """Readies articles to be removed: of the copies of an original that goes, the first becomes the original."""
    _drop(connection, ids)
    query = select(articles.c.id, articles.c.duplicate_of).order_by(articles.c.id)
    heirs: dict[int, int] = {}
    moved: dict[int, int | None] = {}
    for some in chunked(sorted(ids)):
        for row in connection.execute(query.where(articles.c.duplicate_of.in_(some))):
            if row.id not in ids:
                heir = heirs.setdefault(row.duplicate_of, row.id)
                moved[row.id] = None if heir == row.id else heir
    _set(connection, moved)
    announce(connection, sorted(moved), now)


def announce(connection: Connection, ids: Sequence[int], now: datetime) -> None:
    """Tells whoever follows the changes that these are duplicates now, or no longer."""
    if not ids:
        return
    numbers = iter(take_numbers(connection, len(ids)))
    columns = (articles.c.id, articles.c.version, articles.c.change_kind)
    for some in chunked(ids):
        rows = connection.execute(select(*columns).where(articles.c.id.in_(some)).order_by(articles.c.id)).all()
        log = [
            {"article": row.id, "version": row.version, "change": number, "at": now}
            | {"kind": "deleted" if row.change_kind == "deleted" else "changed"}
            for row, number in zip(rows, numbers, strict=False)
        ]
        present = [{"which": one["article"], "number": one["change"], "now": one["kind"]} for one in log]
        setting = update(articles).where(articles.c.id == bindparam("which"))
        connection.execute(setting.values(change=bindparam("number"), change_kind=bindparam("now")), present)
        connection.execute(insert(changes), log)


def _drop(connection: Connection, ids: Collection[int]) -> None:
    """Forgets the texts of articles."""
    for some in chunked(sorted(ids)):
        rows = connection.execute(select(signatures).where(signatures.c.article.in_(some)))
        kept = [(row.article, Signature.from_bytes(row.signature)) for row in rows]
        gone = [{"key": key, "of": number} for number, one in kept if one for key in one.keys.tolist()]
        if gone:
            this = (bands.c.band == bindparam("key")) & (bands.c.article == bindparam("of"))
            connection.execute(delete(bands).where(this), gone)
        connection.execute(delete(signatures).where(signatures.c.article.in_(some)))


def _look_up(connection: Connection, texts: Mapping[int, Signature]) -> Known:
    """What there is on articles that share a key with these."""
    known = Known()
    for some in chunked(sorted({key for one in texts.values() for key in one.keys.tolist()})):
        rows = connection.execute(select(bands.c.band, bands.c.article).where(bands.c.band.in_(some))).all()
        for key, article in rows:
            known.by_key[key].append(article)
    _read(connection, known, {other for number, one in texts.items() for other in known.alike(number, one)})
    _read(connection, known, {original for original in known.original.values() if original is not None})
    return known


def _read(connection: Connection, known: Known, ids: set[int]) -> None:
    """Adds signatures and originals of articles."""
    query = select(signatures.c.article, signatures.c.signature, articles.c.duplicate_of)
    query = query.join(articles, articles.c.id == signatures.c.article)
    for some in chunked(sorted(ids - known.signatures.keys())):
        for article, kept, original in connection.execute(query.where(signatures.c.article.in_(some))):
            signature = Signature.from_bytes(kept)
            if signature is not None:
                known.signatures[article], known.original[article] = signature, original


def _originals_among(connection: Connection, ids: Iterable[int]) -> set[int]:
    """Those that others are copies of."""
    found: set[int] = set()
    for some in chunked(sorted(ids)):
        query = select(articles.c.duplicate_of).where(articles.c.duplicate_of.in_(some)).distinct()
        found.update(connection.execute(query).scalars())
    return found


def _set(connection: Connection, originals: Mapping[int, int | None]) -> None:
    if originals:
        rows = [{"which": article, "original": original} for article, original in sorted(originals.items())]
        setting = update(articles).where(articles.c.id == bindparam("which"))
        connection.execute(setting.values(duplicate_of=bindparam("original")), rows)
