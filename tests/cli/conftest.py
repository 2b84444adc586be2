"""The command as its users start it, and the same without the second that a process takes to start."""

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
    """The environment of such a process."""
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

    def run(*arguments: object) -> Result:
        words = ["newsextract", *map(str, arguments)]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return Result(words, int(end.value.code or 0), said.out, said.err)

    return run
