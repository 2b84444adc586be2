"""Evidence of what stands around a block: the lines before and behind, windows of lines, the elements that hold it.

Each is a stretch of blocks, and its figures are differences of running sums: the same few figures of the block before,
the block behind, windows of 4 and 16 to each side, and four levels of elements. Then the *cores*: the smallest elements
that hold so much of the page's good text, and how the block stands to them.
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
    Floats,
    Sheet,
)

#: Name -> from how many blocks before to how many behind.
NEAR = {"before": (-1, -1), "behind": (1, 1), "window 4": (-4, 4), "window 16": (-16, 16)}
FIGURES = ("link share", "good share", "ended", "log size", "density")
LEVEL_FIGURES = ("log count", "page good", "page size")
CORES = (0.5, 0.8)
CORE_FIGURES = ("inside", "place", "share", "steps")
FEATURES = (
    *((f"{stretch} {name}", "neighbours") for name in FIGURES for stretch in NEAR),
    *((f"level {level} {name}", "containers") for name in (*FIGURES, *LEVEL_FIGURES) for level in range(LEVELS)),
    *((f"core {core} {name}", "containers") for core in CORES for name in CORE_FIGURES),
)
LOW, HIGH = (np.array([ends[side] + side for ends in NEAR.values()])[:, None] for side in (0, 1))
STEPS = 6


def evidence(sheet: Sheet, out: Floats) -> None:
    """Fills (FEATURES, blocks)."""
    count, near = len(sheet.size), len(NEAR)
    figures = out[: len(FIGURES) * near].reshape(len(FIGURES), near, count)
    low, high = np.maximum(0, sheet.rows + LOW), np.minimum(count, sheet.rows + HIGH)
    _figures(sheet.running.take(high, 1) - sheet.running.take(low, 1), figures)
    of_elements = np.empty((len(FIGURES) + len(LEVEL_FIGURES), sheet.sums.shape[1]), np.float32)
    _figures(sheet.sums, of_elements[: len(FIGURES)])
    np.log1p(sheet.sums[COUNT_SUM], out=of_elements[-3])
    np.divide(sheet.sums[GOOD_SUM], max(1.0, sheet.total_good), out=of_elements[-2])
    np.divide(sheet.sums[SIZE_SUM], max(1.0, sheet.total_size), out=of_elements[-1])
    begin, end = len(FIGURES) * near, -len(CORES) * len(CORE_FIGURES)
    out[begin:end] = of_elements.take(sheet.levels, 1).reshape(-1, count)
    for place, core in enumerate(CORES):
        begin = end + place * len(CORE_FIGURES)
        _core(sheet, core, out[begin : begin + len(CORE_FIGURES) or None])


def _figures(sums: Floats, out: Floats) -> None:
    """FIGURES of stretches from their sums; both have a figure a row."""
    size, count = np.maximum(1, sums[SIZE_SUM]), np.maximum(1, sums[COUNT_SUM])
    np.divide(sums[[LINKED_SUM, GOOD_SUM]], size, out=out[:2])
    np.divide(sums[[ENDED_SUM, LOG_SUM]], count, out=out[2:4])
    np.log1p(size / (count + sums[ELEMENTS_SUM]), out=out[4])


def _core(sheet: Sheet, core: float, out: Floats) -> None:
    """The smallest element with that share, and how far up from it the first one is that holds the block too."""
    held = sheet.sums[GOOD_SUM if sheet.total_good else SIZE_SUM]
    counts = np.where(held >= core * held.max(), sheet.sums[COUNT_SUM], len(sheet.size) + 1)
    element = len(counts) - 1 - int(counts[::-1].argmin())
    first, last = int(sheet.first[element]), int(sheet.last[element])
    out[0] = 0
    out[0, first:last] = 1
    sheet.place(first, last, out[1])
    out[2] = sheet.sums[SIZE_SUM, element] / max(1.0, sheet.total_size)
    out[3] = STEPS
    chain = [(first, last)]
    while (above := int(sheet.above[element])) != element and len(chain) < STEPS:
        element = above
        chain.append((int(sheet.first[element]), int(sheet.last[element])))
    for steps, (first, last) in reversed([*enumerate(chain)]):
        out[3, first:last] = steps
