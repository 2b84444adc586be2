"""A schedule that is killed or stopped in the middle and started again: nothing is lost, nothing is stored twice."""

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.crawling.kill import CRAWL_TIMEOUT, wait_until
from newsextract.store import Store, UrlState
from newsextract.store.lookup import find_versions, read_status
from tests import preloaded
from tests.crawling import QUICK, environment, json_lines
from tests.schedule.many_sites import many_sites
from tests.store.samples import count_url_states

SITES, PATHS = 4, [f"/news/2026/05/story-{n}" for n in range(8)]
#: Requests for stories, of all sites together, at which the schedule is killed or stopped; 0: at its first of all.
MOMENTS = {0: signal.SIGKILL, 1: signal.SIGKILL, 9: signal.SIGTERM, 22: signal.SIGKILL, 4 * 8: signal.SIGKILL}
# The stories are nearly copies of each other: whether they are marked depends on which is first.
SETTINGS = {**QUICK, "CONCURRENT_REQUESTS_PER_DOMAIN": "2", "NEWSEXTRACT_DUPLICATES": "0"}


@contextmanager
def running(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """The schedule in its own process group, killed at the end of the block if it still runs."""
    words = [*preloaded.command("newsextract", safe_path=True), "crawl", "sites.toml", "--parallel", "2"]
    words += [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(
            words, cwd=folder, env=environment(), stdout=log, stderr=log, text=True, process_group=0
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def test_schedule_killed_at_many_moments_stores_every_article_of_every_site_once(tmp_path: Path) -> None:
    kills = 0
    with many_sites(tmp_path, SITES, PATHS) as sites:
        stories = {site.url + path for site in sites for path in PATHS}

        def asked() -> Counter[str]:
            return Counter(site.url + path for site in sites for path in [*site.asked])

        def wait_for(process: "subprocess.Popen[str]", moment: int, before: int) -> None:
            wait_until(
                lambda: (
                    process.poll() is not None or (asked().total() > before and len(stories & asked().keys()) >= moment)
                )
            )

        for moment, end in MOMENTS.items():
            before = asked().total()
            with running(tmp_path) as process:
                wait_for(process, moment, before)
                kills += process.poll() is None
                if end == signal.SIGTERM and process.poll() is None:
                    process.send_signal(end)
                    process.wait(CRAWL_TIMEOUT)
        with running(tmp_path) as process:
            status = process.wait(CRAWL_TIMEOUT)
        log = (tmp_path / "log").read_text()
        assert (status, kills >= len(MOMENTS) - 1) == (0, True), log[-3000:]
        assert "Traceback" not in log and "Warning:" not in log
        often = {url: number for url, number in asked().items() if url in stories and number > 1 + kills}
    assert often == {}
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert Counter(row.article.url for row in store.articles()) == dict.fromkeys(stories, 1)
        assert {len(store.read(find_versions, url)) for url in stories} == {1}
        open_states = {UrlState.queued, UrlState.leased, UrlState.pending, UrlState.retried}
        assert not open_states & store.read(count_url_states).keys()
        runs = store.read(read_status)[1]
    assert {run.spider: run.reason for run in runs} == {f"site-{n}": "finished" for n in range(SITES)}
    assert len(runs) == SITES, "each site has one run, which goes on"
    assert Counter(line["url"] for line in json_lines(tmp_path / "articles.jsonl")) == dict.fromkeys(stories, 1)
