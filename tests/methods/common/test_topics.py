"""Chinese words, keywords by TextRank in any script, and topics, which are maximal compatibility blocks."""

from itertools import combinations
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.language.chinese_words import words_in
from newsextract.methods.common.topics import (
    heaviest_of_texts,
    heaviest_topics,
    keywords,
    maximal_cliques,
    text_rank,
    topic_words,
)
from tests.examples import examples

GRAPHS = st.integers(2, 10).flatmap(
    lambda n: st.lists(st.sampled_from(list(combinations(range(n), 2))), unique=True, max_size=45)
)


def brute_force(neighbours):
    """All maximal cliques: the complete sets of vertices that no other one contains."""
    cliques = [
        set(subset)
        for size in range(2, len(neighbours) + 1)
        for subset in combinations(sorted(neighbours), size)
        if all(b in neighbours[a] for a, b in combinations(subset, 2))
    ]
    return [tuple(sorted(one)) for one in cliques if not any(one < other for other in cliques)]


@given(GRAPHS, st.randoms(use_true_random=False))
def test_topics_are_the_maximal_cliques_and_the_heaviest_of_a_pair_is_found(edges, random):
    neighbours = {}
    for a, b in edges:
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    expected = brute_force(neighbours)
    assert sorted(tuple(sorted(clique)) for clique in maximal_cliques(neighbours)) == sorted(expected)
    counts = [random.randint(1, 9) for _ in edges]
    count = dict(zip(edges, counts, strict=True))
    weights = {clique: sum(count[pair] for pair in combinations(clique, 2)) for clique in expected}
    heaviest = [max(w for clique, w in weights.items() if {a, b} <= set(clique)) for a, b in edges]
    assert heaviest_topics(edges, counts) == heaviest


def feature(texts, gamma=2):
    text = np.array([i for i, words in enumerate(texts) for _ in words], int)
    word = np.array([w for words in texts for w in words], int)
    return heaviest_of_texts(text, word, len(texts), gamma).tolist()


def test_topic_feature_is_a_share_of_the_heaviest():
    """Words 1, 2, 3 are together in four texts (weight 12), 7 and 8 in three (weight 3)."""
    assert feature([[1, 2, 3]] * 4 + [[7, 8]] * 3 + [[9]]) == [1.0] * 4 + [0.25] * 3 + [0.0]
    for gamma, expected in ((2, 0.0), (1, 1.0)):  # a pair needs more than gamma texts
        assert feature([[1, 2], [1, 2], [1], [2]], gamma)[:3] == [expected, expected, 0.0]
    assert feature([[], []]) == [0.0, 0.0]
    assert feature([]) == []


@pytest.mark.parametrize(
    "texts",
    [
        [[3 * topic + i for i in range(3)] for topic in range(3_000) for _ in range(3)],  # 3,000 topics
        [list(range(20_000))] * 3,  # three copies of a very long text
        [[w for w in range(60) if w // 2 != t] for t in range(30)] * 4,  # 2^30 maximal cliques
        [[t, t + 1, t + 2] for t in range(100_000)],
    ],
)
def test_topic_feature_of_hostile_page_takes_bounded_time(texts):
    start = process_time()
    values = feature(texts)
    assert process_time() - start < 10
    assert len(values) == len(texts) and all(0 <= value <= 1 for value in values)


@pytest.mark.parametrize(("text", "words"), examples(__file__, "topic_words"))
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
    of_two_texts = text_rank(np.array([0, 1]), np.array([0, 1]))
    assert of_two_texts.tolist() == pytest.approx([0.15, 0.15], abs=0.01)


def test_keywords_are_twenty_of_a_text_or_a_third_of_a_long_one():
    short = " ".join(f"word{chr(97 + i)}{chr(97 + i)}" for i in range(15))
    long = " ".join(f"term{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(90))
    _, text, _ = keywords([short, "", long])
    assert np.bincount(text, minlength=3).tolist() == [15, 0, 30]
    assert [len(part) for part in keywords([])] == [len(part) for part in keywords(["", "1 2 3"])] == [0, 0, 0]


@pytest.mark.parametrize(("text", "words"), examples(__file__, "words"))
def test_words_in_splits_text_of_any_script(text, words):
    assert words_in(text) == words
