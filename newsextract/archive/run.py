"""A run over archives: its steps and tasks, from the files to the summary. When restarted, it does what is missing.

A task is done when its output file exists. Each is a function that any worker can call, and is safe to repeat.
"""

import gc
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter

import pyarrow as pa

from newsextract.archive.extract import extract_slice
from newsextract.archive.page_filter import ALL_PAGES, PageFilter
from newsextract.archive.parquet_sink import mark_copies
from newsextract.archive.run_folder import ExtractionJob, RunFolder, RunStats, read_json, write_json
from newsextract.archive.sites import read_sites, survey_slice
from newsextract.archive.sources import SLICE_BYTES, WarcSlice, resolve_files, sizes_of
from newsextract.archive.store_sink import store_articles
from newsextract.errors import WrongCall
from newsextract.extractors import accepts_peer, make_extractor
from newsextract.extractors.registry import FITTED_EXTRACTOR, made_by
from newsextract.settings import NEWSEXTRACT_COMMON_CRAWL
from newsextract.text import MAX_LISTED
from newsextract.version import VERSION
from newsextract.workers.memory import return_free_memory

#: Maximum buckets over which sites are distributed: so many tasks can read site samples at a time.
MAX_BUCKETS = 64
#: How many sites with rejected pages the summary lists.
MAX_SITES = 1000
#: The step whose outputs are the statistics of slices.
EXTRACT = "extract"
#: Called with the name of a step, its done and total tasks, and a note of what they have read.
Progress = Callable[[str, int, int, str], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run: its tasks by output file. A file exists once its task is done."""

    name: str
    tasks: Mapping[Path, Callable[[], None]]

    @property
    def open_tasks(self) -> list[Path]:
        return [output for output in self.tasks if not output.exists()]


#: Runs the open tasks of a step, with a call after each; returns the errors of failed tasks by output.
Engine = Callable[[Step, Callable[[], None]], dict[Path, str]]


def run_locally(step: Step, on_done: Callable[[], None]) -> dict[Path, str]:
    """The engine without Dask: one task after the other in this process."""
    for output in step.open_tasks:
        step.tasks[output]()
        on_done()
    return {}


def count_tasks(step: Step, progress: Progress) -> Callable[[], None]:
    """A function that reports to `progress` how many tasks of a step are done, and what they have read."""
    missing, began, stats = {*step.tasks}, perf_counter(), RunStats()
    at_first = missing - {*step.open_tasks}

    def count() -> None:
        done = {output for output in missing if output.exists()}
        missing.difference_update(done)
        if step.name == EXTRACT:
            for output in done - at_first:
                stats.add_slice(read_json(output))
        rate = stats.bytes / 1e6 / max(1e-3, perf_counter() - began)
        note = f"{stats.pages:,} pages, {stats.articles:,} articles, {rate:.1f} MB/s" if stats.pages else ""
        progress(step.name, len(step.tasks) - len(missing), len(step.tasks), note)

    count()
    return count


def run(
    arguments: Sequence[str | Path],
    output: Path,
    engine: Engine,
    *,
    extractor: str,
    options: Mapping[str, object],
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

    `page_filter`: which pages to extract; `common_crawl`: the base URL of Common Crawl; `allow_private`: whether
    archives may be on private hosts; `into`: a database in which to store the articles, too; `uses_sites`: whether
    pages are read with their sites' profiles, which only one extractor uses. Raises WrongCall, ArchiveError,
    StorageError and DatabaseError.
    """
    files = resolve_files(arguments, prefix, common_crawl=common_crawl, allow_private=allow_private)
    job = _job_of(extractor, options, watch, page_filter, uses_sites=uses_sites)
    folder = RunFolder(output.absolute())
    with folder.locked():
        begin = {
            "files": [[path, size] for path, size in sizes_of(files, allow_private=allow_private)],
            "slice_bytes": slice_bytes,
            "extractor": extractor,
            "options": dict(options),
            "filter": page_filter.as_json(),
            "allow_private": allow_private,
            "uses_sites": job.uses_profiles,
        }
        folder.begin(begin)
        slices = folder.slices()
        job = replace(job, buckets=max(1, min(MAX_BUCKETS, len(slices) // 4)))
        failed = _run_steps(folder, slices, job, engine, progress)
        stats = _summarize(folder, slices, failed)
        if not failed:
            database = into or f"sqlite:///{folder.path / 'work' / 'copies.db'}"
            maker = made_by(extractor, options, alone=not uses_sites)
            on_done = lambda done, total: progress("store", done, total, "")  # noqa: E731
            stored = store_articles(folder, slices, database, maker, on_done)
            stats.stored = stored if into else stats.stored
            mark_copies(folder, slices, database)
        return stats, failed


def _job_of(
    extractor: str, options: Mapping[str, object], watch: bool, page_filter: PageFilter, *, uses_sites: bool
) -> ExtractionJob:
    """How to extract the pages; the extractor says whether with profiles or peers. Raises WrongCall."""
    instance, is_fitted = make_extractor(extractor, options), extractor == FITTED_EXTRACTOR
    uses_peers = accepts_peer(instance) and not is_fitted
    return ExtractionJob(
        extractor, options, watch, page_filter, uses_profiles=uses_sites and is_fitted, uses_peers=uses_peers
    )


def _run_steps(
    folder: RunFolder, slices: Sequence[WarcSlice], job: ExtractionJob, engine: Engine, progress: Progress
) -> dict[str, str]:
    """Runs the steps one after the other; returns the tasks of the first step that failed, with their errors."""
    for step in plan_steps(folder, slices, job):
        if errors := engine(step, count_tasks(step, progress)):
            return {f"{step.name} {output.stem}": error for output, error in errors.items()}
    return {}


def plan_steps(folder: RunFolder, slices: Sequence[WarcSlice], job: ExtractionJob) -> list[Step]:
    """The steps in order; each begins when the one before it is done."""
    works: dict[str, dict[Path, Callable[[], None]]] = {}
    if job.uses_profiles or job.uses_peers:
        works["survey"] = {folder.survey_file(each): partial(survey_slice, each, folder, job) for each in slices}
        works["sites"] = {folder.sites_done(n): partial(read_sites, n, folder, job) for n in range(job.buckets)}
    works[EXTRACT] = {folder.done_file(each): partial(extract_slice, each, folder, job) for each in slices}
    return [
        Step(name, {output: partial(run_task, VERSION, output, work) for output, work in tasks.items()})
        for name, tasks in works.items()
    ]


def run_task(version: str, output: Path, work: Callable[[], None]) -> None:
    """Runs a task unless its output exists. Raises WrongCall if the run was started with another version."""
    if version != VERSION:
        raise WrongCall(f"a worker has newsextract {VERSION}, the run was started with {version}")
    keep_pandas_out()
    gc.set_threshold(50_000, 20, 20)  # pages are trees without cycles
    if not output.exists():
        work()
        return_free_memory()  # as Dask's documentation advises, "Manually trim memory"


class NoPandas:
    """A finder of modules that finds no pandas."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raises ModuleNotFoundError for pandas; None, which means to ask the next finder, for all else."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def keep_pandas_out() -> None:
    """Hides pandas while pyarrow looks for it: it would import 40 MiB only to check a list's type."""
    sys.meta_path.insert(0, NoPandas)
    try:
        pa.array([], pa.string())
    finally:
        sys.meta_path.remove(NoPandas)


def _summarize(folder: RunFolder, slices: Sequence[WarcSlice], failed: dict[str, str]) -> RunStats:
    """Adds up the statistics of the finished slices and writes `summary.json`."""
    stats, listed = RunStats(), Counter[str]()
    finished = [warc_slice for warc_slice in slices if folder.done_file(warc_slice).exists()]
    for warc_slice in finished:
        stats.add_slice(read_json(folder.done_file(warc_slice)))
    busiest = sorted(stats.sites.items(), key=lambda item: (-item[1].total(), item[0]))
    stats.sites = dict(busiest[:MAX_SITES])
    named, stats.named = stats.named, []
    for record in named:
        listed[record[0]] += 1
        if listed[record[0]] <= MAX_LISTED:
            stats.named.append(record)
    if not failed:
        folder.clean_up(finished)
    counts = {"slices": len(slices), "done": len(finished), "failed": failed}
    write_json(folder.path / "summary.json", {**counts, **vars(stats)})
    return stats
