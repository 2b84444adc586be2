"""An inverted index of the articles of some weeks: which of them share terms with new ones?

Articles are in buckets of a few days, so that old ones are dropped and others loaded together. A bucket has segments
sorted by term; two segments of similar size become one, as in a log-structured merge tree (P. O'Neil et al., The
log-structured merge-tree, Acta Informatica 33, 1996), so adding is cheap and a look-up visits few segments. Many
articles are added and looked up at once: the time is that of calling numpy, not that of the arithmetic.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]
Halves = NDArray[np.float16]

#: Days in a bucket.
BUCKET_DAYS = 5
#: A segment that is less than so many times as long as the next one is merged with it.
SEGMENT_STEP = 8
#: A term of an article, in six bytes: its number, and its logarithmic count, negative for a fact (a number, a name).
TERM = np.dtype([("number", "<i4"), ("count", "<f2")])


class Postings(NamedTuple):
    """Terms of some articles (n,): `rows` has the number of each term's article, counted from 0."""

    rows: Ints
    terms: Ints
    weights: Floats


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings sorted by term: those of `terms[i]` are at `starts[i]:starts[i + 1]`."""

    terms: Ints
    starts: Ints
    rows: Ints
    weights: Halves

    @classmethod
    def of(cls, rows: Ints, terms: Ints, weights: Floats | Halves) -> "Segment":
        order = np.argsort(terms, kind="stable")
        ordered = terms[order]
        is_first = np.empty(len(terms), np.bool_)
        is_first[:1] = True
        np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
        starts = np.flatnonzero(is_first)
        bounds = np.append(starts, len(terms)).astype(np.int32)
        return cls(ordered[starts], bounds, rows[order], weights[order].astype(np.float16))

    def merged(self, other: "Segment") -> "Segment":
        """Both, without sorting again: the postings of each term one after the other."""
        terms = np.union1d(self.terms, other.terms)
        parts = [(each, np.searchsorted(terms, each.terms), np.diff(each.starts)) for each in (self, other)]
        starts = np.zeros(len(terms) + 1, np.int32)
        for _, at, numbers in parts:
            starts[at + 1] += numbers
        np.cumsum(starts, out=starts)
        rows, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float16)
        free = starts[:-1].copy()
        for each, at, numbers in parts:
            places = np.repeat(free[at] - each.starts[:-1], numbers)
            places += np.arange(len(places), dtype=np.int32)
            rows[places], weights[places] = each.rows, each.weights
            free[at] += numbers
        return Segment(terms, starts, rows, weights)

    def matches(self, queries: Postings) -> tuple[Ints, Ints, Floats]:
        """Each term that a query shares with a row: the number of the query, the row, the product of the weights."""
        at = np.searchsorted(self.terms, queries.terms)
        at[at == len(self.terms)] = 0
        known = np.flatnonzero(self.terms[at] == queries.terms)
        at = at[known]
        first = self.starts[at]
        numbers = self.starts[at + 1] - first
        ends = np.cumsum(numbers)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - numbers), numbers)
        weights = np.repeat(queries.weights[known], numbers)
        return np.repeat(queries.rows[known], numbers), self.rows[places], self.weights[places] * weights


@dataclass(slots=True)
class Bucket:
    """The postings of the articles of BUCKET_DAYS days; rows are numbered as they are added."""

    size: int = 0
    segments: list[Segment] = field(default_factory=list)

    def add(self, postings: Postings, number: int) -> None:
        """Adds so many articles."""
        rows, terms, weights = postings
        if len(terms):
            self.segments.append(Segment.of(rows + np.int32(self.size), terms, weights))
        self.size += number
        while len(self.segments) > 1 and len(self.segments[-2].rows) < SEGMENT_STEP * len(self.segments[-1].rows):
            last = self.segments.pop()
            self.segments[-1] = self.segments[-1].merged(last)

    def products(self, queries: Postings, number: int) -> NDArray[np.float64]:
        """The dot products of so many queries with each row (number, size)."""
        if not self.segments:
            return np.zeros((number, self.size))
        found = [segment.matches(queries) for segment in self.segments]
        cells = [of_query.astype(np.intp) * self.size + rows for of_query, rows, _ in found]
        products = np.concatenate([products for *_, products in found])
        summed = np.bincount(np.concatenate(cells), products, number * self.size).astype(np.float64, copy=False)
        return summed.reshape(number, self.size)
