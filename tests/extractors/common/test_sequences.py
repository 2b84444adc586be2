"""Smoothing along the page, Otsu's threshold, and the interval of the largest sum against trying all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.extractors.common.sequences import TENTHS, best_interval, otsu, smooth, upper_class

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


@given(VALUES, st.data())
def test_smooth_equals_the_formula(values, data):
    near = data.draw(st.lists(st.floats(0, 1), min_size=len(values) - 1, max_size=len(values) - 1))
    for nearness in (near, [1.0] * len(near)):
        expected = []
        for i in range(len(values)):
            weights = {i: 1.0}
            weights |= {j: np.exp(-0.5) * nearness[min(i, j)] for j in (i - 1, i + 1) if 0 <= j < len(values)}
            expected.append(sum(k * values[j] for j, k in weights.items()) / sum(weights.values()))
        assert smooth(values, nearness) == pytest.approx(expected, abs=1e-6)
    assert smooth(values) == pytest.approx(expected, abs=1e-6)


def test_smooth_has_known_weights_and_sums_existing_values_at_the_borders():
    assert smooth([0, 0, 1, 0, 0]) == pytest.approx([0, 0.2741, 0.4519, 0.2741, 0], abs=1e-4)
    assert smooth([1.0, 1.0, 1.0]).tolist() == [1, 1, 1]
    assert smooth([3.0]).tolist() == [3.0]
    assert smooth([]).tolist() == []


SHARES = st.lists(st.floats(0, 1, width=16), min_size=1, max_size=30)


def test_otsu_takes_lowest_of_equal_thresholds():
    assert otsu([0.1, 0.1, 0.9, 0.9], TENTHS) == 0.2
    assert otsu([0.1, 0.1, 0.9, 0.9]) == 0.9


def test_otsu_is_none_where_nothing_divides_the_values():
    for values in ([], [0.5], [0.5, 0.5, 0.5], [0.0, 0.0]):
        assert otsu(values) is None
        assert upper_class(values).tolist() == [True] * len(values)
    assert otsu([2.0, 3.0], TENTHS) is None


def brute_force(values: list[float], candidates: list[float]) -> float | None:
    best, found = -1.0, None
    for t in sorted(candidates):
        upper = [v for v in values if v >= t]
        lower = [v for v in values if v < t]
        if not upper or not lower:
            continue
        mu = np.mean(values)
        g = (
            len(lower) / len(values) * (np.mean(lower) - mu) ** 2
            + len(upper) / len(values) * (np.mean(upper) - mu) ** 2
        )
        if g > best * (1 + 1e-9) + 1e-15:
            best, found = g, t
    return found


@given(SHARES)
def test_otsu_equals_brute_force(values):
    for candidates in (sorted(set(values)), TENTHS.tolist()):
        expected = brute_force(values, candidates)
        found = otsu(values, candidates)
        assert (found is None) == (expected is None)
        if found is not None and expected is not None and found != expected:
            split = [sum(v >= t for v in values) for t in (found, expected)]
            assert np.isclose(*[between(values, count) for count in split])


def between(values: list[float], above: int) -> float:
    ordered = sorted(values)
    lower, upper = ordered[: len(values) - above], ordered[len(values) - above :]
    return float(len(lower) * len(upper) * (np.mean(upper) - np.mean(lower)) ** 2)


@given(SHARES, st.floats(0.5, 1e6), st.floats(-1e3, 1e3))
def test_upper_class_is_invariant_to_scale_and_shift(values, factor, shift):
    values = [0.0] * len(values) + [10 + v for v in values]
    scaled = [factor * v + shift for v in values]
    assert upper_class(values).sum() in (upper_class(scaled).sum(), len(values) // 2)


def test_otsu_of_largest_floats():
    assert upper_class([1e-300, 1e300, 1e300]).tolist() == [False, True, True]


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
