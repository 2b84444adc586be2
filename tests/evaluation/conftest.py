"""Small corpora written for these tests (no page of a real corpus), and the command line in the test's own process."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from evaluation.__main__ import main
from tests.evaluation.crawling.saved_site import write_site
from tests.evaluation.demo_corpus import write_rows

WriteCorpus = Callable[..., Path]


@pytest.fixture
def write_corpus(tmp_path) -> WriteCorpus:
    """Writes a corpus folder of rows, each with its page's HTML under `html`."""
    return lambda *rows, name="village": write_rows(tmp_path / name, *rows)


@pytest.fixture
def village(write_corpus) -> Path:
    """A corpus of three pages that are nothing but their text."""
    texts = ("One two three four.", "Five six seven eight.", "Nine ten eleven twelve.")
    return write_corpus(*[{"id": f"p{i}", "text": text, "html": text} for i, text in enumerate(texts)])


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder of a saved site named gazette."""
    return write_site(tmp_path / "gazette")


@pytest.fixture
def bench(run_here) -> Callable[..., CompletedProcess[str]]:
    """Runs `scripts/bench ARGUMENTS` in this process, in the test's folder; `status`: its exit status."""
    return partial(run_here, main, "scripts/bench")
