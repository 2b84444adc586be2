"""Topics are maximal compatibility blocks, whatever the page holds."""

from itertools import combinations
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.extractors.common.topics import heaviest_topics, maximal_cliques, topic_feature

GRAPHS = st.integers(2, 10).flatmap(
    lambda n: st.lists(st.sampled_from(list(combinations(range(n), 2))), unique=True, max_size=45)
)


def neighbours_of(edges):
    found = {}
    for a, b in edges:
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return found


def all_maximal_cliques(neighbours):
    cliques = [
        set(subset)
        for size in range(2, len(neighbours) + 1)
        for subset in combinations(sorted(neighbours), size)
        if all(b in neighbours[a] for a, b in combinations(subset, 2))
    ]
    return sorted(sorted(c) for c in cliques if not any(c < other for other in cliques))


@given(GRAPHS)
def test_maximal_cliques_equal_brute_force(edges):
    neighbours = neighbours_of(edges)
    assert sorted(sorted(clique) for clique in maximal_cliques(neighbours)) == all_maximal_cliques(neighbours)


@given(GRAPHS, st.randoms(use_true_random=False))
def test_heaviest_topics_equal_brute_force(edges, random):
    counts = [random.randint(1, 9) for _ in edges]
    count = dict(zip(edges, counts, strict=True))
    weigh = {
        tuple(c): sum(count[pair] for pair in combinations(c, 2)) for c in all_maximal_cliques(neighbours_of(edges))
    }
    expected = [max(w for clique, w in weigh.items() if {a, b} <= set(clique)) for a, b in edges]
    assert heaviest_topics(edges, counts) == expected


def feature(texts, gamma=2):
    text = np.array([i for i, words in enumerate(texts) for _ in words], int)
    word = np.array([w for words in texts for w in words], int)
    return topic_feature(text, word, len(texts), gamma).tolist()


def test_topic_feature_is_a_share_of_the_heaviest():
    """Words 1, 2, 3 are together in four texts (weight 12), 7 and 8 in three (weight 3)."""
    assert feature([[1, 2, 3]] * 4 + [[7, 8]] * 3 + [[9]]) == [1.0] * 4 + [0.25] * 3 + [0.0]


@pytest.mark.parametrize(("gamma", "expected"), [(2, 0.0), (1, 1.0)])
def test_topic_feature_needs_pairs_in_more_than_gamma_texts(gamma, expected):
    assert feature([[1, 2], [1, 2], [1], [2]], gamma)[:3] == [expected, expected, 0.0]


def test_topic_feature_without_keywords_is_zero():
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
