"""Folds of pages and saved sites, and the files of weights: of all pages, and without one of the folds."""

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.corpora import Gold
from evaluation.results import circumstances, reading, write_atomically
from newsextract.errors import WrongCall

#: Content of a file of weights.
Values = dict[str, Any]

FOLDS = 5
#: A list in JSON without lists or objects in it.
ROW = re.compile(r"\[[^\[\]{}]*\]")


def fold_of(gold: Gold) -> int:
    """Fold of a page, by its site, because pages of one site look alike; a page without one is a site of its own."""
    return zlib.crc32((gold.site or gold.id).encode()) % FOLDS


def fold_weights(folder: Path, fold: int) -> Path:
    """The file of the weights that were fitted without that fold."""
    return folder / f"without-fold-{fold}.json"


def fold_of_site(folder: Path, name: str) -> int:
    """The fold that has the pages of a saved site, by the folder's `map.json`: name of a site -> its fold."""
    with reading(folder / "map.json", f"does not say in which fold {name} is") as folds:
        return int(folds[name])


def split_by_fold(folds: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Per fold the indices of the pages to fit on and of those held out. Raises WrongCall if a fold has no page."""
    if len({*folds}) < FOLDS:
        raise WrongCall(f"too few sites to fit on: {FOLDS} folds by site have to be filled, and hundreds of pages help")
    for left_out in range(FOLDS):
        inside = [i for i, fold in enumerate(folds) if fold != left_out]
        yield inside, [i for i, fold in enumerate(folds) if fold == left_out]


def save_weights(values: Values, path: Path) -> None:
    """Writes weights as JSON; a list of names and numbers, such as those of a feature, stands on a line."""
    text = json.dumps(values, indent=1, ensure_ascii=False)
    write_atomically(path, ROW.sub(lambda row: re.sub(r"\n\s*", " ", row[0]), text) + "\n")


def save_folds(folds: Iterable[tuple[int, Values]], folder: Path) -> None:
    """Writes the weights fitted without each fold, as `fold_weights` names them."""
    folder.mkdir(parents=True, exist_ok=True)
    for fold, weights in folds:
        save_weights(weights, fold_weights(folder, fold))


def provenance(command: str, pages: Mapping[str, int], named: str = "sets", **more: object) -> Values:
    """How a file was made: command ({} in it: the sets), sets or sites with their numbers of pages, versions."""
    words = f"scripts/bench {command.format(' '.join(pages))}"
    return {"command": words, **more, named: dict(pages), "made": circumstances({}, {})}


def short(values: Any) -> list[float]:
    """Numbers with four significant digits."""
    return [float(f"{value:.4g}") for value in np.asarray(values, float).tolist()]
