"""What leaves the checkout: source distribution, wheel and scrapyd's egg; the last two hold the whole crawler."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from newsextract.demo import Site, serve
from tests.sources import CHECKOUT

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(300)]

#: What git ignores, and git's own.
NOT_SHIPPED = (
    ".git",
    ".gitignore",
    ".venv",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    ".coverage",
    "build",
    "dist",
    "*.egg-info",
    "site",
)
#: A crawl on loopback without waiting and without worker processes.
QUICK = [
    word
    for setting in (
        "NEWSEXTRACT_ALLOW_PRIVATE=1",
        "NEWSEXTRACT_WORKERS=0",
        "DOWNLOAD_DELAY=0",
        "AUTOTHROTTLE_ENABLED=0",
    )
    for word in ("-s", setting)
]


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Output of Python with these arguments, the checkout not on its path; fails if the exit status is not 0."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))}
    done = subprocess.run(
        [sys.executable, "-P", *map(str, command)],
        cwd=cwd,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def files_below(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, because building leaves traces."""
    folder = tmp_path_factory.mktemp("copy") / "checkout"
    shutil.copytree(CHECKOUT, folder, ignore=shutil.ignore_patterns(*NOT_SHIPPED))
    return folder


@pytest.fixture(scope="module")
def unpacked_sdist(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run("-c", f"from setuptools.build_meta import build_sdist; build_sdist({str(folder)!r})", cwd=copy)
    [archive] = folder.glob("newsextract-*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def installed(unpacked_sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel that is built from the source distribution."""
    folder = tmp_path_factory.mktemp("installed")
    pip = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "wheels")
    run(*pip, unpacked_sdist, cwd=folder)
    [wheel] = (folder / "wheels").iterdir()
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "packages")
    return folder / "packages"


def test_sdist_holds_every_file_of_the_checkout(copy: Path, unpacked_sdist: Path) -> None:
    missing = files_below(copy) - files_below(unpacked_sdist)
    assert not {name for name in missing if not name.startswith(("build/", "newsextract.egg-info/"))}


def test_wheel_holds_the_crawler_and_no_evaluation(installed: Path) -> None:
    folders = {folder.name for folder in installed.iterdir()}
    assert {name for name in folders if not name.endswith(".dist-info")} == {"newsextract"}
    expected = {f"newsextract/{name}" for name in files_below(CHECKOUT / "newsextract")}
    expected |= {
        f"newsextract/{top}/{name}" for top in ("spiders", "pipelines") for name in files_below(CHECKOUT / top)
    }
    expected = {name for name in expected if "__pycache__" not in name}
    shipped = {name for name in files_below(installed) if ".dist-info/" not in name}
    assert shipped == expected
    assert "newsextract/py.typed" in shipped
    [entry_points] = installed.glob("*.dist-info/entry_points.txt")
    assert "newsextract = newsextract.cli:main" in entry_points.read_text()


def test_wheel_extracts_a_page_and_crawls(installed: Path, tmp_path: Path) -> None:
    gold = Site().gold()[0]
    (tmp_path / "story.html").write_bytes(Site().page(gold.path).body)
    as_installed = {"cwd": tmp_path, "PYTHONPATH": str(installed)}
    assert str(installed) in run(
        "-c", "import newsextract.spiders; print(newsextract.spiders.__file__)", **as_installed
    )
    assert gold.text.splitlines()[-1] in run("-m", "newsextract", "extract", "story.html", **as_installed)
    summary = run("-m", "newsextract", "demo", *QUICK, "-s", "CLOSESPIDER_PAGECOUNT=10", **as_installed)
    assert f"stored in {tmp_path / 'articles.jsonl'}" in summary
    assert stored_keys(tmp_path)
    with serve(Site()) as server:
        run("-m", "newsextract", "crawl", f"{server.url}/", "-a", "max_pages=5", *QUICK, **as_installed)
        assert any(key.startswith(server.url.partition("//")[2]) for key in stored_keys(tmp_path))
        (tmp_path / "sites.toml").write_text(f"[sites.courier]\nurl = '{server.url}/'\nmax_pages = 5\n")
        run("-m", "newsextract", "crawl", "sites.toml", *QUICK, **as_installed)
    assert run("-m", "newsextract", "status", **as_installed).count("courier") > 0


def stored_keys(folder: Path) -> set[str]:
    with sqlite3.connect(folder / "newsextract.db") as database:
        return {key for (key,) in database.execute("SELECT key FROM articles")}


def test_wheel_lends_its_spiders_to_another_scrapy_project(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = other.settings\n")
    (tmp_path / "other" / "spiders").mkdir(parents=True)
    (tmp_path / "other" / "settings.py").write_text(
        "from newsextract.settings import *\nSPIDER_MODULES = ['other.spiders', 'newsextract.spiders']\n"
    )
    (tmp_path / "other" / "spiders" / "theirs.py").write_text(
        "import scrapy\n\nclass Theirs(scrapy.Spider):\n    name = 'theirs'\n"
    )
    spiders = run("-m", "scrapy", "list", cwd=tmp_path, PYTHONPATH=f"{installed}{os.pathsep}{tmp_path}")
    assert spiders.split() == ["archive", "feeds", "site", "theirs"]


def test_egg_crawls_as_scrapyd_runs_it(copy: Path, tmp_path: Path) -> None:
    egg, jobs = tmp_path / "newsextract.egg", tmp_path / "jobs"
    jobs.mkdir()
    (jobs / "sites.toml").write_text("[sites.courier]\nurl = 'https://example.org/'\n")
    run("-m", "scrapyd_client.deploy", "--build-egg", egg, cwd=copy)
    with zipfile.ZipFile(egg) as file:
        assert "settings = newsextract.settings" in file.read("EGG-INFO/entry_points.txt").decode()
        assert {name.partition("/")[0] for name in file.namelist()} == {"newsextract", "EGG-INFO"}
    as_scrapyd = {"cwd": jobs, "PYTHONPATH": str(egg), "SCRAPY_SETTINGS_MODULE": "newsextract.settings"}
    assert run("-m", "scrapy", "list", **as_scrapyd).split() == ["archive", "courier", "feeds", "site"]
    assert str(egg) in run("-c", "import newsextract; print(newsextract.__file__)", **as_scrapyd)
    with serve(Site()) as server:
        crawl = ("-m", "scrapy", "crawl", "site", "-a", f"url={server.url}/", "-a", "max_pages=5", *QUICK)
        summary = run(*crawl, **as_scrapyd)
    assert f"stored in {jobs / 'newsextract.db'}" in summary
