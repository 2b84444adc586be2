"""`scripts/bench cluster`: speed of the extraction of archives on Dask, and its recovery from killed workers.

The pages of the corpora are written into WARC files, repeated up to N pages, and extracted with each number of workers;
then once more while workers and the scheduler are killed and restarted in turns. The articles must be the same; exit
status 1 if not. CPU time is shown beside wall time, for machines with other work; the memory of the workers is printed
every 1,000 pages. `--cost` measures the processor time a page alone, beside that of `newsextract.extract`, in one
process.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate, cycle
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import monotonic, process_time
from typing import Annotated

import psutil  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import typer
from rich.console import Console
from rich.table import Table

from evaluation.warc import write_warc
from newsextract.article import article_of_fetched, page_of
from newsextract.cluster.dask_engine import DaskEngine, local_cluster
from newsextract.cluster.page_filter import ALL_PAGES, PageFilter
from newsextract.cluster.run import Step, run, run_locally
from newsextract.extractors import make_extractor
from newsextract.warc.reader import read_warc

MIB = 1024 * 1024
#: Pages in the archive, about: where workers are compared, and of --cost.
PAGES, COST_PAGES = 20_000, 895
#: Pages after which the memory of the workers is printed.
MEMORY_STEP = 1_000
#: Titles of the columns of `peaks_by_quarter`.
MEMORY = ("MiB 1/4", "1/2", "3/4", "all")
#: Seconds between two kills.
KILL_INTERVAL = 15.0
PORT = 28_786
#: As `local_cluster` sets it.
NO_PROFILE = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}


def main(
    pages: Annotated[
        int | None, typer.Option(help=f"In the archive, about: {PAGES:,}, or {COST_PAGES} with --cost.", min=1)
    ] = None,
    workers: Annotated[str, typer.Option(help="Numbers of workers to try.")] = "1,2",
    sets: Annotated[str, typer.Option(help="Corpora below NEWSEXTRACT_CORPORA.")] = "wcxb-dev,fundus",
    size: Annotated[int, typer.Option(help="MiB of a task.")] = 8,
    kills: Annotated[bool, typer.Option(help="Also with workers and scheduler killed.")] = True,
    cost: Annotated[bool, typer.Option(help="Only the processor time a page, beside that of extract().")] = False,
    rounds: Annotated[int, typer.Option(help="Of --cost; the medians are printed.")] = 3,
) -> None:
    """Measure the extraction of an archive with each number of workers, and with kills."""
    if cost:
        with tempfile.TemporaryDirectory() as name:
            print_cost(write_archive(Path(name), sets.split(","), pages or COST_PAGES), Path(name), rounds)
        return
    table = Table("workers", "pages", "articles", "s", "pages/s", "CPU ms", "/CPU s", *MEMORY)
    speeds: dict[int, float] = {}  # number of workers: pages a CPU second of one
    lost = doubled = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = write_archive(folder, sets.split(","), pages or PAGES)
        for number in map(int, workers.split(",")):
            with local_cluster(number, dashboard=None) as (address, _):
                row = measured(archive, folder / f"{number}", DaskEngine(address), size)
            speeds[number] = float(row[-1 - len(MEMORY)])
            print(number, *row, flush=True)
            table.add_row(str(number), *row)
        if kills:
            with killed_cluster(folder) as engine:
                table.add_row("2, killed", *measured(archive, folder / "killed", engine, size))
            expected = record_positions(folder / workers.partition(",")[0])
            extracted = record_positions(folder / "killed")
            lost, doubled = (expected - extracted).total(), (extracted - expected).total()
    Console().print(table)
    first, *others = speeds
    for number in others:
        growth = number * speeds[number] / (first * speeds[first])
        print(f"by processor time {number} workers do {growth:.2f} times what {first} does")
    if kills:
        print(f"with all that was killed, {lost} articles are lost and {doubled} doubled")
    raise SystemExit(bool(lost or doubled))


def print_cost(archive: Path, folder: Path, rounds: int) -> None:
    """Prints processor milliseconds a page of `newsextract.extract`, of each step of a run, and of passing over pages.

    All in this process, in turns; a line after each, and the medians at the end.
    """
    nothing = PageFilter.of(["nowhere.example"])
    figures: dict[str, list[float]] = {}
    pages = 0

    def take_down(name: str, seconds: float) -> None:
        figures.setdefault(name, []).append(1000 * seconds / pages)
        print(f"{name:>12} {figures[name][-1]:7.2f}", flush=True)

    for number in range(rounds):
        began = process_time()
        pages = extract_all(archive)
        take_down("extract()", process_time() - began)
        for name, page_filter in (("cluster", ALL_PAGES), ("passed over", nothing)):
            engine = TimedEngine()
            began = process_time()
            output = folder / f"{name}-{number}"
            run([archive], output, engine, extractor="fusion", options={}, page_filter=page_filter)
            total = process_time() - began
            if page_filter is ALL_PAGES:
                for step, seconds in engine.seconds.items():
                    take_down(step, seconds)
            take_down(name, total)
    medians = {name: median(values) for name, values in figures.items()}
    print(f"medians of {rounds} rounds over {pages:,} pages:")
    for name, value in medians.items():
        print(f"{name:>12} {value:7.2f} ms of processor a page, {value / medians['extract()']:.2f} of extract()")
    passed = medians["cluster"] / medians["passed over"]
    print(f"{passed:.0f} pages are passed over in the time of one that is extracted")


def extract_all(archive: Path) -> int:
    """Reads and extracts all pages without peers, as `newsextract.extract` does; returns their number."""
    extractor, pages = make_extractor("fusion"), 0
    for file in sorted(archive.glob("*.gz")):
        for page in read_warc(file, Counter()):
            article_of_fetched(page, page_of(page), extractor)
            pages += 1
    return pages


class TimedEngine:
    """`run_locally`, with the processor seconds of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, step: Step, on_done: Callable[[], None]) -> dict[int, str]:
        began = process_time()
        errors = run_locally(step, on_done)
        self.seconds[step.name] = process_time() - began
        return errors


def write_archive(folder: Path, sets: list[str], pages: int) -> Path:
    """Writes a folder of WARC files with at least that many pages: the corpora, again and again with other hosts."""
    archive = folder / "archive"
    archive.mkdir()
    written = write_warc(sets, archive / "pages-000.warc.gz")
    while written < pages:
        number = len([*archive.iterdir()])
        written += write_warc(sets, archive / f"pages-{number:03d}.warc.gz", subdomain=f"copy{number}")
    return archive


def measured(archive: Path, output: Path, engine: DaskEngine, size: int) -> list[str]:
    """Runs one extraction, printing the workers' memory; the row of the table."""
    began = monotonic()
    memory = MemoryLog(output)
    stats, failed = run(
        [archive],
        output,
        engine,
        watch=True,
        slice_bytes=size * MIB,
        extractor="fusion",
        options={},
        progress=lambda step, done, total, note: memory.take_down(),
    )
    assert not failed, failed
    seconds = monotonic() - began
    each = 1000 * stats.cpu_seconds / stats.pages
    figures = (f"{seconds:.0f}", f"{stats.pages / seconds:.1f}", f"{each:.1f}", f"{1000 / each:.1f}")
    return [str(stats.pages), str(stats.articles), *figures, *(str(peak) for peak in peaks_by_quarter(output))]


class MemoryLog:
    """Prints the memory of the workers after every MEMORY_STEP pages that are done: of the largest, now and at most."""

    def __init__(self, output: Path) -> None:
        self._done, self._began = output / "done", monotonic()
        self._seen: set[Path] = set()
        self._pages = self._peak = 0

    def take_down(self) -> None:
        """Reads the statistics of the slices that are done since the last call."""
        before = self._pages
        for path in {*self._done.glob("*.json")} - self._seen:
            self._seen.add(path)
            stats = json.loads(path.read_text())
            self._pages += stats["pages"]
            self._peak = max(self._peak, stats["peak_mib"])
        if self._pages // MEMORY_STEP > before // MEMORY_STEP:
            memory = f"{largest_process()} MiB a worker, {self._peak} at most"
            print(f"{self._pages:>7,} pages in {monotonic() - self._began:.0f} s: {memory}", flush=True)


def largest_process() -> int:
    """The memory in MiB of the largest process that this one has started."""
    sizes = [0]
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            sizes.append(process.memory_info().rss // MIB)
    return max(sizes)


def peaks_by_quarter(output: Path) -> list[int]:
    """The largest memory of a worker, in MiB, when a quarter, half, three quarters and all of the slices were done."""
    done = sorted((output / "done").glob("*.json"), key=lambda path: path.stat().st_mtime)
    peaks = [*accumulate((json.loads(path.read_text())["peak_mib"] for path in done), max)]
    return [peaks[-(-len(peaks) * part // 4) - 1] for part in (1, 2, 3, 4)]


def record_positions(output: Path) -> Counter[tuple[str, int]]:
    """Archive file and record offset of all articles, counted."""
    table = pq.read_table(output / "articles", columns=["warc_filename", "warc_record_offset"])
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


@contextmanager
def killed_cluster(folder: Path) -> Iterator[DaskEngine]:
    """A scheduler and two workers, killed and restarted in turns until the end of the block."""
    address = f"tcp://127.0.0.1:{PORT}"
    parts = {
        "first": ["dask_worker", address, "--nthreads", "1", "--no-dashboard"],
        "scheduler": ["dask_scheduler", "--host", "127.0.0.1", "--port", str(PORT), "--no-dashboard"],
        "second": ["dask_worker", address, "--nthreads", "1", "--no-dashboard"],
    }
    processes = {name: start(words, folder) for name, words in parts.items()}
    over = Event()

    def kill() -> None:
        for name in cycle(parts):
            if over.wait(KILL_INTERVAL):
                return
            end(processes[name])
            processes[name] = start(parts[name], folder)
            print(f"killed: {name}", flush=True)

    killing = Thread(target=kill)
    killing.start()
    try:
        yield DaskEngine(address)
    finally:
        over.set()
        killing.join()
        for process in processes.values():
            end(process)


def start(words: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """Starts a program of Dask in its own process group (a worker has a nanny process)."""
    command = [sys.executable, "-m", f"distributed.cli.{words[0]}", *words[1:]]
    variables = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1000", **NO_PROFILE}
    return subprocess.Popen(
        command, cwd=folder, env=variables, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills the process group."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
