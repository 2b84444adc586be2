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
    raw, blocks, paths, parents, linked, tags = zip(*reader.rows, strict=True) if reader.rows else ((),) * 6
    columns = (_ints(blocks), _ints(paths), _ints(parents), np.array(linked, bool), _ints(tags))
    return TextNodes(list(raw), *columns, reader.tag_paths, reader.elements)


class _Reader(Walk):
    """Keeps the text nodes of each run until it is known to be a block, as `read_blocks` decides."""

    def __init__(self, body: Any) -> None:
        self.rows: list[tuple[str, int, int, int, bool, int]] = []
        self.run: list[tuple[str, int, int, bool, int]] = []
        self.block = self.tags = 0
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
            if self.run:
                self.run[-1] = (self.run[-1][0] + text, *self.run[-1][1:])
            return
        parent, path = self.open[-1]
        element = self.element_ids.setdefault(parent, len(self.elements))
        if element == len(self.elements):
            self.elements.append(parent)
        self.run.append((text, path, element, self.links > 0, self.tags))

    def flush(self) -> None:
        if self.run and WORD.search(collapsed("".join(row[0] for row in self.run))):
            self.rows += [(run[0], self.block, *run[1:]) for run in self.run]
            self.block += 1
        self.run.clear()


def _ints(values: Any) -> NDArray[np.int64]:
    return np.array(values, np.int64)
