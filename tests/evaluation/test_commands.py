"""`scripts/bench`: that each command calls its function and prints the result, and how wrong calls are answered."""

import json
import os
import subprocess
from datetime import UTC, datetime

import pytest

from evaluation.__main__ import COMMANDS
from newsextract.demo import Site
from tests.evaluation.demo_corpus import write_corpus
from tests.examples import examples
from tests.sources import CHECKOUT


@pytest.fixture
def corpus(tmp_path):
    """The eleven oldest articles of the demonstration site."""
    write_corpus(Site(until=datetime(2026, 2, 10, tzinfo=UTC)), tmp_path / "mine")
    return tmp_path / "mine"


def test_script_takes_paths_relative_to_the_folder_it_is_called_from(tmp_path):
    for name in ("json.py", "evaluation.py", "newsextract.py"):
        (tmp_path / name).write_text("raise SystemExit('this is another module')")
    (tmp_path / "old.json").write_text('{"format": 99}')
    variables = {**os.environ, "PYTHONHOME": "/nowhere", "PYTHONPATH": str(tmp_path)}
    words = [CHECKOUT / "scripts" / "bench", "compare", "old.json", "new.json"]
    result = subprocess.run(words, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.endswith("scripts/bench: old.json: format 99; this version reads 1\n"), result.stderr


def test_script_without_a_name_lists_all_commands_and_ends_with_2(bench):
    result = bench(status=2)
    assert {command.name for command in COMMANDS} <= {*(result.stdout + result.stderr).split()}


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_help_of_each_command_has_an_example_that_names_it(bench, name):
    result = bench(name, "--help")
    assert result.stderr == ""
    example = next(line for line in result.stdout.splitlines() if "Example: " in line).strip()
    assert example.startswith(f"Example: scripts/bench {name}")


@pytest.mark.parametrize(("words", "message"), examples(__file__, "wrong"))
def test_wrong_arguments_are_answered_in_a_sentence_with_status_2(bench, corpus, words, message):
    result = bench(*words.split(), status=2)
    assert result.stdout == "" and message in result.stderr


def test_run_prints_a_table_and_its_result_can_be_compared(bench, corpus, tmp_path):
    result = bench("run", corpus, "--extractor", "econ", "--output", "scores.json")
    assert "mine" in result.stdout and "econ" in result.stdout
    assert json.loads((tmp_path / "scores.json").read_text())["runs"]
    compared = bench("compare", "scores.json", "scores.json")
    assert "+0.0000" in compared.stdout


def test_metadata_prints_scores_of_the_sampled_pages(bench, corpus):
    result = bench("metadata", corpus, "--workers", "1", "--sample", "2")
    assert json.loads(result.stdout.splitlines()[0])["headline_pages"] == 2


def test_table_writes_all_its_files_into_the_folder_given(bench, tmp_path):
    result = bench("table", tmp_path)
    assert result.stdout == "" and (tmp_path / "ALGORITHMS.md").read_text("utf-8").startswith("#")
    names = {"ALGORITHMS.md", "EXTRACTORS.md", "algorithms.svg", "figures.json"}
    assert {path.name for path in tmp_path.iterdir()} == names


def test_against_ends_with_1_if_the_extractor_is_below_another(bench, corpus):
    ahead = bench("against", corpus, "--others", "bte,econ", "--convention", "auto", "-o", "result.json")
    assert ahead.stderr == "" and "fusion against others" in ahead.stdout and "BELOW" not in ahead.stdout
    below = bench("against", corpus, "-e", "bte", "--others", "fusion", status=1)
    assert below.stderr == ""
    assert "BELOW" in below.stdout
