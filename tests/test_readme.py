"""README.md, CONTRIBUTING.md and docs/: the commands they show work, and print what they show.

Blocks marked `sh` and `python` are run, in order; URLs at example.org are those of the demonstration site. A block with
a title is added to the file of that name. Of other blocks the commands and options must exist.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
import typer

import newsextract
import newsextract.settings
from evaluation.__main__ import COMMANDS as BENCH_COMMANDS
from newsextract.cli.app import command
from newsextract.demo import DemoServer, Site, serve
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.urls import site_of
from tests import preloaded
from tests.crawling import environment
from tests.sources import CHECKOUT

PAGES = [path.relative_to(CHECKOUT) for path in sorted((*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
#: A block for a file, or one of `sh` or `python`: file, text, language, text.
FILE_OR_RUN = re.compile(r'^```\w+ title="(.+?)"\n(.*?)^```$|^```(sh|python)\n(.*?)^```$', re.M | re.S)
#: A crawl of the demonstration site in place of one of example.org, small and without waiting. Worker processes are
#: what `newsextract demo` has.
SMALL = (
    " -s NEWSEXTRACT_ALLOW_PRIVATE=1 -s DOWNLOAD_DELAY=0 -s AUTOTHROTTLE_ENABLED=0 -s NEWSEXTRACT_WORKERS=0"
    " -a max_pages=5"
)
#: A command that runs as installed; the others run as forks of a process that has imported everything.
AS_INSTALLED = "scrapy list"
#: Pages whose examples have a test of their own, which looks at what came out.
TESTED_APART = ("README.md", "CRAWL.md", "SCRAPY.md")
#: A page with an example that renders pages.
NEEDS_BROWSER = "JAVASCRIPT.md"
STORY_URL = "https://example.org/story.html"
STORY = next(gold for gold in Site().gold() if gold.template == "broadsheet")


def blocks(path: Path | str, *languages: str) -> list[tuple[str, str]]:
    """Language and text of the page's code blocks, of these languages if some are given."""
    pairs = BLOCK.findall((CHECKOUT / path).read_text("utf-8"))
    return [(language, text) for language, text in pairs if not languages or language in languages]


def command_lines(text: str) -> list[str]:
    return text.replace("\\\n", " ").splitlines()


RUN_PAGES = [page for page in PAGES if blocks(page, "sh", "python")]


@pytest.fixture(scope="module")
def server() -> Iterator[DemoServer]:
    with serve(Site(slow_seconds=0)) as server:
        yield server


@pytest.fixture
def folder(tmp_path) -> Path:
    """A reader's current folder: a clone's scripts and a saved page."""
    for name in ("scripts", "scrapy.cfg"):
        (tmp_path / name).symlink_to(CHECKOUT / name)
    (tmp_path / "commands").mkdir()
    for name in ("newsextract", "scrapy"):
        command = tmp_path / "commands" / name
        command.write_text(f'#!/bin/sh\nexec {shlex.join(preloaded.command(name, safe_path=True))} "$@"\n')
        command.chmod(0o755)
    (tmp_path / "story.html").write_bytes(Site().page(STORY.path).body)
    return tmp_path


def run(words: list[str], folder: Path, *commands: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, [*commands, CHECKOUT / ".venv" / "bin", os.environ["PATH"]]))
    environment = {**os.environ, "PATH": path, "NEWSEXTRACT_ALLOW_PRIVATE": "1", **variables}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done


def check_pip_install(line: str) -> None:
    """A `pip install` is not run: it must name this project or the clone, with extras that the project has."""
    declared = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    name, extras = re.fullmatch(r"pip install '?(\.|\w+)(?:\[(.*)\])?'?", line).groups()
    assert name in (".", declared["name"])
    assert {*(extras or "").split(",")} - {""} <= declared["optional-dependencies"].keys()


def local(line: str, server: DemoServer, page: Path | str) -> str:
    """The command with the demonstration site's URLs, and with limits for crawls."""
    line = line.replace("demo --days 31", "demo --days 3")
    if line == "scripts/crawl":
        return f"{line} -s NEWSEXTRACT_WORKERS=0"
    if line == "newsextract demo" and page != "README.md":  # which runs all of it
        return f"{line} --set CLOSESPIDER_PAGECOUNT=20"
    if re.match(r"scrapy (parse|shell|check)\b", line):
        line = line.replace(STORY_URL, server.url + STORY.path)
        return f"{line} -s NEWSEXTRACT_ALLOW_PRIVATE=1 -s NEWSEXTRACT_WORKERS=0"
    if re.fullmatch(r"scrapy crawl \w+( -O \S+)?", line):  # of a project of the reader's own
        return f"{line} -s DOWNLOAD_DELAY=0 -s CLOSESPIDER_PAGECOUNT=12 -s NEWSEXTRACT_WORKERS=0"
    line = re.sub(r"extract https?://(example\.org|localhost:8000)/", f"extract {server.url}{STORY.path}", line)
    line = line.replace("https://example.org/feed.xml", f"{server.url}/feeds/news.xml")
    line = re.sub(r"https?://(example\.org|localhost:8000)/(?=\s|$)", f"{server.url}/", line)
    return line + SMALL if " crawl " in f" {line.replace('/', ' ')} " and server.url in line else line


def add_to_file(file: Path, text: str, server: DemoServer) -> None:
    """Adds to a file, with the demonstration site instead of example.org."""
    text = text.replace(STORY_URL, server.url + STORY.path).replace("https://example.org", server.url)
    with file.open("a", encoding="utf-8") as opened:
        opened.write(text.replace("example.org", "127.0.0.1"))


def store_one_article(folder: Path) -> None:
    """What a crawl would have left in newsextract.db."""
    article = newsextract.extract((folder / "story.html").read_bytes(), "https://example.org/story.html")
    with Store.open(f"sqlite:///{folder / 'newsextract.db'}") as store:
        store.commit([PageOutcome(article.url, UrlState.stored, article=article)])


def run_blocks(page: Path | str, folder: Path, server: DemoServer) -> dict[str, str]:
    """Runs the page's `sh` and `python` blocks in order; stdout and stderr by command."""
    for _, text in blocks(page, "toml"):
        if "[sites." in text:
            (folder / "sites.toml").write_text(text)
    namespace: dict[str, object] = {"__name__": "example"}
    commands = folder / "commands"
    output = {}
    for match in FILE_OR_RUN.finditer((CHECKOUT / page).read_text("utf-8")):
        file, content, language, text = match.groups()
        if file:
            add_to_file(folder / file, content, server)
        elif language == "python":
            with chdir(folder):
                exec(compile(text, str(page), "exec"), namespace)
        else:
            for line in command_lines(text):
                if line.startswith("cd "):
                    folder = folder / line.removeprefix("cd ")
                elif line.startswith("pip install"):
                    check_pip_install(line)
                else:
                    programs = [] if line == AS_INSTALLED else [commands]
                    done = run(["sh", "-c", local(line, server, page)], folder, *programs)
                    output[line] = done.stdout + done.stderr
    return output


@pytest.mark.packaging
def test_readme_commands_and_examples_run_in_order(folder, server):
    output = run_blocks("README.md", folder, server)
    assert (folder / "articles.jsonl").stat().st_size > 10_000
    assert (folder / "new.jsonl").stat().st_size > 10_000
    assert (folder / "report.html").exists()
    [(_, sample)] = blocks("README.md", "text")
    shown = {without_numbers(line) for line in output["scripts/crawl"].splitlines()}
    assert [line for line in sample.splitlines() if without_numbers(line) not in shown] == []
    assert "WARNING" not in output["scripts/crawl"], "what the summary counts isn't a warning"
    assert "0 new, 0 changed" in output["newsextract demo"], "a second crawl of the demonstration has nothing to store"


def without_numbers(line: str) -> str:
    """The line with every number, duration and folder replaced by a word."""
    line = re.sub(r"in .*?;", "in TIME;", re.sub(r"/\S*/", "FOLDER/", line))
    return " ".join(re.sub(r"\d+", "N", line).split())


@pytest.mark.packaging
def test_first_changes_of_contributing_work_when_followed(tmp_path):
    for name in ("newsextract", "spiders", "pipelines", "evaluation", "tests"):
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    files = []
    for _, change in blocks("CONTRIBUTING.md", "diff"):
        subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=change.encode(), check=True)
        files += [f"{test}.py" for test in re.findall(r"^\+\+\+ b/(tests/.+)\.(?:py|toml)$", change, re.M)]
    test = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        *files,
        "-k",
        "Marija or Ippubblikat or sidenote or newslist or text_has or flood or geo or lqf",
    ]
    variables = environment(PYTHONPATH=str(tmp_path))
    done = subprocess.run(test, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert (len(files), done.stdout.split()[0]) == (8, "........"), done.stdout


@pytest.mark.packaging
def test_docs_crawl_commands_run_in_order(folder, server):
    output = run_blocks("docs/CRAWL.md", folder, server)
    assert (folder / "articles.csv").exists()
    assert list((folder / "news" / "articles").rglob("*.parquet"))
    shown = {line.split()[1]: text for line, text in output.items() if line.startswith("scrapy")}
    assert f"'headline': '{STORY.headline[:20]}" in shown["parse"] and f"<GET {server.url}/" in shown["parse"]
    assert STORY.headline in shown["shell"].splitlines()
    assert "OK" in shown["check"].splitlines()


@pytest.mark.packaging
def test_docs_scrapy_project_gets_articles_as_shown(folder, server):
    output = run_blocks("docs/SCRAPY.md", folder, server)
    lines = (folder / "mynews" / "articles.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["site"] for line in lines} == {site_of(server.url)}
    [story] = (folder / "mynews" / "story.jsonl").read_text("utf-8").splitlines()
    assert json.loads(story)["headline"] == STORY.headline
    [shell] = [text for line, text in output.items() if line.startswith("scrapy shell")]
    assert STORY.headline in shell.splitlines()
    assert "Ran 2 contracts" in output["scrapy check stories"]
    monitored = output["scrapy crawl news"]
    assert re.search(r"Articles/the crawl ended by itself\.* OK", monitored), monitored
    assert "3 monitors in" in monitored and "FAILED (" not in monitored, monitored


@pytest.mark.packaging
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.browser] if page.name == NEEDS_BROWSER else [])
        for page in RUN_PAGES
        if page.name not in TESTED_APART
    ],
    ids=str,
)
def test_docs_examples_run_in_order(page, folder, server, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("HF_HOME", str(folder / "datasets"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if page.name not in ("STORIES.md", "TOPIC_TRACKING.md"):
        store_one_article(folder)
    run_blocks(page, folder, server)


def test_docs_extractor_works_when_installed_as_shown(folder):
    [(_, module)] = blocks("docs/EXTRACTOR.md", "python")
    [(_, declared)] = blocks("docs/EXTRACTOR.md", "toml")
    (folder / "longlines.py").write_text(module)
    installed = folder / "longlines-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: longlines\nVersion: 1\n")
    points = tomllib.loads(declared)["project"]["entry-points"]
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in points.items()]
    (installed / "entry_points.txt").write_text("".join(lines))
    words = [sys.executable, "-P", "-m", "newsextract", "extract", "story.html", "--extractor", "longlines"]
    done = run([*words, "--option", "words=5"], folder, PYTHONPATH=f"{CHECKOUT}{os.pathsep}{folder}")
    assert STORY.text.splitlines()[0] in done.stdout


def test_docs_settings_lists_every_setting_with_its_default():
    rows = re.findall(r"^\| `(\w+)` \| `?(.*?)`? \|", (CHECKOUT / "docs/SETTINGS.md").read_text("utf-8"), re.M)
    ours = {name: str(value) for name, value in vars(newsextract.settings).items() if name.startswith("NEWSEXTRACT_")}
    assert {name: text for name, text in rows if name in ours} == ours
    assert [name for name, _ in rows if not hasattr(newsextract.settings, name)] == []


def test_what_examples_import_is_public():
    public = (CHECKOUT / "docs/API.md").read_text("utf-8")
    assert [name for name in newsextract.__all__ if f"`{name}`" not in public] == []
    text = "\n".join((CHECKOUT / page).read_text("utf-8") for page in PAGES if page.parts[0] != "CONTRIBUTING.md")
    imported = re.findall(r"^from (newsextract\.[\w.]+) import (.+)$", text, re.M)
    names = [(module, name) for module, names in imported for name in names.split(", ")]
    assert names
    assert [
        f"{module}.{name}"
        for module, name in names
        if not any(f"`{each}`" in public for each in (module, f"{module}.{name}", module.rpartition(".")[0]))
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_lead_to_files_that_exist(page):
    links = re.findall(r"\]\((?!https?://)([^)#]+)", (CHECKOUT / page).read_text("utf-8"))
    assert [link for link in links if not ((CHECKOUT / page).parent / link).exists()] == []


def options_of(group: Any) -> dict[str, set[str]]:
    """The options of each command, by its words without the program's name."""
    options = {}
    for name, sub in group.commands.items():
        if hasattr(sub, "commands"):
            options |= {f"{name} {words}": names for words, names in options_of(sub).items()}
        words = (option for parameter in sub.params for option in (*parameter.opts, *parameter.secondary_opts))
        options[name] = {*words, "--help"}
    return options


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_commands_options_and_scripts_that_are_named_exist(page):
    text = (CHECKOUT / page).read_text("utf-8")
    options = options_of(typer.main.get_command(command()))
    code = [line for _, block in blocks(page) for line in command_lines(block)]
    code += re.findall(r"`(newsextract [^`]+)`", text)
    wrong = []
    for called in re.findall(r"(?:^|[/ ])newsextract ((?:db )?[a-z]+\b.*)", "\n".join(code), re.M):
        words = shlex.split(called.partition("2>>")[0].replace("…", ""))
        known = options.get(" ".join(words[: 2 if words[0] == "db" else 1]), set())
        used = re.findall(r"(?<=\s)--?[a-zA-Z][\w-]*", called)
        wrong += [called] if not known or not known.issuperset(used) else []
    assert wrong == []
    benches = {bench.name for bench in BENCH_COMMANDS}
    assert [name for name in re.findall(r"scripts/bench ([a-z]+)", text) if name not in benches] == []
    scripts = set(re.findall(r"\bscripts/(\w[\w.]*\w)", text))
    assert [name for name in sorted(scripts) if not (CHECKOUT / "scripts" / name).exists()] == []
