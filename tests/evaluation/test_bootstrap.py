"""Bootstrap intervals of scores and of differences."""

import numpy as np
import pytest

from evaluation.bootstrap import difference, intervals
from evaluation.results import Run


def measured(values, *, set_name="s", extractor="x", **more):
    ids = [str(i) for i in range(len(values))]
    return Run(set_name, extractor, len(ids), {}, {}, by_page={"id": ids, "f": list(values), **more})


def test_intervals_contain_the_mean_with_the_width_of_theory():
    values = np.random.default_rng(1).uniform(size=100)
    low, high = intervals(measured(values).by_page)["f"]
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 10, rel=0.1)


def test_intervals_are_reproducible():
    values = np.random.default_rng(1).uniform(size=50)
    assert intervals(measured(values).by_page) == intervals(measured(values).by_page)


def test_difference_small_gain_on_every_page_is_certain():
    values = np.random.default_rng(1).uniform(size=60)
    found = difference(measured(values), measured(values + 0.01))
    assert found.certain
    assert found.difference == pytest.approx(0.01)
    assert found.better == 1.0


def test_difference_of_noise_is_not_certain():
    values = np.random.default_rng(1).uniform(size=60)
    noise = np.random.default_rng(2).normal(scale=0.05, size=60)
    found = difference(measured(values), measured(values + noise - noise.mean()))
    assert not found.certain


def test_difference_of_equal_runs_is_zero():
    values = np.random.default_rng(1).uniform(size=60)
    found = difference(measured(values), measured(values))
    assert (found.difference, found.low, found.high, found.better) == (0, 0, 0, 0.5)


def test_intervals_of_segment_scores_resample_pages():
    counts = {"hit": [1, 0, 3], "miss": [0, 1, 0], "false": [0, 0, 1]}
    low, high = intervals({"id": ["a", "b", "c"], **counts})["f"]
    assert 0.0 <= low < 2 * 4 / (2 * 4 + 1 + 1) < high <= 1.0


def test_difference_is_of_pages_that_both_have():
    first, second = measured([0.1, 0.5, 0.9]), measured([0.2, 0.6])
    found = difference(first, second)
    assert (found.pages, found.difference) == (2, pytest.approx(0.1))


def test_difference_of_mixed_corpora_is_that_of_the_pages_with_the_score():
    first, second = measured([0.1, 0.5, None]), measured([0.2, 0.6, None])
    change = difference(first, second)
    assert (change.figure, change.pages, change.difference) == ("f", 2, pytest.approx(0.1))
