"""Topics of a page: sets of keywords of which any two occur together in more than gamma texts.

Two keywords are compatible if they have more than gamma texts in common; a topic is a maximal compatibility block of
that relation, which is a maximal clique of its graph (C. Bron, J. Kerbosch, CACM 16, 1973, with a pivot; vertices in
order of degeneracy as D. Eppstein, M. Löffler, D. Strash, ISAAC 2010). Its weight tw is the sum of common texts over
its pairs.

A graph may have exponentially many maximal cliques. Where the texts have more than `MAX_PAIRS` pairs of keywords, or
the search takes more than `MAX_WORK` comparisons, gamma is raised, so that time is O(n) for n keywords and a constant.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

MAX_PAIRS = 500_000
MAX_WORK = 200_000
#: Cost of a step of the search, in comparisons.
STEP = 10


class _TooManyTopics(Exception):
    """The search exceeded MAX_WORK."""


def topic_feature(text: NDArray[np.int64], word: NDArray[np.int64], texts: int, gamma: int) -> NDArray[np.float64]:
    """(texts,) weight of each text's heaviest topic, as a share of the heaviest on the page.

    `text`, `word`: the keywords as pairs, ordered by text; `texts`: the number of texts. A text has a topic if it has
    two compatible words of it.
    """
    while True:
        text, word, gamma = _frequent(text, word, gamma)
        where, pair, counts, ends = _pairs(text, word)
        compatible = np.flatnonzero(counts > gamma)
        weights = np.zeros(len(counts))
        try:
            weights[compatible] = heaviest_topics(ends[compatible].tolist(), counts[compatible].tolist())
            break
        except _TooManyTopics:
            gamma = _stricter(gamma)
    feature = np.zeros(texts)
    np.maximum.at(feature, where, weights[pair])
    return feature / feature.max() if feature.any() else feature


def heaviest_topics(pairs: Sequence[Sequence[int]], counts: Sequence[int]) -> list[int]:
    """For each compatible pair of words the weight of the heaviest topic that contains it."""
    edges: dict[int, dict[int, int]] = {}
    for edge, (a, b) in enumerate(pairs):
        edges.setdefault(a, {})[b] = edge
        edges.setdefault(b, {})[a] = edge
    heaviest = [0] * len(pairs)
    work = 0
    for topic in maximal_cliques({vertex: set(others) for vertex, others in edges.items()}):
        within = [edges[a][b] for a, b in combinations(topic, 2)]
        weight = sum(counts[edge] for edge in within)
        for edge in within:
            heaviest[edge] = max(heaviest[edge], weight)
        work += len(within) + STEP
        if work > MAX_WORK:
            raise _TooManyTopics
    return heaviest


def maximal_cliques(neighbours: dict[int, set[int]]) -> Iterator[list[int]]:
    """All maximal cliques of a graph, given each vertex's neighbours (symmetric)."""
    done: set[int] = set()
    work = 0
    for vertex in _degeneracy_order(neighbours):
        stack = [([vertex], neighbours[vertex] - done, neighbours[vertex] & done)]
        done.add(vertex)
        while stack:
            clique, candidates, excluded = stack.pop()
            work += STEP
            if not candidates:
                if not excluded:
                    yield clique
                continue
            missed = candidates
            for pivot in (*excluded, *candidates):
                work += len(candidates)
                missed = min(missed, candidates - neighbours[pivot], key=len)
                if len(missed) <= (pivot in candidates):
                    break
            if work > MAX_WORK:
                raise _TooManyTopics
            candidates, excluded = set(candidates), set(excluded)
            for chosen in missed:
                stack.append(([*clique, chosen], candidates & neighbours[chosen], excluded & neighbours[chosen]))
                candidates.remove(chosen)
                excluded.add(chosen)


def _degeneracy_order(neighbours: dict[int, set[int]]) -> list[int]:
    """Vertices in the order of removal when always one of least degree is removed."""
    degree = {vertex: len(others) for vertex, others in neighbours.items()}
    of_degree: dict[int, list[int]] = {}
    for vertex, size in degree.items():
        of_degree.setdefault(size, []).append(vertex)
    order: list[int] = []
    taken: set[int] = set()
    least = 0
    while len(order) < len(neighbours):
        while not of_degree.get(least):
            least += 1
        vertex = of_degree[least].pop()
        if vertex in taken or degree[vertex] != least:
            continue
        taken.add(vertex)
        order.append(vertex)
        for other in neighbours[vertex]:
            if other not in taken:
                degree[other] -= 1
                of_degree.setdefault(degree[other], []).append(other)
        least = max(0, least - 1)
    return order


def _frequent(
    text: NDArray[np.int64], word: NDArray[np.int64], gamma: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The keywords of more than gamma texts, gamma raised until at most MAX_PAIRS pairs are left; and that gamma."""
    while True:
        often = np.bincount(word)[word] > gamma if len(word) else np.zeros(0, bool)
        text, word = text[often], word[often]
        sizes = np.bincount(text)
        if int((sizes * (sizes - 1) // 2).sum()) <= MAX_PAIRS:
            return text, word, gamma
        gamma = _stricter(gamma)


def _pairs(
    text: NDArray[np.int64], word: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Each pair of keywords of each text as columns (text, pair); for each distinct pair its count and two words."""
    last = np.searchsorted(text, text, "right")
    later = last - np.arange(len(text)) - 1
    left = np.repeat(np.arange(len(text)), later)
    right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(later) - later, later)
    base = int(word.max(initial=0)) + 1
    keys = np.minimum(word[left], word[right]) * base + np.maximum(word[left], word[right])
    keys, pair, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return text[left], pair, counts, np.stack((keys // base, keys % base), axis=1)


def _stricter(gamma: int) -> int:
    """The next gamma to try, half as high again."""
    return gamma + max(1, gamma // 2)
