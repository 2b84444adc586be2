"""ECON: from the longest punctuated run of text, up the tree until nothing punctuated is gained.

Y. Guo, H. Tang, L. Song, Y. Wang, G. Ding. ECON: An Approach to Extract Content from Web News Page. APWeb 2010.

A *big-node* holds text of its own, or is p, br, h1-h6, strong, em, b, i, tt, font. A *text-node-set* is a run of
adjacent big-nodes under one parent, its text the *text-para*; punc-num counts periods and commas.

1. Every run whose punc-num is 0 is pruned.
2. The longest text-para left gives the *snippet-node* (the paper: any of its nodes; here the one with most marks).
3. node1 = snippet-node; while punc-num(parent) - punc-num(node1) > 0, node1 = parent. node1 is the *summary-node*.
4. The text below the summary-node, less what was pruned, is the news.

O(n) for n blocks. The paper has no parameters and is silent on: inline tags inside a sentence (here part of the text
around them, else pieces-pages lose words); text beside blocks (for length a node counts with its own text, but a run is
pruned only if nothing below it has a mark); pages without any mark (the longest run is taken, nothing is pruned).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.base import Extraction
from newsextract.page import Page
from newsextract.page.blocks import Blocks

#: Periods and commas of the paper, and the same marks of Japanese, Arabic and Urdu.
PAPER_MARKS = ".,。，．"
MARKS = PAPER_MARKS + "、،۔"
#: Big-nodes by their tag; all others need text of their own, outside links (the parent of a link's text is `a`).
BIG_TAGS = frozenset("p h1 h2 h3 h4 h5 h6".split())


@dataclass(frozen=True)
class Econ:
    """`strict_marks`: only the paper's own marks. `repaired`: climb on where each paragraph has a wrapper of its own
    (`div > p` over and over), which the paper's rule takes for the whole article."""

    name: ClassVar[str] = "econ"
    paper: ClassVar[str] = "Guo et al. ECON: An Approach to Extract Content from Web News Page. APWeb 2010"
    needs_peer: ClassVar[bool] = False

    strict_marks: bool = False
    repaired: bool = False

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        blocks = page.blocks
        if not len(blocks):
            return Extraction.of_blocks(page, [])
        marks = count_marks(blocks.texts, PAPER_MARKS if self.strict_marks else MARKS)
        total = np.concatenate(([0], np.cumsum(marks)))  # marks before each block
        inside = total[blocks.spans[:, 1]] - total[np.minimum(blocks.spans[:, 0], blocks.spans[:, 1])]
        runs = text_node_sets(blocks)
        punctuated = [run for run in runs if any(_marks_of(item, marks, inside) for item in run.items)]
        kept = np.ones(len(blocks), bool)
        if punctuated:
            for run in runs:
                if not any(_marks_of(item, marks, inside) for item in run.items):
                    kept[run.blocks(blocks)] = False
        snippet = max(punctuated or runs, key=lambda run: run.length)  # the first of the longest
        summary = self._climb(self._snippet_node(snippet, marks, inside), blocks, inside)
        first, last = blocks.spans[summary]
        chosen = np.zeros(len(blocks), bool)
        chosen[first:last] = kept[first:last]
        if not punctuated:
            chosen[:] = False
            chosen[snippet.blocks(blocks)] = True
        return Extraction.of_blocks(
            page, chosen, marks, evidence={"punc_num": marks.astype(float)}, confidence=0.8 if punctuated else 0.1
        )

    def _snippet_node(self, run: "TextNodeSet", marks: NDArray[np.int64], inside: NDArray[np.int64]) -> int:
        block, element = max(run.items, key=lambda item: _marks_of(item, marks, inside))
        return element if block < 0 else run.parent

    def _climb(self, node: int, blocks: Blocks, inside: NDArray[np.int64]) -> int:
        below = node
        while (parent := int(blocks.parents[node])) >= 0:
            if inside[parent] == inside[node] and not (self.repaired and _wrapped(below, node, parent, blocks, inside)):
                return below
            node = parent
            below = node if inside[node] != inside[below] else below
        return below


@dataclass(frozen=True)
class TextNodeSet:
    """A run of adjacent big-nodes: `items` are (block, -1) for text directly in the parent, else (-1, element)."""

    parent: int
    items: list[tuple[int, int]]
    length: int

    def blocks(self, blocks: Blocks) -> list[int]:
        """All blocks of the run, those deep within its members too."""
        found: list[int] = []
        for block, element in self.items:
            found += [block] if block >= 0 else range(*blocks.spans[element].tolist())
        return found


def text_node_sets(blocks: Blocks) -> list[TextNodeSet]:
    """All runs of the page, parents in document order."""
    own = np.bincount(blocks.owners, blocks.lengths, len(blocks.elements)).astype(int).tolist()
    unlinked = np.bincount(blocks.owners, blocks.link_shares < 1, len(blocks.elements)).tolist()
    big = [unlinked[e] > 0 or element.tag in BIG_TAGS for e, element in enumerate(blocks.elements)]
    items: list[list[tuple[int, int, int]]] = [[] for _ in blocks.elements]  # (first block, block, element)
    for block, owner in enumerate(blocks.owners.tolist()):
        items[owner].append((block, block, -1))
    spans = blocks.spans.tolist()
    for element, parent in enumerate(blocks.parents.tolist()):
        if parent >= 0 and spans[element][0] < spans[element][1]:
            items[parent].append((spans[element][0], -1, element))
    lengths = blocks.lengths.tolist()
    runs = []
    for parent, children in enumerate(items):
        if parent and big[parent] and all(block >= 0 for _, block, _ in children):
            continue  # nothing but its own text: a member of its parent's run, no set of its own
        run: list[tuple[int, int]] = []
        for _, block, element in [*sorted(children), (0, -1, -1)]:
            if block >= 0 or (element >= 0 and big[element]):
                run.append((block, element))
            elif run:
                runs.append(TextNodeSet(parent, run, sum(lengths[b] if b >= 0 else own[e] for b, e in run)))
                run = []
    return runs


def count_marks(texts: list[str], marks: str) -> NDArray[np.int64]:
    """punc-num of each text."""
    return np.fromiter((sum(map(text.count, marks)) for text in texts), np.int64, len(texts))


def _marks_of(item: tuple[int, int], marks: NDArray[np.int64], inside: NDArray[np.int64]) -> int:
    block, element = item
    return int(marks[block] if block >= 0 else inside[element])


def _wrapped(below: int, node: int, parent: int, blocks: Blocks, inside: NDArray[np.int64]) -> bool:
    """Whether the node is one of several punctuated sisters of one tag, or leads up to such a one by bare wrappers."""
    while parent >= 0 and inside[parent] == inside[below]:
        node, parent = parent, int(blocks.parents[parent])
    if parent < 0:
        return False
    tag = blocks.elements[node].tag
    sisters = np.flatnonzero(blocks.parents == parent)
    return bool(sum(inside[s] > 0 and blocks.elements[s].tag == tag for s in sisters.tolist()) > 1)
