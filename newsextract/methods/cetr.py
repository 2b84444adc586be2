"""CETR: the lines of the article have much text and few tags, and so have the lines around them.

T. Weninger, W. H. Hsu, J. Han. CETR: content extraction via tag ratios. WWW 2010.

1. TTR of a line = characters outside tags / tags (0 tags count as 1), over `page.view(Lines)`.
2. T' = Gaussian smoothing of TTR: sigma 1, radius of one standard deviation.
3. G_i = |mean(T'_(i+1) .. T'_(i+alpha)) - T'_i|, alpha = 3, smoothed alike: how steep the ratio is there.
4. k-means of the points (T', G), k = 3, one centroid pinned at the origin. All lines outside its cluster are content.

CETR-TM leaves out 3 and 4: content is T' > tau * stddev(T').

k = 3, alpha = 3 and the pinned origin are the paper's; sigma = 1 and tau = 1 stand for its "one standard deviation".
Axes are not scaled, as the pinned origin requires. The other centroids start at the farthest point from the origin and
at the one nearest to half its norm, so that nothing is random; an empty cluster keeps its centroid. With less than
three distinct points CETR-TM decides.

The paper's lines are those of the source; a minified page has only one. Here a line begins at each block-level tag.
O(n) for n lines and a bounded number of rounds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.base import Extraction, Method, option
from newsextract.methods.common.lines import Lines
from newsextract.methods.common.sequences import Floats, smooth
from newsextract.page import Page

PAPER = "Weninger et al. CETR: content extraction via tag ratios. WWW 2010"
ROUNDS = 50
#: The iteration ends when no centroid moves further.
REST = 1e-3


@dataclass(frozen=True)
class CETR(Method):
    """`clusters`: k; `alpha`: lines ahead that the derivative compares."""

    name = "cetr"
    paper = PAPER

    clusters: int = option(3, 2, 50)
    alpha: int = option(3, 1, 1000)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        ratios = smooth(tag_ratios(page.view(Lines)))
        steep = smooth(derivative(ratios, self.alpha))
        points = np.column_stack((ratios, steep))
        are_distinct = len(np.unique(points, axis=0)) >= self.clusters
        chosen = k_means(points, self.clusters) > 0 if are_distinct else above_deviation(ratios, 1.0)
        return _of_lines(page, chosen, ratios, derivative=steep)


@dataclass(frozen=True)
class CETRTM(Method):
    """`tau`: threshold in standard deviations of the smoothed ratio."""

    name = "cetr-tm"
    paper = PAPER

    tau: float = option(1.0, 0, 100)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        ratios = smooth(tag_ratios(page.view(Lines)))
        return _of_lines(page, above_deviation(ratios, self.tau), ratios)


def tag_ratios(lines: Lines) -> Floats:
    """(lines,) TTR: characters for each tag."""
    characters = np.fromiter(map(len, lines.texts), float, len(lines))
    return characters / np.maximum(1, lines.tags)


def derivative(ratios: Floats, alpha: int) -> Floats:
    """(lines,) G: distance of each value from the mean of the next alpha values; 0 for the last."""
    before = np.concatenate(([0.0], np.cumsum(ratios)))
    first = np.arange(1, len(ratios) + 1)
    last = np.minimum(first + alpha, len(ratios))
    ahead = (before[last] - before[first]) / np.maximum(1, last - first)
    return np.where(last > first, np.abs(ahead - ratios), 0.0)


def above_deviation(values: Floats, tau: float) -> NDArray[np.bool_]:
    """Mask of values above tau standard deviations; if there are none, of values above 0."""
    deviation = float(np.std(values)) if len(values) else 0.0
    chosen: NDArray[np.bool_] = values > tau * deviation
    return chosen if chosen.any() else values > 0


def k_means(points: Floats, k: int) -> NDArray[np.int64]:
    """Cluster of each of the (n, 2) points; the centroid of cluster 0 stays at the origin."""
    norms = np.hypot(points[:, 0], points[:, 1])
    targets = norms.max() * np.linspace(0, 1, k)[::-1]  # the largest first
    centres = np.array([points[np.argmin(np.abs(norms - target))] for target in targets])[::-1].copy()
    centres[0] = 0.0
    cluster = np.zeros(len(points), np.int64)
    for _ in range(ROUNDS):
        distance = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        cluster = np.argmin(distance, axis=1)
        count = np.bincount(cluster, minlength=k)
        moved = np.column_stack([np.bincount(cluster, points[:, axis], k) for axis in (0, 1)])
        moved = np.where(count[:, None] > 0, moved / np.maximum(1, count)[:, None], centres)
        moved[0] = 0.0
        if np.abs(moved - centres).max() < REST:
            break
        centres = moved
    return cluster


def _of_lines(page: Page, chosen: NDArray[np.bool_], ratios: Floats, **more: Floats) -> Extraction:
    """Converts a choice of lines to one of blocks; lines without a block are ignored."""
    lines = page.view(Lines)
    rows = np.flatnonzero(lines.blocks >= 0)
    evidence = {name: values[rows] for name, values in {"tag_ratio": ratios, **more}.items()}
    return Extraction(
        page, [lines.texts[row] for row in rows], lines.blocks[rows], chosen[rows], ratios[rows], evidence
    )
