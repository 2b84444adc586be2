"""Training of fusion: labelled pages to a weights file, reproducible to the digit from a seed.

Figures of a set that is fitted on come from cross-validation, folds by site; sets that are only measured are scored by
the final model, which has never seen them.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from evaluation.corpus import Corpus, find_corpora
from evaluation.examples import FOLDS, Example, by_set, examples, stacked
from evaluation.network import Fitting, Network, fit
from evaluation.progress import progress_bar
from evaluation.results import circumstances, write_whole
from evaluation.scores import Judgement, summary
from evaluation.template import peer_ratios
from evaluation.variations import Figures, Table, variations
from newsextract.errors import WrongCall
from newsextract.extractors.fusion.evidence import NAMES, SOURCES
from newsextract.extractors.fusion.model import contributions, read_model
from newsextract.extractors.fusion.selection import SIGNS, certainty

Step = Callable[[str], None]
#: A page is right if its F is at least this; certainty is the probability of that.
RIGHT = 0.9


@dataclass
class Training:
    """What was fitted and what it reaches: `figures` by set; `reliability`: said and true share of right pages, and how
    many, by tenths of certainty; `tables`: what a report adds."""

    weights: dict[str, Any]
    figures: Figures = field(default_factory=dict)
    reliability: list[tuple[float, float, int]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


@dataclass
class Judged:
    """A page as a model that had not seen its site chose it."""

    set: str
    fold: int
    judgement: Judgement
    signs: NDArray[np.float64]

    @property
    def right(self) -> bool:
        return (self.judgement.f or 0.0) >= RIGHT


def train_with_progress(
    folders: Sequence[str | Path],
    measured: Sequence[str | Path] = (),
    *,
    seed: int,
    workers: int,
    augmented: bool,
    report: bool,
    console: Console | None,
) -> Training:
    """`train` on corpora by name, with a progress bar where the console is a terminal."""
    corpora = find_corpora(folders)
    others = find_corpora(measured) if measured else []
    total = sum(len(corpus.gold) for corpus in (*corpora, *others)) + FOLDS
    with progress_bar(console, total) as step:
        pages = examples(corpora, workers, augmented, step)
        unseen = examples(others, workers, False, step)
        training = train(pages, unseen, seed, step=step)
        if report:
            training.tables = variations(pages, unseen, seed, step)
    training.weights["peer"] = peer_ratios(corpora)
    training.weights["provenance"] |= _provenance(corpora, seed, augmented)
    return training


def train(
    pages: Sequence[Example],
    unseen: Sequence[Example] = (),
    seed: int = 1,
    how: Fitting | None = None,
    step: Step = lambda name: None,
) -> Training:
    """Fit on `pages` (those with only a page type teach certainty alone) and measure on them and on `unseen`."""
    how = how or Fitting()
    taught = [page for page in pages if page.gold.kind != "type"]
    if len({page.fold for page in taught}) < FOLDS:
        raise WrongCall(f"too few sites to fit on: {FOLDS} folds by site have to be filled, and hundreds of pages help")
    judged: list[Judged] = []
    for fold in range(FOLDS):
        model = fit(*stacked([page for page in taught if page.fold != fold]), seed, how)
        held_back = [page for page in pages if page.fold == fold and not page.made]
        judged += [Judged(page.set, fold, *page.judge(model.logits(page.evidence))) for page in held_back]
        step(f"fold {fold + 1} of {FOLDS}")
    final = fit(*stacked(taught), seed, how)
    telling = [page for page in judged if page.judgement.hit is None]
    weights = _weights_file(final, taught, telling)
    weights["provenance"] = {"fitting": asdict(how), "variants": sum(page.made for page in pages)}
    training = Training(weights, reliability=_reliability(telling))
    for name in dict.fromkeys(page.set for page in judged):
        training.figures[name] = summary([page.judgement for page in judged if page.set == name])
    for name, found in by_set(unseen):
        training.figures[name] = summary([page.judge(final.logits(page.evidence))[0] for page in found])
    return training


def save(training: Training, path: Path) -> None:
    """The weights as JSON, a feature a line: name, mean, scale, weights of the hidden units."""
    values = dict(training.weights)
    rows = ",\n".join("  " + json.dumps(row) for row in values.pop("features"))
    rest = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
    write_whole(path, f'{{\n{rest},\n "features": [\n{rows}\n ]\n}}\n')


def _weights_file(network: Network, taught: Sequence[Example], judged: Sequence[Judged]) -> dict[str, Any]:
    """Numbers with four digits: the file is what is used, so nothing is lost by it."""
    first, bias, second, offset = network.layers
    features = zip(NAMES, network.means, network.scales, first, strict=True)
    values: dict[str, Any] = {
        "provenance": {},
        "bias": _short(bias),
        "second": _short(second[:, 0]),
        "offset": _short(offset)[0],
        "centres": dict.fromkeys(SOURCES, 0.0),
        "certainty": [0.0] * (1 + len(SIGNS)),
        "peer": [0.0] * 4,
        "features": [[name, *_short([mean, scale]), *_short(row)] for name, mean, scale, row in features],
    }
    originals = np.concatenate([page.evidence for page in taught if not page.made])
    sample = originals[:: max(1, len(originals) // 4000)]
    parts = contributions(read_model(values), sample)
    values["centres"] = {name: _short([column.mean()])[0] for name, column in parts.items()}
    if judged:
        values["certainty"] = _certainty(judged)
    return values


def _certainty(judged: Sequence[Judged]) -> list[float]:
    """Weights of `choice.certainty`, fitted on pages."""
    right = np.array([page.right for page in judged], float)
    return _short(_logistic(np.array([page.signs for page in judged]), right))


def _reliability(judged: Sequence[Judged]) -> list[tuple[float, float, int]]:
    """What is said of each page by weights fitted on the other folds, against what is true."""
    said, right = np.zeros(len(judged)), np.array([page.right for page in judged])
    folds = np.array([page.fold for page in judged])
    for fold in range(FOLDS):
        weights = tuple(_certainty([page for page in judged if page.fold != fold]))
        for row in np.flatnonzero(folds == fold).tolist():
            said[row] = certainty(weights, judged[row].signs)
    tenths = np.minimum(9, (10 * said).astype(int))
    rows = [(tenths == tenth) for tenth in range(10)]
    return [(float(said[row].mean()), float(right[row].mean()), int(row.sum())) for row in rows if row.any()]


def _logistic(signs: NDArray[np.float64], good: NDArray[np.float64], rounds: int = 50) -> NDArray[np.float64]:
    """Weights of a logistic regression, the offset first, by Newton's method with a little ridge."""
    columns = np.column_stack([np.ones(len(signs)), signs])
    weights: NDArray[np.float64] = np.zeros(columns.shape[1])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-np.clip(columns @ weights, -30, 30)))
        gradient = columns.T @ (p - good) + 0.1 * weights
        curvature = (columns * (p * (1 - p))[:, None]).T @ columns + 0.1 * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return weights


def _short(values: Any) -> list[float]:
    return [float(f"{value:.4g}") for value in np.asarray(values, float).tolist()]


def _provenance(corpora: Sequence[Corpus], seed: int, augmented: bool) -> dict[str, Any]:
    """What a reader needs to make the same file."""
    sets = {corpus.name: len(corpus.gold) for corpus in corpora}
    command = f"newsextract bench train {' '.join(sets)} --seed {seed}" + ("" if augmented else " --plain")
    return {"command": command, "seed": seed, "sets": sets, "made": circumstances({}, {})}
