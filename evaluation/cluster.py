"""`scripts/bench cluster`: speed of the extraction of archives on Dask, and its recovery from killed workers.

The pages of the corpora are written into WARC files, repeated up to N pages, and extracted with each number of workers;
then once more while workers and the scheduler are killed and restarted in turns. The articles must be the same; exit
status 1 if not. CPU time is shown beside wall time, for machines with other work, and the largest memory of a worker.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread
from time import monotonic, process_time_ns
from typing import Annotated

import pyarrow.parquet as pq
import typer
from rich.table import Table

import newsextract
from evaluation.warc import write_warc
from newsextract.archive.dask_engine import DaskEngine, local_cluster
from newsextract.archive.run import EXTRACT, Step, run
from newsextract.archive.run_folder import RunFolder
from newsextract.archive.sources import WarcSlice
from newsextract.cli.terminal import results
from newsextract.warc.reader import read_warc_range

MIB = 1024 * 1024
#: Seconds between two kills.
KILL_INTERVAL = 15.0
PORT = 28_786


def main(
    pages: Annotated[int, typer.Option(help="In the archive, about.", min=1)] = 20_000,
    workers: Annotated[str, typer.Option(help="Numbers of workers to try.")] = "1,2",
    sets: Annotated[str, typer.Option(help="Corpora below NEWSEXTRACT_CORPORA.")] = "wcxb-dev,fundus",
    size: Annotated[int, typer.Option(help="MiB of a task.")] = 8,
    kills: Annotated[bool, typer.Option(help="Also with workers and scheduler killed.")] = True,
    cost: Annotated[bool, typer.Option("--cost", help="Only CPU time beside `extract()`, without Dask.")] = False,
) -> None:
    """Measure the extraction of an archive with each number of workers, and with kills."""
    if cost:
        print_cost(sets.split(","), pages, size)
        return
    table = Table("workers", "pages", "articles", "s", "pages/s", "CPU ms", "/CPU s", "MiB")
    lost = doubled = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = write_archive(folder, sets.split(","), pages)
        for number in map(int, workers.split(",")):
            with local_cluster(number, dashboard=None) as (address, _):
                row = measured(archive, folder / f"{number}", DaskEngine(address), size)
            print(number, *row, flush=True)
            table.add_row(str(number), *row)
        if kills:
            with killed_cluster(folder) as engine:
                table.add_row("2, killed", *measured(archive, folder / "killed", engine, size))
            expected = record_positions(folder / workers.partition(",")[0])
            extracted = record_positions(folder / "killed")
            lost, doubled = (expected - extracted).total(), (extracted - expected).total()
    results().print(table)
    if kills:
        print(f"with all that was killed, {lost} articles are lost and {doubled} doubled")
    raise SystemExit(bool(lost or doubled))


def print_cost(sets: list[str], pages: int, size: int) -> None:
    """Prints the CPU milliseconds a page of each step and of `extract()`, and all steps as a multiple of that.

    Steps and `extract()` have separate processes, so that neither profits from the other's caches.
    """
    spent: Counter[str] = Counter()  # nanoseconds
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as steps,
        ProcessPoolExecutor(1, get_context("spawn")) as plain,
        tempfile.TemporaryDirectory() as name,
    ):
        archive, output = write_archive(Path(name), sets, pages), Path(name) / "output"

        def engine(step: Step, on_done: Callable[[], None]) -> dict[Path, str]:
            slices = RunFolder(output).slices()
            if not spent:  # loads models
                for process in (steps, plain):
                    process.submit(time_of_extract, slices[0]).result()
            for warc_slice, task in zip(slices, step.tasks.values(), strict=False):
                spent[step.name] += steps.submit(timed, task).result()
                if step.name == EXTRACT:
                    spent["extract()"] += plain.submit(time_of_extract, warc_slice).result()
            return {}

        stats, _ = run([archive], output, engine, extractor="fusion", options={}, slice_bytes=size * MIB)
    for step, nanoseconds in spent.items():
        print(f"{step}: {nanoseconds / 1e6 / stats.pages:.2f} ms of CPU a page")
    extraction = spent.pop("extract()")
    print(f"{stats.pages} pages: all steps {spent.total() / extraction:.2f} times extract()")


def timed(call: Callable[[], object]) -> int:
    """Nanoseconds of CPU of a call."""
    began = process_time_ns()
    call()
    return process_time_ns() - began


def time_of_extract(warc_slice: WarcSlice) -> int:
    """Nanoseconds of CPU of `extract()` on the pages of a slice."""
    pages = [page for _, page in read_warc_range(warc_slice.source, Counter(), warc_slice.start, warc_slice.end)]
    return timed(lambda: [newsextract.extract(page.body, page.url) for page in pages])


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
    """Runs one extraction; returns the row of the table."""
    began = monotonic()
    stats, failed = run([archive], output, engine, watch=True, slice_bytes=size * MIB, extractor="fusion", options={})
    assert not failed, failed
    seconds = monotonic() - began
    each = 1000 * stats.cpu_seconds / stats.pages
    figures = (f"{seconds:.0f}", f"{stats.pages / seconds:.1f}", f"{each:.1f}", f"{1000 / each:.1f}")
    return [str(stats.pages), str(stats.articles), *figures, str(stats.peak_mib)]


def record_positions(output: Path) -> Counter[tuple[str, int]]:
    """Archive file and record offset of all articles, counted."""
    table = pq.read_table(output / "articles", columns=["warc_filename", "warc_record_offset"])
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


@contextmanager
def killed_cluster(folder: Path) -> Iterator[DaskEngine]:
    """A scheduler and two workers, killed and restarted in turns until the end of the block."""
    address = f"tcp://127.0.0.1:{PORT}"
    worker = ["dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    scheduler = ["dask_scheduler", "--host", "127.0.0.1", "--port", str(PORT), "--no-dashboard"]
    parts = {"first": worker, "scheduler": scheduler, "second": worker}
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
    variables = {
        **os.environ,
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1000",
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",  # as `local_cluster` sets it
    }
    return subprocess.Popen(
        command, cwd=folder, env=variables, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Kills the process group."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
