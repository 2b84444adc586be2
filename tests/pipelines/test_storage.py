"""What a crawl leaves in its database and its file, while it runs and after."""

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from newsextract.store import Store, UrlState
from tests.crawling import Answer, article, crawl, front, web


def wait_for_lines(path: Path, number: int, seconds: float = 60) -> int:
    """How many whole lines the file has as soon as it has that many, or at the end of the time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        lines = path.read_text("utf-8").count("\n") if path.exists() else 0
        if lines >= number:
            return lines
        time.sleep(0.1)
    return lines


def test_articles_are_in_the_file_while_the_crawl_still_runs(tmp_path: Path) -> None:
    seen_while_running: list[int] = []
    with web() as site:
        site["/"] = front("/a", "/b", "/last")
        for name in "ab":
            site[f"/{name}"] = article(f"Story {name}", f"Place {name}")

        def last() -> Answer:
            seen_while_running.append(wait_for_lines(tmp_path / "a.jsonl", 2))
            return Answer(article("The last story", "Tromsø"))

        site["/last"] = last
        settings = {"NEWSEXTRACT_JSONL": "a.jsonl", "DOWNLOAD_TIMEOUT": "90", "NEWSEXTRACT_EXTRACTOR": "econ"}
        done = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert seen_while_running == [2]
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert {line["url"] for line in lines} == done.urls
    assert len(lines) == 3


def test_a_changed_article_is_told_once_with_its_new_text_and_only_it_goes_to_the_feed(tmp_path: Path) -> None:
    settings = {"NEWSEXTRACT_JSONL": "a.jsonl", "NEWSEXTRACT_EXTRACTOR": "econ"}
    with web() as site:
        site["/"] = front("/a", "/b")
        for name in "ab":
            site[f"/{name}"] = article(f"Story {name}", f"Place {name}")
        crawl(tmp_path, "site", settings=settings, url=site.url)
        site["/a"] = article("Story a, corrected", "Place a")
        with closing(sqlite3.connect(tmp_path / "newsextract.db")) as database, database:  # the time of a later look
            database.execute("UPDATE urls SET next_due = '2026-01-01 00:00:00.000000' WHERE url LIKE '%/a'")
        crawl(tmp_path, "site", "-o", "feed.jsonl", settings=settings, url=site.url)
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert [line["change_kind"] for line in lines] == ["new", "new", "changed"]
    assert (lines[2]["headline"], lines[2]["version"]) == ("Story a, corrected", 2)
    (item,) = map(json.loads, (tmp_path / "feed.jsonl").read_text("utf-8").splitlines())
    assert item["url"] == f"{site.url}/a"


def test_a_crawl_into_postgresql_settles_every_page_it_read(tmp_path: Path, postgresql_url: str) -> None:
    with web() as site:
        site["/"] = front("/a", "/b", "/c")
        for name in "ab":
            site[f"/{name}"] = article(f"Story {name}", f"Place {name}")
        site["/c"] = "<html><body><p>Nothing to read.</p></body></html>"
        settings = {"NEWSEXTRACT_DATABASE_URL": postgresql_url, "NEWSEXTRACT_EXTRACTOR": "econ"}
        done = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert done.status == 0, done.stderr
    assert not (tmp_path / "newsextract.db").exists()
    with Store.open(postgresql_url, must_exist=True) as store:
        assert {row.article.url for row in store.articles()} == {f"{site.url}/a", f"{site.url}/b"}
        states = store.url_states()
    assert states[UrlState.stored] == 2
    assert states[UrlState.not_article] == 2
