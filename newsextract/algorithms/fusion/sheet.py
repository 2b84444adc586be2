"""The sheet of a page: the columns that all evidence is made of, computed once, in numpy, without a loop over blocks.

Sums over any stretch of blocks, and so over any element, are differences of running sums. `size` counts a Chinese or
Japanese character as three, since it says as much; a block is *good* if it is long, hardly linked and made of
sentences, and `good` is its unlinked size then.
"""

from dataclasses import dataclass
from functools import cache
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from newsextract.page import Page
from newsextract.page.blocks import Blocks

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

OTHER, UPPER, DIGIT, COMMA, END, MARK, CJK, SPACE, CLOSING = range(9)
KINDS = 9
CJK_RANGES = (
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
)
SIGNS = ((COMMA, ",，、;；،"), (END, ".!?…。！？؟।"), (CLOSING, "\"'”’»)]）】」』›"), (SPACE, " \n"))
LONG, LINKED = 80, 0.35
#: What is summed over stretches of blocks.
SUMMED = ("size", "linked", "good", "ended", "log size", "anchors", "count", "commas", "elements")


@dataclass(frozen=True)
class Sheet:
    """Columns: one row a block (`size` ... `elements`), or one row an element (`first`, `last`, `sums`).

    `kinds`: (blocks, KINDS) characters by kind; `running`: (blocks + 1, SUMMED); `sums`: (elements, SUMMED); `above`:
    each element's nearest ancestor of more blocks than it (itself for the outermost); `levels`: for each block its
    innermost element, the nearest larger one and so on, (LEVELS, blocks).
    """

    page: Page
    blocks: Blocks
    kinds: Floats
    size: Floats
    link_share: Floats
    good: Floats
    ended: NDArray[np.bool_]
    opens: NDArray[np.uint8]
    closes: NDArray[np.uint32]
    running: Floats
    first: Ints
    last: Ints
    sums: Floats
    above: Ints
    levels: Ints

    @property
    def total_good(self) -> float:
        return float(self.running[-1, 2])


LEVELS = 5


def read_sheet(page: Page) -> Sheet:
    """The sheet of a page of at least one block."""
    blocks = page.blocks
    lengths = blocks.lengths
    kinds, opens, closes, ended = _characters(blocks.texts, lengths)
    size = kinds.sum(1) + 2.0 * kinds[:, CJK]
    link_share = np.minimum(1.0, blocks.linked / np.maximum(1, lengths)).astype(np.float32)
    is_good = (size >= LONG) & (link_share < LINKED) & (ended | (kinds[:, END] >= 2))
    good = np.where(is_good, size * (1 - link_share), 0).astype(np.float32)
    count = len(blocks)
    seen = blocks.markup[:, 3]
    columns = np.empty((count + 1, len(SUMMED)))
    columns[0] = 0
    for place, column in enumerate(
        (size, size * link_share, good, ended, np.log1p(size), blocks.markup[:, 0], 1, kinds[:, COMMA])
    ):
        columns[1:, place] = column
    columns[1:, 8] = np.diff(seen, prepend=1)
    running = np.cumsum(columns, 0).astype(np.float32)
    first, last = blocks.spans.T
    sums = running[np.maximum(first, last)] - running[first]
    above, levels = _levels(blocks, first, last)
    return Sheet(
        page, blocks, kinds, size.astype(np.float32), link_share, good, ended, opens, closes,
        running, first, last, sums, above, levels,
    )  # fmt: skip


def _characters(
    texts: list[str], lengths: Ints
) -> tuple[Floats, NDArray[np.uint8], NDArray[np.uint32], NDArray[np.bool_]]:
    """Characters of each block by kind; the kind of its first one; its last one; whether a sentence ends there."""
    joined = "\n".join(texts) + "\n"
    points = np.frombuffer(joined.encode("utf-32-le", "replace"), np.uint32)
    table = _table()
    kinds = table[np.minimum(points, len(table) - 1)]
    count = len(texts)
    cells = np.repeat(np.arange(0, count * KINDS, KINDS), lengths + 1)
    cells += kinds
    counted = np.bincount(cells, minlength=count * KINDS).reshape(count, KINDS).astype(np.float32)
    counted[:, SPACE] -= 1
    ends = np.cumsum(lengths + 1) - 2
    final = kinds[ends]
    ended = (final == END) | ((final == CLOSING) & (kinds[np.maximum(0, ends - 1)] == END))
    return counted, kinds[ends - lengths + 1], points[ends], ended


def _levels(blocks: Blocks, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    parents = np.maximum(blocks.parents, 0)
    outer = np.where((first == first[parents]) & (last == last[parents]), parents, np.arange(len(parents)))
    while (further := outer[outer]) is not None and (further != outer).any():
        outer = further
    above = outer[parents[outer]]
    levels = np.empty((LEVELS, len(blocks)), np.int64)
    levels[0] = outer[blocks.owners]
    for level in range(1, LEVELS):
        levels[level] = above[levels[level - 1]]
    return above, levels


@cache
def _table() -> NDArray[np.uint8]:
    """The kind of every code point; what lies beyond the table counts as a letter."""
    table = np.zeros(0x10000, np.uint8)
    for point in range(0xFFFF):
        kind = category(chr(point))
        if kind == "Lu":
            table[point] = UPPER
        elif kind == "Nd":
            table[point] = DIGIT
        elif kind[0] in "PS":
            table[point] = MARK
    for low, high in CJK_RANGES:
        table[low : high + 1] = CJK
    for kind, signs in SIGNS:
        table[[ord(sign) for sign in signs]] = kind
    return table
