"""`scripts/bench status`: how long `newsextract status` takes with many sites and very many URLs in the database."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import insert

from evaluation import CHECKOUT
from newsextract.store import Store, UrlState, schema
from newsextract.store.runs import identity
from newsextract.store.url_states import chunked

OUT = Console(highlight=False, width=100)
BEGUN = datetime(2026, 10, 1, tzinfo=UTC)
#: What became of the URLs, in turn: every fourth led to an article.
ENDS = (
    (UrlState.stored, ""),
    (UrlState.not_article, "section"),
    (UrlState.not_article, "short"),
    (UrlState.refused, "too_deep"),
)
#: Runs of each site, with their statistics.
RUNS = 2


def main(
    urls: Annotated[int, typer.Option(min=1, help="URLs in the ledger.")] = 1_000_000,
    sites: Annotated[int, typer.Option(min=1, help="Sites that they are of.")] = 1_000,
    commands: Annotated[str, typer.Option(metavar="NAME,…", help="Commands to time.")] = "status",
) -> None:
    """Fills a database and times commands on it: seconds on the clock, and of the processor."""
    table = Table("command", "s", "s of the processor")
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        with Store.open(f"sqlite:///{folder}/newsextract.db") as store, store.database.writing() as connection:
            for name, rows in _rows(urls, sites):
                connection.execute(insert(name), rows)
        OUT.print(f"{urls} URLs of {sites} sites written in {time.monotonic() - begun:.0f} s")
        for command in commands.split(","):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            begun = time.monotonic()
            subprocess.run(
                [sys.executable, "-m", "newsextract", command],
                cwd=Path(folder),
                env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            seconds, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            table.add_row(command, f"{seconds:.2f}", f"{processor:.2f}")
    OUT.print(table)


def _rows(urls: int, sites: int) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """Rows of all tables that `status` reads, in lists."""
    names = [f"site-{number}.example" for number in range(sites)]
    yield schema.sites, [{"site": name, "first_seen": BEGUN, "last_fetched": BEGUN} for name in names]
    for chunk in chunked(range(RUNS * sites)):
        yield schema.runs, [_run(number, names[number % sites]) for number in chunk]
    for chunk in chunked(range(urls)):
        yield schema.urls, [_url(number, names[number % sites]) for number in chunk]
        articles = [_article(number, names[number % sites]) for number in chunk if number // sites % len(ENDS) == 0]
        if articles:
            yield schema.articles, articles


def _run(number: int, site: str) -> dict[str, Any]:
    key, arguments = identity(site, {"url": f"https://{site}/"})
    counts = '{"new": 4, "changed": 1, "articles": 5, "others": {"short": 2}, "front_is_frame": false}'
    stats = f'{{"newsextract/yields": {{"{site}": {counts}}}, "downloader/request_count": 20}}'
    begun = BEGUN + timedelta(minutes=number)
    row = {"spider": site, "arguments": arguments, "identity": key, "reason": "finished", "stats": stats}
    return {**row, "started_at": begun, "finished_at": begun + timedelta(minutes=1)}


def _url(number: int, site: str) -> dict[str, Any]:
    state, reason = ENDS[number // 1000 % len(ENDS)]
    row = {"url": f"https://{site}/news/2026/10/a-story-of-some-length-{number}", "site": site, "state": state}
    return {**row, "fingerprint": f"{number:064}", "reason": reason, "first_seen": BEGUN, "last_fetched": BEGUN}


def _article(number: int, site: str) -> dict[str, Any]:
    url = f"https://{site}/news/2026/10/a-story-of-some-length-{number}"
    row: dict[str, Any] = {
        "key": url[8:],
        "url": url,
        "site": site,
        "headline": f"A story of some length, number {number}",
    }
    row |= {"content_hash": f"{number:064}", "version": 1, "change": number + 1, "change_kind": "new"}
    return {**row, "key_hash": f"{number:064}", "first_seen_at": BEGUN, "last_seen_at": BEGUN}
