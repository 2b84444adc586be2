"""The keywords of each text by TextRank.

R. Mihalcea, P. Tarau. TextRank: bringing order into text. EMNLP 2004.

The words of a text are vertices; two within `WINDOW` words of each other share an edge. With d = 0.85,

    S(v) = (1 - d) + d * sum_{u next to v} S(u) / deg(u)

is iterated until no S changes by more than 0.001; the best third of a text's words, and at least `LEAST`, are its
keywords. All texts of a page are one graph without edges between texts, so that an iteration is one product with a
sparse matrix. O(n) for n words, times the iterations (below 50: the error shrinks by d each time).

d, the precision and "one third" are TextRank's; the window of 5 is usual for Chinese. Words: runs of letters without
stop words, single letters and numbers; Chinese is split by a dictionary (words of two characters and more), Japanese
where kanji and katakana meet other characters.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from newsextract.extractors.common.chinese import HAN_RUNS, chinese_segmenter
from newsextract.extractors.common.stopwords import STOP_WORDS
from newsextract.text import HAN, KANA, character_class, words_of

WINDOW = 5
#: d, the largest change at which the iteration ends, and its bound.
DAMPING, CHANGE, ITERATIONS = 0.85, 0.001, 200
#: Least keywords of a text that has so many words.
LEAST = 20
#: Characters of a text that are read, enough to show its topic.
MAX_CHARACTERS = 100_000
#: Runs of Han and Kana; Kana; words of Japanese: two and more kanji, or katakana.
EAST_ASIAN_RUNS = re.compile(f"([{character_class(HAN, KANA)}]+)")
KANA_CHARACTERS = re.compile(f"[{character_class(KANA)}]")
JAPANESE_WORDS = re.compile(f"[{character_class(HAN)}]{{2,}}|[\u30a1-\u30fa\u30fc]{{2,}}")
#: Share of Kana above which East Asian text is Japanese.
KANA_SHARE = 0.1


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
    texts_of = keys // len(number)
    order = np.lexsort((first, -scores, texts_of))
    sizes = np.bincount(texts_of, minlength=len(texts))
    rank = np.arange(len(keys)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = np.sort(order[rank < np.maximum(LEAST, sizes // 3)[texts_of]])
    return list(number), texts_of[kept], keys[kept] % len(number)


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
    not_ascii = (text[:MAX_CHARACTERS] for text in texts if not text.isascii())
    east_asian = "".join(run for text in not_ascii for run in EAST_ASIAN_RUNS.findall(text))
    japanese = len(KANA_CHARACTERS.findall(east_asian)) > KANA_SHARE * len(east_asian)
    return [_words(text[:MAX_CHARACTERS], japanese) for text in texts]


def _words(text: str, japanese: bool) -> list[str]:
    if text.isascii():
        words = words_of(text)
    else:
        words = []
        for position, part in enumerate(EAST_ASIAN_RUNS.split(text.replace("\u2019", "'"))):
            if position % 2 == 0:
                words += words_of(part)
            elif japanese:
                words += JAPANESE_WORDS.findall(part)
            else:
                words += [word for run in HAN_RUNS.findall(part) for word in chinese_segmenter().cut(run)]
    plain = [word.removesuffix("'s") for word in words]
    return [word for word in plain if len(word) > 1 and word not in STOP_WORDS and not word.isdigit()]
