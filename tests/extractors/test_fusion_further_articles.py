"""Fusion on pages with several whole articles one below the other: the text is that of the page's own article."""

import numpy as np
import pytest

from newsextract import Page
from newsextract.extractors.fusion import Fusion
from newsextract.extractors.fusion.features import build_features
from newsextract.extractors.fusion.further_articles import find_end
from newsextract.extractors.fusion.model import MASSES
from tests.extractors.pages import BRIDGE, HARVEST

DECLARED = '<meta property="og:type" content="article">'
#: One article of an endless page; the theme marks the one that is read now.
STORY = """<div class="story {state}"><header><h1 class="headline">{title}</h1></header>
<article class="content {state}"><div>{text}</div></article><div class="tags">Town</div></div>"""
BRIDGE_TITLE, HARVEST_TITLE = "The old bridge opens again", "A poor harvest in the valley"


def paragraphs(texts):
    return "".join(f"<p>{text}</p>" for text in texts)


def endless_page(head=DECLARED, title="When the old bridge opens | The Valley", story=STORY):
    own = story.format(state="active", title=BRIDGE_TITLE, text=paragraphs(BRIDGE))
    further = story.format(state="", title=HARVEST_TITLE, text=paragraphs(HARVEST))
    return f"<head><title>{title}</title>{head}</head><body><main>{own}{further}{further}</main></body>"


def test_fusion_leaves_out_articles_below_the_article():
    extraction = Fusion()(Page(endless_page()))
    assert [line for line in extraction.text.split("\n") if line in BRIDGE] == list(BRIDGE)
    assert not set(extraction.text.split("\n")) & set(HARVEST)


def test_fusion_explains_what_articles_below_the_article_weigh():
    extraction = Fusion()(Page(endless_page()), Page(endless_page()))
    weights = [column for name, column in extraction.evidence.items() if name not in MASSES]
    assert extraction.evidence["further articles"].tolist().count(0) == 2 + len(BRIDGE)
    assert np.allclose(1 / (1 + np.exp(-np.sum(weights, 0))), extraction.scores, atol=1e-5)


@pytest.mark.parametrize(
    "html",
    [
        endless_page(head=""),  # may be a list of articles
        endless_page(title="The Valley"),  # which of them is the page's own is not known
        endless_page(story='<h1 class="headline">{title}</h1>{text}'),  # sections of one article
        endless_page(story='<section><h1 class="headline">{title}</h1></section><section>{text}</section>'),
        endless_page(story="<div><h1>{title}</h1><div>{text}</div></div>"),  # no markup of its own
        endless_page().replace(HARVEST_TITLE, BRIDGE_TITLE),  # the article again, for small screens
    ],
)
def test_find_end_is_none_without_a_further_article(html):
    assert find_end(build_features(Page(html))) is None


def test_find_end_takes_a_bounded_time_on_a_hostile_page():
    deep = "<div>" * 200 + '<h1 class="headline">The old bridge {n}</h1>' + paragraphs(BRIDGE * 20) + "</div>" * 200
    page = Page(f"<head>{DECLARED}<title>The old bridge</title></head>" + "".join(deep.format(n=n) for n in range(40)))
    assert find_end(build_features(page)) is not None
