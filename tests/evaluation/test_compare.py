"""Intervals and differences by bootstrap, two results compared, an extractor against others, weights by fold."""

import io
import json
from importlib.resources import files

import numpy as np
import pytest
from rich.console import Console

from evaluation.bootstrap import difference, intervals
from evaluation.compare import compare, fitted_on, measure, standings, standings_table
from evaluation.corpora import find_corpus
from evaluation.results import Result, Run
from evaluation.runs import run
from evaluation.training.folds import FOLDS, fold_of, fold_weights
from newsextract.errors import WrongCall
from tests.evaluation.extractors import Says

TEXT = "The council met on Monday, and it decided nothing at all. " * 5
MORE = "On Tuesday it met again, and the bridge was built, to the surprise of all who live there. " * 4


def printed(renderable):
    console = Console(file=io.StringIO(), width=260, color_system=None)
    console.print(renderable)
    return console.file.getvalue()


def measured(extractor, values, **more):
    ids = [str(i) for i in range(len(values))]
    by_page = {"id": ids, "f": list(values)}
    mean = float(np.mean([value or 0 for value in values]))
    return Run("town", extractor, len(ids), {"f": mean}, {}, by_page=by_page, **more)


def scored(values):
    return measured("x", values)


@pytest.fixture
def village(write_corpus):
    """Pages with a list of links that isn't part of the text."""
    links = "".join(f"<li><a href=/{i}>A story about something else {i}</a></li>" for i in range(9))
    html = f"<html><body><ul>{links}</ul><div><p>{TEXT}</p><p>{MORE}</p></div></body></html>"
    return write_corpus(*[{"id": str(i), "text": f"{TEXT}\n{MORE}", "html": html} for i in range(4)])


def test_standings_verdict_depends_on_the_interval():
    chance = np.random.default_rng(1)
    base = chance.uniform(0.5, 0.9, size=40)
    others = {"worse": base - 0.02, "even": base + chance.normal(scale=0.05, size=40), "better": base + 0.02}
    result = Result({}, [measured("mine", base), *(measured(name, values) for name, values in others.items())])
    found = standings(result, "mine", list(others))
    assert [row.verdict for row in found] == ["ahead", "level", "BELOW"]
    assert found[2].change.difference == pytest.approx(-0.02)
    shown = printed(standings_table(found, {"town"}))
    assert shown.count("town *") == 1 and "BELOW" in shown and "fitted on this set" in shown
    assert "wcxb-dev" in fitted_on() and "dragnet" not in fitted_on()


def test_standings_compare_only_equal_conventions_and_peers():
    others = [measured("other", [0.6], convention="headline"), measured("other", [0.7], peers="crawl")]
    with pytest.raises(WrongCall, match="no set in common"):
        standings(Result({}, [measured("mine", [0.5]), *others]), "mine", ["other"])


def test_measure_runs_the_extractor_and_others_but_not_against_itself(village):
    measured = measure([village], "econ", ["bte"], sample=2)
    assert [(run.label, run.pages) for run in measured.runs] == [("bte", 2), ("econ", 2)]
    with pytest.raises(WrongCall, match="itself"):
        measure([village], "econ", ["bte", "econ"])


def test_compare_matches_runs_by_set_and_extractor(write_corpus):
    folder = write_corpus(*[{"id": str(i), "text": f"one two {i}", "html": f"one two {i}"} for i in range(5)])
    before, after = run([folder], [Says("a", cut=4), Says("b")]), run([folder], [Says("a"), Says("c")])
    [found] = compare(before, after)
    assert (found.set, found.first, found.second) == ("village", "a", "a")
    assert found.difference > 0 and found.certain
    with pytest.raises(WrongCall, match="in common"):
        compare(before, run([folder], [Says("c")]))


def test_run_with_folds_takes_the_weights_fitted_without_the_page_s_site(village, tmp_path):
    own = files("newsextract.extractors.fusion").joinpath("weights.json").read_text("utf-8")
    values = json.loads(own)
    for name, offset in (("second", 0.0), ("certainty", 20.0)):  # every block is news, for certain
        values[name] = [offset, *[0.0] * (len(values[name]) - 1)]
    sites = [fold_of(gold) for gold in find_corpus(village).gold]
    for fold in range(FOLDS):
        text = json.dumps(values | {"offset": 30.0}) if fold == sites[0] else own
        fold_weights(tmp_path, fold).write_text(text)
    (measured_run,) = run([village], "fusion", folds=tmp_path).runs
    assert [f > 0.9 for f in measured_run.by_page["f"]] == [fold != sites[0] for fold in sites]
    assert len(set(sites)) > 1
    with pytest.raises(WrongCall, match="econ is not trained"):
        run([village], "econ", folds=tmp_path)


VALUES = np.random.default_rng(1).uniform(size=100)


def test_intervals_contain_the_mean_with_the_width_of_theory_and_are_reproducible():
    low, high = intervals(scored(VALUES).by_page)["f"]
    assert low < VALUES.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * VALUES.std() / 10, rel=0.1)
    assert intervals(scored(VALUES).by_page)["f"] == [low, high]

    counts = {"hit": [1, 0, 3], "miss": [0, 1, 0], "false": [0, 0, 1]}
    low, high = intervals({"id": ["a", "b", "c"], **counts})["f"]
    assert 0.0 <= low < 2 * 4 / (2 * 4 + 1 + 1) < high <= 1.0, "of segments"


def test_difference_is_certain_of_a_small_gain_on_every_page_and_not_of_noise():
    found = difference(scored(VALUES), scored(VALUES + 0.01))
    assert found.certain and found.better == 1.0
    assert found.difference == pytest.approx(0.01)
    noise = np.random.default_rng(2).normal(scale=0.05, size=100)
    assert not difference(scored(VALUES), scored(VALUES + noise - noise.mean())).certain
    same = difference(scored(VALUES), scored(VALUES))
    assert (same.difference, same.low, same.high, same.better) == (0, 0, 0, 0.5)


@pytest.mark.parametrize(("first", "second"), [([0.1, 0.5, 0.9], [0.2, 0.6]), ([0.1, 0.5, None], [0.2, 0.6, None])])
def test_difference_is_of_pages_that_both_have_with_the_score(first, second):
    change = difference(scored(first), scored(second))
    assert (change.figure, change.pages, change.difference) == ("f", 2, pytest.approx(0.1))
