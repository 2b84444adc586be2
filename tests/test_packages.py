"""What leaves the checkout: source distribution, wheel and scrapyd's egg; the last two hold the whole crawler."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

import newsextract
from evaluation.crawling.kill import wait_until
from newsextract.demo import Site, serve
from tests import crawling
from tests.crawling import free_port
from tests.sources import CHECKOUT

pytestmark = pytest.mark.packaging

SETTINGS = [f"{name}={value}" for name, value in crawling.QUICK.items()]
QUICK = [word for setting in SETTINGS for word in ("-s", setting)]


def run(*words: str | Path, cwd: Path, python: str | Path = sys.executable, **variables: str) -> str:
    """Output of a Python with these arguments, the checkout not on its path; fails if the exit status is not 0.

    pip finds what is installed already and asks no index.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY", "PIP_"))}
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    offline["PIP_NO_WARN_CONFLICTS"] = "0"  # no: reading what all other packages need takes a third of the time
    offline["PIP_NO_COMPILE"] = "1"  # what is run is compiled then
    done = subprocess.run(
        [str(python), "-P", *map(str, words)],
        cwd=cwd,
        env={**clean, **offline, **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def files_below(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def pip_install(*words: str, cwd: Path, python: Path) -> str:
    """What pip says of installing the project in a folder; it leaves nothing behind there but what git ignores."""
    before = files_below(cwd)
    said = run("-m", "pip", "install", *words, cwd=cwd, python=python)
    left = {name for name in files_below(cwd) - before if not name.startswith((".venv/", "newsextract.egg-info/"))}
    assert {name for name in left if "__pycache__" not in name} == set()
    return said


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the checkout without what git ignores, because building leaves traces."""
    folder = tmp_path_factory.mktemp("copy") / "checkout"
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", ":!.gitignore"]
    for name in filter(None, subprocess.check_output(words, cwd=CHECKOUT, text=True).split("\0")):
        if (CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(CHECKOUT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def unpacked_sdist(copy, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    run("-c", f"from setuptools.build_meta import build_sdist; build_sdist({str(folder)!r})", cwd=copy)
    [archive] = folder.glob("newsextract-*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def others(tmp_path_factory) -> Path:
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
    (packages_of(folder / "bin" / "python") / "others.pth").write_text(f"{others}\n")
    return folder / "bin" / "python"


def packages_of(python: Path) -> Path:
    [site_packages] = python.parent.parent.glob("lib/*/site-packages")
    return site_packages


#: A `pip install` of docs and messages, with its extras.
PIP_INSTALL = re.compile(r"pip install '?newsextract\[([^\]\n]*)\]")


def extras_to_install() -> str:
    """All extras that docs and messages tell a reader to install."""
    pages = [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md"), *CHECKOUT.glob("newsextract/**/*.py")]
    lists = [names for page in pages for names in PIP_INSTALL.findall(page.read_text("utf-8"))]
    return ",".join(sorted({name for names in lists for name in names.split(",")}))


@pytest.fixture(scope="module")
def installed(unpacked_sdist, others, tmp_path_factory) -> Path:
    """The Python of an environment into which pip has installed the wheel that it builds from the source distribution,
    with its extras."""
    python = environment_of(tmp_path_factory.mktemp("installed") / "venv", others)
    said = pip_install(f".[{extras_to_install()}]", cwd=unpacked_sdist, python=python)
    assert "does not provide the extra" not in said
    return python


def test_sdist_holds_every_file_of_the_checkout(copy, unpacked_sdist):
    missing = files_below(copy) - files_below(unpacked_sdist)
    assert not {name for name in missing if not name.startswith(("build/", "newsextract.egg-info/"))}


def test_wheel_holds_the_crawler_and_no_evaluation(installed):
    packages = packages_of(installed)
    folders = {folder.name for folder in packages.iterdir() if "newsextract" in folder.name or folder.is_dir()}
    assert folders == {"newsextract", f"newsextract-{newsextract.__version__}.dist-info"}
    expected = {f"newsextract/{name}" for name in files_below(CHECKOUT / "newsextract")}
    for top in ("spiders", "pipelines"):
        expected |= {f"newsextract/{top}/{name}" for name in files_below(CHECKOUT / top)}
    shipped = {name for name in files_below(packages) if name.startswith("newsextract/")}
    assert {name for name in shipped ^ expected if "__pycache__" not in name} == set()
    assert "newsextract/py.typed" in shipped


def test_wheel_crawls_by_its_command_in_an_empty_environment_and_folder(installed, tmp_path):
    gold = Site().gold()[0]
    (tmp_path / "story.html").write_bytes(Site().page(gold.path).body)
    (tmp_path / "spiders").mkdir()
    (tmp_path / "spiders" / "__init__.py").write_text("raise SystemExit('these are not the spiders')")
    command = installed.parent / "newsextract"
    assert gold.text.splitlines()[-1] in run(command, "extract", "story.html", cwd=tmp_path, python=installed)
    with serve(Site()) as server:
        (tmp_path / "sites.toml").write_text(f"[sites.courier]\nurl = '{server.url}/'\nmax_pages = 5\n")
        summary = run(command, "crawl", "sites.toml", *QUICK, cwd=tmp_path, python=installed)
    assert "courier: 5 pages" in summary
    assert len((tmp_path / "articles.jsonl").read_text("utf-8").splitlines()) == count_stored(tmp_path) > 0


def count_stored(folder: Path) -> int:
    return int(crawling.sql(folder / "newsextract.db", "SELECT count(*) FROM articles")[0][0])


def test_scrapyd_runs_the_wheel_and_the_egg_by_the_commands_of_the_docs(copy, installed, tmp_path):
    docs = (CHECKOUT / "docs/SCHEDULE.md").read_text("utf-8").partition("## scrapyd")[2]
    deploy, schedule = re.findall(r"^\$ (.*)$", docs, re.M)[:2]
    conf = re.findall(r"```ini\n(\[settings\].*?)```", docs, re.S)[0]
    port = free_port()
    scrapyd = f"http://127.0.0.1:{port}"
    own = f"http_port = {port}\nbind_address = 127.0.0.1\npoll_interval = 0.2\n"
    (tmp_path / "scrapyd.conf").write_text(f"[scrapyd]\n{own}")
    (tmp_path / "scrapy.cfg").write_text(conf)
    (tmp_path / "sites.toml").write_text("[sites.courier]\nurl = 'https://example.org/'\n")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))}
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables["PYTHONPATH"] = str(packages_of(installed))
    spiders = {"spiders": ["archive", "courier", "feeds", "pages", "site"], "status": "ok"}
    with (tmp_path / "log").open("w") as log:
        daemon = subprocess.Popen(["scrapyd"], cwd=tmp_path, env=variables, stdout=log, stderr=log)
    try:
        wait_until(lambda: ask(f"{scrapyd}/daemonstatus.json"))
        assert ask(f"{scrapyd}/listspiders.json?project=newsextract").items() >= spiders.items()
        project = tmp_path / "checkout"
        shutil.copytree(copy, project)
        config = project / "scrapy.cfg"
        config.write_text(config.read_text().replace("localhost:6800", f"127.0.0.1:{port}"))
        deployed = subprocess.run(["sh", "-c", deploy], cwd=project, env=variables, capture_output=True, text=True)
        assert '"spiders": 5' in deployed.stdout, deployed.stderr
        [egg] = (tmp_path / "eggs" / "newsextract").glob("*.egg")
        with zipfile.ZipFile(egg) as file:
            assert "settings = newsextract.settings" in file.read("EGG-INFO/entry_points.txt").decode()
            assert {name.partition("/")[0] for name in file.namelist()} == {"newsextract", "EGG-INFO"}
        imported = run("-c", "import newsextract; print(newsextract.__file__)", cwd=tmp_path, PYTHONPATH=str(egg))
        assert str(egg) in imported
        with serve(Site()) as server:
            line = schedule.replace("http://localhost:6800", scrapyd).replace("https://example.org/", f"{server.url}/")
            line += " -d max_pages=5" + "".join(f" -d setting={setting}" for setting in SETTINGS)
            done = subprocess.run(["sh", "-c", line], env=variables, check=True, capture_output=True, text=True)
            assert json.loads(done.stdout)["status"] == "ok"
            wait_until(lambda: (ask(f"{scrapyd}/listjobs.json?project=newsextract") or {}).get("finished"))
        assert count_stored(tmp_path) > 0
    finally:
        daemon.terminate()
        daemon.wait(300)


def ask(url: str) -> Any:
    """The JSON at an address; None while nothing answers."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:  # scrapyd starts a process to list spiders
            return json.load(answer)
    except OSError:
        return None


def test_extras_installed_into_a_checkout_leave_nothing_behind_and_crawl(copy, others, tmp_path):
    checkout = tmp_path / "checkout"
    shutil.copytree(copy, checkout)
    for compiled in CHECKOUT.glob("newsextract/**/__pycache__"):  # the crawl need not do it again
        shutil.copytree(compiled, checkout / compiled.relative_to(CHECKOUT), ignore=shutil.ignore_patterns("*.pyc.*"))
    python = environment_of(checkout / ".venv", others)
    pip_install("--editable", ".[cluster,corpus]", cwd=checkout, python=python)
    with serve(Site()) as server:
        words = ("-m", "newsextract", "crawl", f"{server.url}/", "-a", "max_pages=4", *QUICK)
        assert "stored in" in run(*words, cwd=tmp_path, python=python)
