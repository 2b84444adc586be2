"""Alignment: what both sequences have in order, exact where it can be, and never quadratic where it can't."""

import time

from hypothesis import given
from hypothesis import strategies as st

from newsextract.extractors.common.alignment import matched

SEQUENCES = st.lists(st.integers(0, 6), max_size=30)


def longest_common(first: list[int], second: list[int]) -> int:
    """The length of a longest common subsequence, by the textbook's table."""
    row = [0] * (len(second) + 1)
    for one in first:
        above, row = row, [0]
        for place, other in enumerate(second, 1):
            row.append(above[place - 1] + 1 if one == other else max(row[-1], above[place]))
    return row[-1]


@given(SEQUENCES, SEQUENCES, st.integers(1, 30))
def test_matched_is_a_common_subsequence_and_a_longest_one_of_short_sequences(
    first: list[int], second: list[int], exact: int
) -> None:
    here, there = matched(first, second, exact)
    assert [v for v, mark in zip(first, here, strict=True) if mark] == [
        v for v, mark in zip(second, there, strict=True) if mark
    ]
    if max(len(first), len(second)) <= exact:
        assert here.sum() == longest_common(first, second)


def test_matched_of_very_long_sequences_takes_seconds() -> None:
    begun = time.process_time()
    matched([7] * 100_000, [7, 8] * 50_000)
    matched(list(range(100_000)), list(range(50_000, 150_000)))
    assert time.process_time() - begun < 20  # a full table would take minutes; speed itself is measured elsewhere
