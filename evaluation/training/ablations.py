"""Ablation study of the default extractor: the same training with one thing changed (seed, model, features, sites).

Figures on sets that are fitted on are of the first folds only, by site; those on other sets are means over the models
of these folds. Differences below .003 are noise; the first table, of seeds, shows its size.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.scores import Judgement, mean, summary
from evaluation.training.examples import Example, by_set, stacked
from evaluation.training.network import Fitting, fit
from newsextract.extractors.fusion.model import FEATURE_SOURCES

FOLDS_USED = 2
Figures = dict[str, dict[str, float]]


@dataclass
class AblationTable:
    """Title, and a row of F by set for each ablation."""

    title: str
    rows: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ablation:
    """One row of a table. `share`: of the sites to fit on; `without`: a source of features that is left out."""

    table: str
    name: str
    how: Fitting = field(default_factory=Fitting)
    seed: int = 0
    share: float = 1.0
    without: str = ""


def all_ablations() -> Iterator[Ablation]:
    """Every row of the report, in order."""
    default = Fitting()
    for seed in range(3):
        yield Ablation("The default, by seed", f"seed {seed + 1}", seed=seed)
    yield Ablation("Other models", "logistic regression", replace(default, hidden=0))
    for hidden in (8, 16, 32, 96):
        yield Ablation("Other models", f"{hidden} hidden units", replace(default, hidden=hidden, networks=1))
    for source in dict.fromkeys(FEATURE_SOURCES):
        yield Ablation("Without a source of evidence", f"without {source}", without=source)
    for share in (0.1, 0.25, 0.5):
        yield Ablation("Share of the sites fitted on", f"{share:.0%}", share=share)


def run_ablations(
    pages: Sequence[Example], unseen: Sequence[Example], seed: int, step: Callable[[str], None]
) -> list[AblationTable]:
    """All tables. `pages` are fitted on, `unseen` only measured; `step` is called after each row."""
    tables: dict[str, AblationTable] = {}
    for row in all_ablations():
        table = tables.setdefault(row.table, AblationTable(row.table))
        table.rows[row.name] = figures(row, pages, unseen, seed)
        step(row.name)
    return list(tables.values())


def figures(ablation: Ablation, pages: Sequence[Example], unseen: Sequence[Example], seed: int) -> dict[str, float]:
    """F by set with this ablation."""
    taught = [page for page in pages if page.gold.is_article]
    judged: dict[str, list[Judgement]] = {}
    elsewhere: dict[str, list[float]] = {}
    kept = np.array([source != ablation.without for source in FEATURE_SOURCES], np.float32)
    for fold in range(FOLDS_USED):
        chosen = [page for page in taught if page.fold != fold and _share(page) < ablation.share]
        evidence, labels, weights = stacked(chosen)
        model = fit(evidence * kept, labels, weights, seed + ablation.seed, ablation.how)
        logits = _scorer(model.logits, kept)
        for page in taught:
            if page.fold == fold and not page.made:
                judged.setdefault(page.set, []).append(page.judge(logits(page))[0])
        for name, examples in by_set(unseen):
            elsewhere.setdefault(name, []).append(summary([page.judge(logits(page))[0] for page in examples])["f"])
    own = {name: summary(judgements)["f"] for name, judgements in judged.items()}
    return own | {name: mean(values) for name, values in elsewhere.items()}


def _scorer(
    logits: Callable[[NDArray[np.float32]], NDArray[np.float32]], kept: NDArray[np.float32]
) -> Callable[[Example], NDArray[np.float32]]:
    return lambda page: logits(page.evidence * kept)


def _share(page: Example) -> float:
    """A pseudo-random number in [0, 1), the same for all pages of a site."""
    return zlib.crc32(f"share {page.site}".encode()) / 2**32
