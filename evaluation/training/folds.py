"""Folds of pages and saved sites, and the files of the weights that were fitted without one of them."""

import zlib
from pathlib import Path

from evaluation.corpora import Gold
from evaluation.results import reading

FOLDS = 5


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
