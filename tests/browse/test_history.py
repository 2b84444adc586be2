"""The history of an article as differences: paragraphs and words."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

from newsextract.browse.dashboard import ago, duration
from newsextract.browse.history import Piece, compare, steps
from newsextract.items import Article
from tests.store.samples import NOON, later

FERRY = "The ferry runs again from Monday, an hour later than before."


def version(number: int, *lines: str, **fields: Any) -> Article:
    about = {"version": number, "fetched_at": later(number), **fields}
    return Article("https://example.org/a", headline=lines[0], article_body="\n".join(lines[1:]), **about)


def shown(pieces: Sequence[Piece]) -> str:
    marks = {"kept": "{}", "added": "+{}+", "removed": "-{}-"}
    return "".join(marks[kind].format(text) for kind, text in pieces)


def test_changed_paragraph_is_compared_word_by_word_and_those_that_came_and_went_are_none():
    [pieces] = compare([FERRY], [FERRY.replace("Monday", "Tuesday")])
    assert shown(pieces) == "The ferry runs again from -Monday-+Tuesday+, an hour later than before."
    [pieces] = compare(["渔港重建工程昨日开工。"], ["渔港重建工程今日开工。"])
    assert shown(pieces) == "渔港重建工程-昨-+今+日开工。"
    paragraphs = [shown(pieces) for pieces in compare(["One two three.", FERRY], [FERRY, "Quite other words here."])]
    assert paragraphs == ["-One two three.-", FERRY, "+Quite other words here.+"]


def test_steps_are_newest_first_with_counts_and_unchanged_paragraphs_folded():
    first = version(1, "Ferry", FERRY, "Second.", "Third.")
    second = version(2, "Ferry", FERRY, "Second.", "Third.", "A fourth paragraph came.")
    third = version(3, "Ferry", "", is_article=False, not_article_because="listing")
    newest, middle, oldest = steps([first, second, third])
    assert (newest.article.version, newest.article.not_article_because) == (3, "listing")
    assert (middle.added, middle.removed, middle.article.is_article) == (4, 0, True)
    assert middle.paragraphs == [4, (("added", "A fourth paragraph came."),)]
    texts = [shown(pieces) for pieces in oldest.paragraphs if not isinstance(pieces, int)]
    assert texts == [FERRY, "Second.", "Third."]


def test_very_long_paragraphs_are_compared_in_bounded_time():
    words = [f"word{number % 97}" for number in range(20_000)]
    started = time.process_time()
    pieces = [piece for paragraph in compare([" ".join(words)], [" ".join(reversed(words))]) for piece in paragraph]
    assert "".join(text for kind, text in pieces if kind != "added") == " ".join(words)
    assert time.process_time() - started < 60


@pytest.mark.parametrize(
    ("hours", "words"),
    [(0.001, "a moment ago"), (0.5, "30 minutes ago"), (1.2, "1 hour ago"), (30, "1 day ago"), (72, "3 days ago")],
)
def test_ago_says_it_in_the_unit_of_a_person(hours, words):
    assert ago(NOON, later(hours)) == words
    assert [duration(hours) for hours in (None, 0.25, 3.04, 72.0)] == ["–", "15 min", "3.0 h", "3 d"]


def test_runs_of_long_texts_join_to_both_texts_and_keep_what_occurs_once():
    numbered = [f"line {number}" for number in range(1_500)]
    before, after = [*numbered, *["goal"] * 600, "end"], ["new", *numbered[700:], *["goal"] * 500, "end"]
    pieces = [piece for paragraph in compare(before, after) for piece in paragraph]
    assert [text for kind, text in pieces if kind != "added"] == before
    assert [text for kind, text in pieces if kind != "removed"] == after
    assert {("kept", line) for line in numbered[700:]} <= {*pieces}
