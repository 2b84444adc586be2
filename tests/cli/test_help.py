"""What the command says of itself, and how it answers a wrong call."""

import re

import pytest

from newsextract.cli.app import COMMANDS, DB_COMMANDS
from newsextract.version import VERSION
from tests.sources import CHECKOUT

CALLS = [
    ("newsextract", []),
    *((f"newsextract {row.name}", [row.name]) for row in COMMANDS),
    ("newsextract db", ["db"]),
    *((f"newsextract db {row.name}", ["db", row.name]) for row in DB_COMMANDS),
]


@pytest.mark.parametrize(("name", "words"), CALLS, ids=[name for name, _ in CALLS])
def test_help_of_every_command_has_its_example(command, name, words):
    result = command(*words, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    example = next(line for line in result.stdout.splitlines() if "Example: " in line).strip()
    assert example.startswith(f"Example: {name}")
    expected = {f"Example: {row.example}" for row in (*COMMANDS, *DB_COMMANDS)}
    assert not words or words == ["db"] or example in expected


def test_version_is_printed_and_is_that_of_the_citation(command):
    assert command("--version").stdout == f"{VERSION}\n"
    assert f"\nversion: {VERSION}\n" in (CHECKOUT / "CITATION.cff").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ["nosuch"],
        ["extract"],
        ["extract", "page.html", "--format", "xml"],
        ["export", "--since", "x"],
        ["export", "--since", "-1"],
        ["export", "--since", "1", "--cursor-file", "c"],
        ["export", "--database", "mysql://somewhere/news"],
        ["demo", "--port", "99999"],
    ],
    ids=" ".join,
)
def test_wrong_call_is_a_sentence_and_status_2(command, words):
    result = command(*words)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr
    assert "Traceback" not in result.stderr


def test_algorithms_lists_extractors_with_their_papers(command):
    result = command("algorithms")
    assert result.returncode == 0
    row = next(line for line in result.stdout.splitlines() if line.startswith("econ"))
    assert "APWeb 2010" in row
    assert re.search(r" no +0\.\d{3} +11 *$", row), "needs no peer; its mean F on the eleven sets"
