"""Dempster's rule of combination for evidence for and against one hypothesis.

K. Sentz, S. Ferson. Combination of evidence in Dempster-Shafer theory. Sandia report SAND2002-0835, 2002.

The frame is {news, not news}. A simple mass function gives a mass p to one of the two and 1 - p to both together
("don't know"). For any number of sources that support news by p_k and sources that speak against it by q_l the rule,
a sum over all combinations of focal sets, comes to

    P = 1 - prod (1 - p_k)        Q = 1 - prod (1 - q_l)        K = 1 - P Q
    m(news) = P (1 - Q) / K       m(not news) = Q (1 - P) / K   m(both) = (1 - P)(1 - Q) / K

K is 0, and the rule undefined, only where a source for and one against are both certain; there all mass is "both".
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def combine(supporting: ArrayLike, opposing: ArrayLike) -> NDArray[np.float64]:
    """(n,) m(news), from (sources, n) masses in [0, 1] for and against n hypotheses; either may have no source."""
    p, q = _remaining(supporting), _remaining(opposing)
    k = np.asarray(p + q - p * q)
    news: NDArray[np.float64] = np.where(k > 0, (1.0 - p) * q / np.where(k > 0, k, 1.0), 0.0)
    return news


def _remaining(masses: ArrayLike) -> NDArray[np.float64]:
    """1 - P, the mass that none of the sources assigns; computed directly, because P near 1 would lose its digits."""
    rest: NDArray[np.float64] = np.prod(1.0 - np.asarray(masses, float), axis=0)
    return rest
