"""Fitting of the weights that metadata uses: which title is the headline, and whether a page is an article.

Both models are linear, so that their files can be read and a sign's weight be argued with; both are fitted by a quasi-
Newton method on a convex loss with a ridge, so the same pages give the same weights. Figures come from folds by site.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from evaluation.corpus import find_corpora
from evaluation.examples import FOLDS
from evaluation.observed import Observed, Signs, observed
from evaluation.results import circumstances, write_whole
from newsextract.errors import WrongCall

Floats = NDArray[np.float64]
#: How much a weight must be worth to be kept in the file, and the ridge of each model.
LEAST, RIDGE = 0.03, {"headline": 10.0, "kind": 6.0}
#: Share of the articles that are weighed which the threshold keeps, by folds.
KEPT = 0.988
#: What a page counts as an example of its kind: as it is, without its address or without the extractor's confidence;
#: a page that is no article counts twice, because there are fewer of them.
WHOLE, LESS, OTHER = 1.0, 0.5, 2.0


@dataclass
class Weights:
    """What was fitted: the file's values, and figures by set from folds."""

    values: dict[str, Any]
    figures: dict[str, float] = field(default_factory=dict)


def fit(name: str, folders: Sequence[str], workers: int = 1) -> Weights:
    """The weights of "headline" or "kind", fitted on these corpora."""
    if name not in MODELS:
        raise WrongCall(f"{name!r} has no fitted weights; {', '.join(MODELS)} have")
    corpora = find_corpora(folders)
    weights = MODELS[name](observed(corpora, workers))
    sets = {corpus.name: len(corpus.gold) for corpus in corpora}
    provenance = {"command": f"newsextract bench fit {name} {' '.join(sets)}", "sets": sets}
    weights.values = {"provenance": {**provenance, "made": circumstances({}, {})}, **weights.values}
    return weights


def save(weights: Weights, path: Path) -> None:
    """The file: heaviest sign first, one a line."""
    write_whole(path, json.dumps(weights.values, indent=1, ensure_ascii=False) + "\n")


def fit_headline(pages: Sequence[Observed]) -> Weights:
    """Softmax over a page's candidates: the loss is that of the right ones together.

    A page of a smaller set counts more, by the root of how much smaller the set is: what few pages of the news know is
    not outvoted by many of blogs.
    """
    known = [page for page in pages if any(right for right, _ in page.titles)]
    names = sorted({name for page in known for _, signs in page.titles for name in signs})
    rows = [_matrix([signs for _, signs in page.titles], names) for page in known]
    right = [np.array([right for right, _ in page.titles]) for page in known]

    def fitted(of: Sequence[int]) -> Floats:
        return _softmax([rows[i] for i in of], [right[i] for i in of], worth[of], RIDGE["headline"])

    sizes = Counter(page.set for page in known)
    worth = np.array([(max(sizes.values()) / sizes[page.set]) ** 0.5 for page in known])
    hits: dict[str, list[bool]] = {}
    for inside, outside in _folds(known):
        weights = fitted(inside)
        for i in outside:
            hits.setdefault(known[i].set, []).append(bool(right[i][int((rows[i] @ weights).argmax())]))
    for page in pages:
        if page.titles and not any(right for right, _ in page.titles):
            hits.setdefault(page.set, []).append(False)
    figures = {f"{name}: headline right": float(np.mean(found)) for name, found in hits.items()}
    return Weights({"weights": _listed(names, fitted(range(len(known))))}, figures)


def fit_kind(pages: Sequence[Observed]) -> Weights:
    """Logistic regression; the threshold keeps KEPT of the articles that it weighs, by folds."""
    known = [page for page in pages if page.signs]
    names = sorted({name for page in known for signs in page.signs for name in signs})
    rows = [_matrix(page.signs, names) for page in known]

    def fitted(of: Sequence[int]) -> Floats:
        worth = np.concatenate([_worth(known[i]) for i in of])
        articles = np.concatenate([np.full(len(rows[i]), float(known[i].article)) for i in of])
        return _logistic(np.concatenate([rows[i] for i in of]), articles, worth, RIDGE["kind"])

    beyond = np.zeros(len(known))
    for inside, outside in _folds(known):
        weights = fitted(inside)
        for i in outside:
            beyond[i] = weights[0] + rows[i][0] @ weights[1:]
    articles = np.array([page.article for page in known])
    threshold = float(np.quantile(beyond[articles], 1 - KEPT)) if articles.any() else 0.0
    figures = {
        f"{name}: taken for an article": sum(
            float(one >= threshold) for one, page in zip(beyond, known, strict=True) if page.set == name
        )
        / max(1, sum(page.set == name and page.sound for page in pages))
        for name in dict.fromkeys(page.set for page in pages)
    }
    weights = fitted(range(len(known)))
    values = {"bias": round(float(weights[0]), 3), "threshold": round(threshold, 3)}
    return Weights({**values, "weights": _listed(names, weights[1:])}, figures)


MODELS: dict[str, Callable[[Sequence[Observed]], Weights]] = {"headline": fit_headline, "kind": fit_kind}


def _folds(pages: Sequence[Observed]) -> Iterator[tuple[list[int], list[int]]]:
    """Each fold with the numbers of the pages to fit on and of those held back."""
    if len({page.fold for page in pages}) < FOLDS:
        raise WrongCall(f"too few sites to fit on: {FOLDS} folds by site have to be filled, and hundreds of pages help")
    for fold in range(FOLDS):
        inside = [i for i, page in enumerate(pages) if page.fold != fold]
        yield inside, [i for i, page in enumerate(pages) if page.fold == fold]


def _worth(page: Observed) -> Floats:
    return np.array([WHOLE, *[LESS] * (len(page.signs) - 1)]) * (1.0 if page.article else OTHER)


def _matrix(rows: Sequence[Signs], names: Sequence[str]) -> Floats:
    return np.array([[signs.get(name, 0.0) for name in names] for signs in rows], float).reshape(-1, len(names))


def _listed(names: Sequence[str], weights: Floats) -> dict[str, float]:
    listed = sorted(zip(names, weights.tolist(), strict=True), key=lambda one: -one[1])
    return {name: round(weight, 2) for name, weight in listed if abs(weight) >= LEAST}


def _softmax(rows: Sequence[Floats], right: Sequence[NDArray[np.bool_]], worth: Floats, ridge: float) -> Floats:
    """Weights under which each page's right candidates are likeliest among all of the page's; pages as `worth`."""
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
        slope = signs.T @ ((every - best) * worth[page]) + ridge * weights
        return float(worth @ (total - hit) + ridge * weights @ weights / 2), slope

    return np.asarray(minimize(loss, np.zeros(signs.shape[1]), jac=True, method="L-BFGS-B").x, float)


def _logistic(signs: Floats, articles: Floats, worth: Floats, ridge: float) -> Floats:
    """Weights of a logistic regression, the bias (which has no ridge) first."""
    columns = np.column_stack([np.ones(len(signs)), signs])
    ridges = np.full(columns.shape[1], ridge)
    ridges[0] = 0.0

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = columns @ weights
        wrong = worth * (1 / (1 + np.exp(-np.clip(scores, -30, 30))) - articles)
        total = worth @ (np.logaddexp(0, scores) - articles * scores) + ridges @ weights**2 / 2
        return float(total), columns.T @ wrong + ridges * weights

    return np.asarray(minimize(loss, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B").x, float)
