"""Dempster's rule of combination for evidence for and against one hypothesis.

K. Sentz, S. Ferson. Combination of evidence in Dempster-Shafer theory. Sandia report SAND2002-0835, 2002.

The frame is {news, not news}. A simple mass function gives a mass p to one of the two and 1 - p to both together
("don't know"). For any number of sources that support news by p_k and sources that speak against it by q_l the rule,
a sum over all combinations of focal sets, comes to

    P = 1 - prod (1 - p_k)        Q = 1 - prod (1 - q_l)        K = 1 - P Q
    m(news) = P (1 - Q) / K       m(not news) = Q (1 - P) / K   m(both) = (1 - P)(1 - Q) / K

K is 0, and the rule undefined, only where a source for and one against are both certain; there all mass is "both".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Belief(NamedTuple):
    """(n,) masses after combination; `conflict`: the mass 1 - K that the rule redistributes."""

    news: NDArray[np.float64]
    not_news: NDArray[np.float64]
    unknown: NDArray[np.float64]
    conflict: NDArray[np.float64]


def combine(supporting: ArrayLike, opposing: ArrayLike) -> Belief:
    """Combine (sources, n) masses in [0, 1] for and against n hypotheses; either array may have no source."""
    p, q = _remaining(supporting), _remaining(opposing)
    p, q = np.broadcast_arrays(p, q)
    k = p + q - p * q
    decided = k > 0
    k = np.where(decided, k, 1.0)
    news = np.where(decided, (1.0 - p) * q / k, 0.0)
    not_news = np.where(decided, (1.0 - q) * p / k, 0.0)
    unknown = np.where(decided, p * q / k, 1.0)
    return Belief(news, not_news, unknown, (1.0 - p) * (1.0 - q))


def _remaining(masses: ArrayLike) -> NDArray[np.float64]:
    """1 - P, the mass that none of the sources assigns; computed directly, since P near 1 would lose its digits."""
    rest: NDArray[np.float64] = np.prod(1.0 - np.asarray(masses, float), axis=0)
    return rest
