"""CEPF and CEDS: features of a text's tag path, fused by their geometric mean or by Dempster's rule.

CEPF: G. Wu, J. Hu, L. Li, Z. Xu, P. Liu, X. Hu, X. Wu. Online Web news extraction via tag path feature fusion.
Journal of Software 27(3), 2016. CEDS: G. Wu, L. Li, L. Li, X. Wu. Web news extraction via tag path feature fusion using
DS theory. JCST 31(4), 2016.

1. Features of each text node's path (see `common/path_features.py`), each divided by its largest value on the page.
2. CEPF: h = the geometric mean of all six. CEDS: the first five each support "news" by a simple mass alpha f, the
   linked share of the path's text speaks against it, and h = m(news) after Dempster's rule; alpha = .99.
3. CEPR's smoothing, by a Gaussian weighted with the nearness of paths; Otsu's threshold on h'; content is h' above it.

Only the abstracts were available, so the list of features, the mean and alpha are reconstructed; CEPF's choice of
features by least correlation is left out: on news pages all but the linked share correlate by .78 to .94, and each
choice of two to six of them scores within a point of the others. The geometric mean, not the product, because Otsu's
threshold asks for classes of about one spread: a product of six has a tail that puts all but the longest paragraphs in
the lower one.
O(n log n) for n text nodes.
"""

from dataclasses import dataclass

import numpy as np

from newsextract.extractors.base import Extraction, Method, option
from newsextract.methods.common.dempster_shafer import combine
from newsextract.methods.common.path_features import FEATURES, path_features, path_nearness, scaled
from newsextract.methods.common.sequences import Floats, smooth, upper_class
from newsextract.page import Page
from newsextract.page.text_nodes import TextNodes

SUPPORTING = FEATURES[:5]


@dataclass(frozen=True)
class CEPF(Method):
    """Fusion by the geometric mean. No options."""

    name = "cepf"
    paper = "Wu et al. Online Web news extraction via tag path feature fusion. J. of Software 27(3), 2016"

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        features = scaled(path_features(page.view(TextNodes)))
        fused = np.prod(list(features.values()), axis=0) ** (1 / len(features))
        return _above_threshold(page, fused, features)


@dataclass(frozen=True)
class CEDS(Method):
    """Fusion by Dempster's rule. `alpha`: mass of a feature at its largest."""

    name = "ceds"
    paper = "Wu et al. Web News Extraction via Tag Path Feature Fusion Using DS Theory. JCST 31(4), 2016"

    alpha: float = option(0.99, 0, 1)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        features = path_features(page.view(TextNodes))
        relative = scaled(features)
        supporting = self.alpha * np.array([relative[name] for name in SUPPORTING])
        opposing = self.alpha * (1 - features["unlinked"])[None, :]
        return _above_threshold(page, combine(supporting, opposing), relative)


def _above_threshold(page: Page, fused: Floats, features: dict[str, Floats]) -> Extraction:
    """Step 3: smoothing and threshold."""
    smoothed = smooth(fused, path_nearness(page.view(TextNodes)))
    return Extraction.of_nodes(page, upper_class(smoothed), smoothed, {**features, "fused": fused})
