"""Which elements of two sequences correspond: exact edit distance, and anchors where the sequences are too long for it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

#: Above this many elements on either side the table of the exact method (n * m / 8 bytes) is no longer built.
EXACT = 5_000


def matched(
    first: Sequence[int], second: Sequence[int], exact: int = EXACT
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which elements of each sequence stand, in order, in the other: (n,) and (m,) masks with equally many marks.

    Up to `exact` elements on both sides a minimal edit script (Levenshtein, unit costs) decides. Above, elements that
    stand once in both sequences are anchors, the longest rising run of them is kept, and what lies between two anchors
    is aligned the same way; a stretch without anchors is aligned in slices of `exact` elements.
    """
    marks = np.zeros(len(first), bool), np.zeros(len(second), bool)
    stretches = [(0, len(first), 0, len(second))]
    while stretches:
        a, b, c, d = stretches.pop()
        if a == b or c == d:
            continue
        if max(b - a, d - c) <= exact:
            _mark(first, second, (a, b, c, d), marks)
        else:
            stretches += _divided(first, second, (a, b, c, d), exact)
    return marks


Stretch = tuple[int, int, int, int]


def _mark(
    first: Sequence[int], second: Sequence[int], stretch: Stretch, marks: tuple[NDArray[np.bool_], NDArray[np.bool_]]
) -> None:
    a, b, c, d = stretch
    for block in Levenshtein.opcodes(first[a:b], second[c:d]):
        if block.tag == "equal":
            marks[0][a + block.src_start : a + block.src_end] = True
            marks[1][c + block.dest_start : c + block.dest_end] = True


def _divided(first: Sequence[int], second: Sequence[int], stretch: Stretch, exact: int) -> list[Stretch]:
    """The stretch cut at its anchors; each anchor begins a part, so that it is aligned with its twin."""
    a, b, c, d = stretch
    anchors = _anchors(first, second, stretch)
    if not anchors:
        count = max(-(-(b - a) // exact), -(-(d - c) // exact))
        rows = np.linspace(a, b, count + 1).astype(int).tolist()
        columns = np.linspace(c, d, count + 1).astype(int).tolist()
        return list(zip(rows, rows[1:], columns, columns[1:], strict=False))
    starts = [(a, c), *anchors, (b, d)]
    parts = []
    for (i, j), (k, m) in zip(starts, starts[1:], strict=False):
        inside = (i, j) in anchors
        if inside:
            parts.append((i, i + 1, j, j + 1))
        parts.append((i + inside, k, j + inside, m))
    return parts


def _anchors(first: Sequence[int], second: Sequence[int], stretch: Stretch) -> list[tuple[int, int]]:
    """Positions of elements that stand once in both, the longest run that rises on both sides (patience sorting)."""
    a, b, c, d = stretch
    there = Counter(second[c:d])
    here = Counter(first[a:b])
    place = {value: position for position, value in enumerate(second[c:d], c) if there[value] == 1}
    pairs = [(i, place[v]) for i, v in enumerate(first[a:b], a) if here[v] == 1 and v in place]
    tails: list[int] = []
    ends: list[int] = []
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
