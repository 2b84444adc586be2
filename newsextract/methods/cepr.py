"""CEPR: the article is the text whose tag path has long, punctuated texts of varying length all over the page.

G. Wu, L. Li, X. Hu, X. Wu. Web news extraction via path ratios. CIKM 2013.

1. The text nodes of the page with their tag paths: tag names from the root to the parent, inline tags too.
2. h = ETPR of each node's path, or TPR where not `extended` (see `common/path_features.py`).
3. Smoothing by a Gaussian, sigma 1 and radius one sigma, weighted by how near the two paths are: a link within a
   paragraph is raised by the text around it, a menu beside the article is not.
4. Content: h' at or above tau times the standard deviation of h'; `automatic`: at or above Otsu's threshold.

tau = 1: the paper's text as available says only that the threshold takes constant time; one standard deviation is the
rule of its predecessor CETR. The two published readings of CEPR differ by as much: ETPR with tau = 1 has the balance of
"CEPR", ETPR with Otsu's threshold that of "CEPR-AT" (precision 95, recall 68 on CleanEval-En), where a few long
paragraphs raise the threshold for all others. O(n) for n text nodes, O(n log n) with Otsu.
"""

from dataclasses import dataclass

import numpy as np

from newsextract.extractors.base import Extraction, Method, option
from newsextract.methods.common.path_features import FACTORS, extended_ratio, path_features, path_nearness
from newsextract.methods.common.sequences import smooth, upper_class
from newsextract.page import Page
from newsextract.page.text_nodes import TextNodes


@dataclass(frozen=True)
class CEPR(Method):
    """`extended`: ETPR, else TPR; `tau`: threshold in standard deviations; `automatic`: Otsu's threshold instead."""

    name = "cepr"
    paper = "Wu et al. Web news extraction via path ratios. CIKM 2013"

    extended: bool = True
    tau: float = option(1.0, 0, 100)
    automatic: bool = False

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        nodes = page.view(TextNodes)
        features = path_features(nodes)
        ratio = extended_ratio(features) if self.extended else features["tpr"]
        smoothed = smooth(ratio, path_nearness(nodes))
        threshold = 0.0 if self.automatic or not len(nodes) else self.tau * float(np.std(smoothed))
        chosen = upper_class(smoothed) if self.automatic else smoothed >= threshold
        if not chosen.any():  # all nodes have one path: none exceeds the others
            chosen = smoothed > 0
        evidence = {**{name: features[name] for name in FACTORS}, "ratio": ratio}
        return Extraction.of_nodes(page, chosen, smoothed, evidence)
