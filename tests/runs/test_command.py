"""Scrapy's commands with our spiders, as users and schedules meet them: exit status, one sentence, no traceback."""

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from newsextract.crawl.engine import NEEDED, OPTIONAL
from tests import preloaded
from tests.crawling import (
    QUICK,
    Crawled,
    Finished,
    add_stories,
    article,
    crawl,
    crawl_command,
    environment,
    front,
    run_command,
    web,
)


@pytest.mark.parametrize(
    ("spider", "options", "status", "sentence"),
    [
        ("sight", ["-a", "url=example.org"], 2, "there is no spider 'sight'; there are archive, feeds, pages, site"),
        ("site", ["-a", "url=example.org", "-s", "NEWSEXTRACT_DATABASE_URL=sqlite:///no/db"], 1, "no/db"),
        ("site", ["-a", "url=example.org", "-s", "STATS_CLASS=none"], 2, "Error loading object 'none'"),
    ],
)
def test_command_reports_a_wrong_call_in_one_sentence(tmp_path, spider, options, status, sentence):
    done = crawl(tmp_path, spider, *options, quick=False, status=status)
    assert sentence in done.stderr
    assert done.stderr.startswith("newsextract: ")
    assert done.stderr.count("\n") == 1


def test_progress_is_shown_on_a_terminal_only(tmp_path, site):
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


def test_command_takes_options_of_scrapy_logs_urls_not_pages_and_crawls_again_from_scrapys_http_cache(tmp_path, site):
    settings = {"HTTPCACHE_ENABLED": "1", "HTTPCACHE_DIR": str(tmp_path / "cache")}
    site["/"] = front("/a")
    site["/a"] = article("The pier", "Bergen")
    done = crawl(tmp_path, "site", "-O", "-:jsonlines", "-L", "DEBUG", settings=settings, url=site.url)
    assert '"headline": "The pier"' in done.stdout
    assert "harbour" not in done.stderr
    assert f"Stored: {site.url}/a" in done.stderr
    (tmp_path / "newsextract.db").unlink()
    site.asked.clear()
    again = crawl(tmp_path, "site", settings=settings, url=site.url)
    assert [page["headline"] for page in again.articles] == ["The pier"]
    assert site.asked == []


#: A spider of ours with a contract, as a project of a reader's own may have one.
CONTRACT = '''
from newsextract.spiders.base import NewsSpider

class PageSpider(NewsSpider):
    name = "pages"

    def parse_page(self, response):
        """A page that is not fetched in crawls.

        @url {url}
        @returns items 2 2
        @scrapes url body
        """
        yield from super().parse_page(response)
'''


def scrapy(folder: Path, *words: str, private: str = "1", status: int | None = 0, **variables: str) -> Finished:
    command = [*preloaded.command("scrapy"), *words, "-s", f"NEWSEXTRACT_ALLOW_PRIVATE={private}"]
    return run_command(command, folder, status, **variables)


def test_parse_shows_the_article_and_the_links_of_a_page_and_stores_nothing(tmp_path, site):
    site["/story"] = article("A bridge opens", "Bergen", links="<a href=/other>Another story of the day</a>")
    done = scrapy(tmp_path, "parse", "--spider=site", "--nocolour", f"{site.url}/story")
    saved = scrapy(tmp_path, "parse", "--noitems", "--nolinks", "-o", "story.csv", f"{site.url}/story")
    assert "'headline': 'A bridge opens'" in done.stdout
    assert f"<GET {site.url}/other>" in done.stdout
    assert "Deprecation" not in done.stderr and "ERROR" not in done.stderr
    assert "A bridge opens" in (tmp_path / "story.csv").read_text(), saved.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["story.csv"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["http://127.0.0.1:9/", "-a", "depth=1"], "takes no argument 'depth'"),
        (["http://127.0.0.1:9/", "-s", "NEWSEXTRACT_EXTRACTOR=fuson"], "did you mean fusion?"),
    ],
)
def test_parse_names_what_is_wrong_in_one_sentence(tmp_path, words, sentence):
    done = scrapy(tmp_path, "parse", *words, status=2)
    assert sentence in done.stderr.splitlines()[-1]


def test_shell_has_the_article_of_the_response(tmp_path, site):
    site["/story"] = article("A bridge opens", "Bergen")
    done = scrapy(tmp_path, "shell", f"{site.url}/story", "-c", "article().headline")
    refused = scrapy(tmp_path, "shell", f"{site.url}/story", "-c", "article().headline", private="0", status=2)
    assert done.stdout.strip() == "A bridge opens", done.stderr
    assert "there is no response" in refused.stderr
    assert site.asked.count("/story") == 1
    assert list(tmp_path.iterdir()) == []


def test_check_runs_the_contracts_of_spiders_and_stores_nothing(tmp_path, site):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").touch()
    site["/"] = front("/story")
    (tmp_path / "own" / "pages.py").write_text(CONTRACT.format(url=site.url))
    done = scrapy(tmp_path, "check", "-s", "SPIDER_MODULES=own", PYTHONDONTWRITEBYTECODE="1", status=None)
    assert done.returncode == 1, done.stderr
    assert "Ran 2 contracts" in done.stderr and "failures=1" in done.stderr, "there is one item"
    assert [path.name for path in tmp_path.iterdir()] == ["own"]


def crawl_with_changed_scrapy(folder: Path, names: list[str], status: int) -> tuple[Crawled, list[str]]:
    """A crawl of three stories by a Scrapy that has renamed these attributes, and what was requested."""
    with web() as site:
        site["/"] = front(*add_stories(site)[:3])
        settings = {"SPIDER_MODULES": "tests.crawl.changed_scrapy"}
        env = {"RENAMED": " ".join(names)}
        return crawl(folder, "site", settings=settings, url=site.url, status=status, env=env), site.asked


@pytest.mark.parametrize(("subject", "path"), [(subject, path) for subject in NEEDED for path in NEEDED[subject]])
def test_crawl_is_refused_by_a_scrapy_without_a_private_name_that_politeness_needs(tmp_path, subject, path):
    done, asked = crawl_with_changed_scrapy(tmp_path, [path.split(".")[-1]], status=1)
    assert f"Scrapy changed {path} of its {subject}, which newsextract needs {NEEDED[subject][path]}" in done.stderr
    assert not asked


def test_crawl_does_without_all_other_private_names_of_scrapy(tmp_path):
    paths = [path for paths in OPTIONAL.values() for path in paths]
    public = r"\.(clear|lineReceived|creatorForNetloc)$"  # what a private name has, which stays
    names = [re.sub(public, "", path).split(".")[-1] for path in paths]
    done, _ = crawl_with_changed_scrapy(tmp_path, names, status=0)
    assert len(done.articles) == 3
    assert all(f"WARNING Scrapy changed {path} of its" in done.stderr for path in paths)
