"""Bootstrap intervals of scores and of differences."""

import numpy as np
import pytest

from evaluation.bootstrap import difference, intervals
from evaluation.results import Run

VALUES = np.random.default_rng(1).uniform(size=100)


def measured(values):
    ids = [str(i) for i in range(len(values))]
    return Run("s", "x", len(ids), {}, {}, by_page={"id": ids, "f": list(values)})


def test_intervals_contain_the_mean_with_the_width_of_theory_and_are_reproducible():
    low, high = intervals(measured(VALUES).by_page)["f"]
    assert low < VALUES.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * VALUES.std() / 10, rel=0.1)
    assert intervals(measured(VALUES).by_page)["f"] == [low, high]


def test_intervals_of_segment_scores_resample_pages():
    counts = {"hit": [1, 0, 3], "miss": [0, 1, 0], "false": [0, 0, 1]}
    low, high = intervals({"id": ["a", "b", "c"], **counts})["f"]
    assert 0.0 <= low < 2 * 4 / (2 * 4 + 1 + 1) < high <= 1.0


def test_difference_is_certain_of_a_small_gain_on_every_page_and_not_of_noise():
    found = difference(measured(VALUES), measured(VALUES + 0.01))
    assert found.certain and found.better == 1.0
    assert found.difference == pytest.approx(0.01)
    noise = np.random.default_rng(2).normal(scale=0.05, size=100)
    assert not difference(measured(VALUES), measured(VALUES + noise - noise.mean())).certain
    same = difference(measured(VALUES), measured(VALUES))
    assert (same.difference, same.low, same.high, same.better) == (0, 0, 0, 0.5)


@pytest.mark.parametrize(("first", "second"), [([0.1, 0.5, 0.9], [0.2, 0.6]), ([0.1, 0.5, None], [0.2, 0.6, None])])
def test_difference_is_of_pages_that_both_have_with_the_score(first, second):
    change = difference(measured(first), measured(second))
    assert (change.figure, change.pages, change.difference) == ("f", 2, pytest.approx(0.1))
