"""scripts/crawl called from a user's folder that holds misleading files."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import urllib.request

import pytest

from newsextract.demo import Site, serve
from tests import preloaded
from tests.crawling import free_port
from tests.sources import CHECKOUT

QUICK = ["-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=0", "-s", "NEWSEXTRACT_WORKERS=0"]


@pytest.fixture
def folder(tmp_path):
    """A folder with a space in its name, another Scrapy project in it and modules that look like ours."""
    folder = tmp_path / "my news"
    (folder / "spiders").mkdir(parents=True)
    (folder / "spiders" / "__init__.py").write_text("raise SystemExit('these are not the spiders')")
    (folder / "scrapy.py").write_text("raise SystemExit('this is not Scrapy')")
    (folder / "json.py").write_text("raise SystemExit('this is not json')")
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = another.project\n")
    return folder


def crawl(folder, *words):
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONHOME": "/nowhere"}
    return subprocess.run(
        [str(CHECKOUT / "scripts/crawl"), *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def stored(folder):
    with sqlite3.connect(folder / "newsextract.db") as database:
        return database.execute("SELECT count(*) FROM articles").fetchone()[0]


def test_crawl_without_url_crawls_the_demonstration_into_the_callers_folder(folder):
    # the whole of it is crawled by the test of README.md
    result = crawl(folder, "-s", "CLOSESPIDER_PAGECOUNT=20", "-s", "NEWSEXTRACT_WORKERS=0")
    assert result.returncode == 0, result.stderr
    lines = [json.loads(line) for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == stored(folder) > 0
    for name in ("articles.jsonl", "newsextract.db"):
        assert f"stored in {folder / name}" in result.stderr


def test_crawl_of_two_urls_is_two_sites_and_passes_scrapy_options_on(folder):
    with serve(Site(), host="127.0.0.2") as one, serve(Site(), host="127.0.0.3") as two:
        words = ["-a", "max_pages=12", "-s", "NEWSEXTRACT_ALLOW_PRIVATE=1", *QUICK]
        more = ["-s", "NEWSEXTRACT_JSONL=mine.jsonl", "-O", "mine.json"]
        result = crawl(folder, f"{one.url}/", f"{two.url}/", *words, *more)
    assert result.returncode == 0, result.stderr
    with sqlite3.connect(folder / "newsextract.db") as database:
        sites = {site.partition(":")[0] for (site,) in database.execute("SELECT site FROM articles")}
    assert sites == {"127.0.0.2", "127.0.0.3"}
    assert 0 < stored(folder) == len((folder / "mine.jsonl").read_text().splitlines())
    assert len(json.loads((folder / "mine.json").read_text())) == stored(folder)
    assert not (folder / "articles.jsonl").exists()


def test_crawl_that_cannot_work_prints_one_message_and_exit_status(folder):
    result = crawl(folder, "ftp://example.org/")
    assert (result.returncode, result.stdout) == (2, "")
    assert "ftp://example.org/ isn't a web address" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["https://example.org/", "-s", "NEWSEXTRACT_EXTRACTOR=nosuch"], 2, "nosuch"),
        (["https://example.org/", "-a", "colour=red"], 2, "colour"),
        (["http://127.0.0.1:9/"], 1, "public Internet"),
    ],
)
def test_command_that_cannot_crawl_prints_one_message_and_exit_status(tmp_path, words, status, message):
    command = [*preloaded.command("newsextract", safe_path=True), "crawl", *words]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (result.returncode, result.stdout) == (status, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_crawl_help_does_not_crawl(folder):
    result = crawl(folder, "--help")
    assert result.returncode == 0
    assert "scripts/crawl https://example.org/" in result.stdout
    assert not (folder / "newsextract.db").exists()


def test_demo_serves_the_site_until_ctrl_c(tmp_path):
    port = free_port()
    variables = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    command = [CHECKOUT / ".venv/bin/python", "-P", "-m", "newsextract", "demo", "--serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(rf"http://127\.0\.0\.1:{port}", address)
        assert urllib.request.urlopen(f"{address}/").status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 0
