"""The trained model: standardised features, one hidden layer, one logit a block. Its weights are a file of the package.

A logistic model of the hidden units, which T. Denoeux interprets as Dempster's rule (see `explain`). Each feature has a
source; the contribution of each source to a logit is computed exactly (`contributions`).
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
from newsextract.extractors.fusion import block, class_words, declared, groups, phrases, records, surroundings
from newsextract.extractors.fusion.features import FeatureTable, Floats

#: Modules that compute features, in the order of the columns.
MODULES = (block, surroundings, groups, class_words, phrases, declared, records)
FEATURES = tuple(feature for module in MODULES for feature in module.FEATURES)
FEATURE_NAMES = tuple(name for name, _ in FEATURES)
FEATURE_SOURCES = tuple(source for _, source in FEATURES)
ENDS = np.cumsum([len(module.FEATURES) for module in MODULES]).tolist()

WEIGHTS = "weights.json"
#: Standardised features are clipped to this, so that no single extreme value decides.
CLIP = 4.0
#: Matrix products up to this many multiplications are computed by one thread (OpenBLAS, interface/gemm.c).
SINGLE_THREADED = 1 << 18


def feature_matrix(table: FeatureTable) -> Floats:
    """(blocks, FEATURES), stored by feature, as they are computed."""
    out = np.empty((len(FEATURES), len(table.size)), np.float32)
    parts = [out[end - len(module.FEATURES) : end] for module, end in zip(MODULES, ENDS, strict=True)]
    element_bits, markup = class_words.class_bits(table)
    declared_text = declared.read_declared(table)
    similarity, title = declared.find_title(table, declared_text)
    block.fill_features(table, parts[0])
    surroundings.fill_features(table, parts[1])
    groups.fill_features(table, markup, parts[2])
    class_words.fill_features(table, element_bits, title, parts[3])
    phrases.fill_features(table, parts[4])
    declared.fill_features(table, declared_text, similarity, title, parts[5])
    records.fill_features(table, markup, title, parts[6])
    return out.T


@dataclass(frozen=True)
class Model:
    """`means`, `scales`: (features,); `first`: (features, hidden), `bias`: (hidden,); `second`: (hidden,), `offset`;
    `centres`: source -> mean contribution over the training blocks; `certainty`: weights of `predict_confidence`;
    `peer`: log likelihood ratios of a short block that is in the peer, of one that is not, the same of long blocks."""

    means: Floats
    scales: Floats
    first: Floats
    bias: Floats
    second: Floats
    offset: float
    centres: Mapping[str, float]
    certainty: tuple[float, ...]
    peer: tuple[float, ...]

    def logits(self, features: Floats) -> Floats:
        """(blocks,) log odds of news, from (blocks, features).

        In batches too small for the threads of the linear algebra library: these cost more than they gain on one page,
        and each of a crawl's workers has one processor.
        """
        low, high, first, bias = self._folded
        hidden = np.empty((len(features), len(bias)), np.float32)
        logits = np.empty(len(features), np.float32)
        bounded = np.minimum(np.maximum(features, low), high)
        batch = max(1, SINGLE_THREADED // first.size)
        for start in range(0, len(features), batch):
            np.matmul(bounded[start : start + batch], first, out=hidden[start : start + batch])
        hidden += bias
        np.maximum(hidden, 0, out=hidden)
        for start in range(0, len(features), batch):
            np.matmul(hidden[start : start + batch], self.second, out=logits[start : start + batch])
        logits += np.float32(self.offset)
        return logits

    @cached_property
    def _folded(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Bounds of the features, and the first layer with the standardisation folded in."""
        reach = CLIP * self.scales
        first = self.first / self.scales[:, None]
        return self.means - reach, self.means + reach, first, self.bias - self.means @ first

    def standard(self, features: Floats) -> Floats:
        """(blocks, features) in standard deviations from the training mean."""
        standard: Floats = np.clip((features - self.means) / self.scales, -CLIP, CLIP)
        return standard


@cache
def trained(weights: str = "") -> Model:
    """The model of the package, or of a file written by training; WrongOption if it cannot be used."""
    if not weights:
        text = files("newsextract.extractors.fusion").joinpath(WEIGHTS).read_text("utf-8")
        return read_model(json.loads(text))
    try:
        model = read_model(json.loads(Path(weights).read_text("utf-8")))
        model.logits(np.zeros((1, len(FEATURE_NAMES)), np.float32))
        return model
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError, NewsextractError) as error:
        raise WrongOption(f"{weights}: no weights of fusion that this version can use ({error})") from error


def read_model(values: Mapping[str, Any]) -> Model:
    """A model from the content of a weights file; NewsextractError if it is for other features than this version's."""
    rows = values["features"]
    if [row[0] for row in rows] != list(FEATURE_NAMES):
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


def contributions(model: Model, features: Floats) -> dict[str, NDArray[np.float64]]:
    """Source -> (blocks,) contribution to the logit: its exact Shapley value, unknown features being the training mean.

    L. Shapley, A value for n-person games, 1953; for models: S. Lundberg, S. Lee, A unified approach to interpreting
    model predictions, NIPS 2017. The values of a block sum to its logit less the logit of mean features.
    All 2^sources coalitions are evaluated, which takes a few milliseconds a page.
    """
    standard = model.standard(features)
    sources = list(dict.fromkeys(FEATURE_SOURCES))
    membership = np.array(FEATURE_SOURCES)
    parts = np.stack([standard[:, membership == s] @ model.first[membership == s] for s in sources], 1)
    count = len(sources)
    coalitions = np.array([[bits >> index & 1 for index in range(count)] for bits in range(1 << count)], np.float32)
    values_by_source = np.empty((len(features), count))
    weights = _shapley_weights(coalitions)
    for start in range(0, len(features), 256):
        hidden = coalitions @ parts[start : start + 256] + model.bias
        values = np.maximum(hidden, 0) @ model.second
        values_by_source[start : start + 256] = values @ weights
    return dict(zip(sources, values_by_source.T, strict=True))


def _shapley_weights(coalitions: Floats) -> NDArray[np.float64]:
    """(coalitions, sources) coefficient of each coalition's value in each source's Shapley value."""
    count = coalitions.shape[1]
    sizes = coalitions.sum(1).astype(int)
    with_it = [factorial(size - 1) * factorial(count - size) / factorial(count) if size else 0.0 for size in sizes]
    without = [
        factorial(size) * factorial(count - size - 1) / factorial(count) if size < count else 0.0 for size in sizes
    ]
    return np.where(coalitions > 0, np.array(with_it)[:, None], -np.array(without)[:, None])
