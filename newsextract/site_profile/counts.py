"""Counts over the pages of a site: of blocks by the hash of their text, and of pages by a key they have in common."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.site_profile.batch import Batch, Flags, Floats, Ints, Keys

#: Letters before a block that no page has; more than any position.
FAR = 1 << 20
NO_PAGE = -1
#: Columns of BlockCounts.
PAGES, CHOSEN_BY, HEADINGS, PLACES, SQUARES = range(5)
FIRST, FIRST_PAGE, SECOND, SECOND_PAGE = range(4)
#: Exponent of the share of common values that weighs a template: .5 becomes 1 / 256.
LIKENESS = 8


def find(keys: Keys, wanted: Keys) -> Ints:
    """(wanted,) the index of each in sorted keys, -1 if missing."""
    if not len(keys):
        return np.full(len(wanted), -1)
    places: Ints = keys.searchsorted(wanted)
    places[keys.take(places, mode="clip") != wanted] = -1
    return places


def take(values: NDArray[np.generic], places: Ints, missing: float) -> Floats:
    """(places,) the value at each index, `missing` for -1."""
    if not len(values):
        return np.full(len(places), float(missing))
    taken: Floats = values.take(places, mode="wrap").astype(float)
    taken[places < 0] = missing
    return taken


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """For each distinct key of blocks (sorted) a column of `counts` and one of `earliest`, so that all of a key is
    read at once. `counts`: on how many pages it occurs, is chosen, is a heading (pages counted by weight); the sum
    of its places in them and of their squares. `earliest`: of the pages that choose it and may own it, the two with
    the fewest letters before it: these letters and the pages' numbers (FAR and NO_PAGE if there is none).
    """

    keys: Keys
    counts: NDArray[np.float32]
    earliest: NDArray[np.int32]

    @classmethod
    def of(cls, batch: Batch, weights: Floats, is_origin: Flags) -> "BlockCounts":
        """The counts of a batch; `weights`: of the pages; `is_origin`: pages that texts may come from."""
        keys, places = batch.distinct
        of_rows, once = weights[batch.pages], batch.first_of_key

        def count(rows: Flags, values: Floats | None = None) -> NDArray[np.float32]:
            added = of_rows[rows] if values is None else (of_rows * values)[rows]
            return np.bincount(places[rows], added, len(keys)).astype(np.float32)

        stands = count(once), count(once & batch.chosen), count(once & batch.heading)
        counts = np.array([*stands, count(once, batch.place), count(once, batch.place**2)])
        return cls(keys, counts, np.array(_earliest(batch, places, len(keys), is_origin)))

    def at(self, places: Ints) -> Floats:
        """(columns, places) `counts` at these places of `find`, 0 where the place is -1."""
        taken = self.counts.take(places, 1, mode="wrap").astype(float) if len(self.keys) else np.zeros((5, len(places)))
        taken[:, places < 0] = 0
        return taken

    def column(self, number: int, places: Ints) -> Floats:
        """(places,) one column of `at`."""
        return take(self.counts[number], places, 0)

    def origin(self, places: Ints, own: Ints) -> tuple[Ints, Ints]:
        """(rows,) the number of the page that has the block earliest, except `own`, and the letters before it there."""
        if not len(self.keys):
            return np.full(len(places), NO_PAGE), np.full(len(places), FAR)
        taken = self.earliest.take(places, 1, mode="wrap").astype(np.int64)
        is_own = (taken[FIRST_PAGE] == own) & (own >= 0)
        page = np.where(is_own, taken[SECOND_PAGE], taken[FIRST_PAGE])
        letters = np.where(is_own, taken[SECOND], taken[FIRST])
        page[places < 0], letters[places < 0] = NO_PAGE, FAR
        return page, letters


def _earliest(batch: Batch, places: Ints, count: int, is_origin: Flags) -> list[NDArray[np.int32]]:
    rows = np.flatnonzero(batch.chosen & is_origin[batch.pages])
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
    """Sorted distinct keys except 0: how many pages have each, the sum of a value over these, the first of them."""

    keys: Keys
    counts: Floats
    sums: Floats
    pages: Ints

    @classmethod
    def of(cls, keys: Keys, values: Floats) -> "KeyCounts":
        known = np.flatnonzero(keys)
        distinct, firsts, places = np.unique(keys[known], return_index=True, return_inverse=True)
        counts = np.bincount(places, minlength=len(distinct)).astype(float)
        return cls(distinct, counts, np.bincount(places, values[known], len(distinct)).astype(float), known[firsts])

    def has(self, keys: Keys) -> Flags:
        """(keys,) whether a page has it."""
        found: Flags = find(self.keys, keys) >= 0
        return found

    def without(self, keys: Keys, known: Flags, values: Floats) -> tuple[Floats, Floats]:
        """(pages,) counts and sums of their keys, without the page itself if it is `known` with that value."""
        places = find(self.keys, keys)
        mine = known & (places >= 0)
        return np.maximum(0, take(self.counts, places, 0) - mine), take(self.sums, places, 0) - mine * values


@dataclass(frozen=True, slots=True)
class TemplateSums:
    """Distinct signatures of templates: the number of pages with each, and a sum over them.

    `values`: all values of signatures, sorted; `places`: (signatures, TEMPLATE_VALUES) those of each among them, one
    past the last where a signature has fewer; `sizes`: (signatures,) how many it has.
    """

    values: Keys
    places: Ints
    sizes: Ints
    counts: Floats
    sums: Floats

    @classmethod
    def of(cls, signatures: Keys, values: Floats) -> "TemplateSums":
        """From (pages, values) signatures, padded with 0, and (pages,) values."""
        distinct, of_page = _distinct(signatures)
        known = np.unique(distinct[distinct != 0])
        places = np.where(distinct != 0, np.searchsorted(known, distinct), len(known))
        counts, sums = np.bincount(of_page, minlength=len(distinct)), np.bincount(of_page, values, len(distinct))
        return cls(known, places, np.count_nonzero(distinct, axis=1), counts.astype(float), sums.astype(float))

    def near(self, signatures: Keys) -> tuple[Floats, Floats]:
        """(pages,) counts and sums weighted by template similarity, including the page itself (weight 1)."""
        mine, of_page = _distinct(signatures)
        counts, sums = np.zeros(len(mine)), np.zeros(len(mine))
        for number, values in enumerate(mine):
            present = values[values != 0]
            is_present = np.zeros(len(self.values) + 1, bool)  # the last one has no value
            places = find(self.values, present)
            is_present[places[places >= 0]] = True
            common = is_present[self.places].sum(1)
            weights = (common / np.maximum(1, np.maximum(self.sizes, len(present)))) ** LIKENESS
            counts[number], sums[number] = weights @ self.counts, weights @ self.sums
        return counts[of_page], sums[of_page]


def _distinct(signatures: Keys) -> tuple[Keys, Ints]:
    """The distinct rows in order of first occurrence, and (pages,) the index of each page's row among them."""
    numbers: dict[bytes, int] = {}
    of_page = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in signatures], np.int64)
    return np.frombuffer(b"".join(numbers), signatures.dtype).reshape(-1, signatures.shape[1]), of_page
