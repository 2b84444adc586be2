"""Token counts in text of any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.text import CHARACTERS_PER_WORD, MAX_COMPARED, contained, count_tokens, words_of
from tests.examples import examples


@pytest.mark.parametrize(("text", "words", "ideographs"), [*examples(__file__, "tokens"), ("a \ud800 b", 2, 0)])
def test_count_tokens_counts_spaced_words_and_single_ideographs(text, words, ideographs):
    tokens = count_tokens([text])
    assert (tokens.words.tolist(), tokens.ideographs.tolist()) == ([words], [ideographs])
    assert tokens.total.tolist() == [words + ideographs]
    assert tokens.weighted.tolist() == [words + ideographs / CHARACTERS_PER_WORD]


@given(st.lists(st.text(alphabet=st.sampled_from("aé'- 新し가1.\u0301\nहि"))))
def test_count_tokens_of_many_texts_equals_each_alone_and_what_words_of_gives(texts):
    alone = [int(count_tokens([text]).total[0]) for text in texts]
    assert count_tokens(texts).total.tolist() == alone == [len(words_of(text)) for text in texts]


@pytest.mark.parametrize(
    "line",
    [
        "On day {} the old ferry sailed at noon and came back",
        "第{}天老渡轮中午启航三点返回港口市长说冬天继续运营没有人想到它会这样做",
    ],
)
def test_many_texts_are_found_in_a_long_one_as_each_alone(line):
    body = " ".join(map(line.format, range(1_000)))
    starts = ["", "ferry", "no such", *(line.format(number)[number % 3 : 40] for number in range(0, 2_000, 7))]
    assert len(starts) * len(body) > MAX_COMPARED
    found = contained(starts, body)
    assert [start in found for start in starts] == [start in body for start in starts]
