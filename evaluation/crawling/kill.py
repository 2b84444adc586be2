"""`scripts/bench kill`: recovery from kills. Crawls of the demonstration site, killed at random moments and restarted.

When a crawl has finished, each article is in the database once and in the JSON lines once, nothing else is, and no URL
was fetched more often than 1 + retries + kills. Exit status 1 otherwise.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from evaluation.crawling import WITHOUT_PAUSES, crawl_command, crawl_environment
from newsextract.demo import Site, serve
from newsextract.demo.server import DemoServer
from newsextract.health.status import read_status
from newsextract.store import Store, UrlState
from newsextract.store.frontier import find_url
from newsextract.store.site_pages import sites_to_settle

RETRIES = 1
SETTINGS = {
    **WITHOUT_PAUSES,
    "NEWSEXTRACT_JSONL": "articles.jsonl",
    "RETRY_TIMES": RETRIES,
}
#: The log line when pending pages are settled at the end of a crawl.
SETTLING = "site review of"
#: Maximum seconds of a crawl that isn't killed.
CRAWL_TIMEOUT = 300.0
#: Paths that are fetched again at each start.
REFETCHED_PATHS = frozenset({"/robots.txt"})


@dataclass
class KilledCrawl:
    """A crawl that is killed and restarted: folder of its files, server, kills so far, and the command `scrapy`."""

    folder: Path
    server: DemoServer
    database: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    kills: int = 0
    scrapy: Sequence[str] = (sys.executable, "-m", "scrapy")

    @property
    def url(self) -> str:
        return self.database or f"sqlite:///{self.folder / 'newsextract.db'}"

    def command(self, **more: str) -> list[str]:
        """`scrapy crawl site` with these settings."""
        values = {**SETTINGS, "NEWSEXTRACT_DATABASE_URL": self.url, **self.settings, **more}
        return crawl_command(values, {"url": self.server.url}, self.scrapy)

    @contextmanager
    def crawl(self, **more: str) -> Iterator["subprocess.Popen[str]"]:
        """A running crawl in its own process group, killed at the end of the block if it still runs."""
        with (self.folder / "log").open("a") as log:
            process = subprocess.Popen(
                self.command(**more),
                cwd=self.folder,
                env=crawl_environment(),
                stderr=log,
                stdout=log,
                text=True,
                process_group=0,
            )
            try:
                yield process
            finally:
                if process.poll() is None:
                    self.kill(process)

    def kill(self, process: "subprocess.Popen[str]") -> None:
        """Sends SIGKILL to the crawl and its worker processes."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.kills += 1

    def kill_after(self, seconds: float) -> bool:
        """Runs a crawl and kills it this long after its first request; False if it ended before."""
        before = len(self.server.requests)
        return self._kill_when(lambda: len(self.server.requests) > before, seconds)

    def kill_while_settling(self) -> bool:
        """Runs a crawl and kills it when it has begun to settle pending pages; False if it ended before."""
        before = self.log().count(SETTLING)
        return self._kill_when(lambda: self.log().count(SETTLING) > before)

    def _kill_when(self, condition: Callable[[], bool], seconds: float = 0.0) -> bool:
        with self.crawl() as process:
            wait_until(lambda: condition() or process.poll() is not None)
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill(process)
                return True
        self._check(status)
        return False

    def finish(self) -> None:
        """Runs a crawl to its end."""
        with self.crawl() as process:
            status = process.wait(CRAWL_TIMEOUT)
        self._check(status)

    def _check(self, status: int) -> None:
        if status:
            raise AssertionError(f"the crawl ended with {status}:\n{self.log()}")

    def log(self) -> str:
        """The crawls' log."""
        file = self.folder / "log"
        return file.read_text("utf-8", "replace") if file.exists() else ""

    def faults(self, more_fetches: int = 0) -> list[str]:
        """The violated invariants at the end, one text each; none after a correct recovery."""
        with Store.open(self.url, must_exist=True) as store:
            rows = [row for row in store.articles() if row.change_kind != "retracted"]
            sites, runs = store.read(read_status)
            states = sum((Counter(site.states) for site in sites), Counter[str]())
            unsettled = store.read(sites_to_settle, runs[0].id)
            paths = {path for article in self.server.site.gold() for path in article.paths}
            known = {path: store.read(find_url, f"{self.server.url}{path}") for path in paths}
            # An error of the extraction, not of the crawl.
            not_articles = {path for path, row in known.items() if row and row.state == UrlState.not_article}
        lines = [json.loads(line) for line in (self.folder / "articles.jsonl").read_text("utf-8").splitlines()]
        canonical = self.server.site.article_paths()
        stored = Counter(canonical.get(path_of(row.article.url), row.article.url) for row in rows)
        gold = {article.path for article in self.server.site.gold() if not not_articles & {*article.paths}}
        may = 1 + RETRIES + self.kills + more_fetches
        fetched = {path: n for path, n in self.server.paths.items() if n > may and path not in REFETCHED_PATHS}
        open_states = {UrlState.queued, UrlState.leased, UrlState.pending, UrlState.retried} & states.keys()
        changes = Counter(line["change"] for line in lines)
        last = {line["url"]: line for line in lines}
        current = {canonical.get(path_of(url), url) for url, line in last.items() if line["is_article"]}
        checks = (
            ("articles that are not stored", gold - stored.keys()),
            ("stored more than once", [path for path, n in stored.items() if n > 1]),
            ("changes in the JSON lines more than once", [change for change, n in changes.items() if n > 1]),
            ("stored and not in the JSON lines", stored.keys() - current),
            ("in the JSON lines and not stored", current - stored.keys()),
            (f"fetched more than {may} times", fetched),
            ("left over", open_states),
            ("sites that are not settled", unsettled),
        )
        return [f"{what}: {which}" for what, which in checks if which]


def path_of(url: str) -> str:
    """Path and query."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def wait_until(condition: Callable[[], object], timeout: float = CRAWL_TIMEOUT) -> None:
    """Waits until the condition holds. Raises AssertionError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"the condition did not hold within {timeout:g} s")
        time.sleep(0.02)


def main(
    kills: Annotated[int, typer.Option(help="How many in all.")] = 50,
    seed: Annotated[int, typer.Option(help="Of the random moments.")] = 1,
    longest: Annotated[float, typer.Option(help="Seconds from a crawl's first request to its kill, at most.")] = 2.5,
) -> None:
    """Kills crawls, some while they settle pending pages; restarts them; checks that no article is lost or doubled."""
    draw = random.Random(seed)
    site, done, crawls, broken = Site(slow_seconds=0.5), 0, 0, False
    while done < kills:
        with serve(site) as server, tempfile.TemporaryDirectory() as folder:
            killed = KilledCrawl(Path(folder), server)
            ended = crawls % 2 == 0 and not killed.kill_while_settling()
            while not ended and done + killed.kills < kills and killed.kill_after(draw.uniform(0.0, longest)):
                pass
            if not ended and done + killed.kills >= kills:
                killed.finish()
            faults = killed.faults()
            done, crawls, broken = done + killed.kills, crawls + 1, broken or bool(faults)
            print(
                f"crawl {crawls}: {killed.kills} kills, {len(server.requests)} requests: {faults or 'whole'}",
                flush=True,
            )
    print(f"{done} kills of {crawls} crawls: {'something was lost or done twice' if broken else 'nothing lost'}")
    raise SystemExit(broken)
