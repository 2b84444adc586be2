"""One page of a corpus: what is lost of its gold, and what is too much."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.page_diff import ADDED, LOST, compare_with_gold, diff
from evaluation.scores import tokens
from newsextract.errors import WrongCall

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d.", "E,", "新闻"]), max_size=20).map(" ".join)


def without(shown, style):
    """The text without what has that style."""
    return "".join(
        part.plain
        for part in shown.divide(sorted({place for span in shown.spans for place in span[:2]}))
        if style not in {str(span.style) for span in part.spans}
    )


@given(TEXTS, TEXTS)
def test_diff_has_every_token_of_both_texts_in_order(gold, output):
    shown = diff(gold, output)
    assert tokens(without(shown, LOST)) == tokens(output)
    assert tokens(without(shown, ADDED)) == tokens(gold)


def test_page_shows_scores_and_marks_lost_and_added_text_but_no_control_characters(write_corpus):
    text = "The council met on Monday, and it decided nothing at all. " * 4
    html = f"<p>{text}</p><p>{text}\x1b[31m [bold]</p>"
    folder = write_corpus({"id": "a", "text": text + text + "\nA lost line.", "html": html})
    shown = compare_with_gold(f"{folder}/a", "econ")
    assert "recall 0.9" in shown.plain and "…" in shown.plain and "\x1b" not in shown.plain
    marked = {shown.plain[span.start : span.end].strip(): span.style for span in shown.spans}
    assert marked["A lost line."] == LOST and ADDED in marked.values()
    assert "…" not in compare_with_gold(f"{folder}/a", "econ", full=True).plain


def test_page_with_segments_says_which_are_kept_lost_or_too_much(write_corpus):
    gold = {"id": "a", "with": ["decided nothing", "never there"], "without": ["met on Monday", "absent"]}
    html = "<p>" + "The council met on Monday, and it decided nothing at all. " * 4
    shown = compare_with_gold(f"{write_corpus({**gold, 'html': html})}/a", "econ").plain
    for line in ("kept: decided nothing", "lost: never there", "too much: met on Monday", "left out: absent"):
        assert line in shown


@pytest.mark.parametrize(
    ("page", "said"), [("village", "SET/ID"), ("nowhere/a", "nowhere"), ("{folder}/b", "no page 'b'")]
)
def test_page_that_is_missing_is_named(write_corpus, page, said):
    folder = write_corpus({"id": "a", "text": "x"})
    with pytest.raises(WrongCall, match=said):
        compare_with_gold(page.format(folder=folder), "econ")
