"""The page's text nodes with their tag paths, for the methods that work on leaves of the DOM (CEPR and similar).

Comments don't split text, `br` does; blank nodes, script, style and hidden text are left out. Each text node belongs to
one block of `page.blocks`, so that chosen text nodes can be given as blocks.
"""

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import Element

from newsextract.page.page import Page
from newsextract.page.walk import BLOCK, BREAK, VOID, WORD, Walk, closes_block, collapsed


class TagPaths:
    """The distinct tag paths of a page as a tree, since a tuple for each would take gigabytes for a deep page.

    Columns, one row a path, after that of its parent. `parents`: index of the path without its last tag, -1 at the
    root; `tags`: the last tag; `depths`: number of tags.
    """

    def __init__(self) -> None:
        self.parents: list[int] = []
        self.tags: list[str] = []
        self.depths: list[int] = []
        self._index: dict[tuple[int, str], int] = {}

    def __len__(self) -> int:
        return len(self.tags)

    def __getitem__(self, index: int) -> tuple[str, ...]:
        path = []
        while index >= 0:
            path.append(self.tags[index])
            index = self.parents[index]
        return tuple(reversed(path))

    def add(self, parent: int, tag: str) -> int:
        """The index of a path, given its parent's (-1: none) and its last tag; added if it is new."""
        index = self._index.get((parent, tag))
        if index is None:
            index = self._index[parent, tag] = len(self.tags)
            self.parents.append(parent)
            self.tags.append(tag)
            self.depths.append(1 if parent < 0 else self.depths[parent] + 1)
        return index

    def differing_suffixes(self, a: int, b: int) -> tuple[list[str], list[str]]:
        """The tags of two paths below their common prefix, each list from the path's end upwards."""
        left: list[str] = []
        right: list[str] = []
        while a != b:
            if b < 0 or (a >= 0 and self.depths[a] >= self.depths[b]):
                left.append(self.tags[a])
                a = self.parents[a]
            else:
                right.append(self.tags[b])
                b = self.parents[b]
        return left, right


class TextNodes:
    """The view `page.view(TextNodes)`. Columns, one row a text node in document order.

    `raw`: the text as in the source; `blocks`: index into `page.blocks`; `paths`: index into `tag_paths`; `parents`:
    index into `elements`, the distinct parent elements; `linked`: whether it is within a link; `tags`: opening and
    closing tags before it, from the beginning of the body.
    """

    def __init__(self, page: Page) -> None:
        builder = _TextNodeBuilder(page.body.node)
        builder.walk(page.body.node, page.styled)
        builder.flush()
        raw, blocks, paths, parents, linked, tags = zip(*builder.rows, strict=True) if builder.rows else ((),) * 6
        self.raw: list[str] = [*raw]
        self.blocks = np.array(blocks, np.int64)
        self.paths = np.array(paths, np.int64)
        self.parents = np.array(parents, np.int64)
        self.linked = np.array(linked, bool)
        self.tags = np.array(tags, np.int64)
        self.tag_paths = builder.tag_paths
        self.elements: list[Element] = [*builder.element_index]

    def __len__(self) -> int:
        return len(self.raw)

    @cached_property
    def texts(self) -> list[str]:
        """Each node's text, white space collapsed."""
        return [collapsed(text) for text in self.raw]

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each node's text."""
        return np.fromiter(map(len, self.texts), np.int64, len(self.raw))

    def joined(self, first: int, last: int) -> str:
        """The text of the nodes first..last-1, white space collapsed; "" if it has no letter or digit."""
        text = collapsed("".join(self.raw[first:last]))
        return text if WORD.search(text) else ""

    def runs(self, chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """Maximal runs of nodes with one block and one value of `chosen`, as first and one past last."""
        if not len(self):
            return []
        new = np.ones(len(self) + 1, bool)
        new[1:-1] = (self.blocks[1:] != self.blocks[:-1]) | (chosen[1:] != chosen[:-1])
        return list(pairwise(np.flatnonzero(new).tolist()))


class _TextNodeBuilder(Walk):
    """Collects text nodes, except those of runs without a letter or digit, which aren't blocks."""

    def __init__(self, body: Element) -> None:
        #: Text, block, path, parent, whether it is linked, tags before it.
        self.rows: list[list[Any]] = []
        self.start = self.block = self.tags = 0  # first node of the run, its block, tags so far
        self.is_block = False
        self.tag_paths = TagPaths()
        self.element_index: dict[Any, int] = {}
        path = -1
        for element in reversed([body, *body.ancestors]):
            path = self.tag_paths.add(path, element.tag) if isinstance(element, Element) else path
        self.open = [(body, path)]

    def enter(self, element: Element, kind: int) -> None:
        if kind in (BLOCK, BREAK):
            self.flush()
        self.tags += 1
        self.open.append((element, self.tag_paths.add(self.open[-1][1], element.tag)))

    def leave(self, element: Element, kind: int) -> None:
        self.open.pop()
        self.tags += element.tag not in VOID
        if closes_block(kind):
            self.flush()

    def text(self, text: str) -> None:
        if text.isspace():
            if len(self.rows) > self.start and not self.rows[-1][0][-1].isspace():
                self.rows[-1][0] += " "  # only one: a text followed by a thousand blank nodes is copied once
            return
        parent, path = self.open[-1]
        index = self.element_index.setdefault(parent, len(self.element_index))
        self.is_block = self.is_block or WORD.search(text) is not None
        self.rows.append([text, self.block, path, index, self.links > 0, self.tags])

    def flush(self) -> None:
        """End the run of text."""
        if self.is_block:
            self.block += 1
            self.is_block = False
        else:
            del self.rows[self.start :]
        self.start = len(self.rows)
