"""What leaves the checkout: source distribution, wheel and scrapyd's egg; the last two hold the whole crawler."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import time
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from newsextract.demo import Site, serve
from tests.crawling import free_port
from tests.sources import CHECKOUT

pytestmark = pytest.mark.packaging

#: What git ignores, among it what `scripts/crawl` leaves in a clone, and git's own.
NOT_SHIPPED = (
    "articles.jsonl*",
    ".articles.jsonl.lock",
    "newsextract.db*",
    "sites.toml",
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
        timeout=300,
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


def test_wheel_crawls_by_its_commands_in_an_empty_environment_and_folder(installed: Path, tmp_path: Path) -> None:
    gold = Site().gold()[0]
    (tmp_path / "story.html").write_bytes(Site().page(gold.path).body)
    (tmp_path / "spiders").mkdir()
    (tmp_path / "spiders" / "__init__.py").write_text("raise SystemExit('these are not the spiders')")
    as_installed = {"cwd": tmp_path, "PYTHONPATH": str(installed)}
    assert str(installed) in run(
        "-c", "import newsextract.spiders; print(newsextract.spiders.__file__)", **as_installed
    )
    newsextract = ("-m", "newsextract")
    assert gold.text.splitlines()[-1] in run(*newsextract, "extract", "story.html", **as_installed)
    run(*newsextract, "demo", *QUICK, "-s", "CLOSESPIDER_PAGECOUNT=10", **as_installed)
    assert count_stored(tmp_path) > 0
    with serve(Site(), host="127.0.0.2") as one, serve(Site(), host="127.0.0.3") as two:
        summary = run(*newsextract, "crawl", f"{one.url}/", "-a", "max_pages=5", *QUICK, **as_installed)
        for name in ("articles.jsonl", "newsextract.db"):
            assert f"stored in {tmp_path / name}" in summary
        (tmp_path / "sites.toml").write_text(f"[sites.courier]\nurl = '{two.url}/'\nmax_pages = 5\n")
        assert "courier: 5 pages" in run(*newsextract, "crawl", "sites.toml", *QUICK, **as_installed)
        assert "Nothing is due" in run(*newsextract, "crawl", *QUICK, **as_installed)
    with sqlite3.connect(tmp_path / "newsextract.db") as database:
        sites = {site.partition(":")[0] for (site,) in database.execute("SELECT site FROM articles")}
    assert sites == {"127.0.0.1", "127.0.0.2", "127.0.0.3"}
    assert len((tmp_path / "articles.jsonl").read_text("utf-8").splitlines()) >= count_stored(tmp_path)


def count_stored(folder: Path) -> int:
    with sqlite3.connect(folder / "newsextract.db") as database:
        return int(database.execute("SELECT count(*) FROM articles").fetchone()[0])


def test_wheel_lends_its_spiders_to_another_scrapy_project(installed: Path, tmp_path: Path) -> None:
    as_installed = {"PYTHONPATH": str(installed)}
    run("-m", "scrapy", "startproject", "other", cwd=tmp_path, **as_installed)
    project = {"cwd": tmp_path / "other", "PYTHONPATH": f"{installed}{os.pathsep}{tmp_path / 'other'}"}
    run("-m", "scrapy", "genspider", "theirs", "example.org", **project)
    (tmp_path / "other" / "other" / "settings.py").write_text(
        "from newsextract.settings import *\nSPIDER_MODULES = ['other.spiders', 'newsextract.spiders']\n"
    )
    assert run("-m", "scrapy", "list", **project).split() == ["archive", "feeds", "site", "theirs"]
    with serve(Site()) as server:
        crawl = ("-m", "scrapy", "crawl", "site", "-a", f"url={server.url}/", "-a", "max_pages=5", *QUICK)
        assert f"stored in {tmp_path / 'other' / 'newsextract.db'}" in run(*crawl, **project)
    assert count_stored(tmp_path / "other") > 0


def check_egg(egg: Path, folder: Path) -> None:
    """The egg holds the crawler, its entry point and nothing else, and is what is imported where it is on the path."""
    with zipfile.ZipFile(egg) as file:
        assert "settings = newsextract.settings" in file.read("EGG-INFO/entry_points.txt").decode()
        assert {name.partition("/")[0] for name in file.namelist()} == {"newsextract", "EGG-INFO"}
    imported = run("-c", "import newsextract; print(newsextract.__file__)", cwd=folder, PYTHONPATH=str(egg))
    assert str(egg) in imported


@pytest.mark.parametrize("way", ["egg", "wheel"])
def test_scrapyd_runs_the_crawler_by_the_commands_of_the_docs(
    way: str, copy: Path, installed: Path, tmp_path: Path
) -> None:
    docs = (CHECKOUT / "docs/SCHEDULE.md").read_text("utf-8").partition("## scrapyd")[2]
    deploy, schedule = re.findall(r"^\$ (.*)$", docs, re.M)[:2]
    conf = re.findall(r"```ini\n(\[settings\].*?)```", docs, re.S)[0]
    port = free_port()
    (tmp_path / "scrapyd.conf").write_text(f"[scrapyd]\nhttp_port = {port}\nbind_address = 127.0.0.1\n")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))}
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if way == "wheel":
        variables["PYTHONPATH"] = str(installed)
        (tmp_path / "scrapy.cfg").write_text(conf)
    (tmp_path / "sites.toml").write_text("[sites.courier]\nurl = 'https://example.org/'\n")
    with (tmp_path / "log").open("w") as log:
        daemon = subprocess.Popen(["scrapyd"], cwd=tmp_path, env=variables, stdout=log, stderr=log)
    try:
        status = wait_for(lambda: ask(f"http://127.0.0.1:{port}/daemonstatus.json"))
        assert status["status"] == "ok"
        if way == "egg":
            project = tmp_path / "checkout"
            shutil.copytree(copy, project)
            config = project / "scrapy.cfg"
            config.write_text(config.read_text().replace("localhost:6800", f"127.0.0.1:{port}"))
            subprocess.run(
                ["sh", "-c", deploy], cwd=project, env=variables, check=True, capture_output=True, timeout=300
            )
            [egg] = (tmp_path / "eggs" / "newsextract").glob("*.egg")
            check_egg(egg, tmp_path)
        with serve(Site()) as server:
            line = schedule.replace("localhost:6800", f"127.0.0.1:{port}").replace(
                "https://example.org/", f"{server.url}/"
            )
            line += " -d max_pages=5" + "".join(f" -d setting={word}" for word in QUICK if word != "-s")
            done = subprocess.run(["sh", "-c", line], env=variables, check=True, capture_output=True, text=True)
            assert json.loads(done.stdout)["status"] == "ok"
            spiders = ask(f"http://127.0.0.1:{port}/listspiders.json?project=newsextract")["spiders"]
            assert spiders == ["archive", "courier", "feeds", "site"]
            jobs = f"http://127.0.0.1:{port}/listjobs.json?project=newsextract"
            wait_for(lambda: (ask(jobs) or {}).get("finished"))
        assert count_stored(tmp_path) > 0
    finally:
        daemon.terminate()
        daemon.wait(300)


def ask(url: str) -> Any:
    """The JSON at an address; None while nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)
    except OSError:
        return None


def wait_for(answer: Callable[[], Any], seconds: float = 300) -> Any:
    """What the function returns as soon as that is true."""
    deadline = time.monotonic() + seconds
    while not (value := answer()):
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.2)
    return value


#: A `pip install` as the docs and messages write it, up to the end of the line or of the code.
PIP_INSTALL = re.compile(r"pip install (?P<words>[^`\n]*newsextract[^`\n\"]*)")


def pip_install_lines() -> list[str]:
    """What a reader is told to install of this project, by docs and by messages, each once."""
    pages = [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md"), *CHECKOUT.glob("newsextract/**/*.py")]
    found = {words.strip() for page in pages for words in PIP_INSTALL.findall(page.read_text("utf-8"))}
    return sorted(found)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every package that the tests have but this project, for environments that need no network."""
    folder = tmp_path_factory.mktemp("others")
    [site_packages] = [Path(path) for path in sys.path if path.endswith("site-packages")][:1]
    for entry in site_packages.iterdir():
        if "newsextract" not in entry.name and entry.suffix != ".pth":
            (folder / entry.name).symlink_to(entry)
    return folder


def environment_of(folder: Path, others: Path) -> Path:
    """A new environment in the folder that finds those packages installed; its Python."""
    run("-m", "venv", "--without-pip", folder, cwd=folder.parent)
    [site_packages] = folder.glob("lib/*/site-packages")
    (site_packages / "others.pth").write_text(f"{others}\n")
    return folder / "bin" / "python"


def in_environment(python: Path, *words: str | Path, cwd: Path, **variables: str) -> str:
    """Output of a command of the environment; fails if its exit status is not 0."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY", "PIP_"))}
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    offline["PIP_NO_WARN_CONFLICTS"] = "0"  # no: reading what all other packages need takes a third of the time
    done = subprocess.run(
        [str(python), *map(str, words)],
        cwd=cwd,
        env={**clean, **offline, **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_pip_install_lines_of_the_docs_give_a_crawler(installed: Path, others: Path, tmp_path: Path) -> None:
    python = environment_of(tmp_path / "venv", others)
    wanted = [re.match(r"'?newsextract(?:\[(.*)\])?", line) for line in pip_install_lines()]
    extras = {extra for match in wanted if match and match[1] for extra in match[1].split(",")}
    words = ("-m", "pip", "install", f"newsextract[{','.join(sorted(extras))}]")  # what they need is there already
    said = in_environment(python, *words, cwd=tmp_path, PIP_FIND_LINKS=str(installed.parent / "wheels"))
    assert "does not provide the extra" not in said
    check_crawl(python, tmp_path)


def test_extras_installed_into_a_checkout_leave_nothing_behind_and_crawl(
    copy: Path, others: Path, tmp_path: Path
) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(copy, checkout, ignore=shutil.ignore_patterns(*NOT_SHIPPED))
    before = files_below(checkout)
    python = environment_of(checkout / ".venv", others)
    for words in ((".[cluster]",), ("--editable", ".[cluster,corpus]")):
        in_environment(python, "-m", "pip", "install", *words, cwd=checkout)
        check_crawl(python, tmp_path)
    left = {name for name in files_below(checkout) - before if not name.startswith((".venv/", "newsextract.egg-info/"))}
    assert {name for name in left if "__pycache__" not in name} == set()


def check_crawl(python: Path, folder: Path) -> None:
    """A crawl by the installed command, from a folder without sources."""
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    with serve(Site()) as server:
        words = ("-m", "newsextract", "crawl", f"{server.url}/", "-a", "max_pages=4", *QUICK)
        assert "stored in" in in_environment(python, "-P", *words, cwd=empty)
