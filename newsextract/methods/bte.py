"""BTE (body text extraction): the article is the interval of the page with most words and fewest tags.

A. Finn, N. Kushmerick, B. Smyth. Fact or fiction: content classification for digital libraries. DELOS workshop, 2001.

With B_n = 1 for a tag and 0 for a word, in document order, the article is the interval [i, j] that maximises

    sum_{n < i} B_n + sum_{i <= n <= j} (1 - B_n) + sum_{n > j} B_n

which is, less a constant, the interval with the largest sum of +1 for a word and -1 for a tag. O(n) for n words and
tags (the published search is quadratic in their runs). Opening and closing tags count; those of script, style and
hidden elements do not.

Not in the paper: Chinese has no spaces, so a word there is 1.6 characters; with one word a character, tags would hardly
count and the interval would include what surrounds the article.
"""

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from newsextract.extractors.base import Extraction, Method
from newsextract.methods.common.sequences import best_interval
from newsextract.page import Page
from newsextract.page.text_nodes import TextNodes
from newsextract.text import count_tokens


@dataclass(frozen=True)
class BTE(Method):
    """Body text extraction. No options."""

    name = "bte"
    paper = "Finn et al. Fact or Fiction: Content Classification for Digital Libraries. DELOS 2001"

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        nodes = page.view(TextNodes)
        words = count_tokens(nodes.raw).weighted
        chosen = np.zeros(len(nodes), bool)
        first, last = _best_nodes(words.tolist(), np.diff(nodes.tags).tolist())
        chosen[first:last] = True
        return Extraction.of_nodes(page, chosen, words)


def _best_nodes(words: list[float], tags: list[int]) -> tuple[int, int]:
    """First and one past last text node, given the words of each and the number of tags between neighbours."""
    steps = [step for word, tag in zip_longest(words, tags, fillvalue=0) for step in (word, -float(tag))]
    first, last = best_interval(steps)
    return (first + 1) // 2, (last + 1) // 2
