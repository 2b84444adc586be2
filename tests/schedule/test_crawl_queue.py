"""Many sites in one process: a slow one keeps no other waiting, and a finished one is let go."""

import subprocess
import sys
import threading
from pathlib import Path

from newsextract.store import Store
from newsextract.store.lookup import count_articles
from tests.crawling import QUICK, Answer, article, environment
from tests.schedule.many_sites import many_sites

SITES, STORY = 5, "/news/2026/05/story"
#: Crawls one site at a time, and counts the crawlers that are still there after it.
CRAWL = f"""
import gc
from pathlib import Path
from scrapy.crawler import Crawler
from newsextract.schedule import crawl_queue
from newsextract.schedule.run import crawl_sites
crawl_queue.STALLED_AFTER, crawl_queue.CHECK_INTERVAL = 0.5, 0.1
overrides = {QUICK | {"NEWSEXTRACT_EXTRACTOR": "bte", "DOWNLOAD_TIMEOUT": 600}}
assert crawl_sites(Path("sites.toml"), overrides=overrides, parallel=1) == 0
gc.collect()
print(sum(type(each) is Crawler for each in gc.get_objects()))
"""


def test_site_that_does_not_answer_makes_room_for_another_and_finished_crawls_are_let_go(tmp_path: Path) -> None:
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
        done = subprocess.run(
            [sys.executable, "-c", CRAWL], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=300
        )
    assert done.returncode == 0, done.stderr
    assert in_time and all(in_time), "the other sites waited for the slow one"
    assert int(done.stdout) <= 2, f"of {SITES} crawls that ended, {done.stdout.strip()} are still in memory"
    with Store.open(f"sqlite:///{tmp_path / 'newsextract.db'}") as store:
        assert store.read(count_articles) == SITES
