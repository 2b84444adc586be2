"""A schedule that is killed or stopped in the middle and started again: nothing is lost, nothing is stored twice."""

import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from evaluation.crawling.kill import CRAWL_TIMEOUT, wait_until
from evaluation.crawling.workers import ROBOTS
from newsextract.demo import Site
from newsextract.store import Store, UrlState
from newsextract.store.lookup import find_versions, read_status
from tests import preloaded
from tests.crawling import QUICK, Answer, Web, environment, front, web
from tests.store.samples import count_url_states

SITES, STORIES = 4, 12
#: Requests for stories, of all sites together, at which the schedule is killed or stopped; 0: at its first of all.
MOMENTS = {0: signal.SIGKILL, 1: signal.SIGKILL, 9: signal.SIGTERM, 33: signal.SIGKILL, SITES * STORIES: signal.SIGKILL}
SETTINGS = {**QUICK, "CONCURRENT_REQUESTS_PER_DOMAIN": "2"}
COMMAND = ["crawl", "sites.toml", "--parallel", "2"]


def add_pages(site: Web, demo: Site, stories: list[str]) -> None:
    """A front page and a feed, which both name the stories: articles of the demonstration site, which differ from each
    other as those of `tests.crawling.article` do not."""
    site["/"] = front(*stories, head="<link rel=alternate type=application/rss+xml href=/feed.xml>")
    items = "".join(f"<item><link>{site.url}{path}</link></item>" for path in stories)
    feed = f"<rss version='2.0'><channel><title>The Gazette</title>{items}</channel></rss>"
    site["/feed.xml"] = Answer(feed, content_type="application/rss+xml")
    site["/robots.txt"] = Answer(ROBOTS, content_type="text/plain")
    for path in stories:
        site[path] = Answer(demo.page(path, base=site.url).body)


@contextmanager
def running(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """The schedule in its own process group, killed at the end of the block if it still runs."""
    words = [*preloaded.command("newsextract", safe_path=True), *COMMAND]
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


def end_when(folder: Path, condition: Callable[[], object], end: signal.Signals) -> bool:
    """Runs the schedule and ends it as soon as the condition holds; whether it ran until then."""
    with running(folder) as process:
        wait_until(lambda: condition() or process.poll() is not None)
        was_running = process.poll() is None
        if was_running and end == signal.SIGTERM:
            process.send_signal(end)
            process.wait(CRAWL_TIMEOUT)
    return was_running


def test_schedule_killed_at_many_moments_stores_every_article_of_every_site_once(tmp_path: Path) -> None:
    demo = Site(extra=SITES * STORIES)
    paths = [story.path for story in demo.publications["load"].stories]
    with ExitStack() as stack:
        sites = [stack.enter_context(web(f"127.0.0.{n + 2}")) for n in range(SITES)]
        names = [f"site-{n}" for n in range(SITES)]
        for n, site in enumerate(sites):
            add_pages(site, demo, paths[n::SITES])
        stories = {site.url + path for n, site in enumerate(sites) for path in paths[n::SITES]}
        entries = (f'[sites.{name}]\nurl = "{site.url}/"\n' for site, name in zip(sites, names, strict=True))
        (tmp_path / "sites.toml").write_text("\n".join(entries))

        def asked() -> Counter[str]:
            return Counter(site.url + path for site in sites for path in [*site.asked])

        kills = 0
        for moment, end in MOMENTS.items():
            before = asked().total()
            kills += end_when(
                tmp_path,
                lambda: asked().total() > before and len(stories & asked().keys()) >= moment,  # noqa: B023
                end,
            )
        log = (tmp_path / "log").read_text()
        assert kills >= len(MOMENTS) - 1, log[-3000:]
        with running(tmp_path) as process:
            status = process.wait(CRAWL_TIMEOUT)
        log = (tmp_path / "log").read_text()
        assert status == 0, log[-3000:]
        assert "Traceback" not in log and "Warning:" not in log
        often = {url: number for url, number in asked().items() if url in stories and number > 1 + kills}
    assert often == {}
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert Counter(row.article.url for row in store.articles()) == dict.fromkeys(stories, 1)
        assert {len(store.read(find_versions, url)) for url in stories} == {1}
        assert (
            not {UrlState.queued, UrlState.leased, UrlState.pending, UrlState.retried}
            & store.read(count_url_states).keys()
        )
        runs = store.read(read_status)[1]
    assert {run.spider: run.reason for run in runs} == dict.fromkeys(names, "finished")
    assert len(runs) == SITES, "each site has one run, which goes on"
    lines = [json.loads(line) for line in (tmp_path / "articles.jsonl").read_text().splitlines()]
    assert Counter(line["url"] for line in lines) == dict.fromkeys(stories, 1)
