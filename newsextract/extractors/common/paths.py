"""Tag paths of text nodes: statistics over the nodes of each path, and the similarity of two paths.

The nodes of one path are laid out alike: the paragraphs of an article share a path, the items of a menu another. All
functions work on the page's distinct paths, or on its distinct pairs of neighbouring ones.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rapidfuzz.distance import Levenshtein

from newsextract.page.tag_paths import TagPaths
from newsextract.page.text_nodes import TextNodes

Floats = NDArray[np.float64]


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
