"""Smoke tests of an installed newsextract: version, imports, extraction, report, store and export.

`scripts/smoke` runs them against the wheel in an empty environment and sets NEWSEXTRACT_INSTALLED_IN to its path. They
import nothing of this folder and are not collected by the daily test run, which tests all of it and more.
"""

import importlib
import importlib.metadata
import importlib.util
import json
import os
import pkgutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import newsextract
from newsextract.demo import Site
from newsextract.store import PageOutcome, Store, UrlState

#: Packages that only extras install.
EXTRAS = {"scrapy_poet", "pyarrow", "distributed", "dask"}
GOLD = next(gold for gold in Site().gold() if gold.template == "broadsheet")


def command(folder, *words):
    environment = {**os.environ, "PYTHONPATH": str(Path(newsextract.__file__).parent.parent)}
    return subprocess.run(
        [sys.executable, "-P", "-m", "newsextract", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_installed_package_is_tested_and_versions_agree():
    if prefix := os.environ.get("NEWSEXTRACT_INSTALLED_IN"):
        assert Path(newsextract.__file__).is_relative_to(prefix)
        assert importlib.metadata.version("newsextract") == newsextract.__version__
    assert command(Path.cwd(), "--version").stdout.strip() == newsextract.__version__


def test_modules_can_be_imported_without_extras():
    failed = {}
    for module in pkgutil.walk_packages(newsextract.__path__, "newsextract."):
        if module.name.endswith(("__main__", ".env")) or ".versions." in module.name:
            continue
        try:
            importlib.import_module(module.name)
        except newsextract.NewsextractError as error:
            if "pip install 'newsextract[" not in str(error):
                failed[module.name] = str(error)
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in EXTRAS:
                failed[module.name] = repr(error)
    assert failed == {}


def test_extractors_read_a_page():
    pages = [Site().page(gold.path).body for gold in Site().gold() if gold.template == "broadsheet"][:2]
    for name in newsextract.EXTRACTORS:
        article = newsextract.extract(pages[0], url="https://example.org/a", extractor=name, peer=pages[1])
        assert article.article_body, name


def test_command_report_writes_a_report(tmp_path):
    (tmp_path / "story.html").write_bytes(Site().page(GOLD.path).body)
    reported = command(tmp_path, "report", "story.html")
    assert reported.returncode == 0, reported.stderr
    assert GOLD.headline in (tmp_path / "report.html").read_text("utf-8")


def test_stored_article_is_exported(tmp_path):
    url = "https://example.org/story"
    article = newsextract.extract(Site().page(GOLD.path).body, url)
    with Store.open(f"sqlite:///{tmp_path}/newsextract.db") as store:
        store.commit([PageOutcome(url, UrlState.stored, article=article, at=datetime.now(UTC))])
    exported = command(tmp_path, "export")
    assert exported.returncode == 0, exported.stderr
    [line] = [json.loads(line) for line in exported.stdout.splitlines()]
    assert (line["url"], line["headline"]) == (url, GOLD.headline)
    assert GOLD.text.splitlines()[-1] in line["article_body"]


def test_demo_is_crawled(tmp_path):
    crawled = command(tmp_path, "demo", "--set", "CLOSESPIDER_PAGECOUNT=20")
    assert crawled.returncode == 0, crawled.stderr
    lines = (tmp_path / "articles.jsonl").read_text("utf-8").splitlines()
    assert lines and all(json.loads(line)["article_body"] for line in lines)
    assert (tmp_path / "newsextract.db").exists()
