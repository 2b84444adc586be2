"""Pinned floors: no change may make an extractor worse than it once was, unless the floor is lowered on purpose.

`floors.json` holds, for a sample of each set and for whole sets, what every extractor reached. The gate measures again
and compares; whatever is better by more than the slack is worth pinning anew (`pin_floors`). Floors are measured, never
written by hand.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evaluation.corpora import all_corpora, find_corpus
from evaluation.results import Run, write_atomically
from evaluation.runs import run
from newsextract.errors import WrongCall

#: Pages a set that CI measures.
SAMPLE = 24
#: What a figure may lose to other versions of the libraries beneath.
SLACK = 0.001
#: The figures that are pinned, where a set has them; higher is better.
PINNED = ("f", "refused")
PEER = "+peer"

#: Sample ("24", "all") -> set -> extractor (with or without "+peer") -> figure -> floor.
Floors = dict[str, dict[str, dict[str, dict[str, float]]]]


@dataclass(frozen=True, slots=True)
class Check:
    """One figure against its floor; `found` is None where the extractor gave no such figure."""

    set: str
    extractor: str
    figure: str
    floor: float
    found: float | None

    @property
    def holds(self) -> bool:
        return self.found is not None and self.found >= self.floor - SLACK


def gate(
    folders: Sequence[str | Path] = (),
    *,
    sample: int | None = SAMPLE,
    workers: int = 0,
    floors: Path | None = None,
    console: Console | None = None,
) -> list[Check]:
    """Every pinned figure measured again, on the sets named or on all that have floors. An extractor's failure on a
    page is a figure as well ("failures", floor 0). WrongCall where a set has no floors or its pages are not here."""
    pinned = read_floors(floors).get(_key(sample), {})
    corpora = {corpus.name: corpus.folder for corpus in (map(find_corpus, folders) if folders else all_corpora())}
    unknown = sorted(corpora.keys() - pinned.keys()) if folders else sorted(pinned.keys() - corpora.keys())
    if unknown or not pinned:
        raise WrongCall(f"no floors or no pages for {', '.join(unknown) or 'any set'} (sample: {_key(sample)})")
    wanted = {name: labels for name, labels in pinned.items() if name in corpora}
    found = _measure([corpora[name] for name in wanted], _union(wanted), sample, workers, console)
    return [
        check
        for name, labels in wanted.items()
        for label, figures in labels.items()
        for check in _checks(name, label, figures, found.get((name, label)))
    ]


def pin_floors(
    folders: Sequence[str | Path],
    extractors: Sequence[str],
    *,
    sample: int | None = SAMPLE,
    workers: int = 0,
    floors: Path | None = None,
    console: Console | None = None,
) -> Floors:
    """Measures and writes the floors of these sets and extractors ("NAME" or "NAME+peer"); others stay."""
    pinned = read_floors(floors)
    corpora = [find_corpus(name).folder for name in folders] if folders else [one.folder for one in all_corpora()]
    for (name, label), found in _measure(corpora, extractors, sample, workers, console).items():
        figures = {figure: round(found.scores[figure], 4) for figure in PINNED if figure in found.scores}
        if found.pages and figures:
            pinned.setdefault(_key(sample), {}).setdefault(name, {})[label] = figures
    write_atomically(floors_path(floors), json.dumps(pinned, indent=1, sort_keys=True) + "\n")
    return pinned


def floors_path(path: Path | None = None) -> Path:
    return path or Path(str(files("evaluation") / "floors.json"))


def read_floors(path: Path | None = None) -> Floors:
    """WrongCall where the file is damaged; nothing pinned where there is none."""
    place = floors_path(path)
    if not place.exists():
        return {}
    try:
        floors = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WrongCall(f"{place}: no floors ({error})") from error
    if not _is_floors(floors):
        raise WrongCall(f"{place}: floors are sample -> set -> extractor -> figure -> number")
    return floors  # type: ignore[no-any-return]


def checks_table(checks: Sequence[Check]) -> Table:
    """Those that do not hold first."""
    table = Table("set", "extractor", "figure", title="Floors", title_justify="left")
    for heading in ("floor", "found", ""):
        table.add_column(heading, justify="right")
    for check in sorted(checks, key=lambda check: check.holds):
        found = "none" if check.found is None else f"{check.found:.4f}"
        verdict = Text("holds", "green") if check.holds else Text("DROPPED", "bold red")
        table.add_row(check.set, check.extractor, check.figure, f"{check.floor:.4f}", found, verdict)
    return table


def _union(pinned: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Every label that any set pins, in order."""
    return list(dict.fromkeys(label for labels in pinned.values() for label in labels))


def _measure(
    folders: Sequence[Path], labels: Sequence[str], sample: int | None, workers: int, console: Console | None
) -> dict[tuple[str, str], Run]:
    """(set, label) -> figures; one run for all that need no peer and one for the others, since starting one costs."""
    found: dict[tuple[str, str], Run] = {}
    for peers, names in (
        ("none", [label for label in labels if not label.endswith(PEER)]),
        ("same-site", [label.removesuffix(PEER) for label in labels if label.endswith(PEER)]),
    ):
        if names:
            result = run(folders, names, workers=workers, peers=peers, sample=sample, console=console)
            found |= {(measured.set, measured.label): measured for measured in result.runs}
    return found


def _checks(name: str, label: str, figures: Mapping[str, float], found: Run | None) -> list[Check]:
    scores = found.scores if found else {}
    checks = [Check(name, label, figure, floor, scores.get(figure)) for figure, floor in figures.items()]
    if found and found.failures:
        checks.append(Check(name, label, "failures", 0.0, -float(len(found.failures))))
    return checks


def _key(sample: int | None) -> str:
    return "all" if sample is None else str(sample)


def _is_floors(value: Any, depth: int = 4) -> bool:
    if depth == 0:
        return isinstance(value, int | float)
    return isinstance(value, dict) and all(_is_floors(part, depth - 1) for part in value.values())
