"""Files of -o and -O: a run resumed after Ctrl-C or a kill continues its file; each article is there once."""

import csv
import json
import signal
import threading
from pathlib import Path

import pytest

from evaluation.crawling.kill import CRAWL_TIMEOUT, path_of, wait_until
from tests.crawling import STORIES, Answer, add_stories, crawl, json_lines, killed_crawl


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def urls_of(path: Path) -> list[str]:
    """The addresses in a file of CSV or JSON lines, in order."""
    rows = (rows_of if path.suffix == ".csv" else json_lines)(path) if path.exists() else []
    return [row["url"] for row in rows]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_run_that_goes_on_adds_to_its_feeds(tmp_path, site, stop):
    answered = threading.Event()
    feeds = ("out.csv", "out.jsonl")
    settings = json.dumps({name: {"format": name[4:], "overwrite": True} for name in feeds})
    stories = add_stories(site, 6)
    for path in stories[1::2]:
        site[path] = Answer(site.answer(path).body, before=answered.wait)
    killed = killed_crawl(tmp_path, site, FEEDS=settings)
    with killed.crawl() as process:
        wait_until(lambda: all(len(urls_of(tmp_path / name)) == 3 for name in feeds) or process.poll() is not None)
        process.send_signal(stop)
        process.wait(CRAWL_TIMEOUT)
    answered.set()
    killed.finish()
    for name in feeds:
        assert sorted(map(path_of, urls_of(tmp_path / name))) == stories, killed.log()
    assert all(len(row) == len(rows_of(tmp_path / "out.csv")[0]) for row in rows_of(tmp_path / "out.csv"))
    killed.finish()  # a new run replaces its files
    assert urls_of(tmp_path / "out.jsonl") == []


def test_run_that_goes_on_says_which_feed_it_writes_anew(tmp_path, site):
    add_stories(site, 2)
    settings = {"CLOSESPIDER_ITEMCOUNT": "1", "CONCURRENT_REQUESTS": "1"}
    options = ("-O", "out.json", "-O", "out.csv")
    (tmp_path / "out.csv").write_text("url\nhttps://example.org/of-another-crawl\n")
    one = crawl(tmp_path, "site", *options, url=site.url, settings=settings)
    assert one.stats["finish_reason"] == "closespider_itemcount"
    other = crawl(tmp_path, "site", *options, url=site.url)
    assert "starts anew" not in one.stderr
    assert "out.json starts anew and gets only the rest of the run" in other.stderr
    assert "out.csv starts anew" not in other.stderr
    assert {path_of(url) for url in urls_of(tmp_path / "out.csv")} == {*STORIES[:2]}


def test_appended_csv_has_one_header_and_its_columns(tmp_path, site):
    add_stories(site, 1)
    (tmp_path / "out.csv").write_text("mine,language,url\n1,no,https://example.org/older\n")
    crawl(tmp_path, "site", "-o", "out.csv", url=site.url)
    older, newer = rows_of(tmp_path / "out.csv")
    assert older == {"mine": "1", "language": "no", "url": "https://example.org/older"}
    assert newer == {"mine": "", "language": "en", "url": f"{site.url}{STORIES[0]}"}
