"""The trained weights: a logistic model of a page in two steps, and a small network for blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import NewsextractError
from newsextract.extractors.fusion.network import SINGLE_THREADED
from newsextract.files import package_data
from newsextract.site_profile import block_evidence, page_evidence
from newsextract.site_profile.batch import Floats

#: Limits of log odds of a page by itself and by shared text, when averaged over groups.
BOUND = 4.0
#: Maximum weight of the site for a block that another article has, and against it: without any reason, with one, and in
#: a section of another article.
MOST_FOR = 3.0
LEAST_AGAINST = 1.0
MOST_AGAINST = 4.0
MOST_OF_SECTION = 16.0
#: Share of the articles with a block from which on that is the strongest possible reason.
COMMON = 0.25
#: Other reasons: the block, or its neighbours, belong to another article or are on many.
REASONS_AGAINST = ("headline of another", "behind headline of another", "lead of another", "shared near")
#: Name -> number of the features that say how much there can be.
BOUNDING = {
    name: block_evidence.FEATURES.index(name)
    for name in (*REASONS_AGAINST, "article share", "section of another", "on an article", "chosen share")
}
#: Features of a block are clipped to this many standard deviations.
CLIP = 6.0


@dataclass(frozen=True)
class SiteModel:
    """`alone`: bias and weights of `page_evidence.FEATURES`; `grouped`: the same, then of the log odds by `alone`, then
    of GROUP_FEATURES; of the network of a block `bounds`, `first`, `bias`, `second`, without standardisation."""

    alone: Floats
    grouped: Floats
    bounds: NDArray[np.float32]
    first: NDArray[np.float32]
    bias: NDArray[np.float32]
    second: NDArray[np.float32]

    def alone_log_odds(self, features: Floats) -> Floats:
        """(pages,) by the page and its shared text."""
        odds: Floats = np.minimum(np.maximum(self.alone[0] + features @ self.alone[1:], -BOUND), BOUND)
        return odds

    def log_odds(self, features: Floats, alone: Floats, groups: Floats) -> Floats:
        """(pages,) including the means of the groups."""
        return np.asarray(self.grouped[0] + np.column_stack([features, alone, groups]) @ self.grouped[1:], float)

    def block_weights(self, features: NDArray[np.float32]) -> Floats:
        """(rows,) weight of evidence of the site, to add to each block's log odds: the network's output minus its
        output for the same block if nothing were known about the site, so 0 if nothing is known.

        Computed in parts too small for the threads of the linear algebra library, as in `fusion`.
        """
        size = SINGLE_THREADED // self.first.size
        parts = [self._weights(features[start : start + size]) for start in range(0, len(features), size)]
        return np.concatenate([np.zeros(0), *parts])

    def _weights(self, features: NDArray[np.float32]) -> Floats:
        known = np.minimum(np.maximum(features, -self.bounds), self.bounds)
        unknown = known[:, : block_evidence.OWN] @ self.first[: block_evidence.OWN]
        hidden = np.maximum(0, known @ self.first + self.bias) - np.maximum(0, unknown + self.bias)
        least, most = weight_bounds(features)
        weights: Floats = np.minimum(np.maximum((hidden @ self.second).astype(float), least), most)
        return weights


def weight_bounds(features: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """(rows,) the minimum and maximum weight of the site for each block."""
    column = dict(zip(BOUNDING, features.T[[*BOUNDING.values()]].astype(float), strict=True))
    reason = np.maximum.reduce([np.minimum(1, column["article share"] / COMMON), *(column[n] for n in REASONS_AGAINST)])
    section, is_on = column["section of another"], np.minimum(1, column["on an article"])
    against = LEAST_AGAINST * is_on + (MOST_AGAINST - LEAST_AGAINST) * reason
    against += (MOST_OF_SECTION - MOST_AGAINST) * section
    return -against, MOST_FOR * column["chosen share"]


@cache
def site_model() -> SiteModel:
    """The model of the package."""
    return read_model(package_data("newsextract.site_profile", "weights.json"))


def read_model(values: Mapping[str, Any]) -> SiteModel:
    """A model from the content of a weights file. Raises NewsextractError if its features aren't this version's."""
    page_names = page_evidence.FEATURES
    alone = _listed(values["page"]["alone"], ("bias", *page_names))
    grouped = _listed(values["page"]["grouped"], ("bias", *page_names, "alone", *page_evidence.GROUP_FEATURES))
    rows = values["blocks"]["features"]
    if [row[0] for row in rows] != list(block_evidence.FEATURES):
        raise NewsextractError("the weights of site profiles are for other features than this version has")
    columns = np.array([row[1:] for row in rows], np.float32)
    scales = columns[:, 0]
    bias, second = np.array(values["blocks"]["bias"], np.float32), np.array(values["blocks"]["second"], np.float32)
    return SiteModel(alone, grouped, CLIP * scales, columns[:, 1:] / scales[:, None], bias, second)


def _listed(weights: Mapping[str, float], names: Sequence[str]) -> Floats:
    if set(weights) != set(names):
        raise NewsextractError("the weights of site profiles are for other features than this version has")
    return np.array([weights[name] for name in names], float)
