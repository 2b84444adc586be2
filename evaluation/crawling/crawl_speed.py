"""`scripts/bench crawl`: speed of a crawl beside a bare Scrapy spider that only follows the same links.

A separate process serves the demonstration site, with many extra pages; crawls of both kinds alternate. Pages per
second and CPU time of the crawl's main process are measured from spider_opened to spider_closed. Where valgrind is
installed, the instructions of a worker for one page are counted, too. Exit status 1 if one of the limits below is
exceeded.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from multiprocessing import forkserver
from pathlib import Path
from statistics import fmean, median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from evaluation import CHECKOUT
from evaluation.crawling import WITHOUT_PAUSES, children_cpu_seconds
from newsextract.cli.terminal import results
from newsextract.demo import serve_in_process
from newsextract.workers.start import start_ahead

#: Minimum pages per second and maximum CPU time per page, relative to the bare spider; maximum growth of memory.
SPEED = 0.84
CPU = 1.1
GROWTH = 1.05

#: Settings of both kinds of crawl: no delay, the same number of concurrent requests.
SHARED: dict[str, Any] = {
    **WITHOUT_PAUSES,
    "ROBOTSTXT_OBEY": True,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "RETRY_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_MAXSIZE": 2**24,
}


class BareSpider(Spider):
    """Follows every link of the site and stores nothing."""

    name = "bare"

    def __init__(self, url: str) -> None:
        super().__init__()
        self.start_urls = [url]
        self.links = LinkExtractor(allow_domains=[url.split("/")[2]])

    def parse(self, response: Any) -> Any:
        """Requests for the links of a page."""
        if hasattr(response, "text"):
            for link in self.links.extract_links(response):
                yield Request(link.url, priority=1 if "/load/" in link.url else 0)


class Meter:
    """Extension that measures time, CPU time and memory from spider_opened to spider_closed."""

    def __init__(self, crawler: Any, pages: int) -> None:
        self.crawler, self.limit = crawler, pages
        self.pages = 0
        self.memory: list[tuple[int, int]] = []
        for name in ("spider_opened", "response_received", "spider_closed"):
            crawler.signals.connect(getattr(self, name), signal=getattr(signals, name))

    def spider_opened(self) -> None:
        self.begun = time.perf_counter(), time.process_time(), time.thread_time()

    def response_received(self) -> None:
        self.pages += 1
        if self.pages % 25 == 0:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.memory.append((self.pages, pages * os.sysconf("SC_PAGE_SIZE")))
        if self.pages == self.limit:
            self.crawler.engine.close_spider(self.crawler.spider, "enough")

    def spider_closed(self) -> None:
        now = time.perf_counter(), time.process_time(), time.thread_time()
        self.spent = [after - before for after, before in zip(now, self.begun, strict=True)]

    def figures(self) -> dict[str, Any]:
        forkserver._forkserver._stop()  # type: ignore[attr-defined]  # waited for, so that its workers' time counts
        spent = dict(zip(("seconds", "cpu", "thread"), self.spent, strict=True))
        return {**spent, "pages": self.pages, "workers": children_cpu_seconds(), "memory": self.memory}


def one_crawl(kind: str, url: str, pages: int, workers: int, folder: str) -> None:
    """Runs one crawl, bare or ours, in this process; prints its figures as a line of JSON."""
    if kind == "bare":
        process = AsyncCrawlerProcess(Settings(SHARED))
        crawler = process.create_crawler(BareSpider)
    else:
        start_ahead()  # as `newsextract crawl` does
        os.environ["SCRAPY_SETTINGS_MODULE"] = "newsextract.settings"
        settings = get_project_settings()
        settings.setdict({**SHARED, "NEWSEXTRACT_WORKERS": workers, "NEWSEXTRACT_ALLOW_PRIVATE": True}, "cmdline")
        settings.set("NEWSEXTRACT_DATABASE_URL", f"sqlite:///{folder}/news.db", "cmdline")
        process = AsyncCrawlerProcess(settings)
        crawler = process.create_crawler("site")
    meter = Meter(crawler, pages)
    process.crawl(crawler, url=url)
    process.start()
    print(json.dumps(meter.figures()))


def crawl(kind: str, url: str, pages: int, workers: int) -> dict[str, Any]:
    """Runs one crawl in a separate process and folder; returns the figures that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "evaluation.crawling.crawl_speed", kind, url, str(pages), str(workers), folder]
        done = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, timeout=600, check=False)
    if done.returncode:
        raise SystemExit(f"the {kind} crawl failed:\n{done.stderr[-2000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main(
    pages: Annotated[int, typer.Option(help="Pages of each crawl.")] = 3000,
    rounds: Annotated[int, typer.Option(min=0, help="Crawls of each kind; 0: only instructions.")] = 3,
    workers: Annotated[int, typer.Option(help="Worker processes of ours.")] = 2,
    long: Annotated[int, typer.Option(help="Pages of the crawl whose memory is watched; 0: none.")] = 5000,
) -> None:
    """Compare pages per second, CPU time and memory; count the instructions of a worker for one page."""
    from evaluation.crawling.worker_cost import CEILING, instructions_of_page  # the bare spider needs no extractor

    broken = compare(pages, rounds, workers, long) if rounds else []
    if (millions := instructions_of_page()) is not None:
        broken.append(millions > CEILING)
        print(f"instructions of a worker for one page: {millions:.1f} million (at most {CEILING:g})")
    raise SystemExit(any(broken))


def compare(pages: int, rounds: int, workers: int, long: int) -> list[bool]:
    """Prints what both kinds of crawls cost; whether each limit is exceeded."""
    with serve_in_process((0,), "--extra", str(max(pages, long)), "--warm", "--slow-seconds", "0") as url:
        runs: dict[str, list[dict[str, Any]]] = {"bare": [], "ours": []}
        for _ in track(range(rounds), "crawls", console=Console(stderr=True)):
            for kind, figures in runs.items():
                figures.append(crawl(kind, url, pages, workers))
        memory = crawl("ours", url, long, workers)["memory"] if long else []
    table = Table("", "pages", "pages/s", "CPU ms/page", "of it in the loop's thread", "in the workers")
    medians = {}
    for kind, figures in runs.items():
        speed = median(f["pages"] / f["seconds"] for f in figures)
        cpu, *parts = (median(f[name] / f["pages"] for f in figures) for name in ("cpu", "thread", "workers"))
        medians[kind] = speed, cpu
        milliseconds = [f"{part * 1000:.2f}" for part in (cpu, *parts)]
        table.add_row(kind, str(figures[0]["pages"]), f"{speed:.0f}", *milliseconds)
    results().print(table)
    speed, cpu = (ours / bare for ours, bare in zip(medians["ours"], medians["bare"], strict=True))
    broken = [speed < SPEED, cpu > CPU]
    print(f"pages a second: {speed:.2f} of the bare spider's (at least {SPEED}); CPU a page: {cpu:.2f} (at most {CPU})")
    if memory:
        early, late = (fmean(size for at, size in memory if abs(at - page) <= 100) for page in (500, long - 100))
        growth = late / early
        broken.append(growth > GROWTH)
        print(f"memory at page {long}: {growth:.2f} of that at page 500 (at most {GROWTH})")
    return broken


if __name__ == "__main__":
    one_crawl(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
