"""CEPR, CEPF and CEDS: ratios of tag paths, alone, and fused by their mean or by Dempster's rule."""

import numpy as np
import pytest

from newsextract import Page
from newsextract.methods.cepf import CEDS, CEPF, SUPPORTING
from newsextract.methods.cepr import CEPR
from newsextract.methods.common.dempster_shafer import combine
from tests.extractors.pages import MENU, TEXTS, between_menus, story


@pytest.mark.parametrize("method", [CEPF(), CEDS(), CEPR(), CEPR(extended=False), CEPR(automatic=True)])
def test_methods_by_paths_tell_article_path_from_menu_path(method):
    text = method(Page(between_menus(story()))).text
    assert TEXTS[3] in text and "Menu item" not in text
    linked = story().replace("of the story", "<a href=x>of the story</a>")
    assert "of the story" in method(Page(between_menus(linked))).text, "a link within a paragraph is raised"


def test_cepr_keeps_short_paragraph_of_article_path_and_chooses_more_by_lower_tau():
    assert "He laughed." in CEPR()(Page(between_menus(story() + story("He laughed.") + story()))).text
    assert CEPR()(Page("<p>One paragraph, all there is.</p>")).text == "One paragraph, all there is."
    page = Page(f"<body>{MENU}<div>{story()}</div><h2>A heading, with a comma</h2>{MENU}</body>")
    sizes = [len(CEPR(tau=tau)(page).text) for tau in (3.0, 1.0, 0.1, 0.0)]
    assert sizes == sorted(sizes)


def test_cepf_score_is_the_geometric_mean():
    page = Page(between_menus(story()))
    for block in CEPF()(page).blocks:
        named = [value for name, value in block.evidence.items() if name != "fused"]
        assert block.evidence["fused"] == pytest.approx(np.prod(named) ** (1 / 6))


def test_ceds_score_is_by_dempsters_rule():
    page = Page("<div><p>One sentence, of the page.</p><a href=x>link</a></div>")
    for block in CEDS()(page).blocks:
        supporting = [[0.99 * block.evidence[name]] for name in SUPPORTING]
        opposing = [[0.99 * (1 - block.evidence["unlinked"])]]
        assert block.evidence["fused"] == pytest.approx(float(combine(supporting, opposing)[0]))
    beliefs = {block.text: block.evidence["fused"] for block in CEDS()(Page(MENU + story())).blocks}
    assert beliefs["Menu item 3"] < 0.3 < 0.9 < beliefs[TEXTS[0]]
