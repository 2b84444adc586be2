"""CEPF and CEDS: tag path features fused by their mean, and by Dempster's rule."""

import pytest

from newsextract import Page
from newsextract.extractors.cepf import CEDS, CEPF, SUPPORTING
from newsextract.extractors.common.dempster_shafer import combine

MENU = "<ul>" + "".join(f"<li><a href=x>Menu item {i}</a></li>" for i in range(15)) + "</ul>"
TEXTS = [f"Paragraph {n}, of the story, {'goes on, ' * n}and ends." for n in (3, 8, 5, 12, 2)]
STORY = "".join(f"<p>{text}</p>" for text in TEXTS)


@pytest.mark.parametrize("method", [CEPF(), CEDS()])
def test_cepf_and_ceds_tell_article_path_from_menu_path(method):
    extraction = method(Page(f"<body>{MENU}<div>{STORY}</div>{MENU}</body>"))
    assert extraction.text.split("\n") == TEXTS


@pytest.mark.parametrize("method", [CEPF(), CEDS()])
def test_cepf_and_ceds_keep_link_within_a_paragraph(method):
    story = STORY.replace("of the story", "<a href=x>of the story</a>")
    assert "of the story" in method(Page(f"<body>{MENU}<div>{story}</div>{MENU}</body>")).text


def test_cepf_score_is_the_geometric_mean():
    (block,) = CEPF()(Page("<p>One, two.</p>")).blocks
    assert block.score == pytest.approx(1.0), "on a page of one path each feature is at its largest"
    assert block.evidence["fused"] == pytest.approx(1.0)


def test_ceds_score_is_by_dempsters_rule():
    page = Page("<div><p>One sentence, of the page.</p><a href=x>link</a></div>")
    for block in CEDS()(page).blocks:
        supporting = [[0.99 * block.evidence[name]] for name in SUPPORTING]
        opposing = [[0.99 * (1 - block.evidence["unlinked"])]]
        assert block.evidence["fused"] == pytest.approx(float(combine(supporting, opposing).news[0]))


def test_ceds_score_of_linked_path_is_low():
    page = Page(f"<body>{MENU}<div>{STORY}</div></body>")
    beliefs = {block.text: block.evidence["fused"] for block in CEDS()(page).blocks}
    assert beliefs["Menu item 3"] < 0.3 < 0.9 < beliefs[TEXTS[0]]
