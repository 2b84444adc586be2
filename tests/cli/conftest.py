"""The command `newsextract` in a process of its own, and in the test's process, which saves the start of Python."""

import io
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from newsextract.cli import main
from tests.sources import CHECKOUT

Result = subprocess.CompletedProcess[str]


@pytest.fixture
def variables() -> dict[str, str]:
    """The environment of the command in its own process."""
    return {**os.environ, "PYTHONPATH": str(CHECKOUT)}


@pytest.fixture
def newsextract(tmp_path, variables) -> Callable[..., Result]:
    """Runs `newsextract ARGUMENTS` in an empty folder; `given` is its stdin."""

    def run(*arguments: object, given: str = "", timeout: float = 60) -> Result:
        return subprocess.run(
            [sys.executable, "-P", "-m", "newsextract", *map(str, arguments)],
            cwd=tmp_path,
            env=variables,
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
        )

    return run


@pytest.fixture
def command(tmp_path, monkeypatch, capsys) -> Callable[..., Result]:
    """As `newsextract`, but in the test's own process."""

    def run(*arguments: object, given: str = "") -> Result:
        words = ["newsextract", *map(str, arguments)]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8"))
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return Result(words, int(end.value.code or 0), printed.out, printed.err)

    return run
