"""Cost of leases and commits on one PostgreSQL, without fetching and extraction, by one process and by several."""

import multiprocessing
import time
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.crawling.postgres import database, measured_load
from newsextract.items import Article, Link
from newsextract.store import PageOutcome, QueuedLink, Store, UrlState

#: Queued URLs, and the number of their sites.
URLS, SITES = 20_000, 200
#: Rounds of each process, URLs leased per round, links per page (one in ten is new), words per article.
TURNS, AT_ONCE, LINKS, WORDS = 25, 64, 30, 450
PROCESSES = (1, 2)


def lease_costs(server: str, files: Path) -> Table:
    """Table by number of processes: pages per second, milliseconds of lease, commit and server CPU per page."""
    table = Table("processes", "pages/s", "lease ms/page", "commit ms/page", "server's CPU ms/page", "rows/page")
    for processes in PROCESSES:
        with database(server) as url:
            fill(url)
            with measured_load(url, files) as load:
                begun = time.monotonic()
                spent = _run(url, processes)
                seconds = time.monotonic() - begun
        pages = sum(pages for pages, _, _ in spent) or 1
        costs = [sum(each) / pages * 1000 for each in list(zip(*spent, strict=True))[1:]]
        seconds = max(sum(times) for _, *times in spent)
        figures = [*(f"{cost:.2f}" for cost in costs), f"{load.cpu / pages * 1000:.2f}", f"{load.rows / pages:.1f}"]
        table.add_row(str(processes), f"{pages / seconds:.0f}", *figures)
    return table


def fill(url: str) -> None:
    """Queues URLs of many sites."""
    with Store.open(url) as store:
        frontier = store.frontier("site", {})
        for start in range(0, URLS, 2000):
            frontier.add(QueuedLink(_address(number), "A story", priority=50) for number in range(start, start + 2000))


def _address(number: int) -> str:
    return f"https://site-{number % SITES}.example/2026/05/04/a-story-of-the-day-{number}.html"


def _run(url: str, processes: int) -> list[tuple[int, float, float]]:
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes) as pool:
        return pool.map(_work, [(url, number) for number in range(processes)])


def _work(given: tuple[str, int]) -> tuple[int, float, float]:
    """Work of one process: its number of pages, seconds in leases, seconds in commits."""
    url, mine = given
    pages, leasing, committing = 0, 0.0, 0.0
    with Store.open(url) as store:
        frontier = store.frontier("site", {})
        for _ in range(TURNS):
            begun = time.monotonic()
            leased = frontier.lease(AT_ONCE, AT_ONCE // 16).leased
            leasing += time.monotonic() - begun
            outcomes = [_outcome(row.url, frontier.run, f"{mine}-{pages}-{n}") for n, row in enumerate(leased)]
            begun = time.monotonic()
            store.commit(outcomes)
            committing += time.monotonic() - begun
            pages += len(leased)
        frontier.close()
    return pages, leasing, committing


def _outcome(url: str, run: int, mark: str) -> PageOutcome:
    words = " ".join(f"{mark}-{n}" for n in range(WORDS))
    article: Any = Article(url, headline=f"A story {mark}", article_body=words)
    site = url.rsplit("/2026", 1)[0]
    known = [Link(f"{site}/section/{n}.html", f"Section {n}") for n in range(LINKS - LINKS // 10)]
    new = [Link(f"{site}/2026/05/05/{mark}-{n}.html", "Another story") for n in range(LINKS // 10)]
    return PageOutcome(url, UrlState.stored, article=article, links=[*known, *new], status=200, run=run, revisit=True)
