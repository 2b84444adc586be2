"""The trained model: standardised evidence, one hidden layer, one logit a block. Its weights are a file of the package.

A logistic model of trained features (the hidden units), which T. Denoeux reads as Dempster's rule (see `belief`). The
first layer keeps its inputs apart by source, so that what each source contributed can be told exactly.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import NewsextractError, WrongOption
from newsextract.extractors.fusion.evidence import NAMES, SOURCES
from newsextract.extractors.fusion.features import Floats

WEIGHTS = "weights.json"
#: Standardised evidence beyond this is no stronger: one freak value decides nothing.
CLIP = 4.0
#: Products of matrices up to this many multiplications are done by one thread (OpenBLAS, interface/gemm.c).
SINGLE_THREADED = 1 << 18


@dataclass(frozen=True)
class Model:
    """`means`, `scales`: (features,); `first`: (features, hidden), `bias`: (hidden,); `second`: (hidden,), `offset`;
    `centres`: source -> mean contribution over the training blocks; `certainty`: see `choice`; `peer`: log likelihood
    ratios of a short block that stands in the peer, of one that does not, and the same of long blocks."""

    means: Floats
    scales: Floats
    first: Floats
    bias: Floats
    second: Floats
    offset: float
    centres: Mapping[str, float]
    certainty: tuple[float, ...]
    peer: tuple[float, ...]

    def logits(self, evidence: Floats) -> Floats:
        """(blocks,) log odds of news.

        By stretches of blocks that are too small for the threads of a linear algebra library: those would cost more
        than they gain on one page, and a crawl's workers have one processor each.
        """
        low, high, first, bias = self._folded
        hidden = np.empty((len(evidence), len(bias)), np.float32)
        logits = np.empty(len(evidence), np.float32)
        bounded = np.minimum(np.maximum(evidence, low), high)
        stretch = max(1, SINGLE_THREADED // first.size)
        for start in range(0, len(evidence), stretch):
            np.matmul(bounded[start : start + stretch], first, out=hidden[start : start + stretch])
        hidden += bias
        np.maximum(hidden, 0, out=hidden)
        for start in range(0, len(evidence), stretch):
            np.matmul(hidden[start : start + stretch], self.second, out=logits[start : start + stretch])
        logits += np.float32(self.offset)
        return logits

    @cached_property
    def _folded(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Least and most that evidence counts for, and the first layer with the standardisation in it."""
        reach = CLIP * self.scales
        first = self.first / self.scales[:, None]
        return self.means - reach, self.means + reach, first, self.bias - self.means @ first

    def standard(self, evidence: Floats) -> Floats:
        """(blocks, features) in standard deviations from the training mean."""
        standard: Floats = np.clip((evidence - self.means) / self.scales, -CLIP, CLIP)
        return standard


@cache
def trained(weights: str = "") -> Model:
    """The model of the package, or the one in a file of `scripts/bench train`; WrongOption where that is none."""
    if not weights:
        text = files("newsextract.extractors.fusion").joinpath(WEIGHTS).read_text("utf-8")
        return read_model(json.loads(text))
    try:
        model = read_model(json.loads(Path(weights).read_text("utf-8")))
        model.logits(np.zeros((1, len(NAMES)), np.float32))
        return model
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError, NewsextractError) as error:
        raise WrongOption(f"{weights}: no weights of fusion that this version can use ({error})") from error


def read_model(values: Mapping[str, Any]) -> Model:
    """A model from the content of a weights file; NewsextractError where it is not for this version's evidence."""
    rows = values["features"]
    if [row[0] for row in rows] != list(NAMES):
        raise NewsextractError("the weights of fusion are for other evidence than this version gives: train them anew")
    columns = np.array([row[1:] for row in rows], np.float32)
    return Model(
        columns[:, 0],
        columns[:, 1],
        np.ascontiguousarray(columns[:, 2:]),
        np.array(values["bias"], np.float32),
        np.array(values["second"], np.float32),
        float(values["offset"]),
        dict(values["centres"]),
        tuple(values["certainty"]),
        tuple(values["peer"]),
    )


def contributions(model: Model, evidence: Floats) -> dict[str, NDArray[np.float64]]:
    """What each source adds to the logit of each block: its exact Shapley value, with the training mean for "unknown".

    L. Shapley, A value for n-person games, 1953; for models: S. Lundberg, S. Lee, A unified approach to interpreting
    model predictions, NIPS 2017. The values of a block sum to its logit less the logit of mean evidence. All
    2^sources coalitions are evaluated: exact, a few milliseconds a page.
    """
    standard = model.standard(evidence)
    sources = list(dict.fromkeys(SOURCES))
    membership = np.array(SOURCES)
    parts = np.stack([standard[:, membership == s] @ model.first[membership == s] for s in sources], 1)
    count = len(sources)
    coalitions = np.array([[bits >> place & 1 for place in range(count)] for bits in range(1 << count)], np.float32)
    found = np.empty((len(evidence), count))
    weights = _shapley_weights(coalitions)
    for start in range(0, len(evidence), 256):
        hidden = coalitions @ parts[start : start + 256] + model.bias
        values = np.maximum(hidden, 0) @ model.second
        found[start : start + 256] = values @ weights
    return dict(zip(sources, found.T, strict=True))


def _shapley_weights(coalitions: Floats) -> NDArray[np.float64]:
    """(coalitions, sources): by how much a coalition's value enters each source's Shapley value."""
    count = coalitions.shape[1]
    sizes = coalitions.sum(1).astype(int)
    with_it = [factorial(size - 1) * factorial(count - size) / factorial(count) if size else 0.0 for size in sizes]
    without = [
        factorial(size) * factorial(count - size - 1) / factorial(count) if size < count else 0.0 for size in sizes
    ]
    return np.where(coalitions > 0, np.array(with_it)[:, None], -np.array(without)[:, None])
