"""Counts over the pages of a site: of blocks by the hash of their text, and of pages by a key they have in common."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.site_profile.batch import Batch, Flags, Floats, Ints, Keys

#: Letters before a block where no page has it; more than any position.
FAR = 1 << 20
NO_PAGE = -1
#: Power of the share of common values that weighs a template: .5 is 1 / 256.
LIKENESS = 8


def find(keys: Keys, wanted: Keys) -> Ints:
    """(wanted,) the place of each in sorted keys, -1 where it is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: Ints = np.where(keys[places] == wanted, places, -1)
    return found


def take(values: NDArray[np.generic], places: Ints, missing: float) -> Floats:
    """(places,) the value at each place, `missing` where the place is -1."""
    if not len(values):
        return np.full(len(places), float(missing))
    taken: Floats = np.where(places >= 0, values[places], missing).astype(float)
    return taken


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """Of each distinct key of blocks (sorted): on how many pages it stands, is chosen, is a heading (each page counted
    by its weight); the sum of its places in them and of their squares; of the pages that choose it and may own it, the
    two in which fewest letters stand before it: their letters and numbers (`first`, `first_page`, `second`,
    `second_page`; FAR and NO_PAGE where there is none)."""

    keys: Keys
    pages: NDArray[np.float32]
    chosen: NDArray[np.float32]
    headings: NDArray[np.float32]
    places: NDArray[np.float32]
    squares: NDArray[np.float32]
    first: NDArray[np.int32]
    first_page: NDArray[np.int32]
    second: NDArray[np.int32]
    second_page: NDArray[np.int32]

    @classmethod
    def of(cls, batch: Batch, weights: Floats, is_owner: Flags) -> "BlockCounts":
        """The counts of a batch; `weights`: of each page; `is_owner`: pages to which text may belong."""
        keys, places = np.unique(batch.keys, return_inverse=True)
        of_rows, once = weights[batch.pages], batch.first_of_key

        def count(rows: Flags, values: Floats | None = None) -> NDArray[np.float32]:
            added = of_rows[rows] if values is None else (of_rows * values)[rows]
            return np.bincount(places[rows], added, len(keys)).astype(np.float32)

        stands = count(once, batch.place), count(once, batch.place**2)
        earliest = _earliest(batch, places, len(keys), is_owner)
        return cls(keys, count(once), count(once & batch.chosen), count(once & batch.heading), *stands, *earliest)

    def owner(self, places: Ints, own: Ints) -> tuple[Ints, Ints]:
        """(rows,) the number of the page that has the block earliest, the row's own page (`own`) left out, and the
        letters before it there; NO_PAGE and FAR where there is none."""
        is_own = (take(self.first_page, places, NO_PAGE) == own) & (own >= 0)
        page = np.where(is_own, take(self.second_page, places, NO_PAGE), take(self.first_page, places, NO_PAGE))
        letters = np.where(is_own, take(self.second, places, FAR), take(self.first, places, FAR))
        return page.astype(np.int64), letters.astype(np.int64)


def _earliest(batch: Batch, places: Ints, count: int, is_owner: Flags) -> list[NDArray[np.int32]]:
    """`first`, `first_page`, `second`, `second_page` of BlockCounts."""
    rows = np.flatnonzero(batch.chosen & is_owner[batch.pages])
    order = rows[np.lexsort((batch.pages[rows], batch.position[rows], places[rows]))]
    columns = []
    for _ in range(2):
        ordered = places[order]
        new = np.ones(len(order), bool)
        new[1:] = ordered[1:] != ordered[:-1]
        letters, pages = np.full(count, FAR, np.int32), np.full(count, NO_PAGE, np.int32)
        letters[ordered[new]], pages[ordered[new]] = batch.position[order[new]], batch.pages[order[new]]
        columns += [letters, pages]
        order = order[batch.pages[order] != pages[ordered]]
    return columns


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """Sorted distinct keys, 0 excepted: the number of pages with each, the sum of a value over them, and the first of
    the pages."""

    keys: Keys
    counts: Floats
    sums: Floats
    pages: Ints

    @classmethod
    def of(cls, keys: Keys, values: Floats) -> "KeyCounts":
        """Of (pages,) keys and values."""
        known = np.flatnonzero(keys)
        distinct, firsts, places = np.unique(keys[known], return_index=True, return_inverse=True)
        counts = np.bincount(places, minlength=len(distinct)).astype(float)
        return cls(distinct, counts, np.bincount(places, values[known], len(distinct)).astype(float), known[firsts])

    def has(self, keys: Keys) -> Flags:
        """(keys,) whether a page has it."""
        found: Flags = find(self.keys, keys) >= 0
        return found

    def without(self, keys: Keys, known: Flags, values: Floats) -> tuple[Floats, Floats]:
        """(pages,) counts and sums of their keys, without the page itself where it is `known` with that value."""
        places = find(self.keys, keys)
        mine = known & (places >= 0)
        return np.maximum(0, take(self.counts, places, 0) - mine), take(self.sums, places, 0) - mine * values


@dataclass(frozen=True, slots=True)
class TemplateSums:
    """Distinct signatures of templates (signatures, values), the number of pages with each, and a sum over them."""

    signatures: Keys
    counts: Floats
    sums: Floats

    @classmethod
    def of(cls, signatures: Keys, values: Floats) -> "TemplateSums":
        """Of (pages, values) signatures, 0 where one has fewer values, and (pages,) values."""
        distinct, places = np.unique(signatures, axis=0, return_inverse=True)
        places = places.ravel()
        return cls(
            distinct,
            np.bincount(places, minlength=len(distinct)).astype(float),
            np.bincount(places, values, len(distinct)).astype(float),
        )

    def near(self, signatures: Keys) -> tuple[Floats, Floats]:
        """(pages,) counts and sums weighted by the likeness of the templates, the page itself (weight 1) included."""
        mine, of_page = np.unique(signatures, axis=0, return_inverse=True)
        counts, sums, sizes = np.zeros(len(mine)), np.zeros(len(mine)), np.count_nonzero(self.signatures, axis=1)
        known = self.signatures.ravel()
        for number, values in enumerate(mine):
            present = np.sort(values[values != 0])
            common = (find(present, known) >= 0).reshape(self.signatures.shape).sum(1)
            weights = (common / np.maximum(1, np.maximum(sizes, len(present)))) ** LIKENESS
            counts[number], sums[number] = weights @ self.counts, weights @ self.sums
        of_page = of_page.ravel()
        return counts[of_page], sums[of_page]
