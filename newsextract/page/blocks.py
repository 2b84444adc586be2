"""The page as a sequence of text blocks in reading order: what a reader sees as one paragraph, heading, cell or item.

A block is a maximal run of inline content; block-level tags, `hr` and every `br` end it. A run without a letter or
digit is no block. Columns, not objects: a page has hundreds of blocks, and most readers want one column of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.page.paths import xpaths
from newsextract.page.walk import (
    BLOCK,
    BREAK,
    INLINE,
    KINDS,
    LINK,
    OPENED,
    OPENED_LINK,
    SKIP,
    WORD,
    collapsed,
    hidden_elements,
)


@dataclass(frozen=True)
class Blocks:
    """Columns, one row a block, in reading order.

    `texts`: white space collapsed; `linked`: characters within links; `owners`: index into `elements` of the nearest
    block element; `elements`, `parents`: the page's block elements in document order and each one's parent (-1: none);
    `element_tags`: their tags; `markup`: (blocks, 4) links, images and other inline elements since the block before, and
    how many block elements began before its end.
    """

    texts: list[str]
    linked: NDArray[np.int64]
    owners: NDArray[np.int64]
    elements: list[Any]
    parents: NDArray[np.int64]
    root: Any = field(repr=False, default=None)
    element_tags: list[str] = field(default_factory=list)
    markup: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), np.int64))

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
        return [self.element_tags[owner] for owner in self.owners.tolist()]

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
    """The blocks below an element.

    The same way through the tree as `Walk`, written out: this view is read of every page, and calls to a visitor would
    double its cost.
    """
    if body is None:
        return Blocks([], _ints([]), _ints([]), [], _ints([]))
    columns = _Columns(body)
    flush, opened, kinds, hidden = columns.flush, columns.opened, KINDS.get, hidden_elements(body)
    run, elements, parents, tags = columns.run, columns.elements, columns.parents, columns.tags
    inline = 0  # how many inline elements are open since the last block-level one
    children: Iterator[Any] = iter(body)
    stack: list[tuple[Iterator[Any], Any, int]] = []
    text = body.text
    while True:
        if text and (run or not text.isspace()):
            run.append(text)
            if columns.links:
                columns.linked += len(text)
        child = next(children, None)
        if child is None:
            if not stack:
                break
            children, child, kind = stack.pop()
            if kind == INLINE or kind == LINK:
                inline -= 1
                columns.links -= kind == LINK
            elif kind != BREAK:
                if run:
                    flush()
                columns.within = parents[columns.within]
                inline = 0
                columns.links -= kind == OPENED_LINK
            text = child.tail
            continue
        tag = child.tag
        kind = kinds(tag, BLOCK)
        if kind == SKIP or (hidden and child in hidden):
            text = child.tail
            continue
        if kind == BLOCK:
            if inline:
                opened(stack, inline)
                inline = 0
            elif run:
                flush()
            parents.append(columns.within)
            columns.within = len(elements)
            elements.append(child)
            tags.append(tag)
        elif kind == BREAK:
            if run:
                flush()
        else:
            inline += 1
            if kind == LINK:
                columns.links += 1
                columns.anchors += 1
            elif tag == "img":
                columns.images += 1
            else:
                columns.marks += 1
        stack.append((children, child, kind))
        children = iter(child)
        text = child.text
    flush()
    return columns.blocks()


class _Columns:
    """What `read_blocks` has seen so far."""

    def __init__(self, body: Any) -> None:
        self.elements, self.parents, self.tags = [body], [-1], [body.tag]
        self.texts: list[str] = []
        self.rows: list[int] = []
        self.run: list[str] = []
        self.within = self.links = self.linked = self.anchors = self.images = self.marks = 0

    def flush(self) -> None:
        """The run of text ends; it is a block if it holds a letter or digit."""
        run = self.run
        text = collapsed(run[0] if len(run) == 1 else "".join(run))
        if text[:1].isalnum() or WORD.search(text):
            self.texts.append(text)
            self.rows += (self.linked, self.within, self.anchors, self.images, self.marks, len(self.elements))
            self.anchors = self.images = self.marks = 0
        run.clear()
        self.linked = 0

    def opened(self, stack: list[tuple[Iterator[Any], Any, int]], inline: int) -> None:
        """The open inline elements hold a block-level one: they are block level themselves."""
        if self.run:
            self.flush()
        for level in range(len(stack) - inline, len(stack)):
            children, holder, kind = stack[level]
            stack[level] = children, holder, OPENED_LINK if kind == LINK else OPENED
            self.parents.append(self.within)
            self.within = len(self.elements)
            self.elements.append(holder)
            self.tags.append(holder.tag)

    def blocks(self) -> Blocks:
        rows = np.array(self.rows, np.int64).reshape(-1, 6)
        root = self.elements[0].getroottree().getroot()
        return Blocks(
            self.texts, rows[:, 0], rows[:, 1], self.elements, _ints(self.parents), root, self.tags, rows[:, 2:]
        )


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
