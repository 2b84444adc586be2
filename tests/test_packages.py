"""What leaves the checkout: the wheel, which is the library, and scrapyd's egg, which is the whole crawler."""

import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from newsextract.demo import Site, serve
from tests.sources import CHECKOUT

PARTS = ("newsextract", "spiders", "pipelines", *(file.name for file in CHECKOUT.iterdir() if file.is_file()))


@pytest.fixture
def copy(tmp_path):
    """A checkout of its own, because building leaves traces."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in PARTS:
        there = CHECKOUT / name
        if there.is_dir():
            shutil.copytree(there, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(there, folder / name)
    return folder


def run(*command, cwd, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))}
    done = subprocess.run(
        [sys.executable, "-P", *map(str, command)],
        cwd=cwd,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_egg_crawls_as_scrapyd_runs_it(copy, tmp_path):
    egg, jobs = tmp_path / "newsextract.egg", tmp_path / "jobs"
    jobs.mkdir()
    (jobs / "sites.toml").write_text("[sites.courier]\nurl = 'https://example.org/'\n")
    run("-m", "scrapyd_client.deploy", "--build-egg", egg, cwd=copy)
    with zipfile.ZipFile(egg) as file:
        assert "settings = newsextract.settings" in file.read("EGG-INFO/entry_points.txt").decode()
        assert not [name for name in file.namelist() if name.startswith("tests/")]
    as_scrapyd = {"cwd": jobs, "PYTHONPATH": str(egg), "SCRAPY_SETTINGS_MODULE": "newsextract.settings"}
    assert run("-m", "scrapy", "list", **as_scrapyd).split() == ["archive", "courier", "feeds", "site"]
    assert str(egg) in run("-c", "import newsextract; print(newsextract.__file__)", **as_scrapyd)
    with serve(Site()) as server:
        settings = ["NEWSEXTRACT_ALLOW_PRIVATE=1", "DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=0"]
        options = [word for setting in settings for word in ("-s", setting)]
        address = f"url={server.url}/"
        said = run("-m", "scrapy", "crawl", "site", "-a", address, "-a", "max_pages=5", *options, **as_scrapyd)
    assert f"stored in {jobs / 'newsextract.db'}" in said


def test_the_wheel_is_the_library_with_its_command(copy, tmp_path):
    wheels, place = tmp_path / "wheels", tmp_path / "place"
    run("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels, copy, cwd=tmp_path)
    [wheel] = wheels.iterdir()
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"newsextract"}
        assert (
            "newsextract = newsextract.cli:main"
            in file.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
        )
        file.extractall(place)
    shipped = {str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()}
    files = (file for file in (CHECKOUT / "newsextract").rglob("*") if file.is_file())
    assert {str(f.relative_to(CHECKOUT)) for f in files if "__pycache__" not in f.parts} - shipped == set()
    page = tmp_path / "story.html"
    gold = Site().gold()[0]
    page.write_bytes(Site().page(gold.path).body)
    said = run("-m", "newsextract", "extract", page, cwd=tmp_path, PYTHONPATH=str(place))
    assert gold.text.splitlines()[-1] in said
