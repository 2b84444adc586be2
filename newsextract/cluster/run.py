"""A run over archives: its steps and tasks, from the files to the summary. Started again, it does what is missing.

A task is done when its output file exists. Each is a function with small arguments that any worker can call, and is
safe to repeat.
"""

import ctypes
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import pyarrow as pa

from newsextract.article import FITTED_EXTRACTOR
from newsextract.cluster.extract import ExtractionJob, RunStats, extract_slice, store_articles
from newsextract.cluster.page_filter import ALL_PAGES, PageFilter
from newsextract.cluster.peers import choose_references, survey_slice
from newsextract.cluster.run_folder import RunFolder, bucket_count, read_json, write_json
from newsextract.cluster.sources import SLICE_BYTES, WarcSlice, resolve_files, sizes_of, split_files
from newsextract.errors import WrongCall
from newsextract.extractors import accepts_peer, make_extractor
from newsextract.settings import NEWSEXTRACT_COMMON_CRAWL
from newsextract.version import VERSION

#: Skipped records of each reason that the summary lists.
MAX_LISTED = 20
#: Sites whose refused pages the summary lists.
MAX_SITES = 1000

#: Called with the name of a step, its tasks done and in all, and a note of what they read.
Progress = Callable[[str, int, int, str], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run: its tasks, and the output file of each, which exists when the task is done.

    has_stats: whether the outputs are statistics of slices.
    """

    name: str
    outputs: Sequence[Path]
    tasks: Sequence[Callable[[], None]]
    has_stats: bool = False

    @property
    def open_tasks(self) -> list[int]:
        """Numbers of the tasks that are not done."""
        return [number for number, output in enumerate(self.outputs) if not output.exists()]


class Engine(Protocol):
    """Does the open tasks of a step, calling `on_done` after each; returns the errors of failed tasks by number."""

    def __call__(self, step: Step, on_done: Callable[[], None]) -> dict[int, str]: ...


def run_locally(step: Step, on_done: Callable[[], None]) -> dict[int, str]:
    """The engine without Dask: one task after the other in this process."""
    for number in step.open_tasks:
        step.tasks[number]()
        on_done()
    return {}


class ProgressCounter:
    """Counts the done tasks of a step and reports step, done, total and a note of what they read to `progress`."""

    def __init__(self, step: Step, progress: Progress) -> None:
        self._step, self._progress = step, progress
        self._open = set(step.open_tasks)
        self._began, self._stats = perf_counter(), RunStats()
        self._report()

    def count(self) -> None:
        """Takes note of the tasks that are done since the last call."""
        done = {number for number in self._open if self._step.outputs[number].exists()}
        self._open -= done
        if self._step.has_stats:
            for number in done:
                self._stats.add_slice(read_json(self._step.outputs[number]))
        self._report()

    def _report(self) -> None:
        total = len(self._step.outputs)
        self._progress(self._step.name, total - len(self._open), total, self._note())

    def _note(self) -> str:
        if not self._stats.pages:
            return ""
        rate = self._stats.bytes / 1e6 / max(1e-3, perf_counter() - self._began)
        return f"{self._stats.pages:,} pages, {self._stats.articles:,} articles, {rate:.1f} MB/s"


def run(
    arguments: Sequence[str | Path],
    output: Path,
    engine: Engine,
    *,
    extractor: str,
    options: Mapping[str, Any],
    prefix: str | Path | None = None,
    watch: bool = False,
    slice_bytes: int = SLICE_BYTES,
    page_filter: PageFilter = ALL_PAGES,
    common_crawl: str = NEWSEXTRACT_COMMON_CRAWL,
    allow_private: bool = False,
    into: str | None = None,
    uses_sites: bool = True,
    progress: Progress = lambda step, done, total, note: None,
) -> tuple[RunStats, dict[str, str]]:
    """Extracts the pages of the archives into `output`; returns the statistics, and the failed tasks with their errors.

    `page_filter`: which pages are asked for; `common_crawl`: the base address of Common Crawl; `allow_private`: whether
    archives may lie on hosts that are not public; `into`: a database that the articles are stored in as well;
    `uses_sites`: whether pages are read with the profiles of their sites, which only one extractor uses. Raises
    WrongCall, ArchiveError, StorageError and DatabaseError as the arguments cause them.
    """
    instance = make_extractor(extractor, options)
    files = resolve_files(arguments, prefix, common_crawl=common_crawl, allow_private=allow_private)
    folder = RunFolder(output.absolute())
    uses_sites = uses_sites and extractor == FITTED_EXTRACTOR
    with folder.locked():
        begin = {
            "files": [[path, size] for path, size in sizes_of(files, allow_private=allow_private)],
            "slice_bytes": slice_bytes,
            "extractor": extractor,
            "options": dict(options),
            "filter": page_filter.as_json(),
            "allow_private": allow_private,
            "uses_sites": uses_sites,
        }
        folder.begin(begin)
        slices = load_slices(folder)
        buckets = bucket_count(len(slices)) if accepts_peer(instance) else 0
        job = ExtractionJob(extractor, options, buckets, watch, page_filter, uses_sites)
        failed: dict[str, str] = {}
        for step in plan_steps(folder, slices, job):
            errors = engine(step, ProgressCounter(step, progress).count)
            failed = {f"{step.name} {step.outputs[number].stem}": error for number, error in errors.items()}
            if failed:
                break
        stats = _summarize(folder, slices, failed)
        if into is not None and not failed:
            stats.stored = store_articles(folder, slices, into, lambda done, total: progress("store", done, total, ""))
        return stats, failed


def load_slices(folder: RunFolder) -> list[WarcSlice]:
    """All slices of the run, as `run.json` has them."""
    arguments = read_json(folder.path / "run.json")
    files = ((path, size) for path, size in arguments["files"])
    return list(split_files(files, arguments["slice_bytes"], allow_private=arguments["allow_private"]))


def plan_steps(folder: RunFolder, slices: list[WarcSlice], job: ExtractionJob) -> list[Step]:
    """The steps in order; each begins when the one before it is done."""
    steps = []
    if job.buckets:
        surveys = [partial(survey_task, VERSION, warc_slice, folder, job) for warc_slice in slices]
        steps.append(Step("survey", [folder.survey_file(warc_slice) for warc_slice in slices], surveys))
        choices = [partial(references_task, VERSION, bucket, folder, job) for bucket in range(job.buckets)]
        steps.append(Step("peers", [folder.peers_file(bucket) for bucket in range(job.buckets)], choices))
    extractions = [partial(extract_task, VERSION, warc_slice, folder, job) for warc_slice in slices]
    steps.append(Step("extract", [folder.done_file(warc_slice) for warc_slice in slices], extractions, has_stats=True))
    return steps


def survey_task(version: str, warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Surveys a slice, unless that is done."""
    begin_task(version)
    if not folder.survey_file(warc_slice).exists():
        survey_slice(warc_slice, folder, job.buckets, job.page_filter)
        release_memory()


def references_task(version: str, bucket: int, folder: RunFolder, job: ExtractionJob) -> None:
    """Chooses a bucket's reference pages, unless that is done."""
    begin_task(version)
    if not folder.peers_file(bucket).exists():
        instance = make_extractor(job.extractor, job.options) if job.uses_sites else None
        choose_references(bucket, load_slices(folder), folder, instance, watch=job.watch)
        release_memory()


def extract_task(version: str, warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Extracts a slice, unless that is done."""
    begin_task(version)
    if not folder.done_file(warc_slice).exists():
        extract_slice(warc_slice, folder, job)
        release_memory()


class NoPandas:
    """A finder of modules (`sys.meta_path`) that finds no pandas."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raises ModuleNotFoundError for pandas; None, which means to ask the next finder, for all else."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def begin_task(version: str) -> None:
    """What every task does first: `check_version`, and keeping pandas out of the process.

    Where pandas is installed pyarrow imports it, 40 MiB, only to see that a list is no object of pandas. It tries once,
    here, and again where somebody asks for an object of pandas.
    """
    check_version(version)
    sys.meta_path.insert(0, NoPandas)
    try:
        pa.array([], pa.string())
    finally:
        sys.meta_path.remove(NoPandas)


def release_memory() -> None:
    """Gives freed memory back to the system, as Dask's documentation advises for workers ("Manually trim memory"): the
    trees of pages leave the heap of glibc in pieces that it would keep."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def check_version(version: str) -> None:
    """WrongCall if the worker has another version than the process that started the run: results would be mixed."""
    if version != VERSION:
        raise WrongCall(f"a worker has newsextract {VERSION}, the run was started with {version}")


def _summarize(folder: RunFolder, slices: list[WarcSlice], failed: dict[str, str]) -> RunStats:
    """Adds up the statistics of the finished slices and writes `summary.json`."""
    stats, listed = RunStats(), dict[str, int]()
    finished = [warc_slice for warc_slice in slices if folder.done_file(warc_slice).exists()]
    for warc_slice in finished:
        stats.add_slice(read_json(folder.done_file(warc_slice)))
    busiest = sorted(stats.sites.items(), key=lambda item: (-item[1].total(), item[0]))
    stats.sites = dict(busiest[:MAX_SITES])
    kept = []
    for record in stats.named:
        reason = record[0]
        listed[reason] = listed.get(reason, 0) + 1
        if listed[reason] <= MAX_LISTED:
            kept.append(record)
    stats.named = kept
    if not failed:
        folder.clean_up(finished)
    counts = {"slices": len(slices), "done": len(finished), "failed": failed}
    write_json(folder.path / "summary.json", {**counts, **vars(stats)})
    return stats
