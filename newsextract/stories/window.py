"""An inverted index of the articles of some weeks: which of them share terms with a new one?

Articles are in buckets of a few days, so that old ones are dropped and others loaded together. A bucket has an unsorted
tail and sorted segments; two segments of about one size become one, as in a log-structured merge tree (P. O'Neil et
al., The log-structured merge-tree, Acta Informatica 33, 1996), so adding is cheap and a look-up visits few segments.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]
Halves = NDArray[np.float16]

#: Days in a bucket.
BUCKET_DAYS = 5
#: Articles in the unsorted tail of a bucket.
TAIL = 64
NO_ROWS = np.zeros(0, np.int32)
NO_WEIGHTS = np.zeros(0, np.float32)


#: A term of an article, in six bytes: its number, and its logarithmic count, negative for a fact (a number, a name).
TERM = np.dtype([("number", "<i4"), ("count", "<f2")])


@dataclass(frozen=True, slots=True)
class Posting:
    """An article as the index keeps it: term numbers and weights (n,)."""

    terms: Ints
    weights: Floats


@dataclass(slots=True)
class Segment:
    """Postings sorted by term: those of `terms[i]` are at `starts[i]:starts[i + 1]`."""

    terms: Ints
    starts: Ints
    rows: Ints
    weights: Halves

    @classmethod
    def of(cls, terms: Ints, rows: Ints, weights: Floats | Halves) -> "Segment":
        order = np.argsort(terms, kind="stable")
        ordered = terms[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        bounds = np.append(starts, len(terms)).astype(np.int32)
        return cls(ordered[starts], bounds, rows[order], weights[order].astype(np.float16))

    @classmethod
    def of_postings(cls, postings: Sequence[Posting], first_row: int = 0) -> "Segment":
        rows = np.arange(first_row, first_row + len(postings), dtype=np.int32)
        return cls.of(
            np.concatenate([posting.terms for posting in postings]),
            np.repeat(rows, [len(posting.terms) for posting in postings]),
            np.concatenate([posting.weights for posting in postings]),
        )

    def merged(self, other: "Segment") -> "Segment":
        terms = np.concatenate([np.repeat(each.terms, np.diff(each.starts)) for each in (self, other)])
        rows = np.concatenate([self.rows, other.rows])
        return Segment.of(terms, rows, np.concatenate([self.weights, other.weights]))

    def matches(self, query: Posting) -> tuple[Ints, Floats]:
        """Rows with a term of the query, each with the product of the weights; a row once for each common term."""
        at = np.searchsorted(self.terms, query.terms)
        at[at == len(self.terms)] = 0
        known = self.terms[at] == query.terms
        at, weights = at[known], query.weights[known]
        if not len(at):
            return NO_ROWS, NO_WEIGHTS
        first, last = self.starts[at], self.starts[at + 1]
        slices = [slice(*bounds) for bounds in zip(first.tolist(), last.tolist(), strict=True)]
        rows = np.concatenate([self.rows[each] for each in slices])
        found = np.concatenate([self.weights[each] for each in slices])
        return rows, found * np.repeat(weights, last - first)


@dataclass(slots=True)
class Bucket:
    """The postings of the articles of BUCKET_DAYS days; rows are numbered as they are added."""

    size: int = 0
    segments: list[Segment] = field(default_factory=list)
    tail: list[Posting] = field(default_factory=list)

    @classmethod
    def of(cls, postings: Sequence[Posting]) -> "Bucket":
        return cls(len(postings), [Segment.of_postings(postings)]) if postings else cls()

    def add(self, posting: Posting) -> int:
        """Adds an article; returns its row."""
        self.tail.append(posting)
        self.size += 1
        if len(self.tail) == TAIL:
            self.segments.append(Segment.of_postings(self.tail, self.size - TAIL))
            self.tail = []
            while len(self.segments) > 1 and len(self.segments[-2].rows) < 2 * len(self.segments[-1].rows):
                last = self.segments.pop()
                self.segments[-1] = self.segments[-1].merged(last)
        return self.size - 1

    def products(self, query: Posting, scratch: Floats) -> NDArray[np.float64]:
        """The dot product with each row (size,). `scratch`: zeros for all term numbers, and zeros afterwards."""
        found = [segment.matches(query) for segment in self.segments] or [(NO_ROWS, NO_WEIGHTS)]
        rows, products = (np.concatenate(parts) for parts in zip(*found, strict=True))
        summed: NDArray[np.float64] = np.bincount(rows, products, minlength=self.size).astype(np.float64, copy=False)
        if self.tail:
            scratch[query.terms] = query.weights
            terms = np.concatenate([posting.terms for posting in self.tail])
            weights = np.concatenate([posting.weights for posting in self.tail])
            rows = np.repeat(np.arange(len(self.tail)), [len(posting.terms) for posting in self.tail])
            summed[-len(self.tail) :] = np.bincount(rows, scratch[terms] * weights, len(self.tail))
            scratch[query.terms] = 0
        return summed
