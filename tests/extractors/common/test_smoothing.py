"""Gaussian smoothing along the page."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.extractors.common.sequences import smooth

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


def test_smooth_with_sigma_1_has_known_weights():
    assert smooth([0, 0, 1, 0, 0]) == pytest.approx([0, 0.2741, 0.4519, 0.2741, 0], abs=1e-4)


def test_smooth_sums_existing_values_at_the_borders():
    assert smooth([1.0, 1.0, 1.0]).tolist() == [1, 1, 1]
    assert smooth([1.0, 0.0])[0] == pytest.approx(1 / (1 + np.exp(-0.5)))


@given(VALUES, st.floats(0.5, 4), st.integers(0, 8))
def test_smooth_equals_the_formula(values, sigma, radius):
    expected = []
    for i in range(len(values)):
        weights = {j: np.exp(-((j - i) ** 2) / (2 * sigma**2)) for j in range(len(values)) if abs(j - i) <= radius}
        expected.append(sum(k * values[j] for j, k in weights.items()) / sum(weights.values()))
    assert smooth(values, sigma, radius) == pytest.approx(expected, abs=1e-6)


@given(VALUES)
def test_smooth_stays_within_the_range_of_values(values):
    smoothed = smooth(values, 2.0)
    assert smoothed.min() >= min(values) - 1e-6 and smoothed.max() <= max(values) + 1e-6


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_smooth_ignores_neighbours_of_no_nearness(values):
    assert smooth(values, nearness=lambda j: np.zeros(len(values) - j)) == pytest.approx(values)
    assert smooth(values, nearness=lambda j: np.ones(len(values) - j)) == pytest.approx(smooth(values))


def test_smooth_of_one_value_or_none():
    assert smooth([3.0], 5.0).tolist() == [3.0]
    assert smooth([]).tolist() == []
