"""Feature table of a page: the columns that all features are computed from, in numpy, without a loop over blocks.

Sums over a range of blocks, and so over an element, are differences of running sums. `size` counts a Chinese or
Japanese character as three, since it carries as much information; a block is *good* if it is long, hardly linked and
made of sentences, and `good` then is its unlinked size.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from newsextract.page import Page
from newsextract.page.blocks import Blocks
from newsextract.text import UNSPACED

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

#: Kinds of characters.
OTHER, UPPER, DIGIT, COMMA, END, MARK, CJK, SPACE, CLOSING = range(9)
KINDS = 9
SIGNS = ((COMMA, ",，、;；،"), (END, ".!?…。！？؟।"), (CLOSING, "\"'”’»)]）】」』›"), (SPACE, " \n"))
#: A good block has at least this size, and less than this share of links.
LONG, LINKED = 80, 0.35
#: Tags of blocks that are features, by number; layout tags have none.
TAGS = {
    "p": 0, "li": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 4, "h5": 4, "h6": 4, "td": 5, "th": 5, "figcaption": 6,
    "figure": 6, "caption": 6, "pre": 7, "a": 8, "button": 8, "label": 8, "dd": 9, "dt": 9, "blockquote": 9, "span": 9,
}  # fmt: skip
TAG_NAMES = ("p", "li", "h1", "h2", "h3", "td", "caption", "pre", "a")
#: Running sums over blocks, and the row of each.
SUMMED = ("size", "linked", "good", "ended", "log size", "elements", "count")
SIZE_SUM, LINKED_SUM, GOOD_SUM, ENDED_SUM, LOG_SUM, ELEMENTS_SUM, COUNT_SUM = range(len(SUMMED))


@dataclass(frozen=True)
class FeatureTable:
    """Columns, one value a block (`kinds` ... `rows`) or one a block element (`parents` ... `above`).

    `kinds`: (KINDS, blocks) characters by kind; `tags`: the number of a block's tag in TAGS, -1 for any other;
    `parents`: each element's parent, the body its own; `tag_numbers`, `tag_names`: each element's tag as a number, and
    the tags by number; `running`: (SUMMED, blocks + 1); `sums`: (SUMMED, elements); `above`: each element's nearest
    ancestor of more blocks than it (itself for the outermost); `levels`: for each block its innermost element, the
    nearest larger one and so on, (LEVELS, blocks).
    """

    page: Page
    blocks: Blocks
    kinds: Floats
    size: Floats
    log_size: Floats
    link_share: Floats
    good: Floats
    ended: NDArray[np.bool_]
    opens: NDArray[np.uint8]
    closes: NDArray[np.uint32]
    tags: Ints
    rows: Ints
    running: Floats
    parents: Ints
    tag_numbers: Ints
    tag_names: list[str]
    first: Ints
    last: Ints
    sums: Floats
    above: Ints
    levels: Ints
    total_good: float
    total_size: float

    def relative_position(self, first: int, last: int, out: Floats) -> None:
        """Position of each block in first..last-1: 0 at its beginning, 1 at its end, clipped to -1 and 2."""
        np.clip((self.rows - (first - 0.5)) / max(1, last - first), -1, 2, out=out, casting="same_kind")


LEVELS = 4


def build_features(page: Page) -> FeatureTable:
    """Compute the table of a page with at least one block."""
    blocks = page.blocks
    lengths = blocks.lengths
    kinds, opens, closes, ended = _characters(blocks.texts, lengths)
    size = (lengths + 2.0 * kinds[CJK]).astype(np.float32)
    link_share = np.minimum(1.0, blocks.linked / lengths).astype(np.float32)
    is_good = (size >= LONG) & (link_share < LINKED) & (ended | (kinds[END] >= 2))
    count = len(blocks)
    exact = np.zeros((len(SUMMED), count + 1))
    columns = exact[:, 1:]
    columns[SIZE_SUM] = size
    columns[LINKED_SUM] = size * link_share
    columns[GOOD_SUM] = good = size * (1 - link_share) * is_good
    columns[ENDED_SUM] = ended
    columns[LOG_SUM] = log_size = np.log1p(size)
    columns[ELEMENTS_SUM] = blocks.markup[:, 0]
    columns[COUNT_SUM] = 1
    np.cumsum(columns, 1, out=columns)
    columns[ELEMENTS_SUM] += blocks.markup[:, 3] - 1  # already counted from the page's beginning
    running = exact.astype(np.float32)
    first, last = np.ascontiguousarray(blocks.spans.T)
    sums = running.take(last, 1) - running.take(first, 1)
    parents = np.maximum(blocks.parents, 0)
    above, levels = _levels(parents, blocks.owners, first, last)
    numbers = Numbers()
    tag_numbers = numbers.of(blocks.element_tags)
    known = np.array([TAGS.get(tag, -1) for tag in numbers])
    return FeatureTable(
        page, blocks, kinds, size, log_size, link_share, good, ended, opens, closes,
        known[tag_numbers[blocks.owners]], np.arange(count), running, parents, tag_numbers, [*numbers],
        first, last, sums, above, levels,
        float(running[GOOD_SUM, -1]), float(running[SIZE_SUM, -1]),
    )  # fmt: skip


class Numbers(dict[Any, int]):
    """Numbers keys from 0 in the order of their first look-up."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number

    def of(self, keys: Iterable[Any]) -> Ints:
        """(keys,) numbers, equal for equal keys."""
        return np.array([*map(self.__getitem__, keys)], np.int64)


def _characters(
    texts: list[str], lengths: Ints
) -> tuple[Floats, NDArray[np.uint8], NDArray[np.uint32], NDArray[np.bool_]]:
    """Of each block: characters by kind, kind of the first character, last character, whether it ends a sentence."""
    joined = "\n".join(texts) + "\n"
    points = np.frombuffer(joined.encode("utf-32-le", "replace"), np.uint32)
    kinds = _table().take(points, mode="clip")
    count = len(texts)
    cells = np.repeat(np.arange(0, count * KINDS, KINDS), lengths + 1)
    cells += kinds
    counted = np.bincount(cells, minlength=count * KINDS).reshape(count, KINDS).T.astype(np.float32)
    counted[SPACE] -= 1
    ends = np.cumsum(lengths + 1) - 2
    final = kinds[ends]
    ended = (final == END) | ((final == CLOSING) & (kinds[np.maximum(0, ends - 1)] == END))
    return counted, kinds[ends - lengths + 1], points[ends], ended


def _levels(parents: Ints, owners: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Columns `above` and `levels`."""
    outer = np.where((first == first[parents]) & (last == last[parents]), parents, np.arange(len(parents)))
    while (further := outer[outer]) is not None and (further != outer).any():
        outer = further
    above = outer[parents[outer]]
    levels = np.empty((LEVELS, len(owners)), np.int64)
    levels[0] = outer[owners]
    for level in range(1, LEVELS):
        levels[level] = above[levels[level - 1]]
    return above, levels


@cache
def _table() -> NDArray[np.uint8]:
    """The kind of every code point of the basic plane; those beyond count as a letter."""
    table = np.zeros(0x10000, np.uint8)
    for point in range(0xFFFF):
        name = category(chr(point))
        if name == "Lu":
            table[point] = UPPER
        elif name == "Nd":
            table[point] = DIGIT
        elif name[0] in "PS":
            table[point] = MARK
    for low, high in UNSPACED:
        table[low : high + 1] = CJK
    for kind, signs in SIGNS:
        table[[ord(sign) for sign in signs]] = kind
    return table
