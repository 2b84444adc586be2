"""What README.md and docs/ tell a reader to type works, and what they show is what comes out.

Blocks marked `sh` and `python` are run, in order, in a folder where `scripts` and `.venv` are the checkout's; addresses
at example.org are those of the demonstration site. Other blocks are only looked at.
"""

import os
import re
import subprocess
import sys
import tomllib
from typing import NamedTuple

import pytest

import newsextract.settings
from evaluation.__main__ import COMMANDS as BENCH_COMMANDS
from evaluation.__main__ import SPEED
from newsextract.cli.app import COMMANDS, DB_COMMANDS
from newsextract.demo import Site, serve
from tests.sources import CHECKOUT

PAGES = sorted(path.relative_to(CHECKOUT) for path in (CHECKOUT / "README.md", *CHECKOUT.glob("docs/*.md")))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
#: A crawl of the demonstration site in place of one of example.org, over which nobody must wait; worker processes are
#: what `scripts/crawl` without an address has.
SMALL = (
    " -s NEWSEXTRACT_ALLOW_PRIVATE=1 -s DOWNLOAD_DELAY=0 -s AUTOTHROTTLE_ENABLED=0 -s NEWSEXTRACT_WORKERS=0"
    " -a max_pages=5"
)


class Code(NamedTuple):
    """A block of a page: its language and its text."""

    language: str
    text: str


def blocks(path, *languages):
    found = [Code(*match.groups()) for match in BLOCK.finditer((CHECKOUT / path).read_text("utf-8"))]
    return [block for block in found if not languages or block.language in languages]


@pytest.fixture
def folder(tmp_path):
    """Where a reader of the README stands, with a saved page beside it."""
    for name in ("scripts", ".venv", "scrapy.cfg"):
        (tmp_path / name).symlink_to(CHECKOUT / name)
    site = Site()
    gold = next(gold for gold in site.gold() if gold.template == "broadsheet")
    (tmp_path / "story.html").write_bytes(site.page(gold.path).body)
    return tmp_path


def run(command, folder, **variables):
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "NEWSEXTRACT_ALLOW_PRIVATE": "1", **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done


def local(command, server):
    """The command with the demonstration site's addresses, and small where it crawls."""
    story = next(gold.path for gold in server.site.gold() if gold.template == "broadsheet")
    command = command.replace("extract https://example.org/", f"extract {server.url}{story}")
    for theirs, ours in (("https://example.org/feed.xml", "/feeds/news.xml"), ("https://example.org/", "/")):
        command = re.sub(rf"{re.escape(theirs)}(?=\s|$)", f"{server.url}{ours}", command)
    return command + SMALL if " crawl " in f" {command.replace('/', ' ')} " and server.url in command else command


@pytest.mark.timeout(240)
def test_the_readmes_commands_and_examples_run_in_order(folder):
    shown = {}
    with serve(Site()) as server:
        for language, text in blocks("README.md", "sh", "python"):
            commands = [[sys.executable, "-c", text]]
            if language == "sh":
                commands = [["sh", "-c", local(line, server)] for line in text.replace("\\\n", "").splitlines()]
            for command in commands:
                shown[command[-1]] = run(command, folder)
    assert (folder / "articles.jsonl").stat().st_size > 10_000
    assert (folder / "articles.csv").exists()
    assert (folder / "new.jsonl").stat().st_size > 10_000
    assert list((folder / "news" / "articles").rglob("*.parquet"))
    [sample] = blocks("README.md", "text")
    assert_same_shape(sample.text, shown["scripts/crawl"].stderr)


def assert_same_shape(sample, output):
    """Every line of the sample is one of the output, but for numbers and folders."""
    there = {plain(line) for line in output.splitlines()}
    assert [line for line in sample.splitlines() if plain(line) not in there] == []


def plain(line):
    line = re.sub(r"in .*?;", "in TIME;", re.sub(r"/\S*/", "FOLDER/", line))
    return " ".join(re.sub(r"\d+", "N", line).split())


def test_the_readmes_extractor_works_as_it_is_installed_there(folder):
    [module] = [code.text for code in blocks("README.md", "python") if "class " in code.text]
    [declared] = [tomllib.loads(code.text) for code in blocks("README.md", "toml")]
    (folder / "longlines.py").write_text(module)
    installed = folder / "longlines-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: longlines\nVersion: 1\n")
    points = declared["project"]["entry-points"]
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in points.items()]
    (installed / "entry_points.txt").write_text("".join(lines))
    assert len(module.strip().splitlines()) <= 15
    command = [sys.executable, "-P", "-m", "newsextract", "extract", "story.html", "--extractor", "longlines"]
    said = run([*command, "--option", "words=5"], folder, PYTHONPATH=f"{CHECKOUT}{os.pathsep}{folder}")
    gold = next(gold for gold in Site().gold() if gold.template == "broadsheet")
    assert gold.text.splitlines()[0] in said.stdout


def test_the_readme_names_every_setting_with_its_default():
    rows = re.findall(r"^\| `(\w+)` \| `(.*?)` \|", (CHECKOUT / "README.md").read_text("utf-8"), re.M)
    ours = {name: value for name, value in vars(newsextract.settings).items() if name.startswith("NEWSEXTRACT_")}
    told = {name: text for name, text in rows if name in ours}
    assert told == {name: str(value) for name, value in ours.items()}
    assert [name for name, _ in rows if not hasattr(newsextract.settings, name)] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_to_files_that_are_there(page):
    links = re.findall(r"\]\((?!https?://)([^)#]+)", (CHECKOUT / page).read_text("utf-8"))
    assert [link for link in links if not ((CHECKOUT / page).parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_script_and_command_that_is_named_exists(page):
    text = (CHECKOUT / page).read_text("utf-8")
    known = {row[0].__name__ for row in COMMANDS} | {f"db {row[0].__name__}" for row in DB_COMMANDS}
    named = re.findall(
        r"(?:^|[`/ ])newsextract ((?:db )?[a-z]+)(?=[` \n])", "\n".join(block.text for block in blocks(page))
    )
    assert [name for name in named if name not in known] == []
    benches = {row[0].__name__ for row in BENCH_COMMANDS} | {*SPEED}
    assert [name for name in re.findall(r"scripts/bench ([a-z]+)", text) if name not in benches] == []
    scripts = set(re.findall(r"\bscripts/(\w[\w.]*\w)", text))
    assert [name for name in sorted(scripts) if not (CHECKOUT / "scripts" / name).exists()] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "README.md"], ids=str)
def test_the_python_examples_of_a_page_of_docs_run_in_order(page, folder):
    code = "\n".join(block.text for block in blocks(page, "python"))
    run([sys.executable, "-P", "-c", code], folder)
