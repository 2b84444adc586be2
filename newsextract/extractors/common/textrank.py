"""The keywords of each text by TextRank.

R. Mihalcea, P. Tarau. TextRank: bringing order into text. EMNLP 2004.

The words of a text are vertices; two within `WINDOW` words of each other share an edge. With d = 0.85,

    S(v) = (1 - d) + d * sum_{u next to v} S(u) / deg(u)

is iterated until no S changes by more than 0.001; the best third of the words, and at least five, are keywords. All
texts of a page are one graph without edges between texts, so that the iteration is one product with a sparse matrix.
O(n) for n words, times the iterations (below 50: the error shrinks by d each time).

d, the precision and "one third" are TextRank's; the window of 5 is usual for Chinese. Words: runs of letters without
stop words, single letters and numbers; Chinese is split by a dictionary (words of two characters and more), Japanese
where kanji and katakana meet other characters.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from newsextract.extractors.common.chinese import HAN, segment
from newsextract.extractors.common.stopwords import STOP_WORDS
from newsextract.text import words_of

WINDOW = 5
DAMPING = 0.85
CHANGE = 0.001
ITERATIONS = 200
LEAST = 20
#: What of a text is read: none needs more to show its topic.
MAX_CHARACTERS = 100_000
#: Runs of East Asian characters, and in them what may be a word of Japanese.
EAST_ASIAN = re.compile("([\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]+)")
KANA = re.compile("[\u3040-\u30ff]")
JAPANESE = re.compile("[\u3005\u3400-\u9fff]{2,}|[\u30a1-\u30fa\u30fc]{2,}")
#: Share of kana in East Asian text above which it is Japanese.
KANA_SHARE = 0.1


def keywords(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """The distinct words of the texts, and their keywords as pairs (text, word), ordered by text."""
    number: dict[str, int] = {}
    found = topic_words(texts)
    flat = np.array([number.setdefault(word, len(number)) for words in found for word in words], np.int64)
    text = np.repeat(np.arange(len(texts)), [len(words) for words in found])
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
    """The score of each vertex, given the vertex and the text of each word in order."""
    count = int(vertices.max()) + 1
    pairs = []
    for distance in range(1, WINDOW):
        near, far = vertices[:-distance], vertices[distance:]
        joined = (texts[:-distance] == texts[distance:]) & (near != far)
        pairs.append(np.minimum(near, far)[joined] * count + np.maximum(near, far)[joined])
    edges = np.sort(np.concatenate(pairs))
    edges = edges[np.diff(edges, prepend=-1) > 0]  # np.unique hashes, which is slow on large pages
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
    """The words of each text that may be keywords, in order."""
    east = "".join(run for text in texts if not text.isascii() for run in EAST_ASIAN.findall(text[:MAX_CHARACTERS]))
    japanese = len(KANA.findall(east)) > KANA_SHARE * len(east)
    return [_words(text[:MAX_CHARACTERS], japanese) for text in texts]


def _words(text: str, japanese: bool) -> list[str]:
    if text.isascii():
        found = words_of(text)
    else:
        found = []
        for position, part in enumerate(EAST_ASIAN.split(text.replace("\u2019", "'"))):
            if position % 2 == 0:
                found += words_of(part)
            elif japanese:
                found += JAPANESE.findall(part)
            else:
                found += [word for run in HAN.findall(part) for word in segment(run)]
    plain = [word.removesuffix("'s") for word in found]
    return [word for word in plain if len(word) > 1 and word not in STOP_WORDS and not word.isdigit()]
