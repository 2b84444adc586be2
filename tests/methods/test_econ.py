"""ECON: from the longest punctuated run up the tree until nothing punctuated is gained."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.methods.econ import MARK, Econ, count_marks, text_node_sets
from tests.examples import examples
from tests.extractors.pages import story

TEXTS = ONE, TWO, THREE = [f"Paragraph {word}, of the story, goes on for a while." for word in ("one", "two", "three")]
STORY = story(*TEXTS)
BOLD = "The <b>president</b> said, on Monday, that it was over."
WRAPPED = f"<div><div>Menu</div><div>{''.join(f'<div>{story(text)}</div>' for text in TEXTS)}</div></div>"
COMMENTS = "".join(f"<div class=comment><p>I think, {name}, that it is wrong.</p></div>" for name in "abc")
COMMENTED = f"<div><h1>Bridge, closed</h1><div class=text>{STORY}</div><div class=comments>{COMMENTS}</div></div>"
HEADLINES = "".join(f"<p><a href=/{n}>A headline, which is long and goes on for a while</a></p>" for n in range(9))
PART = f"<div class=part>{STORY}</div>"
FOOT = "<div class=foot><p>A, b.</p></div>"
#: What a page has -> the page, the lines of the article.
PAGES = {
    "a date line without punctuation": (f"<div><div>12:30 Monday</div><div>{STORY}</div></div><div>Next</div>", TEXTS),
    "bold words within a sentence": (f"<div>{story(BOLD, TWO)}</div>", [re.sub("<.*?>", "", BOLD), TWO]),
    "an article cut by br": (f"<p>Menu</p><div><div id=text>{'<br><br>'.join(TEXTS)}</div></div>", TEXTS),
    "a run without punctuation": (f"<div>{STORY}<div><a href=x>Share this</a></div>{STORY}</div>", TEXTS * 2),
    "a heading in the run": (f"<div>{ONE}<h2>A heading</h2><p>{TWO}</p></div>", [ONE, "A heading", TWO]),
    "punctuation gained at each step": (f"<div><div>{STORY}</div>{story(ONE)}</div><p>No mark here</p>", [*TEXTS, ONE]),
    # Else body, with one stray letter and all text below it, were the longest run.
    "a run as long as its own text": (f"<body>Ad<div>{STORY}</div>{story('A note.')}</body>", [*TEXTS, "A note."]),
}
#: The same where only the repaired stop rule finds the article.
REPAIRED = {
    "paragraphs in wrappers": (WRAPPED, TEXTS),
    "comments beside the article": (COMMENTED, TEXTS),
    "sections of one class": (f"<div>{PART}<div class=ad>Buy</div>{PART}</div>", TEXTS * 2),
    "paragraphs beside a wrapper": (f"<div><div>{STORY}</div><p>A, b.</p></div>{FOOT}", [*TEXTS, "A, b."]),
    "a longer list of linked headlines": (f"<div>{STORY}</div><div class=list><ul>{HEADLINES}</ul></div>", TEXTS),
}


@pytest.mark.parametrize("kind", [*PAGES, *REPAIRED])
def test_econ_chooses_the_article(kind):
    html, lines = (PAGES | REPAIRED)[kind]
    assert Econ(repaired=kind in REPAIRED)(Page(html)).text.split("\n") == lines


def test_econ_by_the_papers_rule_stops_within_a_wrapper_and_takes_comments():
    assert set(Econ()(Page(WRAPPED)).text.split("\n")) < set(TEXTS)
    assert len(Econ()(Page(COMMENTED)).text.split("\n")) == 7


def test_econ_without_punctuation_chooses_longest_run_with_low_confidence():
    extraction = Econ()(Page("<div>Menu</div><div><p>No mark at all in this news of the day</p></div>"))
    assert extraction.text == "No mark at all in this news of the day"
    assert extraction.confidence is not None and extraction.confidence < 0.5


@pytest.mark.parametrize(("text", "marks", "strict"), examples(__file__, "marks"))
def test_punc_num_counts_periods_and_commas_that_end_a_clause(text, marks, strict):
    assert Econ()(Page(f"<p>{text}</p>")).blocks[0].evidence["punc_num"] == marks
    assert Econ(strict_marks=True)(Page(f"<p>{text}</p>")).blocks[0].evidence["punc_num"] == strict


@given(st.lists(st.sampled_from(["<div>", "</div>", "<p>", "</p>", "<b>x</b>", "a, b.", "none", "<br>", "<h2>h</h2>"])))
def test_text_node_sets_are_runs_of_adjacent_members_and_econ_chooses_punctuated_text(parts):
    page = Page("".join(parts))
    blocks = page.blocks
    for run in text_node_sets(blocks, blocks.lengths):
        assert [first for first, _, _ in run.items[1:]] == [last for _, last, _ in run.items[:-1]]
    chosen = Econ()(page).chosen
    marked = count_marks(blocks.texts, MARK) > 0
    assert not marked.any() or np.any(chosen & marked)
