"""What may happen to a crawl: kills, a word to stop. Nothing is lost, nothing is done twice."""

import signal
import threading
import time
from collections import Counter
from pathlib import Path

from benchmarks.killing import PATIENCE, Ordeal, wait_until
from newsextract.demo import Site, serve
from newsextract.store import Store, UrlState
from tests.crawling import Answer, article, front, web

SITE = Site(slow_seconds=0.5)


def test_a_crawl_that_is_killed_three_times_has_every_article_once_in_the_end(tmp_path: Path) -> None:
    with serve(SITE) as server:
        ordeal = Ordeal(tmp_path, server)
        for seconds in (0.2, 0.7, 1.2):
            ordeal.kill_after(seconds)
        ordeal.finish()
        assert ordeal.faults() == []


def test_a_crawl_that_is_told_to_stop_ends_within_8_seconds_and_goes_on_later(tmp_path: Path) -> None:
    stories = [f"/2026/05/0{n}/the-council-votes-on-pier-{n}.html" for n in range(1, 9)]
    answered = threading.Event()
    with web() as site:
        site["/"] = front(*stories)
        for n, path in enumerate(stories):
            site[path] = Answer(article(f"Story {n}", f"Place {n}"), before=answered.wait if n % 2 else None)
        ordeal = Ordeal(tmp_path, site)
        with ordeal.crawl() as process:
            wait_until(lambda: {*stories[1::2]} <= {*site.asked})
            told = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0, ordeal.log()
            assert time.monotonic() - told < 8
        with Store.open(ordeal.url) as store:
            assert UrlState.leased not in store.url_states()
        answered.set()
        ordeal.finish()
        with Store.open(ordeal.url) as store:
            assert {row.article.url for row in store.articles()} == {f"{site.url}{path}" for path in stories}
    assert {n for path, n in Counter(site.asked).items() if path in stories[1::2]} == {2}
    assert {n for path, n in Counter(site.asked).items() if path in stories[::2]} == {1}


def test_a_crawl_that_is_told_twice_to_stop_loses_nothing(tmp_path: Path) -> None:
    with serve(SITE) as server:
        ordeal = Ordeal(tmp_path, server)
        with ordeal.crawl() as process:
            wait_until(lambda: len(server.requests) > 30)
            process.send_signal(signal.SIGTERM)
            wait_until(lambda: "shutting down" in ordeal.log() or process.poll() is not None)
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
        ordeal.finish()
        assert ordeal.faults(more_fetches=1) == []
