"""Sequences of values in document order: Gaussian smoothing, Otsu's threshold, the interval with the largest sum."""

from collections.abc import Sequence
from math import exp

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: The thresholds that CEDST tries: 0.1, 0.2, ... 1.0.
TENTHS = np.round(np.arange(1, 11) / 10, 1)
#: Weight of a neighbour in the Gaussian of sigma 1; the value itself has 1.
NEIGHBOUR = exp(-0.5)


def smooth(values: ArrayLike, nearness: ArrayLike = 1.0) -> Floats:
    """(n,) smoothed values: short text amid long text is raised, isolated long text lowered.

    s_i = sum k_j w_ij x_(i+j) / sum k_j w_ij, |j| <= 1, with k_j = exp(-j^2 / 2): the Gaussian of CETR, CEPR and CEDST,
    of sigma 1 and a radius of one sigma; its weights are .274, .452, .274. At the borders the sums are over existing
    values only, so that the first and last are not lowered. `nearness`: (n - 1,) w between each i and i + 1 (CEPR).
    O(n).
    """
    x = np.asarray(values, float)
    k = np.broadcast_to(NEIGHBOUR * np.asarray(nearness, float), max(0, len(x) - 1))
    total, weight = x.copy(), np.ones(len(x))
    total[1:] += k * x[:-1]
    total[:-1] += k * x[1:]
    weight[1:] += k
    weight[:-1] += k
    return total / weight


def otsu(values: ArrayLike, candidates: ArrayLike | None = None) -> float | None:
    """The best threshold among candidates, by default all distinct values; None where none divides the values.

    N. Otsu. A threshold selection method from gray-level histograms. Automatica 11, 1975. For a threshold t the upper
    class is value >= t. With class shares w and means u, t maximises the variance between the classes,
    w0 (u0 - mu)^2 + w1 (u1 - mu)^2 = w0 w1 (u0 - u1)^2. A t that leaves a class empty is not considered; of equal ones
    the lowest wins, which loses least text. O(n log n).
    """
    ordered = np.sort(np.asarray(values, float))
    thresholds = np.unique(ordered) if candidates is None else np.sort(np.asarray(candidates, float))
    below = np.searchsorted(ordered, thresholds, "left")  # size of the lower class
    divides = (below > 0) & (below < len(ordered))
    if not divides.any():
        return None
    below, thresholds, n = below[divides], thresholds[divides], len(ordered)
    scale = max(abs(float(ordered[0])), abs(float(ordered[-1]))) or 1.0  # squares of 1e200 overflow
    sums = np.concatenate(([0.0], np.cumsum(ordered / scale)))
    lower, upper = sums[below] / below, (sums[-1] - sums[below]) / (n - below)
    variance = (below / n) * (1 - below / n) * (upper - lower) ** 2
    return float(thresholds[np.argmax(variance >= variance.max() * (1 - 1e-12))])


def upper_class(values: ArrayLike) -> NDArray[np.bool_]:
    """Mask of the upper class; all values if nothing divides them (one value, or all equal)."""
    array = np.asarray(values, float)
    threshold = otsu(array)
    return np.ones(len(array), bool) if threshold is None else array >= threshold


def best_interval(values: Sequence[float], *, longest: bool = False) -> tuple[int, int]:
    """First and one past last of the interval with the largest sum (Kadane); (0, 0) where no sum is above 0.

    Of equal sums the first to end wins, and of those the shortest; `longest`: the longest, then the first. O(n).
    """
    best, interval = 0.0, (0, 0)
    total, start = 0.0, 0
    for position, value in enumerate(values):
        if total < 0 or (total == 0 and not longest):
            total, start = 0.0, position
        total += value
        end = position + 1
        if total > best or (longest and total == best > 0 and end - start > interval[1] - interval[0]):
            best, interval = total, (start, end)
    return interval
