"""Keywords by TextRank, in any script."""

import jieba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.extractors.common.chinese import segment
from newsextract.extractors.common.textrank import keywords, text_rank, topic_words

STORY = "市政府星期一宣布从明年三月起关闭长江大桥进行维修预计工程年底完成居民表示支持这项决定"


@pytest.fixture(scope="module")
def jieba_itself(tmp_path_factory):
    """jieba with its cache in a folder of the test's own."""
    tokenizer = jieba.Tokenizer()
    tokenizer.tmp_dir = str(tmp_path_factory.mktemp("jieba"))
    tokenizer.initialize()
    return tokenizer


@settings(deadline=None)
@given(st.lists(st.sampled_from([STORY[i : i + n] for i in range(len(STORY)) for n in (1, 2, 5)]), max_size=8))
def test_chinese_is_split_as_jieba_splits_it(jieba_itself, pieces):
    text = "".join(pieces)
    assert segment(text) == jieba_itself.lcut(text, HMM=False)


def test_characters_without_an_entry_stand_alone():
    assert segment("\U00020000\U00020001") == ["\U00020000", "\U00020001"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The mayor's plan isn\u2019t about 2020, it's a well-known one.", ["mayor", "plan", "well-known"]),
        ("关闭长江大桥2020年", ["关闭", "长江大桥"]),
        ("Die Brücke wird für ein Jahr gesperrt", ["brücke", "jahr", "gesperrt"]),
        ("東京タワーへ行く人が増えた", ["東京", "タワー"]),
        ("", []),
    ],
)
def test_words_of_a_topic_are_neither_stop_words_nor_numbers_nor_single_letters(text, words):
    assert topic_words([text]) == [words]


def test_the_iteration_ends_at_the_ranks_that_the_formula_defines():
    """A star of four: the centre has S = .15 + .85 * 3 L, each leaf L = .15 + .85 * S / 3."""
    scores = text_rank(np.array([0, 1, 0, 2, 0, 3, 0]), np.zeros(7, int))
    joined = {(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3)}  # a window of five joins leaves too
    degree = [sum(v in pair for pair in joined) for v in range(4)]
    for v in range(4):
        around = sum(scores[u] / degree[u] for u in range(4) if tuple(sorted((u, v))) in joined)
        assert scores[v] == pytest.approx(0.15 + 0.85 * around, abs=0.01)


def test_words_of_two_texts_are_not_joined_by_standing_side_by_side():
    scores = text_rank(np.array([0, 1]), np.array([0, 1]))
    assert scores.tolist() == pytest.approx([0.15, 0.15], abs=0.01)


def test_a_text_keeps_its_twenty_best_words_and_a_long_one_a_third():
    short = " ".join(f"word{chr(97 + i)}{chr(97 + i)}" for i in range(15))
    long = " ".join(f"term{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(90))
    _, text, _ = keywords([short, "", long])
    assert np.bincount(text, minlength=3).tolist() == [15, 0, 30]


def test_the_word_that_others_gather_around_is_a_keyword():
    text = " ".join(f"bridge filler{chr(97 + i % 26)}{chr(97 + i // 26)} extra{chr(97 + i % 26)}" for i in range(60))
    names, _, word = keywords([text])
    assert "bridge" in [names[w] for w in word]


def test_no_text_has_no_keyword():
    assert [len(part) for part in keywords([])] == [0, 0, 0]
    assert [len(part) for part in keywords(["", "1 2 3"])] == [0, 0, 0]
