"""Many sites in one process: a slow one keeps no other waiting, a finished one is let go, a stopped one goes on."""

import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scrapy import Spider
from scrapy.crawler import Crawler

from evaluation.crawling.kill import wait_until
from newsextract.crawl.engine import is_only_scraping
from newsextract.schedule.crawl_queue import STALLED_AFTER, OpenCrawl
from newsextract.store import Store
from newsextract.store.admin import check_integrity
from newsextract.store.lookup import count_articles
from tests import preloaded
from tests.crawling import QUICK, Answer, Web, article, environment, front, web

SETTINGS = {**QUICK, "NEWSEXTRACT_EXTRACTOR": "bte"}
SET = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
#: Counts the crawlers that are still there after a schedule.
COUNT_CRAWLERS = f"""
import gc
from pathlib import Path
from scrapy.crawler import Crawler
from newsextract.schedule.run import crawl_sites
crawl_sites(Path("sites.toml"), overrides={SETTINGS}, parallel=2)
gc.collect()
print(sum(type(each) is Crawler for each in gc.get_objects()))
"""


@contextmanager
def serve(folder: Path, sites: int, stories: int) -> Iterator[list[Web]]:
    """Serves sites with so many stories each, and writes a file of them."""
    with ExitStack() as stack:
        webs = [stack.enter_context(web(f"127.0.0.{number + 2}")) for number in range(sites)]
        for number, site in enumerate(webs):
            paths = [f"/news/2026/05/story-{number}-{n}" for n in range(stories)]
            site["/"] = front(*paths)
            for path in paths:
                site[path] = article(f"Story at {path}", f"Place {path}")
        entries = (f'[sites.site-{number}]\nurl = "{site.url}/"\n' for number, site in enumerate(webs))
        (folder / "sites.toml").write_text("".join(entries))
        yield webs


def start(folder: Path, *options: str) -> "subprocess.Popen[str]":
    command = [*preloaded.command("newsextract", safe_path=True), "crawl", "sites.toml", *SET, *options]
    return subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True)


def test_site_that_does_not_answer_makes_room_for_another(tmp_path: Path) -> None:
    asked, in_time = threading.Event(), []
    with serve(tmp_path, 2, 1) as (slow, quick):

        def wait_for_the_other() -> Answer:
            in_time.append(asked.wait(250))
            return Answer("User-agent: *", content_type="text/plain")

        def story() -> Answer:
            asked.set()
            return Answer(article("The story", "Harbour"))

        slow.pages["/robots.txt"] = wait_for_the_other
        quick.pages["/news/2026/05/story-1-0"] = story
        process = start(tmp_path, "--parallel", "1", "--set", "DOWNLOAD_TIMEOUT=600")
        _, log = process.communicate(timeout=300)
    assert process.returncode == 0, log
    assert all(in_time), "the quick site waited for the slow one"
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert store.read(count_articles) == 2


def test_schedule_that_is_stopped_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    stopped = threading.Event()
    with serve(tmp_path, 5, 4) as sites:
        for number, site in enumerate(sites):
            late = f"/news/2026/05/story-{number}-3"
            site[late] = Answer(article(f"Story at {late}", f"Place {late}"), before=stopped.wait)
        process = start(tmp_path, "--parallel", "2")
        wait_until(
            lambda: any("story" in path for site in sites for path in [*site.asked]) or process.poll() is not None
        )
        with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}", read_only=True) as store:
            wait_until(lambda: store.read(count_articles) or process.poll() is not None)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=300)
        stopped.set()
        with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
            assert 0 < store.read(count_articles) < 20, log
        _, log = start(tmp_path).communicate(timeout=300)
        asked = Counter(path for site in sites for path in site.asked if "story" in path)
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert {row.article.url.rpartition("/")[2] for row in store.articles()} == {
            path.rpartition("/")[2] for path in asked
        }, log
        assert store.read(count_articles) == 20
        assert store.read(check_integrity) == []


def test_finished_crawl_is_let_go(tmp_path: Path) -> None:
    with serve(tmp_path, 5, 1):
        done = subprocess.run(
            [sys.executable, "-c", COUNT_CRAWLERS],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
    assert int(done.stdout) <= 2, f"of 5 crawls that ended, {done.stdout.strip()} are still in memory"


def test_crawl_that_has_not_begun_is_not_at_work() -> None:
    crawler = Crawler(Spider)
    assert not is_only_scraping(crawler)
    assert OpenCrawl("courier", crawler, now=0.0).is_stalled(STALLED_AFTER + 1)
