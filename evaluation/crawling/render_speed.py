"""`scripts/bench render`: pages a second of crawls with and without a browser.

The demonstration site, in a process of its own, has as many articles rendered by scripts (/app/) as articles in HTML
(/load/). The first are crawled with NEWSEXTRACT_RENDER=auto, the others without a browser and with one for every page.
Exit status 1 where a crawl does not get them all.
"""

import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from newsextract.crawl.demo import DEMO_SETTINGS
from newsextract.demo import serve_in_process

OUT = Console(highlight=False)


class Case(NamedTuple):
    """A crawl: its name, the section of the site, the value of NEWSEXTRACT_RENDER."""

    name: str
    section: str
    render: str


CASES = (
    Case("HTML, without a browser", "/load/", "False"),
    Case("HTML, each page by the browser", "/load/", "True"),
    Case("rendered by scripts, by the browser", "/app/", "auto"),
)


class Figures(NamedTuple):
    """What a crawl took: articles stored, pages, seconds, CPU seconds of all its processes, requests of scripts."""

    articles: int
    pages: int
    seconds: float
    cpu: float
    requests: int


def crawl(url: str, case: Case) -> Figures:
    """Crawls a section in a process and a folder of its own."""
    settings = {**DEMO_SETTINGS, "NEWSEXTRACT_RENDER": case.render, "LOG_LEVEL": "ERROR", "DOWNLOAD_DELAY": 0}
    command = [sys.executable, "-m", "newsextract", "crawl", f"{url}{case.section}", "-a", f"allow={case.section}"]
    command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        before = _cpu_of_children()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        cpu = _cpu_of_children() - before
        if done.returncode:
            raise SystemExit(f"{case.name}: {done.stderr[-2000:]}")
        with sqlite3.connect(Path(folder) / "newsextract.db") as connection:
            [(text,)] = connection.execute("SELECT stats FROM runs ORDER BY id DESC LIMIT 1")
    stats = json.loads(text)
    new, pages, requests = (
        int(stats.get(f"newsextract/{name}", 0)) for name in ("articles/new", "pages", "render/requests")
    )
    return Figures(new, pages, float(stats["elapsed_time_seconds"]), cpu, requests)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(
    articles: Annotated[int, typer.Option(min=1, metavar="N", help="Articles of each section.")] = 100,
) -> None:
    """Prints pages a second of crawls with and without a browser."""
    table = Table("crawl", "articles", "pages", "seconds", "pages/s", "CPU s/page", "script requests")
    complete = True
    with serve_in_process((0,), "--rendered", str(articles), "--extra", str(articles), "--warm") as url:
        for case in CASES:
            got = crawl(url, case)
            complete = complete and got.articles == articles
            rate = got.pages / got.seconds
            cpu = got.cpu / got.pages
            cells = (got.articles, got.pages, f"{got.seconds:.1f}", f"{rate:.1f}", f"{cpu:.2f}", got.requests)
            table.add_row(case.name, *map(str, cells))
    OUT.print(table)
    raise typer.Exit(0 if complete else 1)
