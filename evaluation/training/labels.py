"""Labels of blocks made from the gold of a page: how much of each block's text is part of the article.

The page's tokens that occur in the gold are aligned with those of the gold (longest common subsequence); the label of a
block is the share of its tokens that were matched. Runs of one or two matched tokens in a block that is not matched as
a whole are chance and dropped. If only segments are known, blocks that contain one are labelled and the others are not
used. All blocks of a page that is no article are labelled 0.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.corpora import Gold
from evaluation.scores import tokens
from newsextract.extractors.common.alignment import matched

#: Runs of fewer matched tokens count as chance.
RUN = 3
#: A segment of fewer characters labels only blocks that it is at least half of.
SHORT_SEGMENT = 15


def labels(gold: Gold, texts: Sequence[str]) -> NDArray[np.float64]:
    """(blocks,) share of each block that is article, nan if the gold doesn't say."""
    if gold.scored_by == "segments":
        return _by_segments(gold, texts)
    if not gold.is_article:
        return np.zeros(len(texts))
    words = [tokens(text) for text in texts]
    wanted = tokens(gold.text)
    numbers: dict[str, int] = {}
    for word in wanted:
        numbers.setdefault(word, len(numbers))
    in_gold = [
        (row, column, numbers[w]) for row, line in enumerate(words) for column, w in enumerate(line) if w in numbers
    ]
    aligned, _ = matched([number for _, _, number in in_gold], [numbers[word] for word in wanted])
    hits = [np.zeros(len(line), bool) for line in words]
    for (row, column, _), hit in zip(in_gold, aligned.tolist(), strict=True):
        hits[row][column] = hit
    return np.array([_matched_share(line) for line in hits])


def token_counts(texts: Sequence[str]) -> NDArray[np.float64]:
    """(blocks,) number of tokens, as the scores count them."""
    return np.array([len(tokens(text)) for text in texts], float)


def _matched_share(hits: NDArray[np.bool_]) -> float:
    if not len(hits) or hits.all():
        return float(len(hits) > 0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], hits, [False])).astype(int)))
    runs = edges[1::2] - edges[::2]
    return float(runs[runs >= RUN].sum() / len(hits))


def _by_segments(gold: Gold, texts: Sequence[str]) -> NDArray[np.float64]:
    shares = np.full(len(texts), np.nan)
    for segments, label in ((gold.unwanted, 0.0), (gold.wanted, 1.0)):
        for segment in segments:
            for row, text in enumerate(texts):
                if segment in text and (len(segment) >= SHORT_SEGMENT or 2 * len(segment) >= len(text)):
                    shares[row] = label
    return shares
