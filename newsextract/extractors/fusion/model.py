"""The trained model: standardised features, one hidden layer, one logit a block; and the explanation of each score.

The weights are a file of the package. A logistic model of hidden units can be read as Dempster's rule (T. Denoeux.
Logistic regression, neural networks and Dempster-Shafer theory: a new perspective. Knowledge-Based Systems 176, 2019).
A weight w of evidence for news is a simple mass function m(news) = 1 - exp(-w); Dempster's rule adds the weights for
(W+) and against (W-), and gives

    m(news) = (1 - e^-W+) e^-W- / K    m(not news) = (1 - e^-W-) e^-W+ / K    m(unknown) = e^-(W+ + W-) / K
    conflict = (1 - e^-W+)(1 - e^-W-)  K = 1 - conflict

whose normalised plausibility is the model's own probability, since W+ - W- is its logit. Here each feature has a
source, whose weight is its exact contribution to the logit (`contributions`) and its part of the constant; the parts
are the least committed ones of the paper, which minimise the sum of squared weights over the training blocks.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import accumulate
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import NewsextractError, WrongOption
from newsextract.extractors.fusion import class_words, declared, features, phrases
from newsextract.extractors.fusion.features import FeatureTable, Fill, Floats, build_features
from newsextract.extractors.fusion.network import CLIP, Network, read_layers
from newsextract.files import package_data
from newsextract.page import Page

#: Kinds of features in the order of the columns.
KINDS = (
    features.BLOCK_FEATURES, features.SURROUNDING_FEATURES, features.GROUP_FEATURES, class_words.FEATURES,
    phrases.FEATURES, declared.FEATURES, features.HEADING_FEATURES,
)  # fmt: skip
FEATURES = tuple(feature for kind in KINDS for feature in kind)
FEATURE_NAMES = tuple(name for name, _ in FEATURES)
FEATURE_SOURCES = tuple(source for _, source in FEATURES)
ROWS = [slice(end - len(kind), end) for kind, end in zip(KINDS, accumulate(map(len, KINDS)), strict=True)]

MASSES = ("m(news)", "m(not news)", "m(unknown)", "conflict")
#: Blocks whose features are computed at a time: those of one take 1 kB.
BLOCKS_AT_A_TIME = 2_000


def feature_matrix(table: FeatureTable) -> Floats:
    """(blocks, FEATURES), stored by feature, as they are computed."""
    return _matrix_of(feature_kinds(table), slice(0, len(table.size)))


def _matrix_of(kinds: Sequence[Fill], rows: slice) -> Floats:
    """The same of a range of blocks."""
    out = np.empty((len(FEATURES), rows.stop - rows.start), np.float32)
    for part, fill in zip(ROWS, kinds, strict=True):
        fill(rows, out[part])
    return out.T


def feature_kinds(table: FeatureTable) -> list[Fill]:
    """What fills the features of each of KINDS."""
    element_bits, markup = class_words.class_bits(table)
    declared_text = declared.read_declared(table)
    similarity, title = declared.find_title(table, declared_text)
    return [
        partial(features.fill_block_features, table),
        features.surrounding_features(table),
        features.group_features(table, markup),
        class_words.features(table, element_bits, title),
        phrases.features(table),
        declared.features(table, declared_text, similarity, title),
        features.heading_features(table, markup, title),
    ]


@dataclass(frozen=True)
class Model(Network):
    """`centres`: source -> mean contribution over the training blocks; `certainty`: weights of `predict_confidence`;
    `peer`: log likelihood ratios of a short block that is in the peer, of one that is not, the same of long blocks."""

    centres: Mapping[str, float]
    certainty: tuple[float, ...]
    peer: tuple[float, ...]

    def logits_of(self, table: FeatureTable) -> Floats:
        """(blocks,) log odds of news."""
        count, kinds = len(table.size), feature_kinds(table)
        ranges = (slice(begin, min(count, begin + BLOCKS_AT_A_TIME)) for begin in range(0, count, BLOCKS_AT_A_TIME))
        parts = [self.logits(_matrix_of(kinds, rows)) for rows in ranges]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


@cache
def trained(weights: str = "") -> Model:
    """The package's model, or that of a training file. Raises WrongOption."""
    if not weights:
        return read_model(package_data(__package__, "weights.json"))
    try:
        model = read_model(json.loads(Path(weights).read_text("utf-8")))
        model.logits(np.zeros((1, len(FEATURE_NAMES)), np.float32))
        return model
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError, NewsextractError) as error:
        raise WrongOption(f"{weights}: not weights of fusion that this version can use ({error})") from error


def read_model(values: Mapping[str, Any]) -> Model:
    """A model from the content of a weights file. Raises NewsextractError if its features aren't this version's."""
    return Model(
        **read_layers(values, FEATURE_NAMES, "fusion"),
        centres=dict(values["centres"]),
        certainty=tuple(values["certainty"]),
        peer=tuple(values["peer"]),
    )


def contributions(model: Model, matrix: Floats) -> dict[str, NDArray[np.float64]]:
    """Source -> (blocks,) contribution to the logit: its exact Shapley value, unknown features being the training mean.

    L. Shapley, A value for n-person games, 1953; for models: S. Lundberg, S. Lee, A unified approach to interpreting
    model predictions, NIPS 2017. The values of a block sum to its logit less the logit of mean features.
    All 2^sources coalitions are evaluated, which takes a few milliseconds a page.
    """
    standard = np.clip((matrix - model.means) / model.scales, -CLIP, CLIP)
    sources = list(dict.fromkeys(FEATURE_SOURCES))
    membership = np.array(FEATURE_SOURCES)
    parts = np.stack([standard[:, membership == s] @ model.first[membership == s] for s in sources], 1)
    count = len(sources)
    coalitions = np.array([[bits >> index & 1 for index in range(count)] for bits in range(1 << count)], np.float32)
    values_by_source = np.empty((len(matrix), count))
    weights = _shapley_weights(coalitions)
    for start in range(0, len(matrix), 256):
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


class BlockExplanation(Mapping[str, NDArray[np.float64]]):
    """Name -> (blocks,) values, computed on first access: each source's weight (`added`: further ones), MASSES."""

    def __init__(self, model: Model, page: Page, added: Mapping[str, NDArray[np.floating]]) -> None:
        self.model, self._page, self._added = model, page, added

    @property
    def table(self) -> FeatureTable:
        """The features, computed again: kept, they would need more memory than the page's text."""
        return build_features(self._page)

    def with_site(self, weights: NDArray[np.float64]) -> "BlockExplanation":
        """The same with (blocks,) weights of the other pages of the site."""
        return BlockExplanation(self.model, self._page, {**self._added, "site": weights})

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @cached_property
    def _columns(self) -> dict[str, NDArray[np.float64]]:
        weights = weights_of_evidence(self.model, feature_matrix(self.table))
        weights |= {source: column.astype(float) for source, column in self._added.items()}
        return weights | dict(zip(MASSES, masses(np.stack(list(weights.values()))), strict=True))


def weights_of_evidence(model: Model, matrix: Floats) -> dict[str, NDArray[np.float64]]:
    """Source -> (blocks,) weights, positive for news; their sum over the sources is the logit."""
    by_source = contributions(model, matrix)
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
