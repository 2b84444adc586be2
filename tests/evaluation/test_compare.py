"""Two results compared, one extractor against others, and means over several weights files."""

import io
import json
import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from evaluation.compare import compare, fitted_on, measure, standings, standings_table
from evaluation.corpora import find_corpus
from evaluation.extractors import find_extractors
from evaluation.results import Result, Run
from evaluation.runs import run
from evaluation.tables import result_tables
from evaluation.training.examples import FOLDS, fold_of
from evaluation.training.seeds import mean_run, with_each_weights_file
from evaluation.training.train import fold_weights
from newsextract.errors import WrongCall, WrongOption
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
    return Run("town", extractor, len(ids), {"f": float(np.mean(values))}, {}, by_page=by_page, **more)


@pytest.fixture
def village(write_corpus):
    """Pages with a list of links that is no part of the text."""
    links = "".join(f"<li><a href=/{i}>A story about something else {i}</a></li>" for i in range(9))
    html = f"<html><body><ul>{links}</ul><div><p>{TEXT}</p><p>{MORE}</p></div></body></html>"
    return write_corpus(*[{"id": str(i), "text": f"{TEXT}\n{MORE}", "html": html} for i in range(4)])


@pytest.fixture
def weights(tmp_path):
    """Two files: the package's own under another name, and one that takes every block for news."""
    values = json.loads(files("newsextract.extractors.fusion").joinpath("weights.json").read_text("utf-8"))
    (tmp_path / "own.json").write_text(json.dumps(values))
    values |= {"second": [0.0] * len(values["second"]), "offset": 30.0, "provenance": {"sets": {"town": 3}}}
    values["certainty"] = [20.0, *[0.0] * (len(values["certainty"]) - 1)]
    (tmp_path / "all.json").write_text(json.dumps(values))
    return [str(tmp_path / "own.json"), str(tmp_path / "all.json")]


def test_standings_verdict_depends_on_the_interval():
    chance = np.random.default_rng(1)
    base = chance.uniform(0.5, 0.9, size=40)
    others = {"worse": base - 0.02, "even": base + chance.normal(scale=0.05, size=40), "better": base + 0.02}
    result = Result({}, [measured("mine", base), *(measured(name, values) for name, values in others.items())])
    found = standings(result, "mine", list(others))
    assert [row.verdict for row in found] == ["ahead", "level", "BELOW"]
    assert found[2].change.difference == pytest.approx(-0.02)
    shown = printed(standings_table(found, {"town"}))
    assert shown.count("town *") == 1
    assert "BELOW" in shown
    assert "fitted on this set" in shown


def test_standings_compare_only_equal_conventions_and_peers():
    runs = [
        measured("mine", [0.5]),
        measured("other", [0.6], convention="headline"),
        measured("other", [0.7], peers="crawl"),
    ]
    with pytest.raises(WrongCall, match="no set in common"):
        standings(Result({}, runs), "mine", ["other"])


def test_measure_takes_others_from_an_earlier_result(village):
    first = measure([village], "econ", ["bte"])
    assert [run.label for run in first.runs] == ["bte", "econ"]
    first.run("village", "bte").by_page["f"] = [0.125] * 4
    first.runs.append(measured("econ", [0.5]))  # of another set, which is not asked for
    again = measure([village], "econ", ["bte"], known=first)
    assert again.sets == ["village"]
    assert again.run("village", "bte").by_page["f"] == [0.125] * 4
    fewer = measure([village], "econ", ["bte"], known=first, sample=2)
    assert fewer.run("village", "bte").pages == 2
    with pytest.raises(WrongCall, match="itself"):
        measure([village], "econ", ["bte", "econ"])


def test_run_with_several_weights_files_gives_their_mean(village, weights):
    result = run([village], "fusion,econ", weights=weights)
    own, econ = result.runs
    apart = [run([village], f"fusion:weights={file}").runs[0] for file in weights]
    reached, lower = (one.scores["f"] for one in apart)
    assert reached > 0.9 > lower > 0.5
    assert own.label == "fusion"
    assert own.scores["f"] == own.by_page["f"][0] == pytest.approx((reached + lower) / 2)
    assert own.intervals["f"] == pytest.approx([(reached + lower) / 2] * 2)
    assert [scores["f"] for scores in own.seeds] == [reached, lower]
    assert econ.seeds == []
    assert f"2: {lower:.4f} to {reached:.4f}" in printed(result_tables(result))


def test_fitted_on_reads_the_sets_from_the_weights(weights):
    assert "town" in fitted_on(weights)
    assert "wcxb-dev" in fitted_on()


def test_mean_run_has_the_interval_of_the_page_means():
    rows = [measured("x:weights=a", [0.2, 0.4, 0.6]), measured("x:weights=b", [0.4, 0.2, 0.6])]
    found = mean_run("x", rows)
    assert found.by_page["f"] == pytest.approx([0.3, 0.3, 0.6])
    assert found.scores["f"] == pytest.approx(0.4)
    assert found.intervals["f"] == pytest.approx([0.3, 0.6], abs=0.11)
    assert mean_run("x", rows[:1]) is rows[0]


def test_with_each_weights_file_refuses_untrained_extractors_and_bad_files(weights):
    with pytest.raises(WrongCall, match="econ, says"):
        with_each_weights_file([*find_extractors("econ"), Says()], weights)
    with pytest.raises(WrongCall, match="named twice"):
        with_each_weights_file(find_extractors("fusion"), [weights[0], weights[0]])
    with pytest.raises(WrongOption, match="nowhere"):
        with_each_weights_file(find_extractors("fusion"), ["nowhere.json"])
    given = find_extractors(f"fusion:weights={weights[0]}")
    assert with_each_weights_file([*given, *find_extractors("fusion")], weights)[0] == given


def test_compare_matches_runs_by_set_and_extractor(write_corpus):
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


def test_compare_refuses_results_with_nothing_in_common(write_corpus):
    folder = write_corpus({"id": "a", "text": "x"})
    with pytest.raises(WrongCall, match="in common"):
        compare(run([folder], [Says("a")]), run([folder], [Says("b")]))


def test_run_with_folds_takes_the_weights_fitted_without_the_page_s_site(village, weights, tmp_path):
    own, every_block = (Path(name).read_text() for name in weights)
    sites = [fold_of(gold) for gold in find_corpus(village).gold]
    for fold in range(FOLDS):
        fold_weights(tmp_path, fold).write_text(every_block if fold == sites[0] else own)
    (measured_run,) = run([village], "fusion", folds=tmp_path).runs
    assert [f > 0.9 for f in measured_run.by_page["f"]] == [fold != sites[0] for fold in sites]
    assert len(set(sites)) > 1


def test_run_with_folds_needs_a_trained_extractor_and_no_other_weights(village, weights, tmp_path):
    with pytest.raises(WrongCall, match="econ is not trained"):
        run([village], "econ", folds=tmp_path)
    with pytest.raises(WrongCall, match="not both"):
        run([village], "fusion", folds=tmp_path, weights=weights)
