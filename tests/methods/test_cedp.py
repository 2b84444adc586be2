"""CEDP: the tag path's feature weighted by the density of the text's block."""

import pytest

from newsextract import Page
from newsextract.methods.cedp import CEDPCTD, CEDPNLTD, CEDPTD, CEDPDSum
from tests.extractors.pages import TEXTS, between_menus, story


@pytest.mark.parametrize("variant", (CEDPNLTD, CEDPTD, CEDPCTD, CEDPDSum))
def test_cedp_chooses_dense_blocks_on_the_article_path(variant):
    text = variant()(Page(between_menus(story()))).text
    assert set(TEXTS[:4]) <= set(text.split("\n"))
    assert "Menu item" not in text
    # Without its rule for zeros the composite density has nothing to divide by on a page without links.
    text = variant()(Page(f"<body><h4>A page</h4><div>Direct text, here. {story()}</div></body>")).text
    assert set(TEXTS[:4]) <= set(text.split("\n"))


def test_cedp_scores_noise_on_article_path_lower_by_density():
    noise = story("".join(f"<a href=x>Read, more {i}</a> " for i in range(8)))
    page = Page(f"<body><div>{story()}</div><div>{noise}</div></body>")
    scores = {block.text: block.score for block in CEDPNLTD()(page).blocks}
    assert max(score for text, score in scores.items() if "Read, more" in text) < min(scores[text] for text in TEXTS)


def test_cedp_mean_is_geometric_of_density_and_four_factors():
    (block,) = CEDPTD()(Page("<p>One, two, three.</p>")).blocks
    density, ratio = block.evidence["density"], block.evidence["path_ratio"]
    assert density == 16
    assert block.evidence["combined"] == pytest.approx((density * ratio) ** 0.2)
