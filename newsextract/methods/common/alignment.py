"""Alignment of two sequences: their longest common subsequence, or for very long ones a long common subsequence."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

#: Maximum elements of either sequence for which the exact method's table (n * m / 8 bytes) is built.
EXACT = 5_000


def matched(
    first: Sequence[int], second: Sequence[int], exact: int = EXACT
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks (n,) and (m,) of the elements of a common subsequence, equally many in both.

    Up to `exact` elements on both sides it is the longest one, which is the edit script of fewest insertions and
    deletions (bit-parallel, O(n m / 64)). Above, the longest run that both have, and the same on both sides of it
    (Ratcliff and Obershelp), without elements that are more than a hundredth of all.
    """
    marks = np.zeros(len(first), bool), np.zeros(len(second), bool)
    if max(len(first), len(second)) <= exact:
        opcodes = LCSseq.opcodes(first, second)
        runs = [(op.src_start, op.dest_start, op.src_end - op.src_start) for op in opcodes if op.tag == "equal"]
    else:
        runs = [(run.a, run.b, run.size) for run in SequenceMatcher(None, first, second).get_matching_blocks()]
    for here, there, size in runs:
        marks[0][here : here + size] = marks[1][there : there + size] = True
    return marks
