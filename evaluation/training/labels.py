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
from newsextract.methods.common.alignment import matched

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
    numbers = {word: number for number, word in enumerate(dict.fromkeys(wanted))}
    found = np.array([numbers.get(word, -1) for line in words for word in line], int)
    hits = np.zeros(len(found), bool)
    hits[found >= 0], _ = matched(found[found >= 0].tolist(), [numbers[word] for word in wanted])
    ends = np.cumsum([len(line) for line in words], dtype=int)
    return np.array([_matched_share(line) for line in np.split(hits, ends)[:-1]])


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
