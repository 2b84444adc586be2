"""A crawl whose database or disk fails: nothing is lost, and no line is torn."""

import resource
from pathlib import Path

import pytest

from evaluation.crawling.kill import CRAWL_TIMEOUT, KilledCrawl
from newsextract.store import JsonLines, Store
from tests.crawling import STORIES, Answer, add_stories, front, json_lines, killed_crawl, web

#: The stories differ in a few words, and what is found to be no copy at the end would get a second line.
SETTINGS = {"NEWSEXTRACT_EXTRACTOR": "bte", "NEWSEXTRACT_WORKERS": "0", "NEWSEXTRACT_DUPLICATES": "0"}


def exported(folder: Path) -> list[str]:
    return [line["url"] for line in json_lines(folder / "articles.jsonl")]


def stored(store: Store) -> list[str]:
    return [row.article.url for row in store.articles()]


def test_database_on_a_full_disk_stops_the_crawl_and_a_later_one_goes_on(tmp_path, store, monkeypatch):
    with web() as site, web("127.0.0.2") as slow:
        add_stories(site, len(STORIES))
        slow["/"] = front("/last.html")
        slow["/robots.txt"] = Answer("User-agent: *\nCrawl-delay: 30\n", content_type="text/plain")
        expected = sorted(f"{site.url}{path}" for path in STORIES)
        site.url = f"{site.url},{slow.url}"
        killed = killed_crawl(tmp_path, site, **SETTINGS, SPIDER_MODULES="tests.crawl.faulty_database")
        monkeypatch.setenv("FAULTY_DATABASE_PAGES", "1")
        with killed.crawl() as process:
            assert process.wait(CRAWL_TIMEOUT) == 1, killed.log()
        assert "/last.html" not in slow.asked, "a request that waits for its turn is not waited for"
        log = killed.log()
        assert "The crawl stopped early: " in log and "the disk is full, or the database is at its size limit" in log
        assert "Traceback" not in log and "pending" not in log
        monkeypatch.delenv("FAULTY_DATABASE_PAGES")
        del slow.pages["/robots.txt"]
        killed.finish()
        assert sorted(stored(store)) == sorted(exported(tmp_path)) == expected


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_json_lines_on_a_full_disk_stop_the_crawl_and_no_line_is_torn(tmp_path, site, database_url, store):
    add_stories(site, len(STORIES))
    killed = KilledCrawl(tmp_path, site, database_url, settings=SETTINGS)
    with killed.crawl() as process:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (5_000, 5_000))
        assert process.wait(CRAWL_TIMEOUT) == 1, killed.log()
    assert "articles.jsonl: can't be written (File too large)" in killed.log()
    assert len(exported(tmp_path)) < len(STORIES)
    JsonLines(store, tmp_path / "articles.jsonl").write()  # as the next crawl does
    assert sorted(exported(tmp_path)) == sorted(stored(store))
