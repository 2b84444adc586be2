"""Explanation of each block's score: the weight of evidence of each source, and the masses by Dempster's rule.

T. Denoeux. Logistic regression, neural networks and Dempster-Shafer theory: a new perspective. Knowledge-Based
Systems 176, 2019. A weight w of evidence for news is a simple mass function m(news) = 1 - exp(-w); Dempster's rule adds
the weights for (W+) and against (W-), and gives

    m(news) = (1 - e^-W+) e^-W- / K    m(not news) = (1 - e^-W-) e^-W+ / K    m(unknown) = e^-(W+ + W-) / K
    conflict = (1 - e^-W+)(1 - e^-W-)  K = 1 - conflict

whose normalised plausibility is the model's own probability, since W+ - W- is its logit. Here a source's weight is its
contribution (`model.contributions`) and its part of the constant; the parts are the least committed ones of the paper,
which minimise the sum of squared weights over the training blocks.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import Floats
from newsextract.extractors.fusion.model import Model, contributions

MASSES = ("m(news)", "m(not news)", "m(unknown)", "conflict")


class BlockExplanation(Mapping[str, NDArray[np.float64]]):
    """Name -> (blocks,) values: the weight of each source, then MASSES. Computed on first access.

    `added`: source -> (blocks,) weights that are no features of the model.
    """

    def __init__(self, model: Model, features: Floats, added: Mapping[str, NDArray[np.floating]]) -> None:
        self.model, self._features, self._added = model, features, added

    def with_site(self, weights: NDArray[np.float64]) -> "BlockExplanation":
        """The same with (blocks,) weights of the other pages of the site."""
        return BlockExplanation(self.model, self._features, {**self._added, "site": weights})

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @cached_property
    def _columns(self) -> dict[str, NDArray[np.float64]]:
        weights = weights_of_evidence(self.model, self._features)
        weights |= {source: column.astype(float) for source, column in self._added.items()}
        return weights | dict(zip(MASSES, masses(np.stack(list(weights.values()))), strict=True))


def weights_of_evidence(model: Model, features: Floats) -> dict[str, NDArray[np.float64]]:
    """Source -> (blocks,) weights, positive for news; their sum over the sources is the logit."""
    by_source = contributions(model, features)
    constant = float(np.maximum(model.bias, 0) @ model.second) + model.offset
    centre = (constant + sum(model.centres.values())) / len(by_source)
    return {source: column + centre - model.centres[source] for source, column in by_source.items()}


def masses(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(4, blocks) from (sources, blocks) weights; MASSES names the rows."""
    for_news, against = np.maximum(weights, 0).sum(0), np.maximum(-weights, 0).sum(0)
    left, right = np.exp(-for_news), np.exp(-against)
    conflict = (1 - left) * (1 - right)
    rest = np.maximum(left + right - left * right, 1e-300)
    return np.stack([(1 - left) * right / rest, (1 - right) * left / rest, left * right / rest, conflict])
