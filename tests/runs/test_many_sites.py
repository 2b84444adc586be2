"""Many sites in one process: none keeps another waiting, kills and broken workers lose nothing."""

import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from evaluation.crawling.kill import CRAWL_TIMEOUT, KilledCrawl, wait_until
from newsextract.health.status import read_status
from newsextract.store import UrlState
from newsextract.store.lookup import count_articles, find_versions
from tests import preloaded
from tests.crawling import (
    CHECKOUT,
    QUICK,
    Answer,
    Web,
    article,
    crawl_options,
    front,
    json_lines,
    run_command,
    webs,
)  # fmt: skip
from tests.store.samples import count_url_states

SITES = 4
STORY = "/news/2026/05/story"
#: Crawls one site at a time, and counts the crawlers that are still there after it.
CRAWL = f"""
import gc
from pathlib import Path
from scrapy.crawler import Crawler
from newsextract.runs import crawl_queue
from newsextract.runs.many_sites import crawl_sites
crawl_queue.STALLED_AFTER, crawl_queue.CHECK_INTERVAL = 0.5, 0.1
overrides = {QUICK | {"NEWSEXTRACT_EXTRACTOR": "bte", "DOWNLOAD_TIMEOUT": 600}}
assert crawl_sites(Path("sites.toml"), overrides=overrides, parallel=1) == 0
gc.collect()
print(sum(type(each) is Crawler for each in gc.get_objects()))
"""


@contextmanager
def many_sites(folder: Path, number: int, paths: Sequence[str]) -> Iterator[list[Web]]:
    """So many sites with stories at these paths; in the folder's sites.toml they are site-0, site-1 and so on."""
    with webs(number) as sites:
        for n, site in enumerate(sites):
            site["/"] = front(*paths)
            for path in paths:
                site[path] = article(f"Story of site {n} at {path}", f"Place {n} at {path}")
        entries = (f'[sites.site-{n}]\nurl = "{site.url}/"\n' for n, site in enumerate(sites))
        (folder / "sites.toml").write_text("".join(entries))
        yield sites


def test_site_that_does_not_answer_makes_room_for_another_and_finished_crawls_are_let_go(tmp_path, store):
    asked, in_time = threading.Event(), []

    def wait_for_the_others() -> Answer:
        in_time.append(asked.wait(250))
        return Answer("User-agent: *", content_type="text/plain")

    def story() -> Answer:
        asked.set()
        return Answer(article("The story", "Harbour"))

    with many_sites(tmp_path, SITES, [STORY]) as (slow, *others):
        slow["/robots.txt"] = wait_for_the_others
        others[-1][STORY] = story
        (tmp_path / "one_by_one.py").write_text(CRAWL)
        done = run_command(preloaded.command("one_by_one"), tmp_path)
    assert in_time and all(in_time), "the other sites waited for the slow one"
    assert int(done.stdout) <= 2, f"of {SITES} crawls that ended, {done.stdout.strip()} are still in memory"
    assert store.read(count_articles) == SITES


#: Crawls two sites at a time, each for a few answers while others wait.
IN_TURN = f"""
from pathlib import Path
from newsextract.runs import crawl_queue
from newsextract.runs.many_sites import crawl_sites
crawl_queue.TURN_ANSWERS, crawl_queue.CHECK_INTERVAL = 12, 0.05
assert crawl_sites(Path("sites.toml"), overrides={QUICK | {"NEWSEXTRACT_EXTRACTOR": "bte"}}, parallel=2) == 0
"""


def test_large_site_hands_its_place_on_while_others_wait_and_is_crawled_to_its_end(tmp_path, store):
    order = list[int]()

    def story(n: int, k: int) -> Answer:
        order.append(n)
        further = f"<a href='/news/2026/05/story-{k + 1}'>A further story of that day</a>"
        return Answer(article(f"Story {k} of site {n}", f"Place {n} at {k}", links=further if n < 2 else ""))

    with many_sites(tmp_path, SITES, []) as sites:
        for n, site in enumerate(sites):
            site["/"] = front("/news/2026/05/story-0")
            for k in range(60 if n < 2 else 1):
                site[f"/news/2026/05/story-{k}"] = partial(story, n, k)
        (tmp_path / "in_turn.py").write_text(IN_TURN)
        done = run_command(preloaded.command("in_turn"), tmp_path)
    assert {order.count(n) for n in (0, 1)} == {60}
    assert max(order.index(2), order.index(3)) < 100, "the small sites waited until a large one was done"
    assert "not finished: it makes room for waiting sites and continues later" in done.stderr
    assert store.read(count_articles) == 2 * 60 + 2
    assert {run.spider: run.reason for run in store.read(read_status)[1]} == {f"site-{n}": "finished" for n in range(4)}


PATHS = [f"/news/2026/05/story-{n}" for n in range(8)]
#: Requests for stories, of all sites together, at which the schedule is killed or stopped; 0: at its first of all.
MOMENTS = {0: signal.SIGKILL, 1: signal.SIGKILL, 9: signal.SIGTERM, 22: signal.SIGKILL, 4 * 8: signal.SIGKILL}
# The stories are nearly copies of each other: whether they are marked depends on which is first.
SETTINGS = {**QUICK, "CONCURRENT_REQUESTS_PER_DOMAIN": "2", "NEWSEXTRACT_DUPLICATES": "0"}


class Schedule(KilledCrawl):
    """The schedule, to be killed or stopped."""

    def command(self, **more: str) -> list[str]:
        words = ["crawl", "sites.toml", "--parallel", "2", *crawl_options(SETTINGS)]
        return [*preloaded.command("newsextract", safe_path=True), *words]


def test_schedule_killed_at_many_moments_stores_every_article_of_every_site_once(tmp_path, store):
    kills, schedule = 0, Schedule(tmp_path, None)
    with many_sites(tmp_path, SITES, PATHS) as sites:
        stories = {site.url + path for site in sites for path in PATHS}

        def asked() -> Counter[str]:
            return Counter(site.url + path for site in sites for path in [*site.asked])

        def is_at(process: "subprocess.Popen[str]", moment: int, before: int) -> bool:
            is_asked = asked().total() > before and len(stories & asked().keys()) >= moment
            return is_asked or process.poll() is not None

        for moment, end in MOMENTS.items():
            before = asked().total()
            with schedule.crawl() as process:
                wait_until(partial(is_at, process, moment, before))
                kills += process.poll() is None
                if end == signal.SIGTERM and process.poll() is None:
                    process.send_signal(end)
                    process.wait(CRAWL_TIMEOUT)
        with schedule.crawl() as process:
            status = process.wait(CRAWL_TIMEOUT)
        log = schedule.log()
        assert (status, kills >= len(MOMENTS) - 1) == (0, True), log[-3000:]
        assert "Traceback" not in log and "Warning:" not in log
        often = {url: number for url, number in asked().items() if url in stories and number > 1 + kills}
    assert often == {}
    assert Counter(row.article.url for row in store.articles()) == dict.fromkeys(stories, 1)
    assert {len(store.read(find_versions, url)) for url in stories} == {1}
    open_states = {UrlState.queued, UrlState.leased, UrlState.pending, UrlState.retried}
    assert not open_states & store.read(count_url_states).keys()
    runs = store.read(read_status)[1]
    assert {run.spider: run.reason for run in runs} == {f"site-{n}": "finished" for n in range(SITES)}
    assert len(runs) == SITES, "each site has one run, which goes on"
    assert Counter(line["url"] for line in json_lines(tmp_path / "articles.jsonl")) == dict.fromkeys(stories, 1)


#: What is wrong -> words of the sentence, and code that breaks a worker process at its start.
BROKEN = {
    "a package that is missing": ("turbohtml", "sys.modules['turbohtml'] = None"),
    "an end without a word": ("ended before it was ready", "import os; os._exit(7)"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_schedule_whose_workers_cannot_start_ends_with_one_sentence_and_goes_on_later(tmp_path, store, fault):
    reason, code = BROKEN[fault]
    (tmp_path / "broken").mkdir()
    code = f"import sys\nif 'forkserver' in ' '.join(sys.orig_argv):\n    {code}\n"
    (tmp_path / "broken" / "sitecustomize.py").write_text(code)
    options = crawl_options({**QUICK, "NEWSEXTRACT_WORKERS": "2"})
    command = [sys.executable, "-P", "-m", "newsextract", "crawl", "sites.toml", *options]
    with many_sites(tmp_path, SITES, [STORY]):
        done = run_command(command, tmp_path, status=1, PYTHONPATH=f"{tmp_path / 'broken'}:{CHECKOUT}")
    [sentence] = [line for line in done.stderr.splitlines() if line.startswith("The crawl stops: ")]
    assert sentence.startswith("The crawl stops: no worker process can be started: ") and reason in sentence
    assert f"{SITES} of {SITES} sites continue at the next call" in done.stderr
    assert store.read(count_url_states).keys() <= {UrlState.queued}
    assert {(run.reason, run.finished_at) for run in store.read(read_status)[1]} == {("workers", None)}
