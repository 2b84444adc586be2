"""Features of tag paths: statistics over the text nodes of one path that tell an article's path from a menu's.

G. Wu, L. Li, X. Hu, X. Wu. Web news extraction via path ratios. CIKM 2013. And of the same group: Online Web news
extraction via tag path feature fusion. Journal of Software 27(3), 2016.

Over the text nodes of a path:

    tpr        mean length in characters (text to tag path ratio)
    ppr        mean number of punctuation marks
    len_dev    standard deviation of the length, at least 1
    punc_dev   standard deviation of the number of marks, at least 1
    share      share of the page's characters
    unlinked   share of its characters outside links

The deviations are large for an article, whose paragraphs differ, and small for a list. The bound of 1 is for paths with
one node, whose deviation is 0 and would erase an article of one paragraph. ETPR = tpr ppr len_dev punc_dev. O(n).
"""

import re

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.common.paths import deviations, means, sums
from newsextract.page.text_nodes import TextNodes

Floats = NDArray[np.float64]

#: Punctuation of sentences, quotes and brackets in the scripts of news; not bars and arrows between menu items.
MARKS = re.compile(r"""[.,;:!?…"'()\[\]“”„‘’«»‹›—–。，、；：！？．（）【】「」『』《》〈〉،؛؟۔।]""")
#: Names of all features, in the order above.
FEATURES = ("tpr", "ppr", "len_dev", "punc_dev", "share", "unlinked")
#: The factors of ETPR.
FACTORS = FEATURES[:4]


def path_features(nodes: TextNodes) -> dict[str, Floats]:
    """Each feature by name, (nodes,): the value of each node's path."""
    lengths = nodes.lengths.astype(float)
    marks = np.fromiter((len(MARKS.findall(text)) for text in nodes.texts), float, len(nodes))
    characters = sums(nodes, lengths)
    by_path = {
        "tpr": means(nodes, lengths),
        "ppr": means(nodes, marks),
        "len_dev": np.maximum(1, deviations(nodes, lengths)),
        "punc_dev": np.maximum(1, deviations(nodes, marks)),
        "share": characters / max(1.0, characters.sum()),
        "unlinked": 1 - sums(nodes, lengths * nodes.linked) / np.maximum(1, characters),
    }
    return {name: column[nodes.paths] for name, column in by_path.items()}


def extended_ratio(features: dict[str, Floats]) -> Floats:
    """ETPR of each node's path."""
    ratio: Floats = features["tpr"] * features["ppr"] * features["len_dev"] * features["punc_dev"]
    return ratio


def scaled(features: dict[str, Floats]) -> dict[str, Floats]:
    """Each feature divided by its largest value on the page: 0 to 1."""
    return {name: column / (column.max(initial=0) or 1.0) for name, column in features.items()}
