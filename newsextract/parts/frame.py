"""What of a page is the article's in any case: its headline, and what holds that or most of the page's text.

Worked out from headings, declared titles and amounts of text, before anybody knows which blocks are text.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from newsextract.limits import MOST
from newsextract.page import Page
from newsextract.page.blocks import Column
from newsextract.page.meta import MAX_HEADINGS
from newsextract.text import EAST_ASIAN, MAX_TITLE, SHORT_LINE, words_of

#: Tags of parts that belong to nobody else even if the text begins or ends with them.
WITHIN = frozenset({"figure", "figcaption", "blockquote"})
#: Minimum share of a headline's words in the declared titles; those for search engines are worded differently.
MIN_DECLARED = 0.3
HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
#: Those that are no headline of a page.
LESSER_HEADINGS = frozenset({"h3", "h4"})


class ArticleFrame:
    """The view `page.view(ArticleFrame)`; numbers of elements are those of `Blocks.nodes`."""

    def __init__(self, page: Page) -> None:
        self.blocks, self._meta = page.blocks, page.meta
        #: The headings that may begin an article, in document order.
        self.headings: Sequence[int] = array("q", self.blocks.has_tag(HEADINGS).nonzero()[0].tobytes())
        self._counts: dict[int, int] = {}  # by heading

    @cached_property
    def headline(self) -> int | None:
        """The article's headline element: the `h1` with most words of the declared titles, else such an `h2`."""
        tags = self.blocks.element_tags
        candidates = [number for number in self.headings if tags[number] not in LESSER_HEADINGS][:MAX_HEADINGS]
        for level in ("h1", "h2"):
            words = [(self.declared_words(number), number) for number in candidates if tags[number] == level]
            if words and (best := max(words, key=itemgetter(0)))[0]:
                return best[1]
        return next((number for number in candidates if tags[number] == "h1"), None)

    @cached_property
    def declared(self) -> list[set[str]]:
        """The words of the page's title and `og:title`, each."""
        return [{*words_of(title)} for title in (self._meta.title, *self._meta.all("og:title")[:3])]

    def declared_words(self, heading: int) -> int:
        """How many of a heading's words are in the declared titles, if MIN_DECLARED of them are."""
        if heading in self._counts:
            return self._counts[heading]
        words = self.words(heading)
        count = len(words.intersection(chain.from_iterable(self.declared)))
        self._counts[heading] = count if count >= MIN_DECLARED * len(words) else 0
        return self._counts[heading]

    def words(self, heading: int) -> set[str]:
        return {*words_of(self.text(heading)[:MAX_TITLE])}

    def text(self, number: int | None) -> str:
        """The text of an element in one case."""
        return " ".join(self.blocks.texts[slice(*self.blocks.spans[number].tolist())]).casefold() if number else ""

    @cached_property
    def before(self) -> tuple[Sequence[int], Sequence[int]]:
        """(blocks + 1,) characters of paragraphs and of all text before each block."""
        lengths = self.widths
        prose = lengths * ((lengths >= SHORT_LINE) & (2 * self.blocks.linked < self.blocks.lengths))
        zero = np.zeros(1, np.int64)
        sums = (np.concatenate((zero, np.cumsum(column, dtype=np.int64))) for column in (prose, lengths))
        return array("q", next(sums).tobytes()), array("q", next(sums).tobytes())

    @cached_property
    def bounds(self) -> Sequence[int]:
        """(2 * elements,) the spans of the elements one behind the other: faster where single ones are looked up."""
        return array("i", self.blocks.spans.tobytes())

    @cached_property
    def widths(self) -> Column:
        """(blocks,) characters; on a page in an East Asian script as many Latin ones as say the same."""
        lengths = self.blocks.lengths
        longest = self.blocks.texts[lengths.argmax()] if len(lengths) else ""
        return lengths * 5 // 2 if EAST_ASIAN.search(longest[:MAX_TITLE]) else lengths

    def size(self, number: int) -> int:
        """The characters of an element."""
        written, bounds = self.before[1], self.bounds
        return written[bounds[2 * number + 1]] - written[bounds[2 * number]]

    @cached_property
    def holders(self) -> set[Any]:
        """What holds the headline, or most of the page's text, so also the block in the middle of it."""
        blocks, (_, written) = self.blocks, self.before
        middle = blocks.element_list[bisect_right(written, written[-1] // 2) - 1] if len(blocks) else None
        large = (number for number in self.path(middle) if self.size(number) > MOST * written[-1])
        return self.outside_quotations(chain(self.path(self.headline), large))

    def outside_quotations(self, numbers: Iterator[int]) -> set[Any]:
        """The elements but those that are in the text of whoever they belong to."""
        blocks = self.blocks
        return {blocks.nodes[number] for number in numbers if blocks.element_tags[number] not in WITHIN}

    def path(self, number: int | None) -> Iterator[int]:
        """An element and those around it."""
        while number is not None and number >= 0:
            yield number
            number = self.blocks.parent_list[number]
