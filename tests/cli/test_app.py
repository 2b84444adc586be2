"""The command line as a whole: help, wrong calls, output that can't be written, streams that are closed."""

import re
import sys

import pytest

from newsextract.cli.commands import COMMANDS
from newsextract.version import VERSION
from tests.crawling import CHECKOUT, Finished, run_command
from tests.examples import examples

#: Commands whose output is written by print, by rich and by typer.
WORDS = ("schema", "algorithms", "--help")


def shell(line: str) -> Finished:
    """Runs a line of sh, in which NE is the command."""
    line = line.replace("NE ", f"'{sys.executable}' -P -m newsextract ")
    return run_command(["sh", "-c", line], CHECKOUT, status=None)


@pytest.mark.parametrize("words", WORDS)
def test_full_disk_is_said_in_one_sentence(words):
    ended = shell(f"NE {words} > /dev/full")
    assert ended.returncode == 1
    assert ended.stderr == "newsextract: the output can't be written: No space left on device\n"


def test_closed_streams_are_said_in_one_sentence():
    ended = shell("NE schema >&-")
    assert ended.returncode == 2
    assert ended.stderr == "newsextract: standard output is closed; send unwanted results to /dev/null\n"
    ended = shell("NE extract - <&-")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "newsextract: - isn't an HTML page (empty)\n"


def test_reader_that_ends_early_is_no_error():
    ended = shell("NE schema | head -c 5")
    assert (len(ended.stdout), ended.stderr) == (5, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [*examples(__file__, "wrong_calls"), (["crawl", "http://example.org/\udcff"], "undecodable characters")],
)
def test_wrong_call_is_one_line(complaint, tmp_path, words, message):
    said = complaint(1 if words[1] == "copy" else 2, *words)
    assert message in said and said.startswith("newsextract: ")
    assert said.count("\n") == 1 and [*tmp_path.iterdir()] == []


CALLS = [
    ("newsextract", []),
    *((f"newsextract {row.name}", [row.name]) for row in COMMANDS),
    *((f"newsextract {group.name} {row.name}", [group.name, row.name]) for group in COMMANDS for row in group.commands),
]


@pytest.mark.parametrize(("name", "words"), CALLS, ids=[name for name, _ in CALLS])
def test_help_of_every_command_has_its_example(command, name, words):
    result = command(*words, "--help")
    assert result.stderr == ""
    example = next(line for line in result.stdout.splitlines() if "Example: " in line).strip()
    assert example.startswith(f"Example: {name}")
    rows = (*COMMANDS, *(row for group in COMMANDS for row in group.commands))
    assert not words or example in {f"Example: {row.example}" for row in rows}


def test_version_is_printed_and_is_that_of_the_citation(command):
    assert command("--version").stdout == f"{VERSION}\n"
    assert f"\nversion: {VERSION}\n" in (CHECKOUT / "CITATION.cff").read_text()


def test_algorithms_lists_extractors_with_their_papers(command):
    result = command("algorithms")
    row = next(line for line in result.stdout.splitlines() if line.startswith("econ"))
    assert "APWeb 2010" in row
    assert re.search(r" no +0\.\d{3} +11 *$", row), "needs no peer; its mean F on the eleven sets"
