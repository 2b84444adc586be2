"""Keywords by TextRank, in any script."""

import numpy as np
import pytest

from newsextract.extractors.common.topics import keywords, text_rank, topic_words


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
def test_topic_words_leave_out_stop_words_numbers_and_single_letters(text, words):
    assert topic_words([text]) == [words]


def test_text_rank_satisfies_its_formula():
    """A star of four: the centre has S = .15 + .85 * 3 L, each leaf L = .15 + .85 * S / 3."""
    scores = text_rank(np.array([0, 1, 0, 2, 0, 3, 0]), np.zeros(7, int))
    joined = {(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3)}  # a window of five joins leaves too
    degree = [sum(v in pair for pair in joined) for v in range(4)]
    for v in range(4):
        around = sum(scores[u] / degree[u] for u in range(4) if tuple(sorted((u, v))) in joined)
        assert scores[v] == pytest.approx(0.15 + 0.85 * around, abs=0.01)


def test_text_rank_has_no_edges_between_texts():
    scores = text_rank(np.array([0, 1]), np.array([0, 1]))
    assert scores.tolist() == pytest.approx([0.15, 0.15], abs=0.01)


def test_keywords_are_twenty_of_a_text_or_a_third_of_a_long_one():
    short = " ".join(f"word{chr(97 + i)}{chr(97 + i)}" for i in range(15))
    long = " ".join(f"term{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(90))
    _, text, _ = keywords([short, "", long])
    assert np.bincount(text, minlength=3).tolist() == [15, 0, 30]


def test_keywords_contain_the_most_connected_word():
    text = " ".join(f"bridge filler{chr(97 + i % 26)}{chr(97 + i // 26)} extra{chr(97 + i % 26)}" for i in range(60))
    names, _, word = keywords([text])
    assert "bridge" in [names[w] for w in word]


def test_keywords_of_no_text_are_empty():
    assert [len(part) for part in keywords([])] == [0, 0, 0]
    assert [len(part) for part in keywords(["", "1 2 3"])] == [0, 0, 0]
