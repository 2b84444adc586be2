"""Evidence of the blocks before and behind, and of the blocks that are marked up alike.

Neighbours one by one (1 and 2 to each side), and means over windows. Groups: the same tag path (CEPR's idea), the same
tag and class within the same parent's, the same parent. The *leading* group is the signature that holds most good
text: body paragraphs of one page are marked up alike.
"""

import numpy as np

from newsextract.algorithms.fusion.sheet import Floats, Ints, Sheet

WINDOWS = (1, 3, 8, 20)
SHIFTS = (-2, -1, 1, 2)
SHIFTED = ("log size", "link share", "ended", "good")
WINDOWED = ("log size", "link share", "good share", "ended", "density")
GROUPS = ("path", "signature", "siblings")
GROUPED = ("log count", "mean log size", "link share", "good share", "ended", "page share", "page good")
LEADING = (
    "member",
    "place",
    "share",
    "distance to good",
    "good before",
    "good behind",
    "place on page",
    "same as next",
    "same as last",
)
FEATURES = (
    *((f"{shift:+d} {name}", "neighbours") for shift in SHIFTS for name in SHIFTED),
    *((f"window {window} {name}", "neighbours") for window in WINDOWS for name in WINDOWED),
    *((f"{group} {name}", "groups") for group in GROUPS for name in GROUPED),
    *((f"leading {name}", "groups") for name in LEADING[:4]),
    *((name, "title") for name in LEADING[4:7]),
    *((f"{name} signature", "groups") for name in LEADING[7:]),
)


def evidence(sheet: Sheet, keys: Ints) -> Floats:
    """(blocks, FEATURES). `keys`: (elements,) a number for each element's tag and class."""
    parents = np.maximum(sheet.blocks.parents, 0)
    owners = sheet.blocks.owners
    tags = np.array([hash(tag) for tag in sheet.blocks.element_tags], np.int64)
    signature = (keys * 31 + keys[parents])[owners]
    sibling = parents[owners] * 8191 + tags[owners] % 8191
    numbers = [
        np.unique(ids, return_inverse=True)[1]
        for ids in (_paths(tags, sheet.blocks.parents)[owners], signature, sibling)
    ]
    return np.concatenate(
        [_shifted(sheet), _windows(sheet), *(_group(sheet, ids) for ids in numbers), _leading(sheet, numbers[1])], 1
    )


def _paths(tags: Ints, parents: Ints) -> Ints:
    """A number for each element's tag path, by doubling: each step joins a path of 2^k tags to the one above it."""
    number = np.append(tags, 0)
    above = np.append(np.where(parents < 0, len(tags), parents), len(tags))
    factor = 1_000_003
    with np.errstate(over="ignore"):
        while (above[:-1] != len(tags)).any():
            number = number + np.int64(factor) * number[above]
            above = above[above]
            factor = (factor * factor) & 0x7FFFFFFF | 1
    return number[:-1]


def _shifted(sheet: Sheet) -> Floats:
    count, far = len(sheet.size), max(SHIFTS)
    padded = np.zeros((count + 2 * far, len(SHIFTED)), np.float32)
    padded[far:-far, 0] = np.log1p(sheet.size)
    padded[far:-far, 1] = sheet.link_share
    padded[far:-far, 2] = sheet.ended
    padded[far:-far, 3] = sheet.good > 0
    return np.concatenate([padded[far + shift : far + shift + count] for shift in SHIFTS], 1)


def _windows(sheet: Sheet) -> Floats:
    count = len(sheet.size)
    rows = np.arange(count)
    out = np.empty((count, len(WINDOWS), len(WINDOWED)), np.float32)
    for place, window in enumerate(WINDOWS):
        low, high = np.maximum(0, rows - window), np.minimum(count, rows + window + 1)
        sums = sheet.running[high] - sheet.running[low]
        size, blocks = np.maximum(1, sums[:, 0]), sums[:, 6]
        out[:, place, 0] = sums[:, 4] / blocks
        out[:, place, 1] = sums[:, 1] / size
        out[:, place, 2] = sums[:, 2] / size
        out[:, place, 3] = sums[:, 3] / blocks
        out[:, place, 4] = np.log1p(size / (blocks + sums[:, 8] + sums[:, 5]))
    return out.reshape(count, -1)


def _group(sheet: Sheet, ids: Ints) -> Floats:
    columns = np.diff(sheet.running, axis=0)
    sums = np.stack([np.bincount(ids, columns[:, place]) for place in (0, 1, 2, 3, 4, 6)], 1)
    size, count = np.maximum(1, sums[:, 0]), sums[:, 5]
    out = np.empty((len(sums), len(GROUPED)), np.float32)
    out[:, 0] = np.log1p(count)
    out[:, 1] = sums[:, 4] / count
    out[:, 2] = sums[:, 1] / size
    out[:, 3] = sums[:, 2] / size
    out[:, 4] = sums[:, 3] / count
    out[:, 5] = sums[:, 0] / max(1.0, float(sheet.running[-1, 0]))
    out[:, 6] = sums[:, 2] / max(1.0, sheet.total_good)
    return out[ids]


def _leading(sheet: Sheet, signatures: Ints) -> Floats:
    count = len(sheet.size)
    rows = np.arange(count)
    weights = np.bincount(signatures, sheet.good)
    member = signatures == signatures[int(weights[signatures].argmax())]
    if not sheet.total_good:
        member = np.zeros(count, bool)
    where = np.flatnonzero(member)
    first, last = (where[0], where[-1] + 1) if len(where) else (0, count)
    out = np.zeros((count, len(LEADING)), np.float32)
    out[:, 0] = member
    out[:, 1] = np.clip((rows - first + 0.5) / (last - first), -1, 2)
    out[:, 2] = weights.max() / max(1.0, sheet.total_good)
    out[:, 3] = np.log1p(_distance(np.flatnonzero(sheet.good > 0), rows))
    before = sheet.running[:-1, 2] / max(1.0, sheet.total_good)
    out[:, 4] = before
    out[:, 5] = 1 - before - sheet.good / max(1.0, sheet.total_good) if sheet.total_good else 0
    out[:, 6] = sheet.running[:-1, 0] / max(1.0, float(sheet.running[-1, 0]))
    out[:-1, 7] = out[1:, 8] = signatures[1:] == signatures[:-1]
    return out


def _distance(places: Ints, rows: Ints) -> Floats:
    """From each row to the nearest of some rows; 50 where there is none nearer."""
    if not len(places):
        return np.full(len(rows), 50, np.float32)
    next_one = np.searchsorted(places, rows)
    behind = places[np.minimum(next_one, len(places) - 1)]
    before = places[np.maximum(next_one - 1, 0)]
    distance: Floats = np.minimum(50, np.minimum(np.abs(behind - rows), np.abs(rows - before))).astype(np.float32)
    return distance
