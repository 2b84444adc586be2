"""In how many articles each term was, and which lines all articles of a site have."""

import zlib
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from newsextract.stories.terms import HEADLINE

#: Earlier articles of a site that have the same line: it is boilerplate. Shorter lines aren't counted, in characters.
BOILERPLATE_ARTICLES = 3
MIN_LINE = 20
#: Number of counters of lines; two lines share one seldom enough.
LINE_COUNTERS = 1 << 22


class Statistics:
    """In how many articles each term was, by language, and how many articles of a site had a line."""

    def __init__(self) -> None:
        self.articles: Counter[str] = Counter()
        self.terms = np.zeros(2 * HEADLINE, np.uint32)
        self.lines = np.zeros(LINE_COUNTERS, np.uint8)

    def inverse_frequencies(self, terms: NDArray[np.int32], articles: NDArray[np.int64] | int) -> NDArray[np.float32]:
        """The inverse document frequency of each term, log(1 + N / n). `articles`: N, those of the term's language."""
        weights: NDArray[np.float32] = np.log1p(articles / np.maximum(self.terms[terms], 1)).astype(np.float32)
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
