"""Gaussian smoothing of values in document order: short text amid long text is raised, isolated long text lowered.

s_i = sum k_j w_ij x_(i+j) / sum k_j w_ij, |j| <= r, with k_j = exp(-j^2 / (2 sigma^2)). At the borders the sums are
over existing values only, so that the first and last are not lowered. w is 1, or the nearness of the two (CEPR). For
sigma = 1 and r = 1, as in CETR's kernel of one standard deviation, the weights are .274, .452, .274. O(n r).
"""

from collections.abc import Callable
from math import ceil, exp

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def smooth(
    values: ArrayLike, sigma: float = 1.0, radius: int | None = None, nearness: Callable[[int], Floats] | None = None
) -> Floats:
    """(n,) smoothed values.

    `radius`: by default one sigma, rounded up; `nearness(j)`: (n - j,) weights w between each i and i + j.
    """
    x = np.asarray(values, float)
    reach = min(ceil(sigma) if radius is None else radius, len(x) - 1)
    total, weight = x.copy(), np.ones(len(x))
    for j in range(1, reach + 1):
        k = exp(-(j**2) / (2 * sigma**2)) * (np.ones(len(x) - j) if nearness is None else nearness(j))
        total[j:] += k * x[:-j]
        total[:-j] += k * x[j:]
        weight[j:] += k
        weight[:-j] += k
    return total / weight
