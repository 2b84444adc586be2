"""Near-duplicates: articles are looked up by the keys of their signatures and marked as copies of the first stored.

`bands` is an index from a key to the articles that have it, so that a look-up reads a few rows however many articles
are stored. All of this happens inside the transaction that stores the articles, after it took their change numbers and
with them the lock that is held until it commits: of two workers with the same copy the second sees the first one's.

Within one site much text is shared by pages that are no copies of each other: boxes, tails, other articles below. So
two articles of one site are copies only if nearly all of both is shared.

An original is never a copy itself. So `duplicate_of` never has to be followed twice, and an article that others are
copies of stays an original when its text changes.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from newsextract.reasons import GONE_KINDS
from newsextract.store.changes import record_changes
from newsextract.store.engine import chunked
from newsextract.store.schema import articles, bands, signatures

if TYPE_CHECKING:  # functions import it: it takes numpy, which no look-up needs
    from newsextract.near_duplicates import Signature

#: Articles indexed under one key. What more texts share is a sentence of a template or a site.
MAX_PER_KEY = 16
#: Articles that a text is compared with, those with most common keys first.
MAX_COMPARED = 8
#: A copy of a copy must share this much with the original to be a copy of it.
MIN_SHARED_WITH_ORIGINAL = 0.4
#: Two articles of one site must share this much, each of the other, to be copies.
MIN_SHARED_WITHIN_SITE = 0.85


@dataclass(slots=True)
class SignatureIndex:
    """The stored articles that may be near-duplicates: articles by key; signatures, originals and sites by article."""

    by_key: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    signatures: "dict[int, Signature]" = field(default_factory=dict)
    original: dict[int, int | None] = field(default_factory=dict)
    sites: dict[int, str] = field(default_factory=dict)

    def candidates(self, article: int, signature: "Signature") -> list[int]:
        """Earlier articles with some of the same keys, those with most first."""
        counted = Counter(chain.from_iterable(map(self.by_key.__getitem__, signature.keys.tolist())))
        return [other for other, _ in counted.most_common() if other < article][:MAX_COMPARED]

    def original_of(self, article: int, signature: "Signature") -> int | None:
        """The article that this one is a copy of: the one it shares most with, else the original of one it copies.

        One of the same site needs to be nearly equal to it. A copy may contain other texts too; a copy of only those is
        no copy of the original.
        """
        from newsextract.near_duplicates import is_copy, shared

        ranked: list[tuple[bool, float, int]] = []
        for other in self.candidates(article, signature):
            earlier = self.signatures.get(other)
            if earlier is None or not is_copy(signature, earlier):
                continue
            if (
                self.sites.get(article) == self.sites.get(other)
                and min(shared(signature, earlier), shared(earlier, signature)) < MIN_SHARED_WITHIN_SITE
            ):
                continue
            original = self.original.get(other) or other
            common = shared(signature, self.signatures[original]) if original in self.signatures else 0.0
            if original == other or common >= MIN_SHARED_WITH_ORIGINAL:
                ranked.append((original != other, -common, original))
        return min(ranked)[2] if ranked else None


def mark(connection: Connection, texts: "Mapping[int, Signature]", changed: Collection[int] = ()) -> dict[int, int]:
    """Stores the signatures of articles and marks those that are copies; returns the original of each copy.

    `changed`: articles that had another text before; one without a signature is a copy of none. Call it after
    `take_numbers`, whose lock it needs.
    """
    _remove_signatures(connection, changed)
    index = _look_up(connection, texts)
    of_copies = select(articles.c.duplicate_of).where(articles.c.duplicate_of.in_([*changed]))
    originals = set(connection.execute(of_copies).scalars())
    rows: list[dict[str, int]] = []
    original_of: dict[int, int] = {}
    for article, signature in sorted(texts.items()):
        original = None if article in originals else index.original_of(article, signature)
        index.original[article], index.signatures[article] = original, signature
        if original is not None:
            original_of[article] = original
        for key in signature.keys.tolist():
            if len(index.by_key[key]) < MAX_PER_KEY:
                index.by_key[key].append(article)
                rows.append({"band": key, "article": article})
    _set_originals(connection, {article: original_of.get(article) for article in {*original_of, *changed}})
    if texts:
        values = [{"article": article, "signature": text.to_bytes()} for article, text in sorted(texts.items())]
        connection.execute(insert(signatures), values)
    if rows:
        connection.execute(insert(bands), sorted(rows, key=lambda row: (row["band"], row["article"])))
    return original_of


def release(connection: Connection, ids: Collection[int], now: datetime) -> None:
    """Prepares articles for deletion: the first copy of an original that goes becomes the original of the others."""
    _remove_signatures(connection, ids)
    query = select(articles.c.id, articles.c.duplicate_of).order_by(articles.c.id)
    heirs: dict[int, int] = {}
    moved: dict[int, int | None] = {}
    for chunk in chunked(sorted(ids)):
        for row in connection.execute(query.where(articles.c.duplicate_of.in_(chunk))):
            if row.id not in ids:
                heir = heirs.setdefault(row.duplicate_of, row.id)
                moved[row.id] = None if heir == row.id else heir
    _set_originals(connection, moved)
    _log_remarked(connection, sorted(moved), now)


def _log_remarked(connection: Connection, ids: Sequence[int], now: datetime) -> None:
    """Gives articles whose `duplicate_of` changed a change number, so that readers of the change log get them."""
    columns = (articles.c.id, articles.c.version, articles.c.change_kind)
    present = [
        (row.id, row.version, row.change_kind if row.change_kind in GONE_KINDS else "changed")
        for chunk in chunked(ids)
        for row in connection.execute(select(*columns).where(articles.c.id.in_(chunk)).order_by(articles.c.id))
    ]
    record_changes(connection, present, now)


def _remove_signatures(connection: Connection, ids: Collection[int]) -> None:
    """Deletes signatures and index entries of articles."""
    from newsextract.near_duplicates import Signature

    for chunk in chunked(sorted(ids)):
        rows = connection.execute(select(signatures).where(signatures.c.article.in_(chunk)))
        stored = [(row.article, Signature.from_bytes(row.signature)) for row in rows]
        entries = [{"key": key, "of": number} for number, text in stored if text for key in text.keys.tolist()]
        if entries:
            entry = (bands.c.band == bindparam("key")) & (bands.c.article == bindparam("of"))
            connection.execute(delete(bands).where(entry), entries)
        connection.execute(delete(signatures).where(signatures.c.article.in_(chunk)))


def _look_up(connection: Connection, texts: "Mapping[int, Signature]") -> SignatureIndex:
    """Reads the articles that share a key with these texts."""
    index = SignatureIndex()
    for chunk in chunked(sorted({key for text in texts.values() for key in text.keys.tolist()})):
        # Whole numbers in the statement itself: binding sixteen for each text takes longer than the look-up
        statement = f"SELECT band, article FROM bands WHERE band IN ({','.join(map(str, chunk))})"
        for key, article in connection.exec_driver_sql(statement).all():
            index.by_key[key].append(article)
    for chunk in chunked(sorted(texts)):
        of_texts = connection.execute(select(articles.c.id, articles.c.site).where(articles.c.id.in_(chunk)))
        index.sites.update({row.id: row.site for row in of_texts})
    _read(connection, index, {other for number, text in texts.items() for other in index.candidates(number, text)})
    _read(connection, index, {original for original in index.original.values() if original is not None})
    return index


def _read(connection: Connection, index: SignatureIndex, ids: set[int]) -> None:
    """Reads signatures, originals and sites of articles into the index."""
    from newsextract.near_duplicates import Signature

    query = select(signatures.c.article, signatures.c.signature, articles.c.duplicate_of, articles.c.site)
    query = query.join(articles, articles.c.id == signatures.c.article)
    for chunk in chunked(sorted(ids - index.signatures.keys())):
        for article, stored, original, site in connection.execute(query.where(signatures.c.article.in_(chunk))):
            if (signature := Signature.from_bytes(stored)) is not None:
                index.signatures[article], index.original[article] = signature, original
                index.sites[article] = site


def _set_originals(connection: Connection, originals: Mapping[int, int | None]) -> None:
    if originals:
        rows = [{"which": article, "original": original} for article, original in sorted(originals.items())]
        setting = update(articles).where(articles.c.id == bindparam("which"))
        connection.execute(setting.values(duplicate_of=bindparam("original")), rows)
