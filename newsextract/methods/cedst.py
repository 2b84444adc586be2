"""CEDST: topic and layout of a text as evidence for news, its links as evidence against, by Dempster's rule.

K. Zhang, C. Zhang, X. Chen, J. Tan. Automatic Web News Extraction Based on DS Theory Considering Content Topics.
ICCS 2018, LNCS 10860, pp. 194-207, doi:10.1007/978-3-319-93698-7_15.

Each text v of the page has features in [0, 1], sb(v) being v and its siblings, size a number of words:

    topic(v)     = weight of v's heaviest topic / weight of the page's heaviest topic   (Eq. 7; common/topics.py)
    cluster(v)   = sum of size over sb(v) / largest such sum of the page                (Eq. 8)
    variance(v)  = variance of size over sb(v) / largest such variance of the page      (Eq. 9)
    hyperlink(v) = share of v within links                                              (Eq. 10)

A feature h that speaks for news has the mass m(news) = alpha h, one that speaks against it m(not news) = beta h, the
rest is unknown (Eq. 1, 2). Dempster's rule fuses them (Eq. 3-5; common/dempster_shafer.py); m(news) is smoothed by a
Gaussian and divided by Otsu's threshold on the grid 0.1, 0.2 ... 1 (Eq. 11, 12); the upper class is news. `cedst-nc`
has no topics, `cedst-tf` only topics. O(n) for n words (topics.py bounds what the paper calls O(n^3)).

The paper's values: gamma = 2, the grid. It asks for weights "near 1": 0.99 (results hardly change from 0.9 on). Its
Gaussian is "as in CETR": sigma 1, radius 1; 2 and 3 change F by less than 0.1 points.

Not specified in the paper. A text is a block: with single text nodes Eq. 10 could only be 0 or 1 and would delete every
link within a sentence. Siblings are blocks whose elements have one parent: `div > p, p, p`. Words are tokens of any
script; links are counted by characters. Keywords are the best third of a text's words, at least 20 (the default of the
usual Chinese implementation of TextRank): with only a third, `cedst-tf` finds half of what the paper reports. Texts
repeated on a page count each time, a weakness that the paper names.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from newsextract.extractors.base import Extraction, Method, option
from newsextract.methods.common.dempster_shafer import combine
from newsextract.methods.common.sequences import TENTHS, Floats, otsu, smooth
from newsextract.methods.common.topics import topic_feature
from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.text import count_tokens

#: Pages with fewer texts are neither smoothed nor divided.
FEW = 3


@dataclass(frozen=True)
class CEDSTNC(Method):
    """CEDST with the non-content features only: cluster, variance, hyperlink. `weight`: alpha and beta."""

    name = "cedst-nc"
    paper = "Zhang et al. Automatic Web News Extraction Based on DS Theory Considering Content Topics. ICCS 2018"

    #: 1 would be certainty, and two features could contradict each other with it.
    weight: float = option(0.99, 0, 0.9999)

    def features(self, blocks: Blocks) -> dict[str, Floats]:
        """(blocks,) values of each feature."""
        return layout_features(blocks)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        features = self.features(page.blocks)
        masses = {name: self.weight * feature for name, feature in features.items()}
        against = [masses.pop("hyperlink")] if "hyperlink" in masses else []
        fused = combine(list(masses.values()), against)
        evidence = {**features, "fused": fused}
        if len(fused) < FEW:
            chosen = fused > 0 if (fused > 0).any() else np.ones(len(fused), bool)
            return Extraction.of_blocks(page, chosen, fused, evidence=evidence)
        values = smooth(fused)
        threshold = otsu(values, TENTHS)
        chosen = values > 0 if threshold is None else values >= threshold
        return Extraction.of_blocks(page, chosen, values, evidence=evidence)


@dataclass(frozen=True)
class CEDST(CEDSTNC):
    """All features. `gamma`: keywords are compatible if more texts than this have both; `weight`: alpha and beta."""

    name = "cedst"

    gamma: int = option(2, 1, 1_000_000)

    def features(self, blocks: Blocks) -> dict[str, Floats]:
        return {"topic": topic_feature(blocks.texts, self.gamma), **layout_features(blocks)}


class CEDSTTF(CEDST):
    """CEDST with the topic feature only. Options as in `CEDST`."""

    name = "cedst-tf"

    def features(self, blocks: Blocks) -> dict[str, Floats]:
        return {"topic": topic_feature(blocks.texts, self.gamma)}


def layout_features(blocks: Blocks) -> dict[str, Floats]:
    """(blocks,) cluster, variance and hyperlink features."""
    sizes = count_tokens(blocks.texts).total.astype(float)
    _, family = np.unique(blocks.parents[blocks.elements], return_inverse=True)
    members = np.maximum(1, np.bincount(family))
    total = np.bincount(family, sizes)
    mean = total / members
    variance = np.bincount(family, (sizes - mean[family]) ** 2) / members
    return {
        "cluster": _share_of_largest(total[family]),
        "variance": _share_of_largest(variance[family]),
        "hyperlink": blocks.link_shares,
    }


def _share_of_largest(values: ArrayLike) -> Floats:
    array = np.asarray(values, float)
    return array / array.max() if array.any() else array
