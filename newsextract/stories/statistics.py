"""In how many articles each term was, and which lines all articles of a site have."""

import zlib
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from newsextract.stories.terms import HEADLINE

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

#: Earlier articles of a site that have the same line: it is boilerplate. Shorter lines aren't counted, in characters.
BOILERPLATE_ARTICLES = 3
MIN_LINE = 20
#: Number of counters of lines; two lines share one seldom enough.
LINE_COUNTERS = 1 << 22


class TermPlaces:
    """Finds terms in a list without sorting it.

    A sparse set: P. Briggs, L. Torczon. An efficient representation for sparse sets. ACM Letters on Programming
    Languages and Systems 2, 1993. What earlier calls left is told apart by looking into the list.
    """

    def __init__(self) -> None:
        self._places = np.zeros(2 * HEADLINE, np.int32)

    def of(self, terms: Ints) -> Ints:
        """For each term, the place where it is last in the list."""
        self._places[terms] = np.arange(len(terms), dtype=np.int32)
        return self._places[terms]

    def among(self, wanted: Ints, terms: Ints) -> tuple[Ints, NDArray[np.intp]]:
        """Where each wanted term is last in the list of the last call of `of`, and which of them are there."""
        places = self._places[wanted]
        places[places >= len(terms)] = 0
        known = np.flatnonzero(terms[places] == wanted) if len(terms) else np.zeros(0, np.intp)
        return places, known


class Statistics:
    """In how many articles each term was, by language, and how many articles of a site had a line."""

    def __init__(self) -> None:
        self.articles: Counter[str] = Counter()
        self.terms = np.zeros(2 * HEADLINE, np.uint32)
        self.lines = np.zeros(LINE_COUNTERS, np.uint8)
        self.places = TermPlaces()

    def inverse_frequencies(self, terms: Ints, articles: Floats | int) -> Floats:
        """The inverse document frequency of each term, log(1 + N / n). `articles`: N, those of the term's language."""
        frequencies = np.maximum(self.terms[terms], 1).astype(np.float32)
        weights: Floats = np.log1p(np.float32(1) * articles / frequencies)
        return weights

    def without_boilerplate(self, site: str, text: str, count: bool = True) -> str:
        """The text without the lines that other articles of the site had; counts those that are left."""
        kept = []
        seed = zlib.crc32(site.encode("utf-8", "replace"))
        for line in text.splitlines():
            if len(line) >= MIN_LINE and site:
                counter = zlib.crc32(line.encode("utf-8", "replace"), seed) & (LINE_COUNTERS - 1)
                number = self.lines[counter]
                if number >= BOILERPLATE_ARTICLES:
                    continue
                self.lines[counter] = number + count
            kept.append(line)
        return "\n".join(kept)
