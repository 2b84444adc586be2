"""The page as a sequence of text blocks in reading order: what a reader sees as one paragraph, heading, cell or item.

A block is a maximal run of inline content; block-level tags, `hr` and every `br` end it. A run without a letter or
digit is no block. Columns, not objects: a page has hundreds of blocks, and most readers want one column of them.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.page.paths import xpaths
from newsextract.page.walk import BLOCK, BREAK, WORD, Walk, closes_block, collapsed


@dataclass(frozen=True)
class Blocks:
    """Columns, one row a block, in reading order.

    `texts`: white space collapsed; `linked`: characters within links; `owners`: index into `elements` of the nearest
    block element; `elements`, `parents`: the page's block elements in document order and each one's parent (-1: none).
    """

    texts: list[str]
    linked: NDArray[np.int64]
    owners: NDArray[np.int64]
    elements: list[Any]
    parents: NDArray[np.int64]
    root: Any = field(repr=False, default=None)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each block."""
        return np.fromiter(map(len, self.texts), np.int64, len(self.texts))

    @cached_property
    def link_shares(self) -> NDArray[np.float64]:
        """Share of each block's characters within links, 0 to 1."""
        return np.minimum(1.0, self.linked / np.maximum(1, self.lengths))

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each block's element."""
        return [self.elements[owner].tag for owner in self.owners]

    @cached_property
    def element_xpaths(self) -> list[str]:
        """The absolute XPath of each block element in the parsed page."""
        return xpaths(self.root, self.elements)

    @cached_property
    def xpaths(self) -> list[str]:
        """The XPath of each block's element."""
        return [self.element_xpaths[owner] for owner in self.owners]

    @cached_property
    def tag_paths(self) -> list[str]:
        """The tag names from the root to each block's element, as `html.body.div.p`."""
        return [re.sub(r"\[\d+\]", "", path).strip("/").replace("/", ".") for path in self.xpaths]

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """(elements, 2): the blocks of each element's subtree, as first and one past last."""
        return _spans(self.owners, self.parents, len(self.elements))


def read_blocks(body: Any) -> Blocks:
    """The blocks below an element."""
    if body is None:
        return Blocks([], _ints([]), _ints([]), [], _ints([]))
    reader = _Reader(body)
    reader.below(body)
    reader.flush()
    linked, owners, parents = _ints(reader.linked), _ints(reader.owners), _ints(reader.parents)
    return Blocks(reader.texts, linked, owners, reader.elements, parents, body.getroottree().getroot())


class _Reader(Walk):
    def __init__(self, body: Any) -> None:
        self.texts: list[str] = []
        self.linked: list[int] = []
        self.owners: list[int] = []
        self.elements, self.parents = [body], [-1]
        self.within = 0
        self.run: list[str] = []
        self.run_linked = 0

    def flush(self) -> None:
        text = collapsed("".join(self.run))
        if WORD.search(text):
            self.texts.append(text)
            self.linked.append(self.run_linked)
            self.owners.append(self.within)
        self.run.clear()
        self.run_linked = 0

    def enter(self, element: Any, kind: int) -> None:
        if kind in (BLOCK, BREAK):
            if self.run:
                self.flush()
            if kind == BLOCK:
                self._down(element)

    def leave(self, element: Any, kind: int) -> None:
        if closes_block(kind):
            if self.run:
                self.flush()
            self.within = self.parents[self.within]

    def opened(self, element: Any) -> None:
        if self.run:
            self.flush()
        self._down(element)

    def text(self, text: str) -> None:
        self.run.append(text)
        if self.links:
            self.run_linked += len(text)

    def _down(self, element: Any) -> None:
        self.parents.append(self.within)
        self.within = len(self.elements)
        self.elements.append(element)


def _spans(owners: NDArray[np.int64], parents: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Elements stand in document order, so a parent comes before its children: one sweep from the end sums up."""
    first, last = [len(owners)] * count, [0] * count
    for block, owner in enumerate(owners.tolist()):
        first[owner] = min(first[owner], block)
        last[owner] = block + 1
    for element in range(count - 1, 0, -1):
        parent = int(parents[element])
        first[parent] = min(first[parent], first[element])
        last[parent] = max(last[parent], last[element])
    return np.array([first, last], np.int64).T


def _ints(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64)
