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

FLOWING, LINKING = (INLINE, LINK), (LINK, OPENED_LINK)


@dataclass(frozen=True)
class Blocks:
    """Columns, one row a block, in reading order.

    `texts`: white space collapsed; `linked`: characters within links; `owners`: index into `elements` of the nearest
    block element; `elements`, `parents`: the page's block elements in document order and each one's parent (-1: none);
    `element_tags`: their tags; `markup`: (blocks, 5) links, images and all inline elements since the block before, and
    how many block elements began before its end, its characters; `spans`: (elements, 2) the blocks of each element's
    subtree, as first and one past last.
    """

    texts: list[str]
    linked: NDArray[np.int64]
    owners: NDArray[np.int64]
    elements: list[Any]
    parents: NDArray[np.int64]
    root: Any = field(repr=False, default=None)
    element_tags: list[str] = field(default_factory=list)
    markup: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 5), np.int64))
    spans: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), np.int64))

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each block."""
        return self.markup[:, 4]

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


def read_blocks(body: Any) -> Blocks:
    """The blocks below an element: the way of `Walk`, written out, since calls to a visitor would double its cost."""
    if body is None:
        return Blocks([], _ints([]), _ints([]), [], _ints([]))
    found, kinds, hidden = _Found(body), KINDS.get, hidden_elements(body)
    flush, run, parents, lasts = found.flush, found.run, found.parents, found.lasts
    within = links = linked = anchors = images = marks = 0
    inline = 0  # how many inline elements are open since the last block-level one
    stack: list[tuple[Iterator[Any], Any, int]] = []
    children: Iterator[Any] = iter(body)
    text = body.text
    while True:
        if text and (run or not text.isspace()):
            run.append(text)
            if links:
                linked += len(text)
        child = next(children, None)
        if child is None:
            if not stack:
                break
            children, child, kind = stack.pop()
            text = child.tail
            if kind in FLOWING:
                inline -= 1
            else:
                linked = flush(linked, within, anchors, images, marks) if run else 0
                lasts[within] = len(found.texts)
                within, inline = parents[within], 0
            links -= kind in LINKING
            continue
        kind = kinds(child.tag, BLOCK)
        if kind == SKIP or (hidden and child in hidden):
            text = child.tail
            continue
        if kind in FLOWING:
            inline += 1
            marks += 1
            anchors, links = anchors + (kind == LINK), links + (kind == LINK)
            images += child.tag == "img"
        else:
            linked = flush(linked, within, anchors, images, marks) if run else 0
            if kind == BLOCK:
                within = found.opened(stack, inline, within) if inline else within
                within, inline = found.down(child, within), 0
        stack.append((children, child, kind if kind != BREAK else INLINE))
        inline += kind == BREAK
        children, text = iter(child), child.text
    flush(linked, within, anchors, images, marks)
    return found.blocks()


class _Found:
    """What `read_blocks` has found so far."""

    def __init__(self, body: Any) -> None:
        self.elements: list[Any] = []
        self.parents: list[int] = []
        self.tags: list[str] = []
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.texts: list[str] = []
        self.rows: list[int] = []
        self.run: list[str] = []
        self.down(body, -1)

    def flush(self, linked: int, within: int, anchors: int, images: int, marks: int) -> int:
        """The run of text ends; it is a block if it holds a letter or digit. 0: no linked character is in the next."""
        run = self.run
        text = collapsed(run[0] if len(run) == 1 else "".join(run))
        if text[:1].isalnum() or WORD.search(text):
            self.texts.append(text)
            self.rows += (linked, within, anchors, images, marks, len(self.elements), len(text))
        run.clear()
        return 0

    def down(self, element: Any, within: int) -> int:
        """A block element begins; gives its number."""
        self.parents.append(within)
        self.tags.append(element.tag)
        self.firsts.append(len(self.texts))
        self.lasts.append(0)
        self.elements.append(element)
        return len(self.elements) - 1

    def opened(self, stack: list[tuple[Iterator[Any], Any, int]], inline: int, within: int) -> int:
        """The open inline elements hold a block-level one: they are block level themselves."""
        for level in range(len(stack) - inline, len(stack)):
            children, holder, kind = stack[level]
            stack[level] = children, holder, OPENED_LINK if kind == LINK else OPENED
            within = self.down(holder, within)
        return within

    def blocks(self) -> Blocks:
        self.lasts[0] = len(self.texts)
        rows = np.array(self.rows, np.int64).reshape(-1, 7)
        markup = rows[:, 2:].copy()
        markup[:, :3] = np.diff(rows[:, 2:5], axis=0, prepend=0)
        return Blocks(
            self.texts,
            rows[:, 0],
            rows[:, 1],
            self.elements,
            _ints(self.parents),
            self.elements[0].getroottree().getroot(),
            self.tags,
            markup,
            np.array([self.firsts, self.lasts], np.int64).T,
        )


def _ints(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64)
