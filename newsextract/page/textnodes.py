"""The page's text nodes with their tag paths, for the methods that work on DOM leaves (CEPR and its kin).

Comments do not split text, `br` does; blank nodes are none; script, style and hidden text never are. Each text node
belongs to one block of `page.blocks`, so that what a method chooses can be told as blocks.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.page.tagpaths import TagPaths
from newsextract.page.walk import BLOCK, BREAK, VOID, WORD, Walk, closes_block, collapsed


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
    elements: list[Any]

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


def read_text_nodes(body: Any) -> TextNodes:
    """The text nodes below an element."""
    if body is None:
        return TextNodes([], _ints(()), _ints(()), _ints(()), np.array([], bool), _ints(()), TagPaths(), [])
    reader = _Reader(body)
    reader.below(body)
    reader.flush()
    blocks, paths, parents, tags = map(_ints, (reader.blocks, reader.paths, reader.parents, reader.tags_before))
    return TextNodes(
        reader.raw, blocks, paths, parents, np.array(reader.linked, bool), tags, reader.tag_paths, reader.elements
    )


class _Reader(Walk):
    """Keeps the text nodes of each run until it is known to be a block, as `read_blocks` decides."""

    def __init__(self, body: Any) -> None:
        self.raw: list[str] = []
        self.blocks: list[int] = []
        self.paths: list[int] = []
        self.parents: list[int] = []
        self.linked: list[bool] = []
        self.tags_before: list[int] = []
        self.columns = (self.raw, self.blocks, self.paths, self.parents, self.linked, self.tags_before)
        self.start = self.block = self.tags = 0
        self.is_block = False
        self.tag_paths = TagPaths()
        self.elements: list[Any] = []
        self.element_ids: dict[Any, int] = {}
        path = -1
        for element in [*reversed([*body.iterancestors()]), body]:
            path = self.tag_paths.number(path, element.tag)
        self.open = [(body, path)]

    def enter(self, element: Any, kind: int) -> None:
        if kind in (BLOCK, BREAK):
            self.flush()
        self.tags += 1
        self.open.append((element, self.tag_paths.number(self.open[-1][1], element.tag)))

    def leave(self, element: Any, kind: int) -> None:
        self.open.pop()
        self.tags += element.tag not in VOID
        if closes_block(kind):
            self.flush()

    def opened(self, element: Any) -> None:
        self.flush()

    def text(self, text: str) -> None:
        if text.isspace():
            if len(self.raw) > self.start and not self.raw[-1][-1].isspace():
                self.raw[-1] += " "  # once: a long text with a thousand blanks behind it is copied once
            return
        parent, path = self.open[-1]
        number = self.element_ids.get(parent)
        if number is None:
            number = self.element_ids[parent] = len(self.elements)
            self.elements.append(parent)
        self.is_block = self.is_block or WORD.search(text) is not None
        self.raw.append(text)
        self.blocks.append(self.block)
        self.paths.append(path)
        self.parents.append(number)
        self.linked.append(self.links > 0)
        self.tags_before.append(self.tags)

    def flush(self) -> None:
        if self.is_block:
            self.block += 1
            self.is_block = False
            self.start = len(self.raw)
        elif len(self.raw) > self.start:
            for column in self.columns:
                del column[self.start :]


def _ints(values: Any) -> NDArray[np.int64]:
    return np.array(values, np.int64)
