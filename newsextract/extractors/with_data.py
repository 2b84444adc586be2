"""Extraction from what a page shows and from its data: the same extractor reads both, evidence decides between them.

Pages rendered by JavaScript show nothing or only a beginning, and have the article as data (`newsextract.page.data`).
What the site's selectors find is its article. Otherwise that is what the page shows, unless it is short or doubtful,
and either is contained in the data's longer text or fits the page's headline less. If a page says that it isn't
free, only what it shows is used.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from turbohtml.etree import ElementView

from newsextract.extractors.base import Extraction, Extractor
from newsextract.extractors.fusion.selection import drop_repetitions
from newsextract.items import SELECTOR
from newsextract.limits import MOST, NEARLY_ALL
from newsextract.page import Page
from newsextract.page.access import is_free
from newsextract.page.data.article import data_page, find_data_article
from newsextract.page.data.candidates import MIN_LONGER, SAME_TITLE
from newsextract.page.data.scripts import most_spaces
from newsextract.parts.owners import Owner, Owners
from newsextract.text import MIN_TEXT, words_of

#: Minimum words of an article's text.
MIN_WORDS = 40
#: How much longer another text in the data must be to replace a doubtful one.
MIN_MORE = 2.0


def extract_with_data(extractor: Extractor, page: Page, peer: Page | None = None) -> Extraction:
    """The extraction from what a page shows or from its data, whichever is the article (`Extraction.source`)."""
    shown = extractor(page, peer)
    if (selected := _selected_blocks(page)).any():
        return replace(shown, chosen=selected[shown.origins], source=SELECTOR)
    is_doubtful = shown.confidence is not None and shown.confidence < MOST
    if len(shown.text) >= MIN_TEXT and not is_doubtful:
        return shown
    if shown.text.count(" ") > most_spaces(page.listed):  # no script can have more text
        return shown
    article = page.view(find_data_article)
    if article is None or not is_from_data(shown.text, article.text, is_doubtful, article.title_match):
        return shown
    other = page.view(data_page)
    assert other is not None
    extraction = extractor(other)
    # Data often have a text twice, for wide and narrow screens, in the same markup.
    extraction = replace(extraction, chosen=drop_repetitions(extraction.texts, extraction.chosen))
    if not is_from_data(shown.text, extraction.text, is_doubtful, article.title_match):
        return shown
    if page.view(is_free) is False:
        return replace(shown, is_withheld=True)
    return replace(extraction, source=article.source)


def _selected_blocks(page: Page) -> NDArray[np.bool_]:
    """(blocks,) whether a block is in what the site's selectors of the body find, and not in a part about others."""
    blocks, mask = page.blocks, np.zeros(len(page.blocks), bool)
    if selected := {element.node for element in page.selected("body") if isinstance(element, ElementView)}:
        owners = Owners(page, (number for number, node in enumerate(blocks.nodes) if node in selected))
        for row, (number, texts) in enumerate(zip(blocks.element_list, blocks.text_nodes, strict=True)):
            node = blocks.nodes[number]
            around = {node, *(texts[0] if texts else node).ancestors}
            mask[row] = not selected.isdisjoint(around) and owners.of(node) < Owner.BESIDE
    return mask


def is_from_data(shown: str, data: str, is_doubtful: bool, title_match: float) -> bool:
    """Whether the data's text is the article. `is_doubtful`: the shown text may not be an article's."""
    own, other = Counter(words_of(shown)), Counter(words_of(data))
    words, words_in_data = own.total(), other.total()
    if words_in_data < MIN_WORDS:
        return False
    if words < MIN_WORDS:
        return words_in_data > words
    if title_match < SAME_TITLE:
        return False
    if (own & other).total() >= NEARLY_ALL * words:
        return words_in_data >= MIN_LONGER * words
    return is_doubtful and words_in_data >= MIN_MORE * words
