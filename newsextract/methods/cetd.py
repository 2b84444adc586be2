"""CETD: the article is the subtree with the largest sum of text densities, and all that is as dense as its ancestors.

F. Sun, D. Song, L. Liao. DOM based content extraction via text density. SIGIR 2011. Formulas: `common/density.py`.

1. Density (TD or CTD) and DensitySum of each element.
2. t: the element with the largest DensitySum. Threshold: the least density of t and its ancestors up to the body.
3. From the body down: in each element whose density is at least the threshold, mark the descendant (or itself) with the
   largest DensitySum as content, whole; go on with its children. Elements below a less dense or
   a marked one are not visited.
4. The text below marked elements is the content.

The default is that of the authors' code, CTD; `density="td"` is its other mode, which does not count the text of links.
Negative densities, of elements that are all links, stay. O(n) for n elements.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.base import Extraction, Method, option
from newsextract.methods.common import density as densities
from newsextract.methods.common.density import Floats
from newsextract.page import Page
from newsextract.page.text_nodes import TextNodes

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class CETD(Method):
    """`density`: "ctd" or "td"."""

    name = "cetd"
    paper = "Sun et al. DOM based content extraction via text density. SIGIR 2011"

    density: str = option("ctd", "ctd", "td")

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        counts = densities.read_subtrees(page)
        if not len(counts):
            return Extraction.of_nodes(page, [])
        if self.density == "td":
            density = densities.unlinked_density(counts)
            total = densities.density_sum(counts, density, counts.runs[:, 1].astype(float))
        else:
            density, total = densities.composite_density(counts), densities.composite_density_sum(counts)
        inside = below_marked(counts.parents, mark_dense(counts.parents, density, total))
        holders = counts.rows_of(page.view(TextNodes))
        return Extraction.of_nodes(page, inside[holders], density[holders])


def mark_dense(parents: NDArray[np.int64], density: Floats, total: Floats) -> Bools:
    """Mask of the elements marked as content by steps 2 and 3."""
    best = best_below(parents, total)
    above, sums = parents.tolist(), density.tolist()
    target = ancestor = int(best[0])
    threshold = sums[ancestor]
    while above[ancestor] >= 0:
        ancestor = above[ancestor]
        threshold = min(threshold, sums[ancestor])
    marked = np.zeros(len(above), bool)
    marked[target] = True
    open_ = [False] * len(above)  # dense and not marked, like all its ancestors
    for row, parent in enumerate(above):
        if not marked[row] and (parent < 0 or open_[parent]) and sums[row] >= threshold - 1e-9 * abs(threshold):
            marked[best[row]] = True
            open_[row] = not marked[row]
    return marked


def best_below(parents: NDArray[np.int64], total: Floats) -> NDArray[np.int64]:
    """For each element, the element of its subtree with the largest value; the first of equal ones."""
    values, above = total.tolist(), parents.tolist()
    best = list(range(len(values)))
    for row in range(len(values) - 1, 0, -1):
        parent, own = above[row], best[row]
        if values[own] > values[best[parent]] or (values[own] == values[best[parent]] and own < best[parent]):
            best[parent] = own
    return np.array(best, np.int64)


def below_marked(parents: NDArray[np.int64], marked: Bools) -> Bools:
    """Mask of the marked elements and all their descendants."""
    inside = marked.tolist()
    for row, parent in enumerate(parents.tolist()):
        if parent >= 0 and inside[parent]:
            inside[row] = True
    return np.array(inside, bool)
