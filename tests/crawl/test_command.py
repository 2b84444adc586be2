"""`scrapy crawl` as users and schedules meet it: exit status, one sentence, no traceback."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.crawling import QUICK, add_stories, article, crawl, crawl_command, environment, front, web


@pytest.mark.parametrize(
    ("spider", "options", "status", "sentence"),
    [
        ("sight", ["-a", "url=example.org"], 2, "There is no spider 'sight'; there are archive, feeds, site"),
        ("site", ["-a", "url=example.org", "-s", "NEWSEXTRACT_DATABASE_URL=sqlite:///no/db"], 1, "no/db"),
    ],
)
def test_command_reports_a_wrong_call_in_one_sentence(
    tmp_path: Path, spider: str, options: list[str], status: int, sentence: str
) -> None:
    done = crawl(tmp_path, spider, *options, quick=False)
    assert done.status == status
    assert sentence in done.stderr
    assert done.stderr.startswith("newsextract: ")
    assert done.stderr.count("\n") == 1


def test_command_fails_where_the_site_refuses_the_connection(tmp_path: Path) -> None:
    with web() as site:
        gone = site.url
    done = crawl(tmp_path, "site", url=gone)
    assert done.status == 1
    assert f"not crawled: {gone}: its host refuses the connection" in done.stderr
    assert "Nothing was crawled" in done.stderr
    assert "Traceback" not in done.stderr


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    with web() as site:
        add_stories(site, 2)
        plain = crawl(tmp_path, "site", url=site.url)
        command = crawl_command("site", settings={**QUICK, "DOWNLOAD_DELAY": "0.5"}, url=site.url)
        ours, theirs = pty.openpty()
        running = subprocess.Popen(command, cwd=tmp_path, env=environment(TERM="xterm", COLUMNS="200"), stderr=theirs)
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65536)
            except OSError:
                break
        os.close(ours)
        assert running.wait(timeout=300) == 0
    assert "\x1b[" not in plain.stderr
    assert all(" INFO " in line for line in plain.stderr.splitlines() if "queued" in line), "lines of the log alone"
    assert b"\x1b[" in shown
    assert b"queued" in shown
    assert b"unchanged" in shown


def test_command_takes_options_of_scrapy_and_logs_urls_not_pages(tmp_path: Path) -> None:
    with web() as site:
        site["/"] = front("/a")
        site["/a"] = article("The pier", "Bergen")
        done = crawl(tmp_path, "site", "-O", "-:jsonlines", "-L", "DEBUG", url=site.url)
    assert done.status == 0
    assert '"headline": "The pier"' in done.stdout
    assert "harbour" not in done.stderr
    assert f"Stored: {site.url}/a" in done.stderr


def test_command_crawls_again_from_scrapys_http_cache(tmp_path: Path) -> None:
    settings = {"HTTPCACHE_ENABLED": "1", "HTTPCACHE_DIR": str(tmp_path / "cache")}
    with web() as site:
        site["/"] = front("/story")
        site["/story"] = article("A bridge opens", "Bergen")
        assert crawl(tmp_path, "site", settings=settings, url=site.url).status == 0
        (tmp_path / "newsextract.db").unlink()
        site.asked.clear()
        again = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert [page["headline"] for page in again.articles] == ["A bridge opens"]
    assert site.asked == []
