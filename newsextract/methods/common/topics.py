"""Topics of a page: keywords of its texts by TextRank, and sets of them that more than gamma texts have in common.

*Keywords.* R. Mihalcea, P. Tarau. TextRank: bringing order into text. EMNLP 2004.

The words of a text are vertices; two within `WINDOW` words of each other share an edge. With d = 0.85,

    S(v) = (1 - d) + d * sum_{u next to v} S(u) / deg(u)

is iterated until no S changes by more than 0.001; the best third of a text's words, and at least `LEAST`, are its
keywords. All texts of a page are one graph without edges between texts, so that an iteration is one product with a
sparse matrix. O(n) for n words, times the iterations (below 50: the error shrinks by d each time).

d, the precision and "one third" are TextRank's; the window of 5 is usual for Chinese. Words: runs of letters without
stop words, single letters and numbers; Chinese is split by a dictionary (words of two characters and more), Japanese
where kanji and katakana meet other characters.

*Topics.* Two keywords are compatible if they have more than gamma texts in common; a topic is a maximal compatibility
block of that relation, which is a maximal clique of its graph (C. Bron, J. Kerbosch, CACM 16, 1973, with a pivot;
vertices of low degree first). Its weight tw is the sum of common texts over its pairs.

A graph may have exponentially many maximal cliques. Where the texts have more than `MAX_PAIRS` pairs of keywords, or
the search takes more than `MAX_WORK` comparisons, gamma is raised, so that time is O(n) for n keywords and a constant.
"""

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from newsextract.language.chinese_words import HAN_RUNS, chinese_tokenizer
from newsextract.text import HAN, KANA, character_class, words_of

WINDOW = 5
#: d, the largest change at which the iteration ends, and its bound.
DAMPING = 0.85
CHANGE = 0.001
ITERATIONS = 200
#: Minimum keywords of a text with enough words.
LEAST = 20
#: Characters of a text that are read, enough to show its topic.
MAX_CHARACTERS = 100_000
#: Runs of Han and Kana; Kana; words of Japanese: two or more kanji, or katakana.
EAST_ASIAN_RUNS = re.compile(f"([{character_class(HAN, KANA)}]+)")
KANA_CHARACTERS = re.compile(f"[{character_class(KANA)}]")
JAPANESE_WORDS = re.compile(f"[{character_class(HAN)}]{{2,}}|[\u30a1-\u30fa\u30fc]{{2,}}")
#: Share of Kana above which East Asian text is Japanese.
KANA_SHARE = 0.1
MAX_PAIRS = 500_000
MAX_WORK = 200_000
#: Cost of a step of the search, in comparisons.
STEP = 10
_WORD_LISTS = files(__package__).joinpath("stop_words.txt").read_text("utf-8").splitlines()
#: Function words of the languages of most news, lower-cased. One set for all languages, because a page's language isn't
#: known before its article is. Words that are a stop word in one language and a topic in another (German "die", "war")
#: are few and cost little.
STOP_WORDS = frozenset(word for line in _WORD_LISTS if not line.startswith("#") for word in line.split())


def keywords(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """The distinct words of the texts, and the keywords as pairs of indices (text, word), ordered by text."""
    number: dict[str, int] = {}
    words_by_text = topic_words(texts)
    flat = np.array([number.setdefault(word, len(number)) for words in words_by_text for word in words], np.int64)
    text = np.repeat(np.arange(len(texts)), [len(words) for words in words_by_text])
    if not len(flat):
        return [], flat, flat
    keys, first, vertex = np.unique(text * len(number) + flat, return_index=True, return_inverse=True)
    scores = text_rank(vertex, text)
    owners = keys // len(number)
    order = np.lexsort((first, -scores, owners))
    sizes = np.bincount(owners, minlength=len(texts))
    rank = np.arange(len(keys)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = np.sort(order[rank < np.maximum(LEAST, sizes // 3)[owners]])
    return list(number), owners[kept], keys[kept] % len(number)


def text_rank(vertices: NDArray[np.int64], texts: NDArray[np.int64]) -> NDArray[np.float64]:
    """(vertices,) scores S, given the vertex and the text of each word in order."""
    count = int(vertices.max()) + 1
    pairs = []
    for distance in range(1, WINDOW):
        first, second = vertices[:-distance], vertices[distance:]
        joined = (texts[:-distance] == texts[distance:]) & (first != second)
        pairs.append(np.minimum(first, second)[joined] * count + np.maximum(first, second)[joined])
    edges = np.sort(np.concatenate(pairs))
    edges = edges[np.diff(edges, prepend=-1) > 0]  # np.unique is slower on large pages: it hashes
    ends = np.concatenate((edges // count, edges % count))
    others = np.concatenate((edges % count, edges // count))
    degrees = np.maximum(1, np.bincount(ends, minlength=count))
    graph = csr_array((1.0 / degrees[others], (ends, others)), shape=(count, count))
    scores = np.ones(count)
    for _ in range(ITERATIONS):
        before, scores = scores, (1 - DAMPING) + DAMPING * (graph @ scores)
        if np.abs(scores - before).max() < CHANGE:
            break
    return scores


def topic_words(texts: Sequence[str]) -> list[list[str]]:
    """The candidates for keywords of each text, in order: no stop words, numbers or single characters."""
    texts = [text[:MAX_CHARACTERS] for text in texts]
    east_asian = "".join(run for text in texts for run in EAST_ASIAN_RUNS.findall(text))
    japanese = len(KANA_CHARACTERS.findall(east_asian)) > KANA_SHARE * len(east_asian)
    return [_words(text, japanese) for text in texts]


def _words(text: str, japanese: bool) -> list[str]:
    words: list[str] = []
    for position, part in enumerate(EAST_ASIAN_RUNS.split(text.replace("\u2019", "'"))):
        if position % 2 == 0:
            words += words_of(part)
        elif japanese:
            words += JAPANESE_WORDS.findall(part)
        else:
            words += [word for run in HAN_RUNS.findall(part) for word in chinese_tokenizer().cut(run, HMM=False)]
    plain = [word.removesuffix("'s") for word in words]
    return [word for word in plain if len(word) > 1 and word not in STOP_WORDS and not word.isdigit()]


class _TooManyTopics(Exception):
    """The search exceeded MAX_WORK."""


def topic_feature(texts: Sequence[str], gamma: int) -> NDArray[np.float64]:
    """(texts,) weight of each text's heaviest topic, as a share of the heaviest on the page."""
    _, text, word = keywords(texts)
    return heaviest_of_texts(text, word, len(texts), gamma)


def heaviest_of_texts(text: NDArray[np.int64], word: NDArray[np.int64], texts: int, gamma: int) -> NDArray[np.float64]:
    """The same for keywords as pairs (text, word), ordered by text; a text has a topic with two words."""
    while True:
        often = np.bincount(word)[word] > gamma
        text, word = text[often], word[often]
        sizes = np.bincount(text)
        if (sizes * (sizes - 1) // 2).sum() <= MAX_PAIRS:
            where, pair, counts, ends = _pairs(text, word)
            compatible = np.flatnonzero(counts > gamma)
            weights = np.zeros(len(counts))
            try:
                weights[compatible] = heaviest_topics(ends[compatible].tolist(), counts[compatible].tolist())
                break
            except _TooManyTopics:
                pass
        gamma += max(1, gamma // 2)
    feature = np.zeros(texts)
    np.maximum.at(feature, where, weights[pair])
    return feature / max(1.0, float(feature.max(initial=0)))


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
    for vertex in sorted(neighbours, key=lambda vertex: len(neighbours[vertex])):
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
