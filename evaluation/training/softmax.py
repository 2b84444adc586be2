"""Softmax over the candidates of pages: what the rankers of headline, dates and authors are fitted by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Floats = NDArray[np.float64]
#: Name of a feature -> its value.
Features = Mapping[str, float]
#: Least absolute weight that is kept in a file.
LEAST = 0.03


@dataclass
class Weights:
    """Content of a weights file, figures by set from cross-validation, and the files fitted without each fold."""

    values: dict[str, Any]
    figures: dict[str, float] = field(default_factory=dict)
    folds: list[dict[str, Any]] = field(default_factory=list)


def matrix(rows: Sequence[Features], names: Sequence[str]) -> Floats:
    return np.array([[signs.get(name, 0.0) for name in names] for signs in rows], float).reshape(-1, len(names))


def listed(names: Sequence[str], weights: Floats) -> dict[str, float]:
    """Weights by name, the largest first, without those of next to nothing."""
    ordered = sorted(zip(names, weights.tolist(), strict=True), key=lambda one: -one[1])
    return {name: round(weight, 2) for name, weight in ordered if abs(weight) >= LEAST}


def fit_softmax(
    rows: Sequence[Floats],
    right: Sequence[NDArray[np.bool_]],
    worth: Floats,
    ridge: float,
    prior: Floats | None = None,
) -> Floats:
    """Weights that maximise the probability of each page's right candidates.

    `rows`: pages of [candidates, features]; `worth`: weights of the pages. The penalty is ridge/2 times the squares of
    the distances from `prior` (from 0, if None).
    """
    start = np.zeros(rows[0].shape[1]) if prior is None else prior
    signs, good = np.concatenate(rows), np.concatenate(right)
    page = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
    starts = np.searchsorted(page, np.arange(len(rows)))

    def shares(scores: Floats) -> tuple[Floats, Floats]:
        highest = np.maximum.reduceat(scores, starts)
        powers = np.exp(scores - highest[page])
        total = np.add.reduceat(powers, starts)
        return powers / total[page], np.log(total) + highest

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = signs @ weights
        (every, total), (best, hit) = shares(scores), shares(np.where(good, scores, -1e9))
        slope = signs.T @ ((every - best) * worth[page]) + ridge * (weights - start)
        return float(worth @ (total - hit) + ridge * (weights - start) @ (weights - start) / 2), slope

    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x, float)
