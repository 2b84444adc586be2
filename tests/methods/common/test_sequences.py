"""Sequences: smoothing, Otsu's threshold, the interval of the largest sum, alignment of two."""

import time
from itertools import compress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.methods.common.alignment import matched
from newsextract.methods.common.sequences import TENTHS, best_interval, otsu, smooth, upper_class

VALUES = st.lists(st.floats(-1e6, 1e6), max_size=30)


@given(VALUES, st.data())
def test_smooth_equals_the_formula(values, data):
    near = data.draw(st.lists(st.floats(0, 1), min_size=max(0, len(values) - 1), max_size=max(0, len(values) - 1)))
    for nearness in (near, [1.0] * len(near)):
        expected = []
        for i in range(len(values)):
            weights = {i: 1.0}
            weights |= {j: np.exp(-0.5) * nearness[min(i, j)] for j in (i - 1, i + 1) if 0 <= j < len(values)}
            expected.append(sum(k * values[j] for j, k in weights.items()) / sum(weights.values()))
        assert smooth(values, nearness) == pytest.approx(expected, abs=1e-6)
    assert smooth(values) == pytest.approx(expected, abs=1e-6)


SHARES = st.lists(st.floats(0, 1, width=16), min_size=1, max_size=30)


def test_otsu_takes_lowest_of_equal_thresholds_and_is_none_where_nothing_divides_the_values():
    assert otsu([0.1, 0.1, 0.9, 0.9], TENTHS) == 0.2
    assert otsu([0.1, 0.1, 0.9, 0.9]) == 0.9
    for values in ([], [0.5], [0.5, 0.5, 0.5], [0.0, 0.0]):
        assert otsu(values) is None
        assert upper_class(values).tolist() == [True] * len(values)
    assert otsu([2.0, 3.0], TENTHS) is None
    assert upper_class([1e-300, 1e300, 1e300]).tolist() == [False, True, True]


def between(values: list[float], t: float) -> float:
    """Variance between the classes below and from a threshold on; -1 where one is empty."""
    lower, upper = [v for v in values if v < t], [v for v in values if v >= t]
    classes = [(len(one), np.mean(one) - np.mean(values)) for one in (lower, upper) if one]
    return sum(n * distance**2 for n, distance in classes) if len(classes) == 2 else -1.0


@given(SHARES)
def test_otsu_equals_brute_force(values):
    for candidates in (sorted(set(values)), TENTHS.tolist()):
        best = max(between(values, t) for t in candidates)
        found = otsu(values, candidates)
        assert (found is None) == (best < 0)
        assert found is None or between(values, found) == pytest.approx(best)


INTEGERS = st.lists(st.integers(-5, 5), max_size=30)


@given(INTEGERS)
def test_best_interval_equals_brute_force(values):
    """Of equal sums the first to end, or the longest; (0, 0) without a positive one."""
    sums = {(a, b): sum(values[a:b]) for a in range(len(values)) for b in range(a + 1, len(values) + 1)}
    best = max(sums.values(), default=0)
    if best <= 0:
        assert best_interval(values) == (0, 0)
        return
    equal = [interval for interval, total in sums.items() if total == best]
    assert best_interval(values) == min(equal, key=lambda interval: (interval[1], -interval[0]))
    assert best_interval(values, longest=True) == min(equal, key=lambda interval: (interval[0] - interval[1], interval))


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
def test_matched_is_a_common_subsequence_and_a_longest_one_of_short_sequences(first, second, exact):
    here, there = matched(first, second, exact)
    assert [*compress(first, here)] == [*compress(second, there)]
    if max(len(first), len(second)) <= exact:
        assert here.sum() == longest_common(first, second)


def test_matched_of_very_long_sequences_takes_seconds():
    begun = time.process_time()
    matched([7] * 100_000, [7, 8] * 50_000)
    matched(list(range(100_000)), list(range(50_000, 150_000)))
    assert time.process_time() - begun < 20  # a full table would take minutes; speed itself is measured elsewhere
