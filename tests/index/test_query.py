"""Queries: ten languages, the grammar, and that whatever is asked is answered or refused in a sentence."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.index.query import COLUMNS, MAX_DEPTH, MAX_LENGTH, MAX_TERMS, MAX_WORDS, QueryError, parse_query
from tests.examples import examples


def matches(query: str, *texts: str) -> bool:
    return parse_query(query).matches([*texts, *[""] * (len(COLUMNS) - len(texts))])


@pytest.mark.parametrize(("text", "found", "missed"), examples(__file__, "languages"))
def test_query_finds_words_of_the_language(text, found, missed):
    assert matches(found, text)
    assert not matches(missed, text)


@pytest.mark.parametrize(("query", "is_match"), examples(__file__, "operators"))
def test_query_operators_bind_as_documented(query, is_match):
    if is_match is None:
        with pytest.raises(QueryError, match="no letter"):
            parse_query(query)
    else:
        assert matches(query, "d e g", "h", "", "") is is_match


@pytest.mark.parametrize(("query", "words"), examples(__file__, "hints"))
def test_operators_of_other_forms_are_words_with_a_hint(query, words):
    hints = parse_query(query).hints
    assert [hint.rsplit(" ", 1)[1] for hint in hints] == words


@pytest.mark.parametrize(("query", "plain"), examples(__file__, "other_tools"))
def test_operators_and_fields_of_other_tools_mean_the_same(query, plain):
    assert parse_query(query).fts == parse_query(plain).fts


@pytest.mark.parametrize(
    ("query", "position", "sentence"),
    [
        *examples(__file__, "errors"),
        ("a" * (MAX_LENGTH + 1), MAX_LENGTH, "longer"),
        ("a " * (MAX_TERMS + 1), 2 * MAX_TERMS, "words"),
        (f'b "{"a " * MAX_WORDS}"', 2, "in all phrases"),
        ("(" * (MAX_DEPTH + 1) + "a", MAX_DEPTH, "parentheses"),
    ],
)
def test_query_error_has_a_caret_under_the_mistake(query, position, sentence):
    with pytest.raises(QueryError, match=sentence) as caught:
        parse_query(query)
    assert caught.value.position == position
    _, shown, caret = str(caught.value).split("\n")
    width = len(shown[: caret.index("^")]) + shown[: caret.index("^")].count("船")
    assert caret.strip() == "^" and width >= min(position, 60)


PIECES = st.sampled_from([*"AND OR NOT NEAR/1 headline: - ab b* ab* 港 重建 é ß".split(), *'()"*ab-:^{', "'", "\x00"])
QUERIES = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES).map("".join))
TEXTS = st.lists(st.lists(PIECES, max_size=8).map(" ".join) | st.text(max_size=30), min_size=1, max_size=3)


@settings(max_examples=20 * settings().max_examples)
@given(QUERIES, TEXTS)
def test_any_query_is_answered_or_refused_in_a_sentence(query, texts):
    try:
        parsed = parse_query(query)
    except QueryError as error:
        assert 0 <= error.position <= len(query)
        return
    assert matches(query, *texts) in (True, False)
    for text in texts:
        spans = parsed.spans(text)
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_spans_mark_the_words_as_they_are_written():
    text = "Die WÄRMEPUMPEN der Stadt: eine Wärmepumpe, 重建工程"
    spans = parse_query("warmepump* OR 重建 NOT stadt").spans(text)
    assert [text[start:end] for start, end in spans] == ["WÄRMEPUMPEN", "Wärmepumpe", "重建"]
    assert parse_query('"a b c" b c').spans("a b c") == [(0, 5)]
    assert parse_query('"a a b" OR "a b"').spans("a a a b a b") == [(2, 7), (8, 11)]
    assert parse_query('"a fer"* OR ferry*').spans("a a ferry, ferries") == [(2, 9)]
