import math

import numpy as np
import pytest

from evaluation.bootstrap import difference, intervals
from evaluation.compare import compare
from evaluation.results import Run
from evaluation.runs import run
from newsextract.errors import WrongCall
from tests.evaluation.extractors import Says


def measured(values, *, set_name="s", extractor="x", **more):
    ids = [str(i) for i in range(len(values))]
    return Run(set_name, extractor, len(ids), {}, {}, by_page={"id": ids, "f": list(values), **more})


def test_an_interval_holds_the_figure_and_is_as_wide_as_theory_says():
    values = np.random.default_rng(1).uniform(size=100)
    low, high = intervals(measured(values).by_page)["f"]
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 10, rel=0.1)


def test_the_same_pages_give_the_same_interval_to_the_digit():
    values = np.random.default_rng(1).uniform(size=50)
    assert intervals(measured(values).by_page) == intervals(measured(values).by_page)


def test_a_small_gain_on_every_page_is_certain_though_the_pages_differ_widely():
    values = np.random.default_rng(1).uniform(size=60)
    found = difference(measured(values), measured(values + 0.01))
    assert found.certain
    assert found.difference == pytest.approx(0.01)
    assert found.better == 1.0


def test_noise_is_not_taken_for_a_gain():
    values = np.random.default_rng(1).uniform(size=60)
    noise = np.random.default_rng(2).normal(scale=0.05, size=60)
    found = difference(measured(values), measured(values + noise - noise.mean()))
    assert not found.certain


def test_equal_runs_are_neither_better_nor_worse():
    values = np.random.default_rng(1).uniform(size=60)
    found = difference(measured(values), measured(values))
    assert (found.difference, found.low, found.high, found.better) == (0, 0, 0, 0.5)


def test_segment_figures_are_resampled_by_page():
    counts = {"hit": [1, 0, 3], "miss": [0, 1, 0], "false": [0, 0, 1]}
    low, high = intervals({"id": ["a", "b", "c"], **counts})["f"]
    assert 0.0 <= low < 2 * 4 / (2 * 4 + 1 + 1) < high <= 1.0


def test_only_pages_that_both_have_are_compared():
    first, second = measured([0.1, 0.5, 0.9]), measured([0.2, 0.6])
    found = difference(first, second)
    assert (found.pages, found.difference) == (2, pytest.approx(0.1))


def test_difference_of_mixed_corpora_is_that_of_the_pages_with_the_score():
    first, second = measured([0.1, 0.5, None]), measured([0.2, 0.6, None])
    change = difference(first, second)
    assert (change.figure, change.pages, change.difference) == ("f", 2, pytest.approx(0.1))


def test_two_results_are_compared_by_set_and_extractor(write_corpus):
    folder = write_corpus(*[{"id": str(i), "text": f"one two {i}", "html": f"one two {i}"} for i in range(5)])
    before, after = run([folder], [Says("a", cut=4), Says("b")]), run([folder], [Says("a"), Says("c")])
    [found] = compare(before, after)
    assert (found.set, found.first, found.second) == ("village", "a", "a")
    assert found.difference > 0
    assert found.certain
    for one in after.runs:
        one.by_page = {}
    [found] = compare(before, after)
    assert found.difference > 0
    assert math.isnan(found.low)
    assert not found.certain


def test_results_with_nothing_in_common_are_refused(write_corpus):
    folder = write_corpus({"id": "a", "text": "x"})
    with pytest.raises(WrongCall, match="in common"):
        compare(run([folder], [Says("a")]), run([folder], [Says("b")]))
