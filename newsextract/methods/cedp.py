"""CEDP: tag path features of a text node, weighted by the text density of its block.

G. Wu, P. Liu, J. Hu, X. Hu. Online Web news extraction via tag path feature weighted by text block density. Scientia
Sinica Informationis 47(8), 2017. One algorithm, with a density function to choose:

1. The text nodes v of the page, each with its tag path and its block: the nearest ancestor that is not inline.
2. f(v) = density of the block, combined with the path's feature, ETPR (see `common/path_features.py`).
3. CEPR's smoothing gives sf. 4. Content is every node with sf(v) at or above a threshold of the page: Otsu's.

    cedp-nltd   characters outside links a tag, (C - LC) / T        cedp-ctd    CETD's composite text density
    cedp-td     CETD's text density, C / T                          cedp-dsum   CETD's DensitySum, of CTD

Available were the steps and the list of densities, not their formulas (C, T, LC: see `common/density.py`); NLTD is read
as non-link text density. Density and ETPR are combined by the geometric mean of the density and ETPR's four factors:
93.9 / 85.3 (P / R on CleanEval-En with NLTD; the paper has 93.7 / 83.4). Their product has 95.1 / 62.2, because a
product of five is so skewed that Otsu's upper class is a few long paragraphs; ln(1 + product) has 91.2 / 93.4, so flat
that the upper class is all but links.

The paper's CTD and DSum give nothing on a quarter of some sets' pages (F 66 on CleanEval-En) where TD and NLTD do: it
seems those without links, on which CETD's formula divides by zero. Here a zero counts as one, and the bounds of
`common/density.py` apply. Negative densities count as 0. O(n log n) for n text nodes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.base import Extraction, Method
from newsextract.methods.common import density as densities
from newsextract.methods.common.density import Subtrees
from newsextract.methods.common.path_features import extended_ratio, path_features, path_nearness
from newsextract.methods.common.sequences import smooth, upper_class
from newsextract.page import Page
from newsextract.page.text_nodes import TextNodes
from newsextract.page.walk import INLINE, KINDS, LINK


@dataclass(frozen=True)
class CEDPNLTD(Method):
    """CEDP with NLTD. No options."""

    name = "cedp-nltd"
    paper = (
        "Wu et al. Online Web news extraction via tag path feature weighted by text block density. "
        "Scientia Sinica Informationis 47(8), 2017"
    )
    density = staticmethod(densities.unlinked_density)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        nodes = page.view(TextNodes)
        if not len(nodes):
            return Extraction.of_nodes(page, [])
        counts = densities.read_subtrees(page)
        density = self.density(counts)[block_rows(counts, nodes)]
        ratio = extended_ratio(path_features(nodes))
        combined = np.power(np.maximum(0, density) * ratio, 1 / 5)
        smoothed = smooth(combined, path_nearness(nodes))
        evidence = {"density": density, "path_ratio": ratio, "combined": combined}
        return Extraction.of_nodes(page, upper_class(smoothed), smoothed, evidence)


class CEDPTD(CEDPNLTD):
    """CEDP with CETD's text density. No options."""

    name = "cedp-td"
    density = staticmethod(densities.text_density)


class CEDPCTD(CEDPNLTD):
    """CEDP with CETD's composite text density. No options."""

    name = "cedp-ctd"
    density = staticmethod(densities.composite_density)


class CEDPDSum(CEDPNLTD):
    """CEDP with CETD's DensitySum. No options."""

    name = "cedp-dsum"
    density = staticmethod(densities.composite_density_sum)


def block_rows(counts: Subtrees, nodes: TextNodes) -> NDArray[np.int64]:
    """(text nodes,) row of each node's block: its parent, or the nearest ancestor that is not inline."""
    block: list[int] = []
    for row, (element, parent) in enumerate(zip(counts.elements, counts.parents.tolist(), strict=True)):
        inline = parent >= 0 and KINDS.get(element.tag, INLINE) in (INLINE, LINK)
        block.append(block[parent] if inline else row)
    return np.array(block, np.int64)[counts.rows_of(nodes)]
