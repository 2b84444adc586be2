"""`scripts/bench schedule`: `newsextract crawl sites.toml` with many small sites on loopback addresses.

For each number of sites: the memory of the crawl at its peak and of its workers, time, articles that are missing, the
shortest pause between two requests of one site, and, where some sites are slow, when the others were done. The sites
have a front page, a feed, and articles; each crawl begins with an empty database.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from evaluation import CHECKOUT
from evaluation.crawling.many_sites import ManySites, Visit, serve_sites
from newsextract.store import Store
from newsextract.store.lookup import count_articles

OUT = Console(highlight=False, width=150)
#: Seconds between two looks at the memory of the processes.
SAMPLE_INTERVAL = 0.2


@dataclass
class Schedule:
    """One call: memory in bytes, seconds of the crawl and of `newsextract status`, and what the sites saw."""

    sites: int
    crawl_memory: int
    worker_memory: int
    seconds: float
    status_seconds: float
    missing: int
    visits: list[Visit]
    slow: frozenset[str]

    @property
    def shortest_pause(self) -> float:
        """Seconds between two requests of one site for pages, at least."""
        times: dict[str, list[float]] = {}
        for visit in self.visits:
            if visit.path.startswith("/load/"):
                times.setdefault(visit.site, []).append(visit.at)
        gaps = (later - earlier for site in times.values() for earlier, later in pairwise(sorted(site)))
        return min(gaps, default=0.0)

    @property
    def others_done(self) -> float:
        """Seconds after which all sites but the slow ones were done."""
        others = [visit.at for visit in self.visits if visit.site not in self.slow]
        return max(others) - min(visit.at for visit in self.visits)

    @property
    def row(self) -> list[str]:
        """Row of the table."""
        megabytes = [f"{size / 1e6:.0f}" for size in (self.crawl_memory, self.worker_memory)]
        times = [f"{self.seconds:.0f}", f"{self.others_done:.0f}", f"{self.shortest_pause:.2f}"]
        return [str(self.sites), *megabytes, *times, f"{self.status_seconds:.1f}", str(self.missing)]


def main(
    sites: Annotated[list[int], typer.Option("--sites", min=1, max=10_000, help="Sites; once for each call.")],
    pages: Annotated[int, typer.Option(min=1, help="Articles of each site.")] = 20,
    slow: Annotated[int, typer.Option(min=0, help="Sites that are slow.")] = 0,
    seconds: Annotated[float, typer.Option(min=0, help="Seconds that a slow site takes for an answer.")] = 20.0,
    parallel: Annotated[int, typer.Option(min=1, max=100, help="Sites crawled at a time.")] = 8,
    delay: Annotated[
        float | None, typer.Option(min=0, help="DOWNLOAD_DELAY, without AutoThrottle; both as by default if not given.")
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="NEWSEXTRACT_WORKERS.")] = 1,
    extractor: Annotated[str, typer.Option(help="NEWSEXTRACT_EXTRACTOR.")] = "fusion",
) -> None:
    """Crawls schedules of so many sites and prints what each cost; exit status 1 if an article is missing."""
    settings = {
        "NEWSEXTRACT_ALLOW_PRIVATE": "1",
        "NEWSEXTRACT_WORKERS": str(workers),
        "NEWSEXTRACT_EXTRACTOR": extractor,
        "LOG_LEVEL": "ERROR",
    }
    if delay is not None:
        settings |= {"DOWNLOAD_DELAY": str(delay), "AUTOTHROTTLE_ENABLED": "0"}
    columns = (
        "sites",
        "crawl, MB",
        "workers, MB",
        "s",
        "s, but slow sites",
        "shortest pause, s",
        "status, s",
        "missing",
    )
    table, missing = Table(*columns), 0
    for number in sites:
        with serve_sites(number, pages, min(slow, number), seconds) as served:
            schedule = crawl_all(served, min(slow, number), parallel, settings)
        table.add_row(*schedule.row)
        missing += schedule.missing
        print(*schedule.row, sep="\t", file=sys.stderr, flush=True)
    OUT.print(table)
    raise typer.Exit(1 if missing else 0)


def crawl_all(served: ManySites, slow: int, parallel: int, settings: dict[str, str]) -> Schedule:
    """One call of `newsextract crawl sites.toml` for all sites that are served."""
    command = [sys.executable, "-m", "newsextract", "crawl", "sites.toml", "--parallel", str(parallel)]
    command += [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    with tempfile.TemporaryDirectory() as folder:
        entries = (f'[sites.site-{n}]\nurl = "{url}"\n' for n, url in enumerate(served.sites))
        Path(folder, "sites.toml").write_text("\n".join(entries))
        begun = time.monotonic()
        with Path(folder, "log").open("w") as log:
            process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
            crawl_memory, worker_memory = peak_memory(process)
        seconds = time.monotonic() - begun
        begun = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "newsextract", "status"], cwd=folder, env=environment, capture_output=True
        )
        status_seconds = time.monotonic() - begun
        with Store.open(f"sqlite:///{folder}/newsextract.db", must_exist=True, read_only=True) as store:
            missing = served.articles - store.read(count_articles)
    names = frozenset(url.split("/")[2] for url in served.sites[:slow])
    visits = served.visits()
    return Schedule(len(served.sites), crawl_memory, worker_memory, seconds, status_seconds, missing, visits, names)


def peak_memory(process: "subprocess.Popen[bytes]") -> tuple[int, int]:
    """Waits for a process; bytes that it had in memory at its peak, and all its children together."""
    own = children = 0
    while process.poll() is None:
        own = max(own, resident([process.pid], "VmHWM"))
        children = max(children, resident(children_of(process.pid), "VmRSS"))
        time.sleep(SAMPLE_INTERVAL)
    return own, children


def children_of(pid: int) -> list[int]:
    """The children of a process, of all its threads."""
    try:
        return [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:  # it has just ended
        return []


def resident(pids: Iterable[int], field: str) -> int:
    """Bytes that processes have in memory: VmRSS at present, VmHWM at their peaks."""
    size = 0
    for pid in pids:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        size += sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(f"{field}:"))
    return size
