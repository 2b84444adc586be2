"""What each kind of evidence, each kind of model and each page more is worth: the same fit with one thing changed.

Figures on sets that are fitted on are of the first folds only, by site; those on other sets are means over these folds'
models. Differences below .003 are noise, as other seeds show; the first table says how large it is here.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.examples import Example, by_set, stacked
from evaluation.network import Fitting, fit
from evaluation.scores import mean, summary
from newsextract.extractors.fusion.evidence import SOURCES

FOLDS_USED = 2
Figures = dict[str, dict[str, float]]


@dataclass
class Table:
    """A title, the sets, and a row of F by set for each variation."""

    title: str
    rows: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Variation:
    """`share`: of the sites; `without`: a source of evidence."""

    table: str
    name: str
    how: Fitting = field(default_factory=Fitting)
    seed: int = 0
    share: float = 1.0
    without: str = ""


def all_variations() -> Iterator[Variation]:
    """Every row of the report."""
    default = Fitting()
    for seed in range(3):
        yield Variation("The default, by seed", f"seed {seed + 1}", seed=seed)
    yield Variation("Other models", "logistic regression", replace(default, hidden=0))
    for hidden in (8, 16, 32, 96):
        yield Variation("Other models", f"{hidden} hidden units", replace(default, hidden=hidden, networks=1))
    for source in dict.fromkeys(SOURCES):
        yield Variation("Without a source of evidence", f"without {source}", without=source)
    for share in (0.1, 0.25, 0.5):
        yield Variation("Share of the sites fitted on", f"{share:.0%}", share=share)


def variations(
    pages: Sequence[Example], unseen: Sequence[Example], seed: int, step: Callable[[str], None]
) -> list[Table]:
    """All tables."""
    tables: dict[str, Table] = {}
    for one in all_variations():
        table = tables.setdefault(one.table, Table(one.table))
        table.rows[one.name] = figures(one, pages, unseen, seed)
        step(one.name)
    return list(tables.values())


def figures(one: Variation, pages: Sequence[Example], unseen: Sequence[Example], seed: int) -> dict[str, float]:
    """F by set."""
    taught = [page for page in pages if page.gold.kind != "type"]
    judged: dict[str, list[object]] = {}
    elsewhere: dict[str, list[float]] = {}
    kept = np.array([source != one.without for source in SOURCES], np.float32)
    for fold in range(FOLDS_USED):
        chosen = [page for page in taught if page.fold != fold and _share(page) < one.share]
        evidence, labels, weights = stacked(chosen)
        model = fit(evidence * kept, labels, weights, seed + one.seed, one.how)
        logits = _scorer(model.logits, kept)
        for page in taught:
            if page.fold == fold and not page.made:
                judged.setdefault(page.set, []).append(page.judge(logits(page))[0])
        for name, found in by_set(unseen):
            elsewhere.setdefault(name, []).append(summary([page.judge(logits(page))[0] for page in found])["f"])
    own = {name: summary(found)["f"] for name, found in judged.items()}  # type: ignore[arg-type]
    return own | {name: mean(found) for name, found in elsewhere.items()}


def _scorer(
    logits: Callable[[NDArray[np.float32]], NDArray[np.float32]], kept: NDArray[np.float32]
) -> Callable[[Example], NDArray[np.float32]]:
    return lambda page: logits(page.evidence * kept)


def _share(page: Example) -> float:
    """A number in [0, 1) that is the same for all pages of a site."""
    return zlib.crc32(f"share {page.site}".encode()) / 2**32
