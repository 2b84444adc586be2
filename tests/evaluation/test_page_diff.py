import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from evaluation.page_diff import align, compare_with_gold, render
from evaluation.scores import tokens
from newsextract.errors import WrongCall

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d.", "E,", "\n"]), max_size=20).map(" ".join)


def printed(renderable):
    console = Console(file=io.StringIO(), width=120, color_system=None)
    console.print(renderable)
    return console.file.getvalue()


def test_align_places_lost_and_added_text():
    gold = "The mayor spoke on Monday about the bridge. It will be closed. The works last until May."
    output = "Home News. The mayor spoke on Monday about the bridge. The works last until May. Share this"
    assert [(piece.kept, piece.lost, piece.added) for piece in align(gold, output)] == [
        ("", "", "Home News."),
        ("The mayor spoke on Monday about the bridge.", "", ""),
        ("", "It will be closed.", ""),
        ("The works last until May.", "", ""),
        ("", "", "Share this"),
    ]


@given(TEXTS, TEXTS)
def test_align_keeps_every_token_of_both_texts(gold, output):
    pieces = align(gold, output)
    assert [word for piece in pieces for word in tokens(piece.kept + " " + piece.added)] == tokens(output)
    assert [word for piece in pieces for word in tokens(piece.kept + " " + piece.lost)] == tokens(gold)


def test_render_shows_scores_and_lost_text(write_corpus):
    text = "The council met on Monday, and it decided nothing at all. " * 4
    page = f"<html><body><div><p>{text}</p></div></body></html>"
    folder = write_corpus({"id": "a", "text": text + "\nA lost line.", "html": page})
    found = compare_with_gold(f"{folder}/a", "econ")
    shown = printed(render(found))
    assert "precision 1.000" in shown
    assert "A lost line." in shown
    assert "…" in shown
    assert "…" not in printed(render(found, full=True))


def test_render_lists_segments_as_kept_lost_or_too_much(write_corpus):
    text = "The council met on Monday, and it decided nothing at all. " * 4
    folder = write_corpus(
        {"id": "a", "with": ["decided nothing", "never there"], "without": ["met on Monday"], "html": f"<p>{text}</p>"}
    )
    shown = printed(render(compare_with_gold(f"{folder}/a", "econ")))
    assert all(word in shown for word in ("never there", "lost", "kept", "too much"))


def test_render_removes_control_characters_and_markup(write_corpus):
    text = "Bad \x1b[31m page, with [bold]markup[/nothing] in its text, and it is long enough. " * 3
    folder = write_corpus({"id": "a", "text": text, "html": f"<p>{text}</p>"})
    shown = printed(render(compare_with_gold(f"{folder}/a", "econ"), full=True))
    assert "\x1b" not in shown
    assert "[bold]markup[/nothing]" in shown.replace("\n", "")


@pytest.mark.parametrize(
    ("page", "said"), [("village", "SET/ID"), ("nowhere/a", "nowhere"), ("{folder}/b", "no page 'b'")]
)
def test_compare_with_gold_names_a_missing_page(write_corpus, page, said):
    folder = write_corpus({"id": "a", "text": "x"})
    with pytest.raises(WrongCall, match=said):
        compare_with_gold(page.format(folder=folder), "econ")
