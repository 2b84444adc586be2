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
from scipy.sparse import coo_array, csr_array

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]
Numbers = NDArray[np.int32] | NDArray[np.intp]

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


class Matches(NamedTuple):
    """Pairs of a query and an article of a bucket that share terms: the numbers of both, the dot product."""

    queries: Ints
    rows: Ints
    products: Floats


@dataclass(frozen=True, slots=True)
class Segment:
    """The weights of articles (terms, rows), by term; only those in `terms`, which are in order, have a row."""

    terms: Ints
    weights: csr_array

    @classmethod
    def of(cls, postings: Postings, number: int) -> "Segment":
        terms, at = np.unique(postings.terms, return_inverse=True)
        return cls(terms, _sparse(at, postings.rows, postings.weights, (len(terms), number)))

    def followed_by(self, other: "Segment") -> "Segment":
        """Both: the rows of this one, then those of the other."""
        terms = np.union1d(self.terms, other.terms)
        number = self.weights.shape[1]
        one, two = self.weights.tocoo(), other.weights.tocoo()
        at = np.concatenate((np.searchsorted(terms, self.terms)[one.row], np.searchsorted(terms, other.terms)[two.row]))
        rows = np.concatenate((one.col, two.col + number))
        shape = len(terms), number + other.weights.shape[1]
        return Segment(terms, _sparse(at, rows, np.concatenate((one.data, two.data)), shape))

    def matches(self, queries: Postings, number: int, least: float) -> Matches:
        """The articles whose dot product with one of so many queries is at least `least`."""
        at = np.searchsorted(self.terms, queries.terms)
        at[at == len(self.terms)] = 0
        known = np.flatnonzero(self.terms[at] == queries.terms)
        shape = number, len(self.terms)
        products = _sparse(queries.rows[known], at[known], queries.weights[known], shape) @ self.weights
        enough = np.flatnonzero(products.data >= least)
        found = np.searchsorted(products.indptr, enough, "right") - 1
        return Matches(found.astype(np.int32), products.indices[enough], products.data[enough])


def _sparse(rows: Numbers, columns: Numbers, values: Floats, shape: tuple[int, int]) -> csr_array:
    return coo_array((values, (rows.astype(np.int32), columns.astype(np.int32))), shape=shape).tocsr()


@dataclass(slots=True)
class Bucket:
    """The postings of the articles of BUCKET_DAYS days; rows are numbered as they are added."""

    size: int = 0
    segments: list[Segment] = field(default_factory=list)

    def add(self, postings: Postings, number: int) -> None:
        """Adds so many articles."""
        self.segments.append(Segment.of(postings, number))
        self.size += number
        while len(self.segments) > 1 and _size(self.segments[-2]) < SEGMENT_STEP * _size(self.segments[-1]):
            last = self.segments.pop()
            self.segments[-1] = self.segments[-1].followed_by(last)

    def matches(self, queries: Postings, number: int, least: float) -> Matches:
        """The articles whose dot product with one of so many queries is at least `least`."""
        found, first = list[Matches](), 0
        for segment in self.segments:
            queried, rows, products = segment.matches(queries, number, least)
            found.append(Matches(queried, rows + np.int32(first), products))
            first += segment.weights.shape[1]
        return Matches(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _size(segment: Segment) -> int:
    return int(segment.weights.nnz)
