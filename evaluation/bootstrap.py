"""How far a figure can be trusted: resampling of pages (B. Efron, Bootstrap methods, Annals of Statistics 7, 1979).

A page is drawn with replacement as often as the set has pages; a figure is computed from weighted sums over pages, so
all resamples are one product of matrices. Two extractors are resampled with the same draws: what a page is hard for,
it is mostly hard for both, and the difference is known much better than each figure alone. The seed is fixed: the
same pages give the same interval to the digit.
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


def _of_means(sums: Floats) -> Floats:
    precision, recall = sums[:, 0], sums[:, 1]
    return _ratio(2 * precision * recall, precision + recall)


def _segments(sums: Floats) -> Floats:
    hit, miss, false = sums.T
    return _ratio(2 * hit, 2 * hit + miss + false)


def _mean(sums: Floats) -> Floats:
    return sums[:, 0]


#: A figure, the page figures it comes from, and how, from their weighted means over pages.
FIGURES: tuple[tuple[str, tuple[str, ...], Callable[[Floats], Floats]], ...] = (
    ("f", ("f",), _mean),
    ("fp", ("precision", "recall"), _of_means),
    ("lcs", ("lcs",), _mean),
    ("f", ("hit", "miss", "false"), _segments),
    ("refused", ("refused",), _mean),
)


def intervals(by_page: Mapping[str, Sequence[Any]]) -> dict[str, list[float]]:
    """The 95% interval of every figure that the pages have."""
    found = {}
    for name, columns, figure in FIGURES:
        table = _table(by_page, columns)
        if table is not None:
            found[name] = [float(bound) for bound in np.percentile(figure(_resampled(table)), (2.5, 97.5))]
    return found


def difference(first: Run, second: Run, *, label: tuple[str, str] | None = None) -> Difference | None:
    """The second less the first on the pages that both have; None where no figure is common to both."""
    common = sorted(set(first.by_page.get("id", ())) & set(second.by_page.get("id", ())))
    if not common:
        return None
    for name, columns, figure in FIGURES:
        tables = [_table(_pick(run.by_page, common), columns) for run in (first, second)]
        if tables[0] is not None and tables[1] is not None:
            change = figure(_resampled(tables[1])) - figure(_resampled(tables[0]))
            whole = [float(figure(table.mean(axis=0, keepdims=True))[0]) for table in tables if table is not None]
            low, high = (float(bound) for bound in np.percentile(change, (2.5, 97.5)))
            better = float((change > 0).mean() + (change == 0).mean() / 2)
            names = label or (first.label, second.label)
            return Difference(first.set, *names, name, len(common), whole[1] - whole[0], low, high, better)
    return None


def _resampled(table: Floats) -> Floats:
    """Means of the columns in each resample, shape (SAMPLES, columns)."""
    pages = len(table)
    counts = np.random.default_rng(SEED).multinomial(pages, np.full(pages, 1 / pages), size=SAMPLES)
    means: Floats = counts @ table / pages
    return means


def _table(by_page: Mapping[str, Sequence[Any]], columns: Sequence[str]) -> Floats | None:
    """Shape (pages, columns); None where a column is absent or not known for every page."""
    if any(not by_page.get(name) or None in by_page[name] for name in columns):
        return None
    return np.array([by_page[name] for name in columns], dtype=np.float64).T


def _pick(by_page: Mapping[str, Sequence[Any]], identities: Sequence[str]) -> dict[str, list[Any]]:
    place = {identity: i for i, identity in enumerate(by_page["id"])}
    return {name: [values[place[identity]] for identity in identities] for name, values in by_page.items()}
