"""What a worker is asked to do, by name and number, so that a task is a few bytes; each is safe to do twice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from newsextract.cluster.extract import Job, extract_slice
from newsextract.cluster.peers import choose, survey
from newsextract.cluster.run_folder import Place, read_json
from newsextract.cluster.slices import Slice, slices_of
from newsextract.errors import WrongCall
from newsextract.version import VERSION


def pieces_of(place: Place) -> list[Slice]:
    """All slices of the run, as it was begun."""
    asked = read_json(place.folder / "run.json")
    return list(slices_of((Path(path) for path, _ in asked["files"]), asked["slice_bytes"]))


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run: what its tasks are called, what each leaves behind when it is done, how it is done."""

    name: str
    outputs: Sequence[Path]
    work: Sequence[Callable[[], None]]

    @property
    def open(self) -> list[int]:
        """Numbers of the tasks that are not done."""
        return [number for number, output in enumerate(self.outputs) if not output.exists()]


def steps(place: Place, pieces: list[Slice], job: Job) -> list[Step]:
    """The steps in order; each begins when the one before it is done."""
    found = []
    if job.buckets:
        surveyed = [partial(do_survey, VERSION, piece, place, job.buckets) for piece in pieces]
        found.append(Step("survey", [place.survey(piece) for piece in pieces], surveyed))
        choosing = [partial(do_choose, VERSION, bucket, place, job.watch) for bucket in range(job.buckets)]
        found.append(Step("peers", [place.peers(bucket) for bucket in range(job.buckets)], choosing))
    extracted = [partial(do_extract, VERSION, piece, place, job) for piece in pieces]
    found.append(Step("extract", [place.done(piece) for piece in pieces], extracted))
    return found


def do_survey(version: str, piece: Slice, place: Place, buckets: int) -> None:
    """A slice's survey, unless it is there."""
    check_version(version)
    if not place.survey(piece).exists():
        survey(piece, place, buckets)


def do_choose(version: str, bucket: int, place: Place, watch: bool) -> None:
    """A bucket's references, unless they are there."""
    check_version(version)
    if not place.peers(bucket).exists():
        choose(bucket, pieces_of(place), place, watch=watch)


def do_extract(version: str, piece: Slice, place: Place, job: Job) -> None:
    """A slice's articles, unless they are there."""
    check_version(version)
    if not place.done(piece).exists():
        extract_slice(piece, place, job)


def check_version(version: str) -> None:
    """Two versions in one run would mix their results."""
    if version != VERSION:
        raise WrongCall(f"a worker has newsextract {VERSION}, the run was started with {version}")
