"""Otsu's threshold: divides values into two classes with the largest variance between them.

N. Otsu. A threshold selection method from gray-level histograms. Automatica 11, 1975.

For a threshold t the upper class is value >= t. With class shares w and means u, t maximises the variance between the
classes, w0 (u0 - mu)^2 + w1 (u1 - mu)^2 = w0 w1 (u0 - u1)^2. A t that leaves a class empty is not considered; of equal
ones the lowest wins, which loses least text. O(n log n).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The thresholds that CEDST tries: 0.1, 0.2, ... 1.0.
TENTHS = np.round(np.arange(1, 11) / 10, 1)


def otsu(values: ArrayLike, candidates: ArrayLike | None = None) -> float | None:
    """The best threshold among candidates, by default all distinct values; None where none divides the values."""
    ordered = np.sort(np.asarray(values, float))
    thresholds = np.unique(ordered) if candidates is None else np.sort(np.asarray(candidates, float))
    below = np.searchsorted(ordered, thresholds, "left")  # size of the lower class
    divides = (below > 0) & (below < len(ordered))
    if not divides.any():
        return None
    variance = _between(ordered, below[divides])
    tied = variance >= variance.max() * (1 - 1e-12)
    return float(thresholds[divides][np.argmax(tied)])


def upper_class(values: ArrayLike, candidates: ArrayLike | None = None) -> NDArray[np.bool_]:
    """Mask of the upper class; all values where nothing divides them (one value, or all equal)."""
    array = np.asarray(values, float)
    threshold = otsu(array, candidates)
    return np.ones(len(array), bool) if threshold is None else array >= threshold


def _between(ordered: NDArray[np.float64], below: NDArray[np.int64]) -> NDArray[np.float64]:
    """Variance between the classes for each size of the lower class."""
    scale = max(abs(float(ordered[0])), abs(float(ordered[-1]))) or 1.0  # squares of 1e200 overflow
    sums = np.concatenate(([0.0], np.cumsum(ordered / scale)))
    n = len(ordered)
    lower = sums[below] / below
    upper = (sums[-1] - sums[below]) / (n - below)
    variance: NDArray[np.float64] = (below / n) * (1 - below / n) * (upper - lower) ** 2
    return variance
