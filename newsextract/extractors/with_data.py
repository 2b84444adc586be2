"""Extraction from what a page shows and from its data: the same extractor reads both, evidence decides between them.

Pages rendered by JavaScript show nothing or a beginning and have the article as data (`newsextract.page.data`). What a
page shows is its article unless it shows next to nothing, is contained in the data's longer text, or has less to do
with the page's headline. Where a page says that it is not free, nothing is taken that it does not show.
"""

from collections import Counter
from dataclasses import dataclass, replace

from newsextract.extractors.base import Extraction, Extractor
from newsextract.extractors.fusion.selection import drop_repetitions
from newsextract.page import Page
from newsextract.text import words_of

#: Words from which on a text is an article's.
MIN_WORDS = 40
#: Share of the shown text's words that the data must have to be a longer version of it, and how much longer it is.
MIN_SHARED, MIN_LONGER = 0.8, 1.4
#: Similarity of headlines and confidence from which on another text in the data replaces the shown one.
MIN_TITLE_MATCH, MAX_SHOWN_CONFIDENCE, MIN_MORE = 0.6, 0.5, 2.0
#: Characters of a sure text, and of a paragraph that is looked for in the data.
MIN_CHARACTERS, MIN_PARAGRAPH = 600, 60


@dataclass(frozen=True)
class TextComparison:
    """Words of the shown text and of the data's, and the share of the shown ones that the data have."""

    shown: int
    data: int
    shared: float


def extract_with_data(extractor: Extractor, page: Page, peer: Page | None = None) -> Extraction:
    """The extraction of a page, from what it shows or from its data, whichever is the article.

    `Extraction.source` says where the text is from, `Extraction.page` is the page whose blocks were read.
    """
    shown = extractor(page, peer)
    if is_sure(shown) and not page.continues_in_data(_last_paragraph(shown)):
        return shown
    article = page.data_article
    if article is None or not is_from_data(compare(shown.text, article.text), shown.confidence, article.title_match):
        return shown
    extraction = without_repetitions(extractor(page.data_page)) if page.data_page is not None else shown
    if not is_from_data(compare(shown.text, extraction.text), shown.confidence, article.title_match):
        return shown
    if page.is_free is False:
        return replace(shown, is_withheld=True)
    return replace(extraction, source=article.source, source_path=article.path)


def without_repetitions(extraction: Extraction) -> Extraction:
    """The extraction without repetitions: data often have a text twice, for wide and narrow screens, in the same
    markup."""
    return replace(extraction, chosen=drop_repetitions(extraction.texts, extraction.chosen))


def is_sure(shown: Extraction) -> bool:
    """Whether the shown text is an article's, and not only the beginning of one by its length."""
    is_doubtful = shown.confidence is not None and shown.confidence < MAX_SHOWN_CONFIDENCE
    return not is_doubtful and len(shown.text) >= MIN_CHARACTERS


def _last_paragraph(shown: Extraction) -> str:
    """The last chosen block that is long enough to be found elsewhere."""
    chosen = (shown.texts[row] for row in reversed(shown.chosen.nonzero()[0].tolist()))
    return next((text for text in chosen if len(text) >= MIN_PARAGRAPH), "")


def compare(shown: str, data: str) -> TextComparison:
    """Compares the bags of words of two texts."""
    own, other = Counter(words_of(shown)), Counter(words_of(data))
    total = own.total()
    return TextComparison(total, other.total(), (own & other).total() / max(1, total))


def is_from_data(compared: TextComparison, confidence: float | None, title_match: float) -> bool:
    """Whether the article is the data's text, not the shown one."""
    if compared.data < MIN_WORDS:
        return False
    if compared.shown < MIN_WORDS:
        return compared.data > compared.shown
    if compared.shared >= MIN_SHARED:
        return compared.data >= MIN_LONGER * compared.shown and title_match >= MIN_TITLE_MATCH
    is_doubtful = confidence is not None and confidence < MAX_SHOWN_CONFIDENCE
    return is_doubtful and title_match >= MIN_TITLE_MATCH and compared.data >= MIN_MORE * compared.shown
