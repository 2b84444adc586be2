"""A schedule whose worker processes can't start: it ends soon, says why in a sentence, and nothing is lost by it."""

import subprocess
import sys
from pathlib import Path

import pytest

from newsextract.store import Store, UrlState
from newsextract.store.lookup import read_status
from tests.crawling import QUICK, environment
from tests.schedule.many_sites import many_sites
from tests.store.samples import count_url_states

SITES = 4
#: What is wrong -> words of the sentence, and code that breaks a worker process at its start.
BROKEN = {
    "a package that is missing": ("import of turbohtml", "sys.modules['turbohtml'] = None"),
    "an end without a word": ("ended before it was ready", "import os; os._exit(7)"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_schedule_whose_workers_cannot_start_ends_with_one_sentence_and_goes_on_later(
    tmp_path: Path, fault: str
) -> None:
    reason, code = BROKEN[fault]
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "sitecustomize.py").write_text(
        f"import sys\nif 'forkserver' in ' '.join(sys.orig_argv):\n    {code}\n"
    )
    options = [part for setting in {**QUICK, "NEWSEXTRACT_WORKERS": "2"}.items() for part in ("-s", "=".join(setting))]
    command = [sys.executable, "-P", "-m", "newsextract", "crawl", "sites.toml", *options]
    broken = environment(PYTHONPATH=f"{tmp_path / 'broken'}:{environment()['PYTHONPATH']}")
    with many_sites(tmp_path, SITES, ["/news/2026/05/story"]):
        done = subprocess.run(
            command, cwd=tmp_path, env=broken, capture_output=True, text=True, timeout=300, check=False
        )
    assert done.returncode == 1, done.stderr
    [sentence] = [line for line in done.stderr.splitlines() if line.startswith("The crawl stops: ")]
    assert sentence.startswith("The crawl stops: no worker process can be started: ") and reason in sentence
    assert f"{SITES} of {SITES} sites continue at the next call" in done.stderr
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert store.read(count_url_states).keys() <= {UrlState.queued}
        assert {(run.reason, run.finished_at) for run in store.read(read_status)[1]} == {("workers", None)}
