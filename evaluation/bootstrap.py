"""Bootstrap confidence intervals of figures and of differences (B. Efron, Annals of Statistics 7, 1979).

Pages are drawn with replacement, as many as the set has. A figure is computed from weighted means over pages, so all
resamples are one matrix product. Two extractors are resampled with the same draws (paired bootstrap): a page that is
hard for one is mostly hard for both, so the interval of the difference is much smaller than those of the figures. The
seed is fixed: the same pages give exactly the same interval. Pages for which a figure is undefined (in sets that mix
articles and other pages) are left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.results import Difference, Run

Floats = NDArray[np.float64]
SAMPLES = 2000
SEED = 20100131
#: Below this many pages a figure is printed with its interval.
SMALL = 120


def _ratio(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


def _f_of_means(sums: Floats) -> Floats:
    precision, recall = sums[:, 0], sums[:, 1]
    return _ratio(2 * precision * recall, precision + recall)


def _segment_f(sums: Floats) -> Floats:
    hit, miss, false = sums.T
    return _ratio(2 * hit, 2 * hit + miss + false)


def _mean(sums: Floats) -> Floats:
    return sums[:, 0]


#: Name of a figure, the page figures it is computed from, and the function of their (resamples, columns) means.
FIGURES: tuple[tuple[str, tuple[str, ...], Callable[[Floats], Floats]], ...] = (
    ("f", ("f",), _mean),
    ("fp", ("precision", "recall"), _f_of_means),
    ("lcs", ("lcs",), _mean),
    ("f", ("hit", "miss", "false"), _segment_f),
    ("refused", ("refused",), _mean),
)


def intervals(by_page: Mapping[str, Sequence[Any]]) -> dict[str, list[float]]:
    """The 95 % interval [low, high] of each figure that the pages have."""
    bounds = {}
    for name, columns, figure in FIGURES:
        table = _table(by_page, columns)
        if table is not None:
            bounds[name] = [float(bound) for bound in np.percentile(figure(_resampled(table)), (2.5, 97.5))]
    return bounds


def difference(first: Run, second: Run) -> Difference | None:
    """The figure of the second run minus the first's, on the pages that both have; None if they share no figure."""
    common = sorted(set(first.by_page.get("id", ())) & set(second.by_page.get("id", ())))
    if not common:
        return None
    pages = [_pick(run.by_page, common) for run in (first, second)]
    for name, columns, figure in FIGURES:
        both = {f"{side} {column}": pages[side].get(column, ()) for side in (0, 1) for column in columns}
        table = _table(both, list(both))
        if table is not None:
            sides = table[:, : len(columns)], table[:, len(columns) :]
            change = figure(_resampled(sides[1])) - figure(_resampled(sides[0]))
            low, high = (float(bound) for bound in np.percentile(change, (2.5, 97.5)))
            better = float((change > 0).mean() + (change == 0).mean() / 2)
            before, after = (float(figure(side.mean(axis=0, keepdims=True))[0]) for side in sides)
            names = first.set, first.label, second.label, name
            return Difference(*names, len(table), after - before, low, high, better)
    return None


def _resampled(table: Floats) -> Floats:
    """Means of the columns in each resample, shape (SAMPLES, columns)."""
    pages = len(table)
    counts = np.random.default_rng(SEED).multinomial(pages, np.full(pages, 1 / pages), size=SAMPLES)
    means: Floats = counts @ table / pages
    return means


def _table(by_page: Mapping[str, Sequence[Any]], columns: Sequence[str]) -> Floats | None:
    """Shape (pages, columns) of the pages for which all columns are known; None if there is no such page."""
    if any(not by_page.get(name) for name in columns):
        return None
    rows = [row for row in zip(*(by_page[name] for name in columns), strict=True) if None not in row]
    return np.array(rows, dtype=np.float64) if rows else None


def _pick(by_page: Mapping[str, Sequence[Any]], ids: Sequence[str]) -> dict[str, list[Any]]:
    row_of = {id_: i for i, id_ in enumerate(by_page["id"])}
    return {name: [values[row_of[id_]] for id_ in ids] for name, values in by_page.items()}
