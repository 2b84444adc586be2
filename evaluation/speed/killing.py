"""Crawls of the demonstration site that are killed and started again, and what must hold when one gets to its end."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from newsextract.store import Store, UrlState

CHECKOUT = Path(__file__).resolve().parent.parent
RETRIES = 1
SETTINGS = {
    "NEWSEXTRACT_ALLOW_PRIVATE": "1",
    "NEWSEXTRACT_JSONL": "articles.jsonl",
    "DOWNLOAD_DELAY": "0",
    "AUTOTHROTTLE_ENABLED": "0",
    "RETRY_TIMES": str(RETRIES),
}
#: Seconds for one crawl that nobody kills.
PATIENCE = 100.0
#: Scrapy asks for the rules at every start, the spider for the sitemaps.
OFTEN = frozenset({"/robots.txt"})


@dataclass
class Ordeal:
    """A folder with a crawl's database and JSON lines, the server it crawls, and what was done to it so far."""

    folder: Path
    server: Any
    database: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    kills: int = 0

    @property
    def url(self) -> str:
        """The database's URL."""
        return self.database or f"sqlite:///{self.folder / 'newsextract.db'}"

    def command(self, **more: str) -> list[str]:
        """`scrapy crawl site` with the settings of this and those given."""
        values = {**SETTINGS, "NEWSEXTRACT_DATABASE_URL": self.url, **self.settings, **more}
        command = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={self.server.url}"]
        return command + [part for name, value in values.items() for part in ("-s", f"{name}={value}")]

    @property
    def surroundings(self) -> dict[str, str]:
        """The environment of a crawl that runs in another folder than the project's."""
        return {**os.environ, "SCRAPY_SETTINGS_MODULE": "newsextract.settings", "PYTHONPATH": str(CHECKOUT)}

    @contextmanager
    def crawl(self, **more: str) -> Iterator["subprocess.Popen[str]"]:
        """A crawl in a process group of its own, killed at the end of the block if it still runs."""
        with (self.folder / "log").open("a") as log:
            process = subprocess.Popen(
                self.command(**more),
                cwd=self.folder,
                env=self.surroundings,
                stderr=log,
                stdout=log,
                text=True,
                start_new_session=True,
            )
            try:
                yield process
            finally:
                if process.poll() is None:
                    self.kill(process)

    def kill(self, process: "subprocess.Popen[str]") -> None:
        """SIGKILL for the crawl and its workers."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.kills += 1

    def kill_after(self, seconds: float) -> bool:
        """One crawl, killed so long after its first request; False if it had ended by itself."""
        with self.crawl() as process:
            before = len(self.server.requests)
            wait_until(lambda: len(self.server.requests) > before or process.poll() is not None)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill(process)
                return True
        if process.returncode:
            raise AssertionError(f"the crawl ended with {process.returncode}:\n{self.log()}")
        return False

    def finish(self) -> None:
        """A crawl that nobody kills."""
        with self.crawl() as process:
            status = process.wait(PATIENCE)
        if status:
            raise AssertionError(f"the crawl ended with {status}:\n{self.log()}")

    def _judged(self, store: Store, path: str) -> bool:
        """Whether a page was fetched and taken for no article: a fault of the extraction, not of the crawl."""
        row = store.url(f"{self.server.url}{path}")
        return row is not None and row.state == UrlState.not_article

    def log(self) -> str:
        """The end of what the crawls said."""
        return (self.folder / "log").read_text("utf-8", "replace")[-3000:]

    def faults(self, more_fetches: int = 0) -> list[str]:
        """All that must hold in the end and does not, a sentence each."""
        with Store.open(self.url, must_exist=True) as store:
            rows, states = list(store.articles()), store.url_states()
            judged = {
                path for article in self.server.site.gold() for path in article.paths if self._judged(store, path)
            }
        told = [json.loads(line) for line in (self.folder / "articles.jsonl").read_text("utf-8").splitlines()]
        canonical = self.server.site.article_paths()
        stored = Counter(canonical.get(path_of(row.article.url), row.article.url) for row in rows)
        gold = {article.path for article in self.server.site.gold() if not judged & {*article.paths}}
        may = 1 + RETRIES + self.kills + more_fetches
        fetched = {path: n for path, n in self.server.paths.items() if n > may and path not in OFTEN}
        open_states = {UrlState.queued, UrlState.leased, UrlState.held, UrlState.retried} & states.keys()
        changes = Counter(line["change"] for line in told)
        current = {canonical.get(path_of(line["url"]), line["url"]) for line in told}
        checks = (
            ("articles that are not stored", gold - stored.keys()),
            ("stored more than once", [path for path, n in stored.items() if n > 1]),
            ("changes told more than once", [change for change, n in changes.items() if n > 1]),
            ("stored and not told", stored.keys() - current),
            ("told and not stored", current - stored.keys()),
            (f"fetched more than {may} times", fetched),
            ("left over", open_states),
        )
        return [f"{what}: {which}" for what, which in checks if which]


def path_of(url: str) -> str:
    """Path and query."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def wait_until(holds: Callable[[], object], patience: float = PATIENCE) -> None:
    """Returns when it holds."""
    deadline = time.monotonic() + patience
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError("waited in vain")
        time.sleep(0.02)
