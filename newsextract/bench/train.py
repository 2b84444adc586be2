"""Training of fusion: labelled pages to a weights file, reproducible to the digit from a seed.

Figures of a set that is fitted on come from cross-validation, folds by site; sets that are only measured are scored by
the final model, which has never seen them.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from newsextract.algorithms.fusion.choice import SIGNS
from newsextract.algorithms.fusion.evidence import NAMES, SOURCES
from newsextract.algorithms.fusion.model import contributions, read_model
from newsextract.bench.corpus import find_corpora
from newsextract.bench.examples import FOLDS, Example, by_set, examples, stacked
from newsextract.bench.network import Fitting, Network, fit
from newsextract.bench.results import circumstances
from newsextract.bench.scores import summary
from newsextract.errors import WrongCall

Step = Callable[[str], None]


@dataclass
class Training:
    """What was fitted and what it reaches: `figures` by set, `folds` of those that were fitted on."""

    weights: dict[str, Any]
    figures: dict[str, dict[str, float]] = field(default_factory=dict)


def train(
    folders: Sequence[str | Path], *, measure: Sequence[str | Path] = (), seed: int = 1, workers: int = 0,
    augmented: bool = True, how: Fitting | None = None, step: Step = lambda name: None,
) -> Training:  # fmt: skip
    """Fit on `folders` (sets with texts or segments; those with page types only teach certainty)."""
    how = how or Fitting()
    corpora = find_corpora(folders)
    pages = examples(corpora, workers, augmented, step)
    taught = [page for page in pages if page.gold.kind != "type"]
    if len({page.fold for page in taught}) < FOLDS:
        raise WrongCall(f"too few sites to fit on: pages of at least {FOLDS} are needed, of many more to be of use")
    judged, rows = [], []
    for fold in range(FOLDS):
        model = fit(*stacked([page for page in taught if page.fold != fold]), seed, how)
        step(f"fold {fold + 1} of {FOLDS}")
        for page in pages:
            if page.fold == fold and not page.made:
                judgement, signs = page.judge(model.logits(page.evidence))
                judged.append((page.set, judgement))
                if judgement.f is not None or judgement.refused is not None:
                    rows.append((signs, (judgement.f or 0.0) >= 0.9))
    final = fit(*stacked(taught), seed, how)
    weights = _weights_file(final, taught, rows)
    weights["provenance"] = _provenance(corpora, pages, seed, augmented, how)
    training = Training(weights)
    for name in dict.fromkeys(name for name, _ in judged):
        training.figures[name] = summary([judgement for of, judgement in judged if of == name])
    if measure:
        for name, found in by_set(examples(find_corpora(measure), workers, False, step)):
            training.figures[name] = summary([page.judge(final.logits(page.evidence))[0] for page in found])
    return training


def save(training: Training, path: Path) -> None:
    """The weights as JSON, a feature a line: name, mean, scale, weights of the hidden units."""
    values = dict(training.weights)
    rows = ",\n".join("  " + json.dumps(row) for row in values.pop("features"))
    rest = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
    path.write_text(f'{{\n{rest},\n "features": [\n{rows}\n ]\n}}\n', "utf-8")


def _weights_file(network: Network, taught: Sequence[Example], rows: Sequence[tuple[Any, bool]]) -> dict[str, Any]:
    """Numbers with four digits: the file is what is used, so nothing is lost by it."""
    first, bias, second, offset = network.layers
    values: dict[str, Any] = {
        "bias": _short(bias), "second": _short(second[:, 0]), "offset": _short(offset)[0], "centres": {},
        "certainty": [0.0] * (1 + len(SIGNS)), "peer": [-5.0, 0.5],
        "features": [
            [name, *_short([mean, scale]), *_short(row)]
            for name, mean, scale, row in zip(NAMES, network.means, network.scales, first, strict=True)
        ],
    }  # fmt: skip
    values["centres"] = dict.fromkeys(SOURCES, 0.0)
    model = read_model(values)
    originals = [page for page in taught if not page.made]
    sample = np.concatenate([page.evidence for page in originals])[:: max(1, len(originals) // 20)]
    values["centres"] = {name: _short([column.mean()])[0] for name, column in contributions(model, sample).items()}
    values["certainty"] = _short(_logistic(np.array([s for s, _ in rows]), np.array([good for _, good in rows], float)))
    return values


def _logistic(signs: Any, good: Any, rounds: int = 50) -> Any:
    """Weights of a logistic regression, the offset first, by Newton's method with a little ridge."""
    columns = np.column_stack([np.ones(len(signs)), signs])
    weights = np.zeros(columns.shape[1])
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-np.clip(columns @ weights, -30, 30)))
        gradient = columns.T @ (p - good) + 0.1 * weights
        curvature = (columns * (p * (1 - p))[:, None]).T @ columns + 0.1 * np.eye(len(weights))
        weights -= np.linalg.solve(curvature, gradient)
    return weights


def _short(values: Any) -> list[float]:
    return [float(f"{value:.4g}") for value in np.asarray(values, float).tolist()]


def _provenance(corpora: Any, pages: Sequence[Example], seed: int, augmented: bool, how: Fitting) -> dict[str, Any]:
    """What a reader needs to make the same file."""
    sets = {corpus.name: len(corpus.gold) for corpus in corpora}
    return {
        "command": f"newsextract bench train {' '.join(sets)} --seed {seed}" + ("" if augmented else " --plain"),
        "date": date.today().isoformat(),
        "sets": sets,
        "variants": sum(page.made for page in pages),
        "fitting": asdict(how),
        "circumstances": circumstances({}, {}),
    }
