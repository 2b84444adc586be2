"""Otsu's threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.extractors.common.sequences import TENTHS, otsu, upper_class

VALUES = st.lists(st.floats(0, 1, width=16), min_size=1, max_size=30)


def test_otsu_takes_lowest_of_equal_thresholds():
    assert otsu([0.1, 0.1, 0.9, 0.9], TENTHS) == 0.2
    assert otsu([0.1, 0.1, 0.9, 0.9]) == 0.9


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5, 0.5], [0.0, 0.0]])
def test_otsu_of_equal_values_is_none(values):
    assert otsu(values) is None
    assert upper_class(values).tolist() == [True] * len(values)


def test_otsu_with_all_values_above_candidates_is_none():
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


@given(VALUES)
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


@given(VALUES, st.floats(0.5, 1e6), st.floats(-1e3, 1e3))
def test_upper_class_is_invariant_to_scale_and_shift(values, factor, shift):
    values = [0.0] * len(values) + [10 + v for v in values]
    scaled = [factor * v + shift for v in values]
    assert upper_class(values).sum() in (upper_class(scaled).sum(), len(values) // 2)


def test_otsu_of_largest_floats():
    assert upper_class([1e-300, 1e300, 1e300]).tolist() == [False, True, True]
