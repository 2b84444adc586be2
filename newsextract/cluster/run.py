"""A run over archives, from the files to the summary; begun again, it goes on with what is not done."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from newsextract.cluster.extract import Figures, Job
from newsextract.cluster.peers import buckets_for
from newsextract.cluster.run_folder import Place, read_json, write_json
from newsextract.cluster.slices import SLICE, Slice, files_of
from newsextract.cluster.tasks import Step, pieces_of, steps
from newsextract.extractors import make_extractor

#: How many skipped records of each reason the summary names.
NAMED = 20


class Engine(Protocol):
    """Does the open tasks of a step; calls `told` with each that is done. Gives what went wrong with which."""

    def __call__(self, step: Step, told: Callable[[], None]) -> dict[int, str]: ...


class Told:
    """Counts the tasks of a step for whoever wants to hear of them."""

    def __init__(self, step: Step, told: Callable[[str, int, int], None]) -> None:
        self._name, self._all, self._told = step.name, len(step.outputs), told
        self._done = self._all - len(step.open)
        told(self._name, self._done, self._all)

    def one(self) -> None:
        """One more is done."""
        self._done = min(self._done + 1, self._all)
        self._told(self._name, self._done, self._all)


def run(
    given: Sequence[Path],
    output: Path,
    engine: Engine,
    *,
    extractor: str,
    options: Mapping[str, Any],
    prefix: Path | None = None,
    watch: bool = False,
    slice_bytes: int = SLICE,
    told: Callable[[str, int, int], None] = lambda step, done, of: None,
) -> tuple[Figures, dict[str, str]]:
    """Extracts all pages of the archives into `output`; gives the figures, and what could not be done and why.

    `told` hears of each step how many tasks of how many are done. WrongCall, ArchiveError and StorageError as the
    arguments cause them.
    """
    made = make_extractor(extractor, options)
    files = files_of(given, prefix)
    place = Place(output.absolute())
    asked = {"files": [[str(file), file.stat().st_size] for file in files], "slice_bytes": slice_bytes}
    place.begin({**asked, "extractor": extractor, "options": dict(options)})
    pieces = pieces_of(place)
    uses_peers = bool(getattr(made, "uses_peer", made.needs_peer))
    job = Job(extractor, options, buckets_for(len(pieces)) if uses_peers else 0, watch)
    failed: dict[str, str] = {}
    for step in steps(place, pieces, job):
        wrong = engine(step, Told(step, told).one)
        failed = {f"{step.name} {step.outputs[number].stem}": why for number, why in wrong.items()}
        if failed:
            break
    return _summed(place, pieces, failed), failed


def _summed(place: Place, pieces: list[Slice], failed: dict[str, str]) -> Figures:
    figures, named = Figures(), dict[str, int]()
    finished = [piece for piece in pieces if place.done(piece).exists()]
    for piece in finished:
        figures.add(read_json(place.done(piece)))
    kept = []
    for entry in figures.named:
        named[entry[0]] = named.get(entry[0], 0) + 1
        if named[entry[0]] <= NAMED:
            kept.append(entry)
    figures.named = kept
    if not failed:
        place.tidy(finished)
    counted = {"slices": len(pieces), "done": len(finished), "failed": failed}
    write_json(place.folder / "summary.json", {**counted, **vars(figures)})
    return figures


def here(step: Step, told: Callable[[], None]) -> dict[int, str]:
    """The engine without a cluster: one task after the other in this process."""
    for number in step.open:
        step.work[number]()
        told()
    return {}
