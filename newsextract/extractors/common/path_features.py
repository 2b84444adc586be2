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
one node, whose deviation is 0 and would erase an article of one paragraph. ETPR = tpr ppr len_dev punc_dev. O(n). All
functions work on the page's distinct paths, or on its distinct pairs of neighbouring ones.
"""

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rapidfuzz.distance import Levenshtein

from newsextract.page.text_nodes import TagPaths, TextNodes

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


def edit_distance(paths: TagPaths, a: int, b: int) -> int:
    """Levenshtein distance of two paths, in tags."""
    left, right = paths.differing_suffixes(a, b)
    if not left or not right:
        return len(left) + len(right)
    return int(Levenshtein.distance(left, right))


def path_nearness(nodes: TextNodes) -> Callable[[int], Floats]:
    """A function for `smooth`: nearness(j)[i] = 1 - ed / max(length) of the paths of nodes i and i + j, cached by
    pair."""
    paths, count = nodes.tag_paths, max(1, len(nodes.tag_paths))
    known: dict[int, float] = {}

    def near(pair: int) -> float:
        value = known.get(pair)
        if value is None:
            a, b = divmod(pair, count)
            value = known[pair] = 1 - edit_distance(paths, a, b) / max(paths.depths[a], paths.depths[b])
        return value

    def nearness(j: int) -> Floats:
        pairs, which = np.unique(nodes.paths[:-j] * count + nodes.paths[j:], return_inverse=True)
        return np.array([near(pair) for pair in pairs.tolist()], float)[which]

    return nearness


def sums(nodes: TextNodes, values: ArrayLike | None = None) -> Floats:
    """(paths,) sum of a value over the nodes of each path; without values, the number of its nodes."""
    weights = None if values is None else np.asarray(values, float)
    return np.bincount(nodes.paths, weights, len(nodes.tag_paths)).astype(float)


def means(nodes: TextNodes, values: ArrayLike) -> Floats:
    """(paths,) mean of a value over the nodes of each path, 0 where it has none."""
    return sums(nodes, values) / np.maximum(1, sums(nodes))


def deviations(nodes: TextNodes, values: ArrayLike) -> Floats:
    """(paths,) population standard deviation of a value over the nodes of each path."""
    x = np.asarray(values, float)
    spread = (x - means(nodes, x)[nodes.paths]) ** 2
    return np.sqrt(means(nodes, spread))
