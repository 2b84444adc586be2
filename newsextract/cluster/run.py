"""A run over archives: its steps and tasks, from the files to the summary. Started again, it does what is missing.

A task is done when its output file exists. Each is a function with small arguments that any worker can call, and is
safe to repeat.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from newsextract.cluster.extract import ExtractionJob, RunStats, extract_slice
from newsextract.cluster.peers import bucket_count, choose_references, survey_slice
from newsextract.cluster.run_folder import RunFolder, read_json, write_json
from newsextract.cluster.slices import SLICE_BYTES, WarcSlice, resolve_files, split_files
from newsextract.errors import WrongCall
from newsextract.extractors import accepts_peer, make_extractor
from newsextract.version import VERSION

#: Skipped records of each reason that the summary lists.
MAX_LISTED = 20

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run: its tasks, and the output file of each, which exists when the task is done."""

    name: str
    outputs: Sequence[Path]
    tasks: Sequence[Callable[[], None]]

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
    """Counts the done tasks of a step and reports (step, done, total) to `progress`."""

    def __init__(self, step: Step, progress: Progress) -> None:
        self._name, self._total, self._progress = step.name, len(step.outputs), progress
        self._done = self._total - len(step.open_tasks)
        progress(self._name, self._done, self._total)

    def count(self) -> None:
        """Counts one more task; Dask may report a repeated task twice."""
        self._done = min(self._done + 1, self._total)
        self._progress(self._name, self._done, self._total)


def run(
    arguments: Sequence[Path],
    output: Path,
    engine: Engine,
    *,
    extractor: str,
    options: Mapping[str, Any],
    prefix: Path | None = None,
    watch: bool = False,
    slice_bytes: int = SLICE_BYTES,
    progress: Progress = lambda step, done, total: None,
) -> tuple[RunStats, dict[str, str]]:
    """Extracts all pages of the archives into `output`; returns the statistics, and the failed tasks with their errors.

    WrongCall, ArchiveError and StorageError as the arguments cause them.
    """
    instance = make_extractor(extractor, options)
    files = resolve_files(arguments, prefix)
    folder = RunFolder(output.absolute())
    sizes = [[str(file), file.stat().st_size] for file in files]
    folder.begin({"files": sizes, "slice_bytes": slice_bytes, "extractor": extractor, "options": dict(options)})
    slices = load_slices(folder)
    buckets = bucket_count(len(slices)) if accepts_peer(instance) else 0
    job = ExtractionJob(extractor, options, buckets, watch)
    failed: dict[str, str] = {}
    for step in plan_steps(folder, slices, job):
        errors = engine(step, ProgressCounter(step, progress).count)
        failed = {f"{step.name} {step.outputs[number].stem}": error for number, error in errors.items()}
        if failed:
            break
    return _summarize(folder, slices, failed), failed


def load_slices(folder: RunFolder) -> list[WarcSlice]:
    """All slices of the run, as `run.json` has them."""
    arguments = read_json(folder.path / "run.json")
    return list(split_files((Path(path) for path, _ in arguments["files"]), arguments["slice_bytes"]))


def plan_steps(folder: RunFolder, slices: list[WarcSlice], job: ExtractionJob) -> list[Step]:
    """The steps in order; each begins when the one before it is done."""
    steps = []
    if job.buckets:
        surveys = [partial(survey_task, VERSION, warc_slice, folder, job.buckets) for warc_slice in slices]
        steps.append(Step("survey", [folder.survey_file(warc_slice) for warc_slice in slices], surveys))
        choices = [partial(references_task, VERSION, bucket, folder, job.watch) for bucket in range(job.buckets)]
        steps.append(Step("peers", [folder.peers_file(bucket) for bucket in range(job.buckets)], choices))
    extractions = [partial(extract_task, VERSION, warc_slice, folder, job) for warc_slice in slices]
    steps.append(Step("extract", [folder.done_file(warc_slice) for warc_slice in slices], extractions))
    return steps


def survey_task(version: str, warc_slice: WarcSlice, folder: RunFolder, buckets: int) -> None:
    """Surveys a slice, unless that is done."""
    check_version(version)
    if not folder.survey_file(warc_slice).exists():
        survey_slice(warc_slice, folder, buckets)


def references_task(version: str, bucket: int, folder: RunFolder, watch: bool) -> None:
    """Chooses a bucket's reference pages, unless that is done."""
    check_version(version)
    if not folder.peers_file(bucket).exists():
        choose_references(bucket, load_slices(folder), folder, watch=watch)


def extract_task(version: str, warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Extracts a slice, unless that is done."""
    check_version(version)
    if not folder.done_file(warc_slice).exists():
        extract_slice(warc_slice, folder, job)


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
