"""Fixtures of report tests: chromium, and two pages of one template."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from newsextract import Page
from newsextract.demo import Site

#: The browser sends no requests of its own, so that every request is the page's.
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
).split()
BASE = "https://courier.example"


@pytest.fixture
def dom(tmp_path) -> Callable[..., str]:
    """Opens a file in chromium and returns the DOM after its scripts have run."""

    def opened(file: Path, fragment: str = "") -> str:
        program = shutil.which("chromium")
        profile = tmp_path / "profile"
        shutil.rmtree(profile, ignore_errors=True)
        command = [program, *FLAGS, f"--user-data-dir={profile}", "--dump-dom", f"{file.as_uri()}{fragment}"]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300)
        assert "<html" in done.stdout, done.stderr
        return done.stdout

    return opened


@pytest.fixture(scope="session")
def story() -> tuple[Page, Page]:
    """Two articles of one template of the demonstration site."""
    site = Site()
    paths = [gold.path for gold in site.gold() if gold.template == "broadsheet"]
    first, second = (Page(site.page(path, base=BASE).body, BASE + path) for path in (paths[2], paths[5]))
    return first, second
