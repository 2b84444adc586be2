"""CEPR: web news extraction via path ratios."""

import numpy as np
import pytest

from newsextract import Page
from newsextract.errors import WrongOption
from newsextract.extractors import make_extractor
from newsextract.extractors.cepr import CEPR

MENU = "<ul>" + "".join(f"<li><a href=x>Menu item {i}</a></li>" for i in range(15)) + "</ul>"
TEXTS = [f"Paragraph {n}, of the story, {'goes on, ' * n}and ends." for n in (3, 8, 5, 12, 2)]
STORY = "".join(f"<p>{text}</p>" for text in TEXTS)


@pytest.mark.parametrize("options", [{}, {"extended": False}, {"automatic": True}, {"weighted": False}])
def test_the_path_of_long_punctuated_texts_is_the_article(options):
    text = CEPR(**options)(Page(f"<body>{MENU}<div>{STORY}</div>{MENU}</body>")).text
    assert TEXTS[3] in text
    assert "Menu item 7" not in text


def test_a_short_paragraph_is_kept_for_its_paths_sake():
    page = Page(f"<body>{MENU}<div>{STORY}<p>He laughed.</p>{STORY}</div>{MENU}</body>")
    assert "He laughed." in CEPR()(page).text


def test_a_link_within_a_paragraph_is_lifted_by_the_text_around_it():
    story = STORY.replace("of the story", "<a href=x>of the story</a>")
    page = Page(f"<body>{MENU}<div>{story}</div>{MENU}</body>")
    extraction = CEPR()(page)
    assert "of the story" in extraction.text
    lifted = {block.text: block.score for block in extraction.blocks}
    assert max(score for text, score in lifted.items() if "Menu item" in text) < min(
        score for text, score in lifted.items() if "Paragraph" in text
    )


def test_noise_of_another_path_within_the_article_is_lifted_less_by_weight():
    html = f"<div><p>{TEXTS[3]}</p><ul><li>noise</li></ul><p>{TEXTS[1]}</p></div>"
    noise = {
        weighted: next(block.score for block in CEPR(weighted=weighted)(Page(html)).blocks if block.text == "noise")
        for weighted in (True, False)
    }
    assert noise[True] < noise[False]


def test_a_page_of_one_text_gives_it():
    assert CEPR()(Page("<p>One paragraph, all there is.</p>")).text == "One paragraph, all there is."


def test_a_lower_bar_lets_more_text_in():
    page = Page(f"<body>{MENU}<div>{STORY}</div><h2>A heading, with a comma</h2>{MENU}</body>")
    sizes = [len(CEPR(tau=tau)(page).text) for tau in (3.0, 1.0, 0.1, 0.0)]
    assert sizes == sorted(sizes)


def test_the_evidence_names_the_factors_of_the_ratio():
    (block,) = CEPR()(Page("<p>One, two.</p>")).blocks
    assert block.evidence["ratio"] == np.prod([block.evidence[n] for n in ("tpr", "ppr", "len_dev", "punc_dev")])


def test_a_negative_bar_is_refused():
    with pytest.raises(WrongOption, match="tau"):
        make_extractor("cepr", {"tau": -1})
