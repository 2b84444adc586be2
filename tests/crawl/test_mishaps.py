"""What may go wrong around a crawl: full disks, servers that fail, a clock set back. Nothing is lost or done twice."""

import json
import resource
import signal
import time
from collections import Counter
from pathlib import Path

from evaluation.crawling.kill import CRAWL_TIMEOUT, KilledCrawl, wait_until
from newsextract.settings import ITEM_PIPELINES
from newsextract.store import JsonLines, Store, UrlState
from tests.crawling import Answer, Web, article, front, web

STORIES = [f"/2026/05/0{n}/the-council-votes-on-pier-{n}.html" for n in range(1, 9)]
SETTINGS = {"NEWSEXTRACT_EXTRACTOR": "bte", "NEWSEXTRACT_WORKERS": "0", "NEWSEXTRACT_PEER_WAIT": "0"}


def gazette(site: Web) -> None:
    """A front page and some stories."""
    site["/"] = front(*STORIES)
    for n, path in enumerate(STORIES):
        site[path] = article(f"Story {n}", f"Place {n}")


def told(folder: Path) -> list[str]:
    """The URLs of the JSON lines, each of which must be whole."""
    return [json.loads(line)["url"] for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]


def stored(killed: KilledCrawl) -> list[str]:
    with Store.open(killed.url) as store:
        return [row.article.url for row in store.articles()]


def test_a_full_disk_ends_the_crawl_soon_with_a_sentence_and_later_it_goes_on(tmp_path: Path, monkeypatch) -> None:
    with web() as site, web("127.0.0.2") as slow:
        gazette(site)
        slow["/"] = front("/last.html")
        slow["/robots.txt"] = Answer("User-agent: *\nCrawl-delay: 30\n", content_type="text/plain")
        expected = sorted(f"{site.url}{path}" for path in STORIES)
        site.url = f"{site.url},{slow.url}"
        settings = {**SETTINGS, "SPIDER_MODULES": "tests.crawl.mishaps"}
        killed = KilledCrawl(tmp_path, site, settings=settings)
        monkeypatch.setenv("MISHAP_ROOM", "1")
        begun = time.monotonic()
        with killed.crawl() as process:
            assert process.wait(CRAWL_TIMEOUT) == 1, killed.log()
        assert time.monotonic() - begun < 25, "a request that waits for its turn is not waited for"
        said = killed.log()
        assert "The crawl stopped early: " in said and "the disk is full, or the database has reached" in said
        assert "Traceback" not in said and "pending" not in said
        monkeypatch.delenv("MISHAP_ROOM")
        del slow.pages["/robots.txt"]
        killed.finish()
        assert sorted(stored(killed)) == sorted(told(tmp_path)) == expected


def test_a_full_disk_under_the_json_lines_is_told_and_no_line_is_torn(tmp_path: Path, postgresql_url: str) -> None:
    with web() as site:
        gazette(site)
        killed = KilledCrawl(tmp_path, site, postgresql_url, settings=SETTINGS)
        with killed.crawl() as process:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (5_000, 5_000))
            assert process.wait(CRAWL_TIMEOUT) == 1, killed.log()
        assert "articles.jsonl: JSON lines can't be written there (File too large)" in killed.log()
        assert len(told(tmp_path)) < len(STORIES)
        with Store.open(killed.url) as store:
            JsonLines(store, tmp_path / "articles.jsonl").write()  # as the next crawl does
        assert sorted(told(tmp_path)) == sorted(stored(killed))


def test_a_server_that_fails_every_second_time_and_a_clock_set_back_an_hour_cost_nothing(
    tmp_path: Path, monkeypatch
) -> None:
    with web() as site:
        gazette(site)
        tried: Counter[str] = Counter()

        def every_second_time(path: str, page: str) -> Answer:
            tried[path] += 1
            return Answer("broken", 500) if tried[path] % 2 else Answer(page)

        for path in ("/", *STORIES):
            page = site.answer(path).body
            site[path] = lambda path=path, page=page: every_second_time(path, page)
        killed = KilledCrawl(tmp_path, site, settings={**SETTINGS, "SPIDER_MODULES": "tests.crawl.mishaps"})
        monkeypatch.setenv("MISHAP_LOOKS", "15")
        killed.finish()
        assert sorted(stored(killed)) == sorted(told(tmp_path)) == sorted(f"{site.url}{path}" for path in STORIES)
        assert {tried[path] for path in ("/", *STORIES)} == {2}, "once more for the failure, and never again"


def test_a_crawl_in_which_something_never_ends_is_left_within_8_seconds_when_told_to_stop(tmp_path: Path) -> None:
    with web() as site:
        gazette(site)
        site["/"] = front("/forever", *STORIES)
        site["/forever"] = article("Story", "Place")
        endless = json.dumps({**ITEM_PIPELINES, "tests.crawl.odd.EndlessPipeline": 600})
        killed = KilledCrawl(tmp_path, site, settings={**SETTINGS, "ITEM_PIPELINES": endless})
        with killed.crawl() as process:
            wait_until(lambda: (tmp_path / "articles.jsonl").exists() and len(told(tmp_path)) == len(STORIES))
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(CRAWL_TIMEOUT) == 0, killed.log()
            assert time.monotonic() - begun < 8
        assert "The crawl did not close in time" in killed.log()
        with Store.open(killed.url) as store:
            assert [*store.urls_in(UrlState.queued)] == [f"{site.url}/forever"]
