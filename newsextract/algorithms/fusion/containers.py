"""Evidence of the elements around a block: how they score, whether they hold the page's good text, what else they hold.

Three views. *Scores* of elements as the readability family gives them (A. Laban's arc90 script and its ports): a
paragraph's points go to its parent, half to the next element above, a third to the one above that, less the share of
linked text. *Cores*: the smallest elements that hold so much of the page's good text. *Levels*: the block's innermost
element and the next larger ones, each with the figures of its text.
"""

import numpy as np

from newsextract.algorithms.fusion.sheet import COMMA, LEVELS, Floats, Sheet

CORES = (0.5, 0.8)
CORE_NAMES = ("inside", "place", "share", "steps")
SCORE_NAMES = ("own", "parent", "grandparent", "best", "in top", "place in top", "top share")
LEVEL_NAMES = ("link share", "log count", "good share", "page good", "ended", "page share")
INNER_NAMES = ("mean log size", "density")
FEATURES = (
    *((f"score {name}", "containers") for name in SCORE_NAMES),
    *((f"core {core} {name}", "containers") for core in CORES for name in CORE_NAMES),
    *((f"level {level} {name}", "containers") for level in range(LEVELS) for name in LEVEL_NAMES),
    *((f"level 0 {name}", "containers") for name in INNER_NAMES),
)
STEPS = 6


def evidence(sheet: Sheet, out: Floats) -> None:
    """Fills (blocks, FEATURES)."""
    count = len(sheet.size)
    place = len(SCORE_NAMES)
    _scores(sheet, out[:, :place])
    for core in CORES:
        _core(sheet, core, out[:, place : place + len(CORE_NAMES)])
        place += len(CORE_NAMES)
    levels = _figures(sheet)[sheet.levels].transpose(1, 0, 2)
    out[:, place : -len(INNER_NAMES)] = levels.reshape(count, -1)
    inner = sheet.sums[sheet.levels[0]]
    out[:, -2] = inner[:, 4] / inner[:, 6]
    out[:, -1] = np.log1p(inner[:, 0] / (inner[:, 6] + inner[:, 7] + inner[:, 5]))


def _scores(sheet: Sheet, out: Floats) -> None:
    blocks = sheet.blocks
    parents = np.maximum(blocks.parents, 0)
    points = (1 + sheet.kinds[:, COMMA] + np.minimum(sheet.size / 100, 3)) * (1 - sheet.link_share) * (sheet.size >= 25)
    holder = np.where(sheet.tags >= 0, parents[blocks.owners], blocks.owners)
    count = len(parents)
    score = np.zeros(count)
    for share in (1.0, 0.5, 0.33, 0.25):
        score += share * np.bincount(holder, points, count)
        holder = parents[holder]
    score *= 1 - sheet.sums[:, 1] / np.maximum(1, sheet.sums[:, 0])
    top = int(score.argmax())
    score /= max(1e-6, score[top])
    up = blocks.owners
    best = np.zeros(len(sheet.size))
    for step in range(STEPS):
        here = score[up]
        if step < 3:
            out[:, step] = here
        best = np.maximum(best, here)
        up = parents[up]
    out[:, 3] = best
    _place(sheet, int(sheet.first[top]), int(sheet.last[top]), out[:, 4:6])
    out[:, 6] = sheet.sums[top, 2] / max(1.0, sheet.total_good)


def _place(sheet: Sheet, first: int, last: int, out: Floats) -> None:
    """Whether each block is in first..last-1, and where: 0 its beginning, 1 its end, beyond it at most 1 further."""
    out[:, 0] = 0
    out[first:last, 0] = 1
    out[:, 1] = np.minimum(2, np.maximum(-1, (sheet.rows - (first - 0.5)) / max(1, last - first)))


def _core(sheet: Sheet, core: float, out: Floats) -> None:
    """The smallest element with that share, and how far up from it the first one is that holds the block too."""
    measure = 2 if sheet.total_good else 0
    held = sheet.sums[:, measure]
    counts = np.where(held >= core * held.max(), sheet.sums[:, 6], len(sheet.size) + 1)
    element = len(counts) - 1 - int(counts[::-1].argmin())
    first, last = int(sheet.first[element]), int(sheet.last[element])
    _place(sheet, first, last, out)
    out[:, 2] = sheet.sums[element, 0] / max(1.0, sheet.total_size)
    out[:, 3] = STEPS
    chain = [(first, last)]
    while (above := int(sheet.above[element])) != element and len(chain) < STEPS:
        element = above
        chain.append((int(sheet.first[element]), int(sheet.last[element])))
    for steps, (first, last) in reversed([*enumerate(chain)]):
        out[first:last, 3] = steps


def _figures(sheet: Sheet) -> Floats:
    """(elements, LEVEL_NAMES)."""
    sums = sheet.sums
    size, count = np.maximum(1, sums[:, 0]), np.maximum(1, sums[:, 6])
    out = np.empty((len(sums), len(LEVEL_NAMES)), np.float32)
    out[:, 0] = sums[:, 1] / size
    out[:, 1] = np.log1p(count)
    out[:, 2] = sums[:, 2] / size
    out[:, 3] = sums[:, 2] / max(1.0, sheet.total_good)
    out[:, 4] = sums[:, 3] / count
    out[:, 5] = size / max(1.0, sheet.total_size)
    return out
