"""Tag paths of text nodes: features that tell an article's path from a menu's, and the similarity of two paths.

G. Wu, L. Li, X. Hu, X. Wu. Web news extraction via path ratios. CIKM 2013. And of the same group: Online Web news
extraction via tag path feature fusion. Journal of Software 27(3), 2016.

The nodes of one path are laid out alike: the paragraphs of an article share a path, the items of a menu another. Over
the text nodes of a path:

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
from rapidfuzz.distance import Levenshtein

from newsextract.methods.common.sequences import Floats
from newsextract.page.text_nodes import TagPaths, TextNodes

#: Punctuation of sentences, quotes and brackets in the scripts of news; not the bars and arrows between menu items.
MARKS = re.compile(r"""[.,;:!?…"'()\[\]“”„‘’«»‹›—–。，、；：！？．（）【】「」『』《》〈〉،؛؟۔।]""")
#: Names of all features, in the order above.
FEATURES = ("tpr", "ppr", "len_dev", "punc_dev", "share", "unlinked")
#: The factors of ETPR.
FACTORS = FEATURES[:4]


def path_features(nodes: TextNodes) -> dict[str, Floats]:
    """Each feature by name, (nodes,): the value of each node's path."""
    lengths = nodes.lengths.astype(float)
    marks = np.fromiter((len(MARKS.findall(text)) for text in nodes.texts), float, len(nodes))
    count = np.maximum(1, sums_by_path(nodes, np.ones(len(nodes))))

    def deviations(values: Floats) -> Floats:
        spread = (values - sums_by_path(nodes, values) / count) ** 2
        return np.maximum(1, np.sqrt(sums_by_path(nodes, spread) / count))

    characters = sums_by_path(nodes, lengths)
    return {
        "tpr": characters / count,
        "ppr": sums_by_path(nodes, marks) / count,
        "len_dev": deviations(lengths),
        "punc_dev": deviations(marks),
        "share": characters / max(1.0, lengths.sum()),
        "unlinked": 1 - sums_by_path(nodes, lengths * nodes.linked) / np.maximum(1, characters),
    }


def sums_by_path(nodes: TextNodes, values: Floats) -> Floats:
    """(nodes,) sum of a value over all nodes of each node's path."""
    return np.bincount(nodes.paths, values, len(nodes.tag_paths))[nodes.paths].astype(float)


def extended_ratio(features: dict[str, Floats]) -> Floats:
    """ETPR of each node's path."""
    return features["tpr"] * features["ppr"] * features["len_dev"] * features["punc_dev"]


def scaled(features: dict[str, Floats]) -> dict[str, Floats]:
    """Each feature divided by its largest value on the page: 0 to 1."""
    return {name: column / (column.max(initial=0) or 1.0) for name, column in features.items()}


def path_nearness(nodes: TextNodes) -> Floats:
    """(nodes - 1,) nearness of neighbouring nodes' paths, computed once for each pair of paths."""
    pairs, which = np.unique(np.column_stack((nodes.paths[:-1], nodes.paths[1:])), axis=0, return_inverse=True)
    return np.array([nearness(nodes.tag_paths, a, b) for a, b in pairs.tolist()], float)[which]


def nearness(paths: TagPaths, a: int, b: int) -> float:
    """The nearness of two paths, from the tags below their common prefix."""
    left, right = paths.differing_suffixes(a, b)
    return 1 - Levenshtein.distance(left, right) / max(paths.depths[a], paths.depths[b])
