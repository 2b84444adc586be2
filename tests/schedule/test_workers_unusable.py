"""A schedule whose worker processes can't start: it ends soon, says why in a sentence, and nothing is lost by it."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from newsextract.store import Store, UrlState
from newsextract.store.lookup import read_status
from tests.crawling import QUICK, article, environment, front, web
from tests.store.samples import count_url_states

SITES, STORIES = 4, 2
PATHS = [f"/news/2026/05/story-{n}" for n in range(STORIES)]
#: What is wrong -> words of the sentence, and code that breaks a worker process at its start.
BROKEN = {
    "a package that is missing": ("import of turbohtml", "sys.modules['turbohtml'] = None"),
    "an end without a word": ("ended before it was ready", "import os; os._exit(7)"),
}
SETTINGS = {**QUICK, "NEWSEXTRACT_WORKERS": "2"}


@pytest.mark.parametrize("fault", BROKEN)
def test_schedule_whose_workers_cannot_start_ends_with_one_sentence_and_goes_on_later(
    tmp_path: Path, fault: str
) -> None:
    reason, code = BROKEN[fault]
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "sitecustomize.py").write_text(
        f"import sys\nif 'forkserver' in ' '.join(sys.orig_argv):\n    {code}\n"
    )
    options = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
    command = [sys.executable, "-P", "-m", "newsextract", "crawl", "sites.toml", *options]
    with ExitStack() as stack:
        sites = [stack.enter_context(web(f"127.0.0.{n + 2}")) for n in range(SITES)]
        for n, site in enumerate(sites):
            site["/"] = front(*PATHS)
            for path in PATHS:
                site[path] = article(f"Story at {path}", f"Place {n}")
        entries = (f'[sites.site-{n}]\nurl = "{site.url}/"\n' for n, site in enumerate(sites))
        (tmp_path / "sites.toml").write_text("\n".join(entries))
        broken = environment(PYTHONPATH=f"{tmp_path / 'broken'}:{environment()['PYTHONPATH']}")
        done = subprocess.run(
            command, cwd=tmp_path, env=broken, capture_output=True, text=True, timeout=300, check=False
        )
    assert done.returncode == 1, done.stderr
    [sentence] = [line for line in done.stderr.splitlines() if line.startswith("The crawl stops: ")]
    assert sentence.startswith("The crawl stops: no worker process can be started: ") and reason in sentence
    assert f"{SITES} of {SITES} sites continue at the next call" in done.stderr
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert store.read(count_url_states).keys() <= {UrlState.queued}
        assert {run.reason for run in store.read(read_status)[1]} == {"workers"}
        assert {run.finished_at for run in store.read(read_status)[1]} == {None}
