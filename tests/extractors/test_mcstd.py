"""MCSTD: the run of blocks that stands out most by text outside links."""

from newsextract import Page
from newsextract.extractors.mcstd import MCSTD

LONG = "A long paragraph of the article which says a lot about what happened on that day in the city."


def test_the_dense_run_is_the_article_with_a_short_paragraph_inside_it():
    menu = "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(10))
    page = Page(f"<body><ul>{menu}</ul><p>{LONG}</p><p>Why?</p><p>{LONG}</p><ul>{menu}</ul></body>")
    assert MCSTD()(page).text.splitlines() == [LONG, "Why?", LONG]


def test_long_text_within_links_is_no_article():
    page = Page(f"<body><p>{LONG}</p><p><a href=/>{LONG} {LONG} {LONG}</a></p><p><a href=/x>{LONG}</a></p></body>")
    assert MCSTD()(page).text == LONG


def test_the_score_of_a_block_is_its_density_less_the_mean_of_the_page():
    blocks = MCSTD()(Page("<body><p>abcdef</p><p>ab</p></body>")).blocks
    assert [(block.evidence["density"], block.score) for block in blocks] == [(6, 2), (2, -2)]


def test_a_page_of_blocks_all_alike_has_no_run_that_stands_out():
    assert MCSTD()(Page("<body><p>abc</p><p>abc</p></body>")).text == ""
