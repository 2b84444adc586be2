"""`scripts/bench crawl`: speed of a crawl beside a bare Scrapy spider that only follows the same links.

The demonstration site, with many extra pages, is served by a process of its own; crawls of both kinds take turns. Pages
per second and CPU time of the crawl's main process are counted from spider_opened to spider_closed. Exit status 1 if a
limit is exceeded: at least 0.8 of the bare spider's pages per second, at most 1.3 times its CPU time per page.
"""

import json
import subprocess
import sys
import tempfile
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from evaluation import CHECKOUT
from newsextract.demo import serve_in_process

#: Least pages per second and most CPU time per page, of the bare spider's; most growth of memory in the long crawl.
SPEED, CPU, GROWTH = 0.8, 1.3, 1.1

OUT = Console(highlight=False)


def crawl(kind: str, url: str, pages: int, workers: int, items: int) -> dict[str, Any]:
    """Runs one crawl in its own process and folder; returns the figures that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "evaluation.crawling.one_crawl", kind, url, str(pages), str(workers), folder]
        command.append(str(items))
        done = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, timeout=600, check=False)
    if done.returncode:
        raise SystemExit(f"the {kind} crawl failed:\n{done.stderr[-2000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main(
    pages: Annotated[int, typer.Option(help="Pages of each crawl.")] = 3000,
    rounds: Annotated[int, typer.Option(help="Crawls of each kind.")] = 3,
    workers: Annotated[int, typer.Option(help="Worker processes of ours.")] = 2,
    items: Annotated[int, typer.Option(help="CONCURRENT_ITEMS of the bare spider; ours is 8.")] = 100,
    long: Annotated[int, typer.Option(help="Pages of the crawl whose memory is watched; 0: none.")] = 5000,
) -> None:
    """Compare pages per second, CPU time and memory."""
    with serve_in_process((0,), "--extra", str(max(pages, long)), "--warm", "--slow-seconds", "0") as url:
        runs: dict[str, list[dict[str, Any]]] = {"bare": [], "ours": []}
        for _ in track(range(rounds), "crawls", console=Console(stderr=True)):
            for kind, figures in runs.items():
                figures.append(crawl(kind, url, pages, workers, items))
        memory = crawl("ours", url, long, workers, items)["memory"] if long else []
    table = Table("", "pages", "pages/s", "CPU ms/page", "of it in the loop's thread")
    medians = {}
    for kind, figures in runs.items():
        speed, cpu = median(f["pages"] / f["seconds"] for f in figures), median(f["cpu"] / f["pages"] for f in figures)
        loop = median(f["thread"] / f["pages"] for f in figures)
        medians[kind] = speed, cpu
        table.add_row(kind, str(figures[0]["pages"]), f"{speed:.0f}", f"{cpu * 1000:.2f}", f"{loop * 1000:.2f}")
    OUT.print(table)
    speed, cpu = (ours / bare for ours, bare in zip(medians["ours"], medians["bare"], strict=True))
    broken = [speed < SPEED, cpu > CPU]
    OUT.print(
        f"pages a second: {speed:.2f} of the bare spider's (at least {SPEED}); CPU a page: {cpu:.2f} (at most {CPU})"
    )
    if memory:
        early, late = (sum(size for at, size in memory if abs(at - page) <= 100) for page in (500, long - 100))
        counted = [sum(1 for at, _ in memory if abs(at - page) <= 100) or 1 for page in (500, long - 100)]
        growth = (late / counted[1]) / max(1, early / counted[0])
        broken.append(growth > GROWTH)
        OUT.print(f"memory at page {long}: {growth:.2f} of that at page 500 (at most {GROWTH})")
    raise SystemExit(any(broken))
