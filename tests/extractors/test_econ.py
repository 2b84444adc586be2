"""ECON: from the longest punctuated run up the tree until nothing punctuated is gained."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import Page
from newsextract.extractors.econ import MARK, Econ, count_marks, text_node_sets


def econ(html: str, **options: bool) -> list[str]:
    return Econ(**options)(Page(html)).text.split("\n")


PARAGRAPHS = [f"Paragraph {word}, of the story, goes on for a while." for word in ("one", "two", "three")]
STORY = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)


def test_econ_drops_date_line_without_punctuation():
    html = f"<div><div>12:30 Monday</div><div>{STORY}</div></div><div><a href=x>Next page</a></div>"
    assert econ(html) == PARAGRAPHS


def test_econ_keeps_bold_words_within_a_sentence():
    html = "<div><p>The <b>president</b> said, on Monday, that it was over.</p><p>Nobody, it seems, agreed.</p></div>"
    assert econ(html)[0] == "The president said, on Monday, that it was over."


@pytest.mark.parametrize("cut", ["<br>", "<br><br>", "<br/>\n"])
def test_econ_keeps_article_cut_by_br(cut):
    html = f"<table><tr><td>Menu</td></tr></table><div><div id=text>{cut.join(PARAGRAPHS)}</div></div><div>Foot</div>"
    assert econ(html) == PARAGRAPHS


def test_econ_prunes_run_without_punctuation():
    html = f"<div>{STORY}<div><a href=x>Share this</a></div>{STORY}</div>"
    assert econ(html) == PARAGRAPHS * 2


def test_econ_keeps_heading_in_the_run_of_its_paragraphs():
    html = f"<div>{PARAGRAPHS[0]}<h2>A heading without mark</h2><p>{PARAGRAPHS[1]}</p></div>"
    assert "A heading without mark" in econ(html)


def test_econ_climbs_while_punctuation_is_gained():
    html = f"<div><div><div>{STORY}</div><div><p>{PARAGRAPHS[0]}</p></div></div><div><p>No mark here</p></div></div>"
    assert econ(html) == [*PARAGRAPHS, PARAGRAPHS[0]]


def test_econ_length_of_a_run_counts_own_text_only():
    """Else body, with one stray letter and all text below it, were the longest run."""
    html = f"<body>Ad<div>{STORY}</div><div><p>Short, note.</p></div></body>"
    assert econ(html)[:3] == PARAGRAPHS


def test_econ_without_punctuation_chooses_longest_run_with_low_confidence():
    extraction = Econ()(Page("<div>Menu</div><div><p>No mark at all in this news of the day</p></div>"))
    assert extraction.text == "No mark at all in this news of the day"
    assert extraction.confidence is not None and extraction.confidence < 0.5


def test_econ_repaired_chooses_paragraphs_in_wrappers():
    html = "".join(f"<div><p>{text}</p></div>" for text in PARAGRAPHS)
    html = f"<div><div>Menu</div><div>{html}</div></div>"
    assert econ(html, repaired=True) == PARAGRAPHS
    assert set(econ(html)) <= set(PARAGRAPHS)


def test_econ_repaired_leaves_out_comments_beside_the_article():
    comments = "".join(f"<div class=comment><p>I think, {name}, that it is wrong.</p></div>" for name in "abc")
    html = f"<div><h1>Bridge, closed</h1><div class=text>{STORY}</div><div class=comments>{comments}</div></div>"
    assert econ(html, repaired=True) == PARAGRAPHS
    assert len(econ(html)) == 7


def test_econ_repaired_joins_sections_of_one_class():
    html = (
        f"<div>{'<div class=part>' + STORY + '</div>'}<div class=ad>Buy, now.</div><div class=part>{STORY}</div></div>"
    )
    assert econ(html, repaired=True)[:3] == PARAGRAPHS
    assert econ(html, repaired=True)[-3:] == PARAGRAPHS


def test_econ_repaired_joins_paragraphs_beside_a_wrapper():
    html = f"<div><blockquote>{STORY}</blockquote><p>Before, after.</p></div>"
    html += "<div class=foot><div><p>Foot, note.</p></div></div>"
    assert econ(html, repaired=True) == [*PARAGRAPHS, "Before, after."]


def test_econ_repaired_leaves_out_longer_list_of_linked_headlines():
    links = "".join(
        f"<li><p><a href=/{n}>A headline, which is long and goes on for a while</a></p></li>" for n in range(9)
    )
    html = (
        f"<div class=story>{STORY}</div><div class=list><ul>{links.replace('<li>', '').replace('</li>', '')}</ul></div>"
    )
    assert econ(html, repaired=True) == PARAGRAPHS


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
def test_count_marks_counts_periods_and_commas_that_end_a_clause(text, marks, strict):
    assert Econ()(Page(f"<p>{text}</p>")).blocks[0].evidence["punc_num"] == marks
    assert Econ(strict_marks=True)(Page(f"<p>{text}</p>")).blocks[0].evidence["punc_num"] == strict


def test_econ_evidence_is_punc_num():
    extraction = Econ()(Page(f"<p>none</p>{STORY}"))
    assert extraction.evidence["punc_num"].tolist() == count_marks(extraction.page.blocks.texts, MARK).tolist()


PIECES = st.lists(
    st.sampled_from(["<div>", "</div>", "<p>", "</p>", "<b>x</b>", "a, b.", "none", "<br>", "<h2>h</h2>"])
)


@given(PIECES)
def test_text_node_sets_hold_each_block_at_most_once_a_level(parts):
    blocks = Page("".join(parts)).blocks
    for run in text_node_sets(blocks):
        members = run.blocks(blocks)
        assert members == sorted(set(members))
        assert members == list(range(members[0], members[-1] + 1))


@given(PIECES)
def test_econ_chooses_punctuated_text_where_there_is_any(parts):
    extraction = Econ()(Page("".join(parts)))
    marked = [block for block in extraction.blocks if block.evidence["punc_num"]]
    assert not marked or any(block.chosen for block in marked)
