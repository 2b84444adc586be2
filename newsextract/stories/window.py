"""An inverted index of the articles of some weeks: which of them share terms with a new one?

Articles are in buckets of a few days, so that old ones are dropped and others loaded together. A bucket has an unsorted
tail and sorted segments; two segments of about one size become one, as in a log-structured merge tree (P. O'Neil et
al., The log-structured merge-tree, Acta Informatica 33, 1996), so adding is cheap and a look-up visits few segments.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

#: Days in a bucket.
BUCKET_DAYS = 5
#: Articles in the unsorted tail of a bucket.
TAIL = 128


@dataclass(frozen=True, slots=True)
class Vector:
    """Weights by term number, and which terms are facts: numbers and names (n,). Kept in six bytes a term."""

    terms: Ints
    weights: Floats
    is_fact: NDArray[np.bool_]

    def to_bytes(self) -> bytes:
        """Term numbers, then weights in half precision; the weight of a fact is negative."""
        signed = np.where(self.is_fact, -self.weights, self.weights)
        return self.terms.tobytes() + signed.astype(np.float16).tobytes()

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Vector":
        size = len(stored) // 6
        weights = np.frombuffer(stored, np.float16, size, 4 * size).astype(np.float32)
        return cls(np.frombuffer(stored, np.int32, size), np.abs(weights), np.signbit(weights))

    def fact_share(self, other: "Vector") -> float:
        """The share of the dot product that terms have which are facts in both."""
        _, own, others = np.intersect1d(self.terms, other.terms, assume_unique=True, return_indices=True)
        products = self.weights[own] * other.weights[others]
        of_facts = float(products[self.is_fact[own] & other.is_fact[others]].sum())
        return of_facts / float(products.sum()) if len(products) else 0.0


@dataclass(slots=True)
class Segment:
    """Postings sorted by term: those of `terms[i]` are at `starts[i]:starts[i + 1]`."""

    terms: Ints
    starts: Ints
    rows: Ints
    weights: Floats

    @classmethod
    def of(cls, terms: Ints, rows: Ints, weights: Floats) -> "Segment":
        order = np.argsort(terms, kind="stable")
        ordered = terms[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        return cls(ordered[starts], np.append(starts, len(terms)).astype(np.int32), rows[order], weights[order])

    @classmethod
    def of_vectors(cls, vectors: list[Vector], first_row: int = 0) -> "Segment":
        rows = np.arange(first_row, first_row + len(vectors), dtype=np.int32)
        return cls.of(
            np.concatenate([vector.terms for vector in vectors]),
            np.repeat(rows, [len(vector.terms) for vector in vectors]),
            np.concatenate([vector.weights for vector in vectors]),
        )

    def merged(self, other: "Segment") -> "Segment":
        terms = np.concatenate([np.repeat(each.terms, np.diff(each.starts)) for each in (self, other)])
        rows = np.concatenate([self.rows, other.rows])
        return Segment.of(terms, rows, np.concatenate([self.weights, other.weights]))

    def matches(self, vector: Vector) -> tuple[Ints, Floats]:
        """Rows with a term of the vector, each with the product of the weights; a row once for each common term."""
        at = np.searchsorted(self.terms, vector.terms)
        at[at == len(self.terms)] = 0
        known = self.terms[at] == vector.terms
        at, weights = at[known], vector.weights[known]
        first, lengths = self.starts[at], self.starts[at + 1] - self.starts[at]
        ends = np.cumsum(lengths)
        if not len(ends):
            return self.rows[:0], self.weights[:0]
        places = np.arange(ends[-1]) + np.repeat(first - (ends - lengths), lengths)
        return self.rows[places], self.weights[places] * np.repeat(weights, lengths)


@dataclass(slots=True)
class Bucket:
    """The vectors of the articles of BUCKET_DAYS days; rows are numbered as they are added."""

    size: int = 0
    segments: list[Segment] = field(default_factory=list)
    tail: list[Vector] = field(default_factory=list)

    @classmethod
    def of(cls, vectors: list[Vector]) -> "Bucket":
        return cls(len(vectors), [Segment.of_vectors(vectors)]) if vectors else cls()

    def add(self, vector: Vector) -> int:
        """Adds an article; returns its row."""
        self.tail.append(vector)
        self.size += 1
        if len(self.tail) == TAIL:
            self.segments.append(Segment.of_vectors(self.tail, self.size - TAIL))
            self.tail = []
            while len(self.segments) > 1 and len(self.segments[-2].rows) < 2 * len(self.segments[-1].rows):
                last = self.segments.pop()
                self.segments[-1] = self.segments[-1].merged(last)
        return self.size - 1

    def similarities(self, vector: Vector, scratch: Floats) -> NDArray[np.float64]:
        """The dot product with each row (size,). `scratch`: zeros for all term numbers, and zeros afterwards."""
        found = [segment.matches(vector) for segment in self.segments]
        if found:
            rows, products = (np.concatenate(parts) for parts in zip(*found, strict=True))
            summed: NDArray[np.float64] = np.bincount(rows, products, minlength=self.size).astype(np.float64)
        else:
            summed = np.zeros(self.size)
        scratch[vector.terms] = vector.weights
        for row, other in enumerate(self.tail, self.size - len(self.tail)):
            summed[row] = scratch[other.terms] @ other.weights
        scratch[vector.terms] = 0
        return summed
