"""Features of what surrounds a block: the blocks before and behind, windows of blocks, the elements that contain it.

Each is a range of blocks, whose features are differences of running sums: the same few for the block before, the block
behind, windows of 4 and 16 blocks to each side, and four levels of elements. Also the *cores*: the smallest elements
with certain shares of the page's good text, and the position of the block relative to them.
"""

import numpy as np

from newsextract.extractors.fusion.features import (
    COUNT_SUM,
    ELEMENTS_SUM,
    ENDED_SUM,
    GOOD_SUM,
    LEVELS,
    LINKED_SUM,
    LOG_SUM,
    SIZE_SUM,
    FeatureTable,
    Floats,
)

#: Name -> first and last block of the range, relative to the block.
NEAR = {"before": (-1, -1), "behind": (1, 1), "window 4": (-4, 4), "window 16": (-16, 16)}
RANGE_FEATURES = ("link share", "good share", "ended", "log size", "density")
LEVEL_FEATURES = ("log count", "page good", "page size")
CORES = (0.5, 0.8)
CORE_FEATURES = ("inside", "place", "share", "steps")
FEATURES = (
    *((f"{window} {name}", "neighbours") for name in RANGE_FEATURES for window in NEAR),
    *(
        (f"level {level} {name}", "containers")
        for name in (*RANGE_FEATURES, *LEVEL_FEATURES)
        for level in range(LEVELS)
    ),
    *((f"core {core} {name}", "containers") for core in CORES for name in CORE_FEATURES),
)
LOW, HIGH = (np.array([ends[side] + side for ends in NEAR.values()])[:, None] for side in (0, 1))
STEPS = 6


def fill_features(table: FeatureTable, out: Floats) -> None:
    """Fill `out`, (FEATURES, blocks)."""
    count, near = len(table.size), len(NEAR)
    ranges = out[: len(RANGE_FEATURES) * near].reshape(len(RANGE_FEATURES), near, count)
    low, high = np.maximum(0, table.rows + LOW), np.minimum(count, table.rows + HIGH)
    _range_features(table.running.take(high, 1) - table.running.take(low, 1), ranges)
    of_elements = np.empty((len(RANGE_FEATURES) + len(LEVEL_FEATURES), table.sums.shape[1]), np.float32)
    _range_features(table.sums, of_elements[: len(RANGE_FEATURES)])
    np.log1p(table.sums[COUNT_SUM], out=of_elements[-3])
    np.divide(table.sums[GOOD_SUM], max(1.0, table.total_good), out=of_elements[-2])
    np.divide(table.sums[SIZE_SUM], max(1.0, table.total_size), out=of_elements[-1])
    begin, end = len(RANGE_FEATURES) * near, -len(CORES) * len(CORE_FEATURES)
    out[begin:end] = of_elements.take(table.levels, 1).reshape(-1, count)
    for index, core in enumerate(CORES):
        begin = end + index * len(CORE_FEATURES)
        _core(table, core, out[begin : begin + len(CORE_FEATURES) or None])


def _range_features(sums: Floats, out: Floats) -> None:
    """RANGE_FEATURES of ranges of blocks from their sums; one row a sum, one row a feature."""
    size, count = np.maximum(1, sums[SIZE_SUM]), np.maximum(1, sums[COUNT_SUM])
    np.divide(sums[[LINKED_SUM, GOOD_SUM]], size, out=out[:2])
    np.divide(sums[[ENDED_SUM, LOG_SUM]], count, out=out[2:4])
    np.log1p(size / (count + sums[ELEMENTS_SUM]), out=out[4])


def _core(table: FeatureTable, core: float, out: Floats) -> None:
    """CORE_FEATURES of the smallest element with that share of good text; steps: from it up to one with the block."""
    amounts = table.sums[GOOD_SUM if table.total_good else SIZE_SUM]
    counts = np.where(amounts >= core * amounts.max(), table.sums[COUNT_SUM], len(table.size) + 1)
    element = len(counts) - 1 - int(counts[::-1].argmin())
    first, last = int(table.first[element]), int(table.last[element])
    out[0] = 0
    out[0, first:last] = 1
    table.relative_position(first, last, out[1])
    out[2] = table.sums[SIZE_SUM, element] / max(1.0, table.total_size)
    out[3] = STEPS
    chain = [(first, last)]
    while (above := int(table.above[element])) != element and len(chain) < STEPS:
        element = above
        chain.append((int(table.first[element]), int(table.last[element])))
    for steps, (first, last) in reversed([*enumerate(chain)]):
        out[3, first:last] = steps
