"""ECON: from the longest punctuated run up the tree until nothing punctuated is gained."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.extractors.econ import MARK, Econ, count_marks, text_node_sets
from tests.extractors.pages import story

TEXTS = [f"Paragraph {word}, of the story, goes on for a while." for word in ("one", "two", "three")]
STORY = story(*TEXTS)
SENTENCES = ["The president said, on Monday, that it was over.", "Nobody, it seems, agreed."]
COMMENTS = "".join(f"<div class=comment><p>I think, {name}, that it is wrong.</p></div>" for name in "abc")
HEADLINES = "".join(f"<p><a href=/{n}>A headline, which is long and goes on for a while</a></p>" for n in range(9))
#: What a page shows -> the page, the lines of the article, whether the stop rule is the repaired one.
PAGES = {
    "date line without punctuation": (f"<div><div>12:30 Monday</div><div>{STORY}</div></div><div>Next</div>", TEXTS, 0),
    "bold words within a sentence": (
        f"<div>{story(*SENTENCES).replace('president', '<b>president</b>')}</div>",
        SENTENCES,
        0,
    ),
    "article cut by br": (
        f"<p>Menu</p><div><div id=text>{'<br><br>'.join(TEXTS)}</div></div><div>Foot</div>",
        TEXTS,
        0,
    ),
    "run without punctuation": (f"<div>{STORY}<div><a href=x>Share this</a></div>{STORY}</div>", TEXTS * 2, 0),
    "heading in the run of its paragraphs": (
        f"<div>{TEXTS[0]}<h2>A heading without mark</h2><p>{TEXTS[1]}</p></div>",
        [TEXTS[0], "A heading without mark", TEXTS[1]],
        0,
    ),
    "punctuation gained at each step": (
        f"<div><div><div>{STORY}</div><div>{story(TEXTS[0])}</div></div><div><p>No mark here</p></div></div>",
        [*TEXTS, TEXTS[0]],
        0,
    ),
    # Else body, with one stray letter and all text below it, were the longest run.
    "a run as long as its own text": (
        f"<body>Ad<div>{STORY}</div><div><p>Short, note.</p></div></body>",
        [*TEXTS, "Short, note."],
        0,
    ),
    "paragraphs in wrappers": (
        f"<div><div>Menu</div><div>{''.join(f'<div>{story(text)}</div>' for text in TEXTS)}</div></div>",
        TEXTS,
        1,
    ),
    "comments beside the article": (
        f"<div><h1>Bridge, closed</h1><div class=text>{STORY}</div><div class=comments>{COMMENTS}</div></div>",
        TEXTS,
        1,
    ),
    "sections of one class": (
        f"<div><div class=part>{STORY}</div><div class=ad>Buy</div><div class=part>{STORY}</div></div>",
        TEXTS * 2,
        1,
    ),
    "paragraphs beside a wrapper": (
        f"<div><blockquote>{STORY}</blockquote><p>Before, after.</p></div><div class=foot><p>A, b.</p></div>",
        [*TEXTS, "Before, after."],
        1,
    ),
    "longer list of linked headlines": (
        f"<div class=story>{STORY}</div><div class=list><ul>{HEADLINES}</ul></div>",
        TEXTS,
        1,
    ),
}


@pytest.mark.parametrize("kind", PAGES)
def test_econ_chooses_the_article(kind):
    html, lines, repaired = PAGES[kind]
    assert Econ(repaired=bool(repaired))(Page(html)).text.split("\n") == lines


def test_econ_by_the_papers_rule_stops_within_a_wrapper_and_takes_comments():
    wrapped, commented = PAGES["paragraphs in wrappers"][0], PAGES["comments beside the article"][0]
    assert set(Econ()(Page(wrapped)).text.split("\n")) < set(TEXTS)
    assert len(Econ()(Page(commented)).text.split("\n")) == 7


def test_econ_without_punctuation_chooses_longest_run_with_low_confidence():
    extraction = Econ()(Page("<div>Menu</div><div><p>No mark at all in this news of the day</p></div>"))
    assert extraction.text == "No mark at all in this news of the day"
    assert extraction.confidence is not None and extraction.confidence < 0.5


@pytest.mark.parametrize(
    ("text", "marks", "strict"),
    [
        ("a, b.", 2, 2),
        ("甲，乙。丙、丁", 2, 2),
        ("今天,他说.", 2, 2),
        ("س، ص۔", 2, 0),
        ("1.5 or 4,060 at www.example.org", 0, 4),
        ("wait...", 1, 3),
    ],
)
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
