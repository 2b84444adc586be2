"""Evidence of the elements around a block: how they score, whether they hold the page's good text, what else they hold.

Three views. *Scores* of elements as the readability family gives them (A. Laban's arc90 script and its ports): a
paragraph's points go to its parent, half to the next element above, a third to the one above that, less the share of
linked text. *Cores*: the smallest elements that hold so much of the page's good text. *Levels*: the block's innermost
element and the next larger ones, each with the figures of its text.
"""

import numpy as np

from newsextract.algorithms.fusion.sheet import COMMA, LEVELS, Floats, Ints, Sheet

CORES = (0.4, 0.6, 0.8)
CORE_NAMES = ("inside", "steps", "place", "share")
SCORE_NAMES = ("best", "parent", "grandparent", "in top", "place in top", "top share")
LEVEL_NAMES = (
    "log size", "link share", "log count", "page share", "good share", "page good", "mean log size", "ended", "density",
)  # fmt: skip
FEATURES = (
    *((f"score {name}", "containers") for name in SCORE_NAMES),
    *((f"core {core} {name}", "containers") for core in CORES for name in CORE_NAMES),
    *((f"level {level} {name}", "containers") for level in range(LEVELS) for name in LEVEL_NAMES),
)
NOT_A_HOLDER = frozenset("p li h1 h2 h3 h4 h5 h6 td pre blockquote dd dt span".split())


def evidence(sheet: Sheet) -> Floats:
    """(blocks, FEATURES)."""
    figures = _figures(sheet)[sheet.levels].transpose(1, 0, 2).reshape(len(sheet.size), -1)
    return np.concatenate([_scores(sheet), *(_core(sheet, core) for core in CORES), figures], 1)


def _scores(sheet: Sheet) -> Floats:
    blocks, size = sheet.blocks, sheet.size
    parents = np.maximum(blocks.parents, 0)
    points = (1 + sheet.kinds[:, COMMA] + np.minimum(size / 100, 3)) * (1 - sheet.link_share) * (size >= 25)
    small = np.array([tag in NOT_A_HOLDER for tag in blocks.tags])
    holder = np.where(small, parents[blocks.owners], blocks.owners)
    count = len(parents)
    score = np.zeros(count)
    for share in (1.0, 0.5, 0.33, 0.25):
        score += share * np.bincount(holder, points, count)
        holder = parents[holder]
    score *= 1 - sheet.sums[:, 1] / np.maximum(1, sheet.sums[:, 0])
    top = int(score.argmax())
    score /= max(1e-6, score[top])
    own = score[blocks.owners]
    up = parents[blocks.owners]
    best = own
    out = np.zeros((len(size), len(SCORE_NAMES)), np.float32)
    for step in range(6):
        best = np.maximum(best, score[up])
        if step < 2:
            out[:, 1 + step] = score[up]
        up = parents[up]
    out[:, 0] = best
    out[:, 3], out[:, 4] = _place(sheet, top)
    out[:, 5] = sheet.sums[top, 2] / max(1.0, sheet.total_good)
    return out


def _place(sheet: Sheet, element: int) -> tuple[Floats, Floats]:
    """Whether each block is in the element, and where: 0 its beginning, 1 its end, beyond it at most 1 further."""
    first, last = int(sheet.first[element]), int(sheet.last[element])
    rows = np.arange(len(sheet.size), dtype=np.float32)
    place = np.clip((rows - first + 0.5) / max(1, last - first), -1, 2)
    return ((rows >= first) & (rows < last)).astype(np.float32), place


def _core(sheet: Sheet, core: float) -> Floats:
    out = np.zeros((len(sheet.size), len(CORE_NAMES)), np.float32)
    wanted = core * sheet.total_good if sheet.total_good else core * float(sheet.running[-1, 0])
    held = sheet.sums[:, 2 if sheet.total_good else 0]
    counts = np.where(held >= wanted, sheet.last - sheet.first, len(sheet.size) + 1)
    element = len(counts) - 1 - int(counts[::-1].argmin())
    out[:, 0], out[:, 2] = _place(sheet, element)
    out[:, 3] = sheet.sums[element, 0] / max(1.0, float(sheet.running[-1, 0]))
    chain = _chain(sheet, element)
    change = np.zeros(len(sheet.size) + 1)
    np.add.at(change, sheet.first[chain], 1)
    np.add.at(change, sheet.last[chain], -1)
    out[:, 1] = np.minimum(6, len(chain) - np.cumsum(change[:-1]))
    return out


def _chain(sheet: Sheet, element: int) -> Ints:
    """The element and its ever larger ancestors."""
    chain = [element]
    while (above := int(sheet.above[chain[-1]])) != chain[-1] and len(chain) < 64:
        chain.append(above)
    return np.array(chain)


def _figures(sheet: Sheet) -> Floats:
    """(elements, LEVEL_NAMES)."""
    sums = sheet.sums
    size, count = np.maximum(1, sums[:, 0]), np.maximum(1, sums[:, 6])
    out = np.empty((len(sums), len(LEVEL_NAMES)), np.float32)
    out[:, 0] = np.log1p(sums[:, 0])
    out[:, 1] = sums[:, 1] / size
    out[:, 2] = np.log1p(sums[:, 6])
    out[:, 3] = sums[:, 0] / max(1.0, float(sheet.running[-1, 0]))
    out[:, 4] = sums[:, 2] / size
    out[:, 5] = sums[:, 2] / max(1.0, sheet.total_good)
    out[:, 6] = sums[:, 4] / count
    out[:, 7] = sums[:, 3] / count
    out[:, 8] = np.log1p(size / (count + np.maximum(0, sums[:, 8]) + sums[:, 5]))
    return out
