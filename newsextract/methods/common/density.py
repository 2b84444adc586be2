"""Text densities of a page's elements: characters of text for each tag below an element (CETD).

F. Sun, D. Song, L. Liao. DOM based content extraction via text density. SIGIR 2011. The counts are those of the
authors' code, each over the element's whole subtree:

    C    characters of text         T    tags below the element
    LC   characters within links    LT   link tags: T in a link; else those of the children, plus 1 for each
                                         that is a link, or all of whose tags are link tags and characters linked

    TD   = C / T
    CTD  = C / T * ln(C T / (LC LT)) / ln ln(C LC / (C - LC) + r C + e),   r = LC / C of the body
    DensitySum = sum of the children's densities, plus the weight of direct text: its characters (TD), or for each run
           of L of them L ln L / ln ln(r L + e) (CTD); a leaf's is its own density

Where C is 0 the density is 0; a zero in T, LC, LT, C - LC counts as 1. r is at least 1 / C of the body and both ln ln
at least LEAST_LOG: on a page without links r = 0 and ln ln e = 0, and the direct text of one element would weigh
infinitely much, as it seems to have done in the papers that compare with CETD.

Subtree counts are summed from the end of the page to its beginning, so that children come before parents; no
recursion. O(n) for n elements.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import Element, Text

from newsextract.page import Page
from newsextract.page.text_nodes import TextNodes
from newsextract.page.walk import KINDS, SKIP, collapsed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LINK_TAGS = frozenset({"a", "button", "select"})
LEAST_LOG = 0.05


@dataclass(frozen=True)
class Subtrees:
    """Columns, one row an element in document order, the body first.

    `parents`: row of the parent, -1 for the body; `characters` (C), `tags` (T), `linked` (LC), `link_tags` (LT): counts
    of the subtree; `runs`: (direct texts, 2) element and characters of each.
    """

    elements: list[Element]
    parents: Ints
    characters: Ints
    tags: Ints
    linked: Ints
    link_tags: Ints
    runs: Ints

    def __len__(self) -> int:
        return len(self.elements)

    def rows_of(self, nodes: TextNodes) -> Ints:
        """(text nodes,) row of the parent of each."""
        rows = {element: row for row, element in enumerate(self.elements)}
        return np.array([rows[element] for element in nodes.elements], np.int64)[nodes.parents]


def read_subtrees(page: Page) -> Subtrees:
    """Count text and tags of each element of the body's subtree, without script and hidden elements."""
    elements, parents, characters, runs = _read_elements(page)
    count = len(elements)
    linked, tags, link_tags = [0] * count, [0] * count, [0] * count
    within = [element.tag in LINK_TAGS for element in elements]  # whether a link, or in one
    for row, above in enumerate(parents):
        within[row] = within[row] or (above >= 0 and within[above])
    for row in range(count - 1, -1, -1):
        if within[row]:
            linked[row], link_tags[row] = characters[row], tags[row]
        above = parents[row]
        if above >= 0:
            characters[above] += characters[row]
            linked[above] += linked[row]
            tags[above] += tags[row] + 1
            all_link = link_tags[row] == tags[row] != 0 and characters[row] == linked[row]
            link_tags[above] += link_tags[row] + (all_link or elements[row].tag in LINK_TAGS)
    columns = (parents, characters, tags, linked, link_tags, runs or np.zeros((0, 2)))
    return Subtrees(elements, *(np.array(column, np.int64) for column in columns))


def _read_elements(page: Page) -> tuple[list[Element], list[int], list[int], list[tuple[int, int]]]:
    """The elements with their parents and direct characters, and the runs; one loop, as calls double its cost."""
    elements: list[Element] = []
    parents: list[int] = []
    own: list[int] = []
    runs: list[tuple[int, int]] = []
    row, styled, kind_of = -1, page.styled, KINDS.get
    stack: list[tuple[Iterator[Any], int]] = []
    children: Iterator[Any] = iter((page.body.node,))
    while True:
        for child in children:
            if type(child) is Text:
                text = child.data
                if not text.isspace() and child not in styled and (length := len(collapsed(text))):
                    own[row] += length
                    runs.append((row, length))
            elif kind_of(child.tag) != SKIP and styled.get(child) != SKIP:
                stack.append((children, row))
                parents.append(row)
                own.append(0)
                row = len(elements)
                elements.append(child)
                children = iter(child)
                break
        else:
            if not stack:
                return elements, parents, own, runs
            children, row = stack.pop()


def text_density(counts: Subtrees) -> Floats:
    """TD of each element. The authors' code counts characters outside links only: `unlinked_density`."""
    return counts.characters / np.maximum(1, counts.tags)


def unlinked_density(counts: Subtrees) -> Floats:
    """(C - LC) / T of each element: TD as in the authors' code, without the text of links."""
    return (counts.characters - counts.linked) / np.maximum(1, counts.tags)


def composite_density(counts: Subtrees) -> Floats:
    """CTD of each element."""
    c, t = np.maximum(1, counts.characters).astype(float), np.maximum(1, counts.tags)
    lc, lt = np.maximum(1, counts.linked), np.maximum(1, counts.link_tags)
    outside = np.maximum(1, counts.characters - counts.linked)
    density = c / t * np.log(c * t / (lc * lt)) / _log_log(c * lc / outside + link_share(counts) * c)
    return np.where(counts.characters > 0, density, 0.0)


def density_sum(counts: Subtrees, density: Floats, direct: Floats) -> Floats:
    """DensitySum of each element, from the densities and the weight of each row of `runs`."""
    count = len(counts)
    with_children = np.bincount(counts.parents[1:], minlength=count)[:count] > 0
    total = np.bincount(counts.parents[1:], density[1:], count)[:count]
    total = total + np.bincount(counts.runs[:, 0], direct, count)[:count]
    return np.where(with_children, total, density)


def composite_density_sum(counts: Subtrees) -> Floats:
    """DensitySum of each element, of CTD."""
    length = counts.runs[:, 1].astype(float)
    direct = length * np.log(np.maximum(1, length)) / _log_log(link_share(counts) * length)
    return density_sum(counts, composite_density(counts), direct)


def link_share(counts: Subtrees) -> float:
    """r: share of the page's characters within links."""
    return max(1, int(counts.linked[0])) / max(1, int(counts.characters[0])) if len(counts) else 0.0


def _log_log(values: Floats) -> Floats:
    """ln ln(value + e), which is 0 where the value is."""
    logs = np.log(np.log(values + math.e))
    return np.maximum(LEAST_LOG, logs)
