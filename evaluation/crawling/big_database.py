"""`scripts/bench status`: how long commands take with many sites and very many URLs in the database."""

import itertools
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
from newsextract.items import Article
from newsextract.store import Store, UrlState, schema
from newsextract.store.articles import as_document
from newsextract.store.changes import take_numbers
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
#: The body of each article beyond its first line.
TEXT = "The council met for two hours, heard the harbour master, and put off what it had come to decide. " * 5
#: Runs of each site, with their statistics.
RUNS = 2


def main(
    urls: Annotated[int, typer.Option(min=1, help="URLs in the ledger.")] = 1_000_000,
    sites: Annotated[int, typer.Option(min=1, help="Sites that they are of.")] = 1_000,
    commands: Annotated[str, typer.Option(metavar="NAME,…", help="Commands to time, with their words.")] = "status",
) -> None:
    """Fills a database and times commands on it: seconds on the clock, and of the processor."""
    table = Table("command", "s", "s of the processor")
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        write_database(Path(folder, "newsextract.db"), urls, sites)
        OUT.print(f"{urls} URLs of {sites} sites written in {time.monotonic() - begun:.0f} s")
        for command in commands.split(","):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            begun = time.monotonic()
            subprocess.run(
                [sys.executable, "-m", "newsextract", *command.split()],
                cwd=Path(folder),
                env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            seconds, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            table.add_row(command, f"{seconds:.2f}", f"{processor:.2f}")
    OUT.print(table)


def write_database(path: Path, urls: int, sites: int) -> None:
    """Makes a database of so many URLs of so many sites: every fourth an article, with its version and its change."""
    with Store.open(f"sqlite:///{path}") as store, store.database.writing() as connection:
        articles = 0
        for table, rows in _rows(urls, sites):
            connection.execute(insert(table), rows)
            articles += len(rows) if table is schema.articles else 0
        take_numbers(connection, articles)


def _rows(urls: int, sites: int) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """Rows of all tables that `status` reads, in lists."""
    names = [f"site-{number}.example" for number in range(sites)]
    yield schema.sites, [{"site": name, "first_seen": BEGUN, "last_fetched": BEGUN} for name in names]
    for chunk in chunked(range(RUNS * sites)):
        yield schema.runs, [_run(number, names[number % sites]) for number in chunk]
    articles = itertools.count(1)
    for chunk in chunked(range(urls)):
        stored = [(next(articles), number) for number in chunk if _end(number, sites)[0] is UrlState.stored]
        ids = {number: article for article, number in stored}
        yield schema.urls, [_url(number, sites, ids.get(number)) for number in chunk]
        for table, row in ((schema.articles, _article), (schema.article_versions, _version), (schema.changes, _change)):
            if stored:
                yield table, [row(article, names[number % sites], number) for article, number in stored]


def _end(number: int, sites: int) -> tuple[UrlState, str]:
    return ENDS[number // sites % len(ENDS)]


def _run(number: int, site: str) -> dict[str, Any]:
    key, arguments = identity(site, {"url": f"https://{site}/"})
    counts = '{"new": 4, "changed": 1, "articles": 5, "others": {"short": 2}, "front_is_frame": false}'
    stats = f'{{"newsextract/yields": {{"{site}": {counts}}}, "downloader/request_count": 20}}'
    begun = BEGUN + timedelta(minutes=number)
    row = {"spider": site, "arguments": arguments, "identity": key, "reason": "finished", "stats": stats}
    return {**row, "started_at": begun, "finished_at": begun + timedelta(minutes=1)}


def _url(number: int, sites: int, article: int | None) -> dict[str, Any]:
    state, reason = _end(number, sites)
    site = f"site-{number % sites}.example"
    row = {"url": _address(site, number), "site": site, "state": state, "reason": reason, "article": article}
    return {**row, "fingerprint": f"{number:064}", "first_seen": BEGUN, "last_fetched": BEGUN}


def _address(site: str, number: int) -> str:
    return f"https://{site}/news/2026/10/a-story-of-some-length-{number}"


def _page(site: str, number: int) -> Article:
    at = BEGUN + timedelta(seconds=number)
    return Article(
        url=_address(site, number),
        site=site,
        headline=f"A story of some length, number {number}",
        article_body=f"The story number {number}.\n{TEXT}",
        authors=["Ann Author"],
        language="en",
        date_published=at,
        content_hash=f"{number:064}",
        fetched_at=at,
        first_seen_at=at,
    )


def _article(article: int, site: str, number: int) -> dict[str, Any]:
    page = _page(site, number)
    row = {"id": article, "key": page.url[8:], "key_hash": f"{number:064}", "change": article, "change_kind": "new"}
    return {**schema.article_row(page), **row, "last_seen_at": page.first_seen_at}


def _version(article: int, site: str, number: int) -> dict[str, Any]:
    page = _page(site, number)
    row = {"article": article, "version": 1, "fetched_at": page.fetched_at, "content_hash": page.content_hash}
    return {**row, "document": as_document(page)}


def _change(article: int, site: str, number: int) -> dict[str, Any]:
    return {"change": article, "article": article, "version": 1, "kind": "new", "at": BEGUN + timedelta(seconds=number)}
