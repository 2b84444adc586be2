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
def test_cepr_chooses_path_of_long_punctuated_texts(options):
    text = CEPR(**options)(Page(f"<body>{MENU}<div>{STORY}</div>{MENU}</body>")).text
    assert TEXTS[3] in text
    assert "Menu item 7" not in text


def test_cepr_keeps_short_paragraph_of_article_path():
    page = Page(f"<body>{MENU}<div>{STORY}<p>He laughed.</p>{STORY}</div>{MENU}</body>")
    assert "He laughed." in CEPR()(page).text


def test_cepr_smoothing_raises_link_within_a_paragraph():
    story = STORY.replace("of the story", "<a href=x>of the story</a>")
    page = Page(f"<body>{MENU}<div>{story}</div>{MENU}</body>")
    extraction = CEPR()(page)
    assert "of the story" in extraction.text
    lifted = {block.text: block.score for block in extraction.blocks}
    assert max(score for text, score in lifted.items() if "Menu item" in text) < min(
        score for text, score in lifted.items() if "Paragraph" in text
    )


def test_cepr_weighted_smoothing_raises_other_paths_less():
    html = f"<div><p>{TEXTS[3]}</p><ul><li>noise</li></ul><p>{TEXTS[1]}</p></div>"
    noise = {
        weighted: next(block.score for block in CEPR(weighted=weighted)(Page(html)).blocks if block.text == "noise")
        for weighted in (True, False)
    }
    assert noise[True] < noise[False]


def test_cepr_of_one_text_chooses_it():
    assert CEPR()(Page("<p>One paragraph, all there is.</p>")).text == "One paragraph, all there is."


def test_cepr_lower_tau_chooses_more():
    page = Page(f"<body>{MENU}<div>{STORY}</div><h2>A heading, with a comma</h2>{MENU}</body>")
    sizes = [len(CEPR(tau=tau)(page).text) for tau in (3.0, 1.0, 0.1, 0.0)]
    assert sizes == sorted(sizes)


def test_cepr_evidence_names_the_factors():
    (block,) = CEPR()(Page("<p>One, two.</p>")).blocks
    assert block.evidence["ratio"] == np.prod([block.evidence[n] for n in ("tpr", "ppr", "len_dev", "punc_dev")])


def test_cepr_refuses_negative_tau():
    with pytest.raises(WrongOption, match="tau"):
        make_extractor("cepr", {"tau": -1})
