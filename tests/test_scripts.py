"""scripts/crawl called from a user's folder that holds misleading files, and `newsextract demo --serve`."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from newsextract.demo import Site, serve
from tests import preloaded
from tests.crawling import QUICK, crawl_options, free_port, run_command, sql
from tests.sources import CHECKOUT

SITE = Site(slow_seconds=0)


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
    variables = {"PYTHONPATH": str(folder), "PYTHONHOME": "/nowhere", "SCRAPY_SETTINGS_MODULE": ""}
    return run_command([CHECKOUT / "scripts/crawl", *words], folder, **variables)


def stored_sites(folder):
    return [site for (site,) in sql(folder / "newsextract.db", "SELECT site FROM articles")]


def test_script_crawls_two_urls_as_two_sites_passes_scrapy_options_on_and_has_help(folder):
    assert "scripts/crawl https://example.org/" in crawl(folder, "--help").stdout
    assert not (folder / "newsextract.db").exists()
    settings = {**QUICK, "NEWSEXTRACT_JSONL": "mine.jsonl"}
    with serve(SITE, host="127.0.0.2") as one, serve(SITE, host="127.0.0.3") as two:
        options = ("-O", "mine.json", *crawl_options(settings, max_pages="12"))
        crawl(folder, f"{one.url}/", f"{two.url}/", *options)
    sites = stored_sites(folder)
    assert {site.partition(":")[0] for site in sites} == {"127.0.0.2", "127.0.0.3"}
    assert 0 < len(sites) == len((folder / "mine.jsonl").read_text().splitlines())
    assert len(json.loads((folder / "mine.json").read_text())) == len(sites)
    assert not (folder / "articles.jsonl").exists()


def test_demo_serves_the_site_until_ctrl_c(tmp_path):
    port = free_port()
    command = [*preloaded.command("newsextract", safe_path=True), "demo", "--serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        assert re.fullmatch(rf"http://127\.0\.0\.1:{port}", address)
        assert urllib.request.urlopen(f"{address}/").status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 0


def test_constants_counts_numbers_and_patterns_by_package(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.py").write_text("import re\nX, Y = 1, -2.5\nZ = 60 * 60\nP = re.compile('x')\nT = ('a', 3)\n")
    (tmp_path / "c.py").write_text("import re\n\ndef f(text):\n    n = 4\n    return re.sub('x', '', text)\n")
    result = run_command([sys.executable, CHECKOUT / "scripts/constants.py", tmp_path], tmp_path)
    assert [line.split() for line in result.stdout.splitlines()[1:]] == [
        ["a", "4", "1"],
        [".", "0", "1"],
        ["all", "4", "2"],
    ]
