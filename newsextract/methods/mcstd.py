"""MCSTD: the article is the interval of blocks whose text density, less the page's mean, has the largest sum.

K. Sun et al. Web content extraction based on maximum continuous sum of text density. IALP 2016, pp. 288-292,
doi:10.1109/IALP.2016.7875988.

No open text of the paper exists; this follows its title and its description by Z. Tan et al. (TWCEM, IEEE Access 2018).
With d_i the characters of block i outside links and D their mean, the content is the interval [a, b] that maximises

    sum_{a <= i <= b} (d_i - D)

Of equal sums the longest interval. O(n) for n blocks.
"""

from dataclasses import dataclass

import numpy as np

from newsextract.extractors.base import Extraction, Method
from newsextract.methods.common.sequences import best_interval
from newsextract.page import Page


@dataclass(frozen=True)
class MCSTD(Method):
    """Maximum continuous sum of text density. No options."""

    name = "mcstd"
    paper = "Sun et al. Web Content Extraction Based on Maximum Continuous Sum of Text Density. IALP 2016"

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        blocks = page.blocks
        density = np.maximum(0, blocks.lengths - blocks.linked).astype(float)
        excess = density - density.mean() if len(density) else density
        first, last = best_interval(excess.tolist(), longest=True)
        chosen = np.zeros(len(blocks), bool)
        chosen[first:last] = True
        return Extraction.of_blocks(page, chosen, excess, evidence={"density": density})
