"""CEDP: the tag path's feature weighted by the density of the text's block."""

import numpy as np
import pytest

from newsextract import Page
from newsextract.errors import WrongOption
from newsextract.extractors import make_extractor
from newsextract.extractors.cedp import CEDPCTD, CEDPNLTD, CEDPTD, CEDPDSum, block_rows
from newsextract.extractors.common.density import read_subtrees

VARIANTS = (CEDPNLTD, CEDPTD, CEDPCTD, CEDPDSum)
MENU = "<ul>" + "".join(f"<li><a href=x>Menu item {i}</a></li>" for i in range(15)) + "</ul>"
TEXTS = [f"Paragraph {n}, of the story, {'goes on, ' * n}and ends." for n in (3, 8, 5, 12, 4)]
STORY = "".join(f"<p>{text}</p>" for text in TEXTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_cedp_chooses_dense_blocks_on_the_article_path(variant):
    text = variant()(Page(f"<body>{MENU}<div>{STORY}</div>{MENU}</body>")).text
    assert set(TEXTS[:4]) <= set(text.split("\n"))
    assert "Menu item" not in text


@pytest.mark.parametrize("variant", VARIANTS)
def test_cedp_extracts_page_without_links(variant):
    """Without its rule for zeros the composite density has nothing to divide by there."""
    text = variant()(Page(f"<body><h4>A page</h4><div>Direct text, here. {STORY}</div></body>")).text
    assert set(TEXTS[:4]) <= set(text.split("\n"))


def test_cedp_scores_noise_on_article_path_lower_by_density():
    noise = "<p>" + "".join(f"<a href=x>Read, more {i}</a> " for i in range(8)) + "</p>"
    page = Page(f"<body><div>{STORY}</div><div>{noise}</div></body>")
    scores = {block.text: block.score for block in CEDPNLTD()(page).blocks}
    assert max(score for text, score in scores.items() if "Read, more" in text) < min(scores[text] for text in TEXTS)


def test_block_rows_are_nearest_elements_that_are_not_inline():
    page = Page("<body><div><p>one <b><a href=x>two</a></b></p>three</div></body>")
    counts = read_subtrees(page)
    assert [counts.elements[row].tag for row in block_rows(counts, page.text_nodes)] == ["p", "p", "div"]


def test_cedp_mean_is_geometric_of_density_and_four_factors():
    (block,) = CEDPTD()(Page("<p>One, two, three.</p>")).blocks
    density, ratio = block.evidence["density"], block.evidence["path_ratio"]
    assert density == 16
    assert block.evidence["combined"] == pytest.approx((density * ratio) ** 0.2)


def test_cedp_combinations_increase_with_density():
    page = Page(f"<body>{MENU}<div>{STORY}</div></body>")
    for combine in ("mean", "product", "log"):
        extraction = CEDPTD(combine=combine)(page)
        assert np.isfinite(extraction.scores).all()
        assert TEXTS[3] in extraction.text


def test_cedp_refuses_unknown_combination():
    with pytest.raises(WrongOption, match="mean, product, log"):
        make_extractor("cedp-td", {"combine": "sum"})
