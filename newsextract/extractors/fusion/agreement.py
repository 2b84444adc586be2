"""Agreement of published methods, taken where the model is unsure: text that MIN_FAMILIES families of methods choose.

The methods look at different things (tag paths, lines, subtrees, punctuation, densities ...), so their agreement says
something that none of them says alone. Of the pages of 15 corpora on which fusion's confidence is below
MAX_CONFIDENCE (78 articles, 223 other pages; 2026-11-22), three families agree on 48 articles and are wrong on 40,
mostly because all of them take the whole page; six families agree on 5, are right (F at least .9) on 2 and gain .12
of F in the mean. Where the model has chosen next to nothing, there is nothing to lose, and MIN_FAMILIES_FOR_NOTHING
families are enough.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.base import Extractor
from newsextract.extractors.bte import BTE
from newsextract.extractors.cepr import CEPR
from newsextract.extractors.cetd import CETD
from newsextract.extractors.cetr import CETR
from newsextract.extractors.coreex import CoreEx
from newsextract.extractors.econ import Econ
from newsextract.extractors.twcem import TWCEM
from newsextract.page import Page
from newsextract.text import words_of

#: One method a family, the fastest first: interval, tag paths, subtrees, punctuation, lines, densities, rows.
METHODS: tuple[type[Extractor], ...] = (BTE, CEPR, CoreEx, Econ, CETR, CETD, TWCEM)
#: Families that must agree, F1 of the tokens of two texts from which on they do, fewest tokens of such a text.
MIN_FAMILIES, MIN_FAMILIES_FOR_NOTHING, MIN_F, MIN_TOKENS = 6, 4, 0.9, 20
#: The model has chosen next to nothing if its text has less than this share of the characters they agree on.
NOTHING = 0.05
#: Methods are asked below this confidence of fusion's; the share of right pages among those they agree on.
MAX_CONFIDENCE, AGREED_CONFIDENCE = 0.05, 0.4
#: `Extraction.by` of such a text.
METHOD = "agreement"


def agreed_blocks(page: Page, own: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """(blocks,) the text of the method in the middle of those that agree; None where too few do.

    `own`: (blocks,) what the model has chosen.
    """
    texts: list[tuple[Counter[str], list[int]]] = []
    for number, method in enumerate(METHODS, 1):
        extraction = method()(page)
        texts.append((Counter(words_of(extraction.text)), extraction.chosen_blocks))
        if _most_agreeing(texts)[0] < MIN_FAMILIES_FOR_NOTHING - (len(METHODS) - number):
            return None
    families, middle = _most_agreeing(texts)
    chosen = np.zeros(len(page.blocks), bool)
    chosen[texts[middle][1]] = True
    lengths = page.blocks.lengths
    has_nothing = lengths[own].sum() < NOTHING * lengths[chosen].sum()
    return chosen if families >= (MIN_FAMILIES_FOR_NOTHING if has_nothing else MIN_FAMILIES) else None


def _most_agreeing(texts: list[tuple[Counter[str], list[int]]]) -> tuple[int, int]:
    """The most texts that agree with one of them, itself included, and its number."""
    counts = [
        sum(_f1(own, other) >= MIN_F for other, _ in texts) if own.total() >= MIN_TOKENS else 0 for own, _ in texts
    ]
    best = max(range(len(texts)), key=counts.__getitem__)
    return counts[best], best


def _f1(first: Counter[str], second: Counter[str]) -> float:
    """F1 of two bags of tokens."""
    return 2 * (first & second).total() / max(1, first.total() + second.total())
