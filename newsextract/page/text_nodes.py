"""The page's text nodes with their tag paths, for the methods that work on DOM leaves (CEPR and its kin).

Comments do not split text, `br` does; blank nodes are none; script, style and hidden text never are. Each text node
belongs to one block of `page.blocks`, so that what a method chooses can be told as blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from turbohtml import Element, Text

from newsextract.page.tag_paths import TagPaths
from newsextract.page.walk import (
    BLOCK,
    BREAK,
    INLINE,
    KINDS,
    LINK,
    OPENED,
    OPENED_LINK,
    SKIP,
    VOID,
    WORD,
    closes_block,
    collapsed,
)


@dataclass(frozen=True)
class TextNodes:
    """Columns, one row a text node in document order.

    `raw`: the text as it stands; `blocks`: index into `page.blocks`; `paths`: index into `tag_paths`; `parents`: index
    into `elements`, the distinct parent elements; `linked`: whether it stands within a link; `tags`: openings and
    closings of tags before it, from the page's start.
    """

    raw: list[str]
    blocks: NDArray[np.int64]
    paths: NDArray[np.int64]
    parents: NDArray[np.int64]
    linked: NDArray[np.bool_]
    tags: NDArray[np.int64]
    tag_paths: TagPaths
    elements: list[Element]

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
        """The text of the nodes first..last-1 as it reads, "" if it has no letter or digit."""
        text = collapsed("".join(self.raw[first:last]))
        return text if WORD.search(text) else ""

    def runs(self, chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
        """The runs of nodes of one block and one decision, as first and one past last."""
        if not len(self):
            return []
        new = np.ones(len(self) + 1, bool)
        new[1:-1] = (self.blocks[1:] != self.blocks[:-1]) | (chosen[1:] != chosen[:-1])
        return list(pairwise(np.flatnonzero(new).tolist()))


def read_text_nodes(body: Any, hidden: set[Element]) -> TextNodes:
    """The text nodes below an element, but for what is hidden."""
    if body is None:
        return TextNodes([], _ints(()), _ints(()), _ints(()), np.array([], bool), _ints(()), TagPaths(), [])
    found = _Found()
    found.read(body.node, hidden)
    blocks, paths, parents, tags = map(_ints, (found.blocks, found.paths, found.parents, found.tags_before))
    linked = np.array(found.linked, bool)
    return TextNodes(found.raw, blocks, paths, parents, linked, tags, found.tag_paths, found.elements)


class _Found:
    """Keeps the text nodes of each run until it is known to be a block, as `read_blocks` decides.

    The way of `Walk`, written out, since calls to a visitor double its cost.
    """

    def __init__(self) -> None:
        self.raw: list[str] = []
        self.blocks: list[int] = []
        self.paths: list[int] = []
        self.parents: list[int] = []
        self.linked: list[bool] = []
        self.tags_before: list[int] = []
        self.start = self.block = 0
        self.is_block = False
        self.tag_paths = TagPaths()
        self.elements: list[Element] = []
        self.element_ids: dict[Element, int] = {}

    def read(self, body: Element, hidden: set[Element]) -> None:
        kinds, number = KINDS.get, self.tag_paths.number
        path = -1
        for above in [*reversed([*body.ancestors]), body]:
            path = number(path, above.tag) if isinstance(above, Element) else path
        element, element_path, tags, links, inline = body, path, 0, 0, 0
        stack: list[tuple[Iterator[Any], Element, int, int]] = []
        children: Iterator[Any] = iter(body)
        while True:
            child = next(children, None)
            if type(child) is Text:
                self.text(child.data, element, element_path, links > 0, tags)
                continue
            if child is None:
                if not stack:
                    break
                tags += element.tag not in VOID
                children, element, element_path, kind = stack.pop()
                inline = inline - 1 if kind in (INLINE, LINK) else inline if kind == BREAK else 0
                links -= kind in (LINK, OPENED_LINK)
                if closes_block(kind):
                    self.flush()
                continue
            kind = kinds(child.tag, BLOCK)
            if kind == SKIP or (hidden and child in hidden):
                continue
            if kind in (BLOCK, BREAK):
                self.flush()
            if kind == BLOCK and inline:
                _open(stack, inline)
            inline = inline if kind == BREAK else 0 if kind == BLOCK else inline + 1
            links += kind == LINK
            tags += 1
            stack.append((children, element, element_path, kind))
            element, element_path = child, number(element_path, child.tag)
            children = iter(child)
        self.flush()

    def text(self, text: str, parent: Element, path: int, linked: bool, tags: int) -> None:
        if text.isspace():
            if len(self.raw) > self.start and not self.raw[-1][-1].isspace():
                self.raw[-1] += " "  # once: a long text with a thousand blanks behind it is copied once
            return
        number = self.element_ids.get(parent)
        if number is None:
            number = self.element_ids[parent] = len(self.elements)
            self.elements.append(parent)
        self.is_block = self.is_block or WORD.search(text) is not None
        self.raw.append(text)
        self.blocks.append(self.block)
        self.paths.append(path)
        self.parents.append(number)
        self.linked.append(linked)
        self.tags_before.append(tags)

    def flush(self) -> None:
        if self.is_block:
            self.block += 1
            self.is_block = False
        elif len(self.raw) > self.start:
            for column in (self.raw, self.blocks, self.paths, self.parents, self.linked, self.tags_before):
                del column[self.start :]
        self.start = len(self.raw)


def _open(stack: list[tuple[Iterator[Any], Element, int, int]], inline: int) -> None:
    """The open inline elements hold a block-level one: they are block level themselves."""
    for level in range(len(stack) - inline, len(stack)):
        children, element, path, kind = stack[level]
        stack[level] = children, element, path, OPENED_LINK if kind == LINK else OPENED


def _ints(values: Any) -> NDArray[np.int64]:
    return np.array(values, np.int64)
