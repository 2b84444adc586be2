"""Counts of tokens in text of any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.text import CHARACTERS_A_WORD, count_tokens, words_of


@pytest.mark.parametrize(
    ("text", "words", "ideographs"),
    [
        ("", 0, 0),
        ("The mayor's well-known plan, 2 years on.", 7, 0),
        ("rock 'n' roll -- 'quoted'", 4, 0),
        ("新闻 2020年", 1, 3),
        ("東京タワーへ行く", 0, 8),
        ("서울 시장은 말했다", 3, 0),
        ("हिन्दी समाचार", 2, 0),
        ("café cafe\u0301", 2, 0),
        ("\U00020000\U00020001", 0, 2),
        ("😀 — …", 0, 0),
    ],
)
def test_words_of_spaced_scripts_and_characters_of_chinese_are_tokens(text, words, ideographs):
    tokens = count_tokens([text])
    assert (tokens.words.tolist(), tokens.ideographs.tolist()) == ([words], [ideographs])
    assert tokens.total.tolist() == [words + ideographs]
    assert tokens.weighted.tolist() == [words + ideographs / CHARACTERS_A_WORD]


@given(st.lists(st.text(alphabet=st.sampled_from("aé'- 新し가1.\u0301\n"))))
def test_texts_counted_together_count_as_each_alone(texts):
    assert count_tokens(texts).total.tolist() == [int(count_tokens([text]).total[0]) for text in texts]


def test_lone_surrogates_are_no_obstacle():
    assert count_tokens(["a \ud800 b"]).words.tolist() == [2]


def test_no_text_has_no_counts():
    assert len(count_tokens([]).total) == 0


@given(st.text(alphabet=st.sampled_from("aé'- 新し가1.\u0301\nहि")))
def test_the_words_of_a_text_are_as_many_as_are_counted(text):
    assert len(words_of(text)) == int(count_tokens([text]).total[0])
