"""The command line as a whole: output that cannot be written, streams that are closed, tables that are read in part."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

#: Commands whose output is written by print, by rich and by typer.
WORDS = ("schema", "algorithms", "--help")


def shell(line: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Runs a line of sh, in which NE is the command."""
    line = line.replace("NE ", f"'{sys.executable}' -P -m newsextract ")
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=variables, timeout=120, check=False)


@pytest.mark.parametrize("words", WORDS)
def test_full_disk_is_said_in_one_sentence(variables: dict[str, str], words: str) -> None:
    ended = shell(f"NE {words} > /dev/full", variables)
    assert (ended.returncode, ended.stderr) == (
        1,
        "newsextract: the output can't be written: No space left on device\n",
    )


def test_closed_streams_are_said_in_one_sentence(variables: dict[str, str]) -> None:
    ended = shell("NE schema >&-", variables)
    assert ended.returncode == 2
    assert ended.stderr == "newsextract: standard output is closed; send unwanted results to /dev/null\n"
    ended = shell("NE extract - <&-", variables)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "newsextract: - isn't an HTML page (empty)\n"


def test_reader_that_ends_early_is_no_error(variables: dict[str, str]) -> None:
    ended = shell("NE schema | head -c 5", variables)
    assert (len(ended.stdout), ended.stderr) == (5, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["db", "prune", "--keep", "1d", "--pages", "none"], "--pages none isn't a folder"),
        (
            ["export", "--cursor-file", "none/cursor"],
            "the cursor file none/cursor can't be written: there is no folder",
        ),
        (["crawl", "http://example.org/\udcff"], "holds characters that could not be read"),
        (["extract", ""], "'' can't be read"),
        (["db", "copy", "none.db", "copy.db"], "none.db: there is no such database"),
    ],
)
def test_wrong_call_is_one_line(command: Any, tmp_path: Path, words: list[str], message: str) -> None:
    ended = command(*words)
    assert ended.returncode in (1, 2) and ended.stdout == ""
    assert message in ended.stderr and ended.stderr.startswith("newsextract: ")
    assert ended.stderr.count("\n") == 1 and [*tmp_path.iterdir()] == []
