"""Gold for blocks, made from gold for pages: how much of each block's text is in the article.

The page's tokens that occur in the gold are aligned with the gold's (longest common subsequence); a block's label is
the share of its tokens that were matched. Runs of one or two matched tokens in a block that is not wholly matched are
chance and dropped. Where only segments are known, a block that holds one is labelled and the others are not used.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.corpus import Gold
from evaluation.scores import tokens
from newsextract.extractors.common.alignment import matched

#: Fewer matched tokens in a row than this are chance.
RUN = 3
#: A segment of fewer characters than this says nothing about a block that it is a small part of.
SHORT_SEGMENT = 15


def labels(gold: Gold, texts: Sequence[str]) -> NDArray[np.float64]:
    """(blocks,) the share of each block that is article, nan where the gold does not say."""
    if gold.kind == "segments":
        return _by_segments(gold, texts)
    if gold.kind == "type":
        return np.zeros(len(texts))
    words = [tokens(text) for text in texts]
    wanted = tokens(gold.text)
    numbers: dict[str, int] = {}
    for word in wanted:
        numbers.setdefault(word, len(numbers))
    places = [
        (row, column, numbers[w]) for row, line in enumerate(words) for column, w in enumerate(line) if w in numbers
    ]
    marks, _ = matched([number for _, _, number in places], [numbers[word] for word in wanted])
    hits = [np.zeros(len(line), bool) for line in words]
    for (row, column, _), hit in zip(places, marks.tolist(), strict=True):
        hits[row][column] = hit
    return np.array([_share(line) for line in hits])


def token_counts(texts: Sequence[str]) -> NDArray[np.float64]:
    """(blocks,) tokens as the scores count them."""
    return np.array([len(tokens(text)) for text in texts], float)


def _share(hits: NDArray[np.bool_]) -> float:
    if not len(hits) or hits.all():
        return float(len(hits) > 0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], hits, [False])).astype(int)))
    runs = edges[1::2] - edges[::2]
    return float(runs[runs >= RUN].sum() / len(hits))


def _by_segments(gold: Gold, texts: Sequence[str]) -> NDArray[np.float64]:
    found = np.full(len(texts), np.nan)
    for segments, label in ((gold.unwanted, 0.0), (gold.wanted, 1.0)):
        for segment in segments:
            for row, text in enumerate(texts):
                if segment in text and (len(segment) >= SHORT_SEGMENT or 2 * len(segment) >= len(text)):
                    found[row] = label
    return found
