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
from pathlib import Path

import newsextract
from newsextract.demo import Site

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


def test_demo_is_crawled_reported_and_exported(tmp_path):
    (tmp_path / "story.html").write_bytes(Site().page(GOLD.path).body)
    printed = []
    for words in (["demo", "--set", "CLOSESPIDER_PAGECOUNT=20"], ["report", "story.html"], ["export"]):
        done = command(tmp_path, *words)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert GOLD.headline in (tmp_path / "report.html").read_text("utf-8")
    lines = (tmp_path / "articles.jsonl").read_text("utf-8").splitlines()
    assert lines and all(json.loads(line)["article_body"] for line in lines)
    assert {json.loads(line)["url"] for line in printed[2].splitlines()} == {json.loads(line)["url"] for line in lines}
