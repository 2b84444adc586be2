"""`scripts/bench`: that each command calls its function and prints the result, and how wrong calls are answered."""

import json
import os
import subprocess

import pytest

from evaluation.__main__ import COMMANDS
from newsextract.demo import Site
from tests.sources import CHECKOUT


@pytest.fixture
def corpus(write_corpus):
    """Three articles of the demonstration site."""
    site = Site()
    golds = site.gold()[:3]
    pages = [site.page(gold.path).body.decode() for gold in golds]
    return write_corpus(
        *[
            {"id": str(i), "url": None, "text": gold.text, "title": gold.headline, "html": html}
            for i, (gold, html) in enumerate(zip(golds, pages, strict=True))
        ],
        name="mine",
    )


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A folder outside of the checkout with modules that have the names of ours."""
    folder = tmp_path_factory.mktemp("my corpora")
    for name in ("json.py", "evaluation.py", "newsextract.py"):
        (folder / name).write_text("raise SystemExit('this is another module')")
    return folder


def script(folder, *words):
    environment = {**os.environ, "PYTHONHOME": "/nowhere", "PYTHONPATH": str(folder)}
    return subprocess.run(
        [CHECKOUT / "scripts" / "bench", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_script_takes_paths_relative_to_the_folder_it_is_called_from(elsewhere):
    (elsewhere / "old.json").write_text('{"format": 99}')
    result = script(elsewhere, "compare", "old.json", "new.json")
    assert result.returncode == 2
    assert result.stderr.endswith("scripts/bench: old.json: format 99; this version reads 1\n"), result.stderr


def test_script_without_a_name_lists_all_commands_and_ends_with_2(bench):
    result = bench()
    assert result.returncode == 2
    lines = (result.stdout + result.stderr).splitlines()
    for command in COMMANDS:
        assert any(command.name in line.split() and command.summary in line for line in lines), command.name


@pytest.mark.parametrize("word", ["nothing", "../scripts/crawl", "-x"])
def test_unknown_name_is_answered_with_the_known_ones_and_status_2(bench, word):
    result = bench(word)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"scripts/bench: no benchmark {word!r}; known are run, compare,")


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_help_of_each_command_has_an_example_that_names_it(bench, name):
    result = bench(name, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    example = next(line for line in result.stdout.splitlines() if "Example: " in line).strip()
    assert example.startswith(f"Example: scripts/bench {name}")


@pytest.mark.parametrize(
    "words",
    [
        ["run", "no-such-corpus"],
        ["run", "no-such-corpus", "--extractor", "nosuch"],
        ["run", "--nosuch"],
        ["compare", "a.json", "b.json"],
        ["page", "no-such-corpus"],
        ["metadata", "no-such-corpus"],
        ["fit", "author", "no-such-corpus", "-o", "x.json"],
        ["cost", "--nosuch"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_answered_in_a_sentence_with_status_2(bench, words):
    result = bench(*words)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr
    assert "Traceback" not in result.stderr


def test_run_prints_a_table_and_its_result_can_be_compared(bench, corpus, tmp_path):
    result = bench("run", corpus, "--extractor", "econ", "--output", "scores.json")
    assert result.returncode == 0, result.stderr
    assert "mine" in result.stdout
    assert "econ" in result.stdout
    assert json.loads((tmp_path / "scores.json").read_text())["runs"]
    compared = bench("compare", "scores.json", "scores.json")
    assert compared.returncode == 0, compared.stderr
    assert "+0.0000" in compared.stdout


def test_metadata_prints_scores_of_the_sampled_pages(bench, corpus):
    result = bench("metadata", corpus, "--workers", "1", "--sample", "2")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.splitlines()[0])["headline_pages"] == 2


def test_gate_without_floors_ends_with_2(bench, corpus):
    result = bench("gate", corpus)
    assert result.returncode == 2
    assert "floors" in result.stderr


def test_table_writes_all_its_files_into_the_folder_given(bench, tmp_path):
    result = bench("table", tmp_path)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert (tmp_path / "ALGORITHMS.md").read_text("utf-8").startswith("#")
    assert {path.name for path in tmp_path.iterdir()} == {
        *("ALGORITHMS.md", "EXTRACTORS.md", "algorithms.svg", "figures.json")
    }


def test_against_ends_with_1_if_the_extractor_is_below_another(bench, corpus):
    ahead = bench("against", corpus, "--others", "bte,econ", "--convention", "auto", "-o", "result.json")
    assert (ahead.returncode, ahead.stderr) == (0, "")
    assert "fusion against others" in ahead.stdout
    assert "BELOW" not in ahead.stdout
    below = bench("against", corpus, "-e", "bte", "--others", "fusion")
    assert (below.returncode, below.stderr) == (1, "")
    assert "BELOW" in below.stdout
