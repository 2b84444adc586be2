"""Golds that hold more than the body: every output gets the same of the page, and the gold's habit is counted."""

import pytest

from evaluation.conventions import check_convention, convention_of, known_conventions, with_convention
from evaluation.corpora import find_corpus
from evaluation.results import Result
from evaluation.runs import run
from newsextract.errors import WrongCall
from newsextract.page import Page
from tests.evaluation.extractors import Says

BODY = "The council met on Monday, and it decided nothing at all about the bridge."
REMARK = "I have waited for this bridge since I was a child, and my children wait, too."
HTML = f"""<html><head><title>Council decides nothing | Village Post</title></head><body>
<p>Village Post</p><h1>Council decides nothing</h1><p>By Ann Lee</p><div><p>{BODY}</p></div>
<div class="comment-list"><p>Bob</p><p>{REMARK}</p></div></body></html>"""


@pytest.mark.parametrize(
    ("convention", "html", "text", "judged"),
    [
        ("body", HTML, BODY, BODY),
        ("headline", HTML, BODY, f"Council decides nothing\n{BODY}"),
        ("headline", HTML.replace("h1>", "p>"), BODY, f"Council decides nothing\n{BODY}"),
        ("headline", f"<p>{BODY}</p>", BODY, BODY),
        ("headline", "", BODY, BODY),
        ("headline", HTML, f"Post\n\nCOUNCIL  decides nothing!\n{BODY}", None),
        ("comments", HTML, f"{BODY}\nBob", f"{BODY}\nBob\n{REMARK}"),
        ("comments", HTML.replace("comment-list", "responsive body-commencement"), BODY, BODY),
        ("comments", f"<body class=has-comments><p>{BODY}</p></body>", BODY, BODY),
        ("headline+comments", HTML, BODY, f"Council decides nothing\n{BODY}\nBob\n{REMARK}"),
        ("headline+comments", HTML, " \n", " \n"),
    ],
)
def test_with_convention_adds_only_missing_parts(convention, html, text, judged):
    assert with_convention(text, Page(html), convention) == (text if judged is None else judged)


@pytest.fixture
def village(write_corpus):
    """Two golds with the headline, one of them with comments; two without, one of a page that has neither."""
    golds = [f"Council decides nothing\nBy Ann Lee\n{BODY}\n{REMARK}", f"Council decides nothing\n{BODY}", BODY, BODY]
    bare = HTML.replace("comment-list", "list")
    pages = zip(golds, [HTML, bare, bare, f"<p>{BODY}</p>"], strict=True)
    return write_corpus(*[{"id": str(i), "text": text, "html": html} for i, (text, html) in enumerate(pages)])


def test_convention_of_a_corpus_is_the_one_asked_for_or_its_own(village, write_corpus, monkeypatch):
    assert convention_of(find_corpus(village)) == "body"
    assert convention_of(find_corpus(village), "headline") == "headline"
    monkeypatch.setitem(known_conventions(), "village", "comments")
    assert convention_of(find_corpus(village)) == "comments"
    segments = write_corpus({"id": "a", "with": ["x"]}, name="segments")
    assert convention_of(find_corpus(segments), "headline") == "body"


def test_run_with_convention_is_named_in_its_result(village, tmp_path):
    says = Says(says=BODY)
    plain, kept = (run([village], [says], convention=asked).runs[0] for asked in ("body", "headline+comments"))
    assert (plain.convention, kept.convention) == ("body", "headline+comments")
    assert kept.by_page["recall"][0] > plain.by_page["recall"][0]
    assert (kept.by_page["f"][1], kept.by_page["f"][3]) == (1.0, 1.0)
    assert plain.by_page["f"][1] < 1.0 and kept.by_page["f"][2] < plain.by_page["f"][2] == 1.0
    Result({}, [plain, kept]).save(tmp_path / "both.json")
    again = Result.load(tmp_path / "both.json")
    assert again.run("village", "says").scores["f"] < again.run("village", "says", "headline+comments").scores["f"]


def test_check_convention_refuses_unknown_ones(village):
    assert check_convention("comments+headline") == "headline+comments"
    for wrong in ("", "title", "headline+", "body+comments"):
        with pytest.raises(WrongCall, match=r"headline\+comments or auto"):
            run([village], "econ", convention=wrong)
