"""Alignment of two sequences: longest common subsequence, exact up to a length, by anchors for longer ones."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

#: Elements of either sequence above which the table of the exact method (n * m / 8 bytes) is not built.
EXACT = 5_000

Marks = tuple[NDArray[np.bool_], NDArray[np.bool_]]
Stretch = tuple[int, int, int, int]  # from, to in the first sequence; from, to in the second


def matched(first: Sequence[int], second: Sequence[int], exact: int = EXACT) -> Marks:
    """Masks (n,) and (m,) of the elements of a common subsequence, equally many in both.

    Up to `exact` elements on both sides it is the longest one, which is the edit script of fewest insertions and
    deletions (bit-parallel, O(n m / 64)). Above, elements that occur once in both sequences are anchors; the longest
    increasing run of them is kept, and the stretches between are aligned the same way (patience diff). A long stretch
    without anchors is aligned in slices.
    """
    marks = np.zeros(len(first), bool), np.zeros(len(second), bool)
    stretches: list[Stretch] = [(0, len(first), 0, len(second))]
    while stretches:
        a, b, c, d = stretches.pop()
        if a == b or c == d:
            continue
        if max(b - a, d - c) <= exact:
            _mark(first, second, (a, b, c, d), marks)
        else:
            stretches += _divided(first, second, (a, b, c, d), exact)
    return marks


def _mark(first: Sequence[int], second: Sequence[int], stretch: Stretch, marks: Marks) -> None:
    """Mark the longest common subsequence of a stretch."""
    a, b, c, d = stretch
    for block in LCSseq.opcodes(first[a:b], second[c:d]):
        if block.tag == "equal":
            marks[0][a + block.src_start : a + block.src_end] = True
            marks[1][c + block.dest_start : c + block.dest_end] = True


def _divided(first: Sequence[int], second: Sequence[int], stretch: Stretch, exact: int) -> list[Stretch]:
    """The stretch divided before and behind each of its anchors, or into slices where it has none."""
    a, b, c, d = stretch
    anchors = _anchors(first, second, stretch)
    if anchors:
        parts = [(a, anchors[0][0], c, anchors[0][1])]
        for (i, j), (k, m) in pairwise([*anchors, (b, d)]):
            parts += [(i, i + 1, j, j + 1), (i + 1, k, j + 1, m)]
        return parts
    count = max(-(-(b - a) // exact), -(-(d - c) // exact))
    rows = np.linspace(a, b, count + 1).astype(int).tolist()
    columns = np.linspace(c, d, count + 1).astype(int).tolist()
    return [(i, k, j, m) for (i, k), (j, m) in zip(pairwise(rows), pairwise(columns), strict=True)]


def _anchors(first: Sequence[int], second: Sequence[int], stretch: Stretch) -> list[tuple[int, int]]:
    """Positions of elements that occur once in both: the longest run increasing in both (patience sorting)."""
    a, b, c, d = stretch
    first_counts, second_counts = Counter(first[a:b]), Counter(second[c:d])
    position = {value: j for j, value in enumerate(second[c:d], c) if second_counts[value] == 1}
    pairs = [(i, position[v]) for i, v in enumerate(first[a:b], a) if first_counts[v] == 1 and v in position]
    tails: list[int] = []  # the lowest end of an increasing run of each length
    ends: list[int] = []  # index of the pair it ends with
    before = [-1] * len(pairs)
    for index, (_, j) in enumerate(pairs):
        pile = bisect_left(tails, j)
        before[index] = ends[pile - 1] if pile else -1
        tails[pile : pile + 1] = [j]
        ends[pile : pile + 1] = [index]
    run, index = [], ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]
