"""MCSTD: the run of blocks that stands out most by text outside links."""

from newsextract import Page
from newsextract.extractors.mcstd import MCSTD

LONG = "A long paragraph of the article which says a lot about what happened on that day in the city."


def test_mcstd_chooses_dense_interval_with_a_short_paragraph_inside():
    menu = "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(10))
    page = Page(f"<body><ul>{menu}</ul><p>{LONG}</p><p>Why?</p><p>{LONG}</p><ul>{menu}</ul></body>")
    assert MCSTD()(page).text.splitlines() == [LONG, "Why?", LONG]


def test_mcstd_leaves_out_long_linked_text():
    page = Page(f"<body><p>{LONG}</p><p><a href=/>{LONG} {LONG} {LONG}</a></p><p><a href=/x>{LONG}</a></p></body>")
    assert MCSTD()(page).text == LONG


def test_mcstd_score_is_density_less_the_mean():
    blocks = MCSTD()(Page("<body><p>abcdef</p><p>ab</p></body>")).blocks
    assert [(block.evidence["density"], block.score) for block in blocks] == [(6, 2), (2, -2)]


def test_mcstd_of_equal_blocks_chooses_none():
    assert MCSTD()(Page("<body><p>abc</p><p>abc</p></body>")).text == ""
