"""Quality gate: measures each extractor's scores and compares them with pinned floors.

`floors.json` has the scores that each extractor reached on samples of the sets and on whole sets. `pin_floors` measures
floors, they are never written by hand; after an improvement they are pinned anew.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter
from rich.table import Table
from rich.text import Text

from evaluation import CHECKOUT
from evaluation.corpora import all_corpora, find_corpus
from evaluation.results import Run, reading, write_atomically
from evaluation.runs import run as run_extractors
from evaluation.tables import new_table
from newsextract.errors import WrongCall

#: Pages of a set that are measured by default.
SAMPLE = 24
#: What a score may lose, for other versions of the libraries.
SLACK = 0.001
#: The scores that are pinned, if a set has them; higher is better.
PINNED = ("f", "refused")
PEER = "+peer"
#: The file of the floors.
FLOORS = CHECKOUT / "evaluation" / "floors.json"

#: Sample ("24", "all") -> set -> extractor (with or without "+peer") -> figure -> floor.
Floors = dict[str, dict[str, dict[str, dict[str, float]]]]


@dataclass(frozen=True, slots=True)
class Check:
    """One score and its floor; `measured` is None if the extractor has no such score."""

    set: str
    extractor: str
    figure: str
    floor: float
    measured: float | None

    @property
    def holds(self) -> bool:
        return self.measured is not None and self.measured >= self.floor - SLACK


def gate(
    folders: Sequence[str | Path] = (), *, sample: int | None = SAMPLE, workers: int = 0, floors: Path = FLOORS
) -> list[Check]:
    """Measures each pinned score, on the named sets or on all that have floors.

    Failures of an extractor on pages are a check as well ("failures", floor 0). Raises WrongCall if a set has no floors
    or its pages are missing.
    """
    pinned = read_floors(floors).get(_key(sample), {})
    corpora = {corpus.name: corpus.folder for corpus in (map(find_corpus, folders) if folders else all_corpora())}
    unknown = sorted(corpora.keys() - pinned.keys()) if folders else sorted(pinned.keys() - corpora.keys())
    if unknown or not pinned:
        raise WrongCall(f"no floors or no pages for {', '.join(unknown) or 'any set'} (sample: {_key(sample)})")
    wanted = {name: labels for name, labels in pinned.items() if name in corpora}
    runs = _measure({corpora[name]: list(labels) for name, labels in wanted.items()}, sample, workers)
    checks = []
    for name, labels in wanted.items():
        for label, figures in labels.items():
            run = runs.get((name, label))
            scores = run.scores if run else {}
            checks += [Check(name, label, figure, floor, scores.get(figure)) for figure, floor in figures.items()]
            if run and run.failures:
                checks.append(Check(name, label, "failures", 0.0, -float(len(run.failures))))
    return checks


def pin_floors(
    folders: Sequence[str | Path],
    extractors: Sequence[str],
    *,
    sample: int | None = SAMPLE,
    workers: int = 0,
    floors: Path = FLOORS,
) -> Floors:
    """Measures and writes the floors of these sets and extractors ("NAME" or "NAME+peer"); others are kept."""
    pinned = read_floors(floors)
    corpora = [find_corpus(name).folder for name in folders] if folders else [one.folder for one in all_corpora()]
    for (name, label), run in _measure(dict.fromkeys(corpora, extractors), sample, workers).items():
        figures = {figure: round(run.scores[figure], 4) for figure in PINNED if figure in run.scores}
        if run.pages and figures:
            pinned.setdefault(_key(sample), {}).setdefault(name, {})[label] = figures
    write_floors(pinned, floors)
    return pinned


def read_floors(path: Path = FLOORS) -> Floors:
    """The floors; {} if there is no file. Raises WrongCall if it is damaged."""
    if not path.exists():
        return {}
    with reading(path, "no floors, which are sample -> set -> extractor -> figure -> number") as floors:
        return TypeAdapter(Floors).validate_python(floors)


def write_floors(floors: Floors, path: Path = FLOORS) -> None:
    write_atomically(path, json.dumps(floors, indent=1, sort_keys=True) + "\n")


def checks_table(checks: Sequence[Check]) -> Table:
    """Table of the checks, failed ones first."""
    table = new_table("Floors", ("set", "extractor", "figure"), ("floor", "measured", ""))
    for check in sorted(checks, key=lambda check: check.holds):
        measured = "none" if check.measured is None else f"{check.measured:.4f}"
        verdict = Text("holds", "green") if check.holds else Text("DROPPED", "bold red")
        table.add_row(check.set, check.extractor, check.figure, f"{check.floor:.4f}", measured, verdict)
    return table


def _measure(labels_of: Mapping[Path, Sequence[str]], sample: int | None, workers: int) -> dict[tuple[str, str], Run]:
    """(set, label) -> run. Sets with the same labels are measured together, because starting processes takes time."""
    folders_of: dict[tuple[str, ...], list[Path]] = {}
    for folder, labels in labels_of.items():
        folders_of.setdefault(tuple(labels), []).append(folder)
    runs: dict[tuple[str, str], Run] = {}
    for labels, folders in folders_of.items():
        for peers, names in (
            ("none", [label for label in labels if not label.endswith(PEER)]),
            ("same-site", [label.removesuffix(PEER) for label in labels if label.endswith(PEER)]),
        ):
            if names:
                result = run_extractors(folders, names, workers=workers, peers=peers, sample=sample)
                runs |= {(run.set, run.label): run for run in result.runs}
    return runs


def _key(sample: int | None) -> str:
    return "all" if sample is None else str(sample)
