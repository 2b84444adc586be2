"""Features of the group of blocks with the same markup: same tag and class, and those of the parent.

The paragraphs of an article have the same markup; the *leading* group is the one with most good text. Also the distance
to the nearest good text, and how much good text is before and behind the block.
"""

import numpy as np

from newsextract.extractors.fusion.features import (
    COUNT_SUM,
    ENDED_SUM,
    GOOD_SUM,
    LINKED_SUM,
    SIZE_SUM,
    FeatureTable,
    Floats,
    Ints,
    Numbers,
)

GROUPED = ("link share", "good share", "ended", "page size", "page good", "log count")
LEADING = ("member", "place", "share")
ALIKE = ("like next", "like last")
ON_PAGE = ("distance to good", "good before", "good behind", "place on page")
FEATURES = (
    *((f"group {name}", "groups") for name in GROUPED),
    *((f"leading {name}", "groups") for name in LEADING),
    *((name, "groups") for name in ALIKE),
    *((name, "title") for name in ON_PAGE),
)
COUNTED = (SIZE_SUM, LINKED_SUM, GOOD_SUM, ENDED_SUM, COUNT_SUM)
FAR = 50


def fill_features(table: FeatureTable, markup: Ints, out: Floats) -> None:
    """Fill `out`, (FEATURES, blocks). `markup`: (elements,) a number for each tag and class
    (`class_words.class_bits`)."""
    groups = Numbers().of((markup * (int(markup.max()) + 1) + markup[table.parents])[table.blocks.owners].tolist())
    columns = np.diff(table.running[COUNTED, :])
    width, count = int(groups.max()) + 1, len(COUNTED)
    cells = groups + np.arange(0, count * width, width)[:, None]
    sums = np.bincount(cells.ravel(), columns.ravel(), count * width).reshape(count, width)
    values = np.empty((len(GROUPED), width), np.float32)
    np.divide(sums[1:3], np.maximum(1, sums[0]), out=values[:2], casting="same_kind")
    np.divide(sums[3], sums[4], out=values[2], casting="same_kind")
    values[3] = sums[0] / max(1.0, table.total_size)
    values[4] = sums[2] / max(1.0, table.total_good)
    values[5] = np.log1p(sums[4])
    begin = len(GROUPED)
    out[:begin] = values.take(groups, 1)
    _leading(table, groups, sums[2], out[begin : begin + len(LEADING)])
    begin += len(LEADING)
    out[begin, -1] = out[begin + 1, 0] = 0
    out[begin, :-1] = out[begin + 1, 1:] = groups[1:] == groups[:-1]
    _on_page(table, out[begin + len(ALIKE) :])


def _leading(table: FeatureTable, groups: Ints, good: Floats, out: Floats) -> None:
    """LEADING: whether the block is in the leading group, its position there, the group's share of good text."""
    leader = int(good.argmax())
    member = groups == leader if table.total_good else np.zeros(len(groups), bool)
    rows = np.flatnonzero(member)
    first, last = (rows[0], rows[-1] + 1) if len(rows) else (0, len(groups))
    out[0] = member
    table.relative_position(first, last, out[1])
    out[2] = good[leader] / max(1.0, table.total_good)


def _on_page(table: FeatureTable, out: Floats) -> None:
    """ON_PAGE: log(1 + blocks to the nearest good one), at most FAR; good text before and behind; position by size."""
    rows, good, total = table.rows, table.running[GOOD_SUM], max(1.0, table.total_good)
    good_rows = np.flatnonzero(table.good)
    if len(good_rows):
        behind = np.searchsorted(good_rows, rows)
        to_next, to_last = good_rows.take(behind, mode="clip") - rows, good_rows.take(behind - 1, mode="clip") - rows
        out[0] = np.log1p(np.minimum(FAR, np.minimum(np.abs(to_next), np.abs(to_last))))
    else:
        out[0] = np.log1p(FAR)
    np.divide(good[:-1], total, out=out[1])
    np.divide(total - good[1:], total, out=out[2])
    np.divide(table.running[SIZE_SUM, :-1], max(1.0, table.total_size), out=out[3])
