"""TWCEM: the rows with punctuation, from the first to the last that has words of the title.

Z. Tan, C. He, Y. Fang, B. Ge, W. Xiao. Title-Based Extraction of News Contents for Text Mining. IEEE Access 6, 2018,
doi:10.1109/ACCESS.2018.2877592.

1. Title: the anchor text of the link to the page; else of the headings h1-h6 the one with the smallest edit distance
   to the meta title; else the text of an element whose id begins or ends, or whose class begins, with `title`.
2. Rows with at least delta1 characters (blanks not counted) and delta2 punctuation marks are kept: the list CCL.
3. From the front to the middle, the first row i >= 1 with LCS(CCL[i], title) >= delta3 begins the content; from the end
   to the middle, the first such row ends it. LCS counts words. Without a match: all of CCL.

The paper's values: delta1 = 4, delta2 = 1, delta3 = 2 for CleanEval and news, 2, 1 and 1 for microblogs; it searched
them on its own test pages. O(n) for n characters, times the words of the title for rows that are compared.

Not specified, or wrong in the paper: a row is a block (the source's own newlines say nothing on minified pages); the
edit distance is Levenshtein's (Eq. 1 as printed costs 1 for equal characters); the last matching row belongs to the
content (the final loop as printed drops it); Chinese words are those of a dictionary, since almost any row has two
characters in common with the title; the meta title is og:title, twitter:title, meta title, then `title`, which is also
the title where there is no heading; K, the context of a row, is never used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein
from turbohtml.etree import ElementView

from newsextract.extractors.base import Extraction, Method, option
from newsextract.language.chinese_words import words_in
from newsextract.page import Page
from newsextract.page.titles import line, text_of

#: Punctuation of sentences; not menu separators: hyphens, bars, slashes, quotes, brackets.
MARKS = ".,!?;:。，、！？；：．؟،؛۔।"
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
META_TITLES = ("og:title", "twitter:title", "title")
#: Separates the site's name in a document title; minimum words of the part before it.
SITE = "-_|–—｜"
MIN_TITLE = 4
#: Elements whose id begins or ends, or whose class begins, with "title".
TITLED = "[id^=title], [id$=title], [class^=title]"
#: Maximum headings compared; the title is among the first.
MAX_HEADINGS = 200


@dataclass(frozen=True)
class TWCEM(Method):
    """`delta1`: minimum characters of a row, `delta2`: minimum marks, `delta3`: minimum words shared with the title."""

    name = "twcem"
    paper = "Tan et al. Title-Based Extraction of News Contents for Text Mining. IEEE Access 2018"

    delta1: int = option(4, 0, 1_000)
    delta2: int = option(1, 0, 1_000)
    delta3: int = option(2, 0, 1_000)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        texts = page.blocks.texts
        lengths = np.array([len(text) - text.count(" ") for text in texts], int)
        marks = np.array([sum(map(text.count, MARKS)) for text in texts], int)
        is_kept = (lengths >= self.delta1) & (marks >= self.delta2)
        kept = np.flatnonzero(is_kept)
        first, last = self._boundaries([texts[i] for i in kept], words_in(title_of(page)))
        chosen = np.zeros(len(texts), bool)
        chosen[kept[first : last + 1]] = True
        return Extraction.of_blocks(page, chosen, is_kept)

    def _boundaries(self, rows: Sequence[str], title: list[str]) -> tuple[int, int]:
        """The first and the last row of the content; the middle row is never a boundary."""

        def matches(row: int) -> bool:
            return LCSseq.similarity(words_in(rows[row]), title) >= self.delta3

        middle = len(rows) // 2
        start = next(filter(matches, range(1, middle)), 0) if title else 0
        end = next(filter(matches, range(len(rows) - 1, middle, -1)), len(rows) - 1) if title else len(rows) - 1
        return start, end


def title_of(page: Page) -> str:
    """The title by step 1; "" without one."""
    if page.anchor_text and not _is_abnormal(page.anchor_text):
        return line(page.anchor_text)
    headings = [text_of(element) for element in islice(page.body.iter(*HEADINGS), MAX_HEADINGS)]
    headings = [heading for heading in headings if not _is_abnormal(heading)]
    declared = next((line(text) for name in META_TITLES if (text := page.meta.get(name))), line(page.meta.title))
    if headings:
        return min(headings, key=lambda heading: Levenshtein.distance(heading, declared)) if declared else headings[0]
    titled = map(text_of, map(ElementView, page.body.node.select(TITLED)))
    return _without_site(line(page.meta.title)) or next((text for text in titled if not _is_abnormal(text)), "")


def _is_abnormal(text: str) -> bool:
    """Whether a title is empty, garbled, or mostly neither letters, digits nor punctuation."""
    plain = sum(character.isalnum() or character in MARKS for character in text)
    return "\ufffd" in text or 2 * plain < len(text.replace(" ", "")) or not plain


def _without_site(title: str) -> str:
    """The title up to its last separator, if at least MIN_TITLE words are left."""
    cuts = [place for place, sign in enumerate(title) if sign in SITE]
    left = title[: cuts[-1]].strip() if cuts else ""
    return left if len(words_in(left)) >= MIN_TITLE else title
