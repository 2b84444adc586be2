"""MCSTD: the interval of blocks with the most text outside links."""

from newsextract import Page
from newsextract.methods.mcstd import MCSTD
from tests.extractors.pages import between_menus

LONG = "A long paragraph of the article which says a lot about what happened on that day in the city."


def test_mcstd_chooses_dense_interval_with_a_short_paragraph_inside():
    page = Page(between_menus(f"<p>{LONG}</p><p>Why?</p><p>{LONG}</p><p><a href=/>{LONG} {LONG} {LONG}</a></p>"))
    assert MCSTD()(page).text.splitlines() == [LONG, "Why?", LONG]


def test_mcstd_score_is_density_less_the_mean():
    blocks = MCSTD()(Page("<body><p>abcdef</p><p>ab</p></body>")).blocks
    assert [(block.evidence["density"], block.score) for block in blocks] == [(6, 2), (2, -2)]
    assert MCSTD()(Page("<body><p>abc</p><p>abc</p></body>")).text == "", "none of equal blocks"
