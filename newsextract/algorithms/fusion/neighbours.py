"""Evidence of the blocks before and behind, and of the blocks that are marked up alike.

Neighbours one by one (1 and 2 to each side), and means over windows. Groups: the same tag path (CEPR's idea), and the
same tag and class within the same parent's. The *leading* group is the signature that holds most good text: body
paragraphs of one page are marked up alike.
"""

import numpy as np

from newsextract.algorithms.fusion.sheet import Floats, Ints, Sheet

WINDOWS = (1, 4, 16)
SHIFTS = (-2, -1, 1, 2)
SHIFTED = ("log size", "link share", "ended")
WINDOWED = ("link share", "good share", "ended", "log size", "density")
GROUPS = ("path", "signature")
GROUPED = ("link share", "good share", "page share", "page good", "ended", "log count")
LEADING = (
    "member", "place", "share", "distance to good", "good before", "good behind", "place on page", "same as next",
    "same as last",
)  # fmt: skip
FEATURES = (
    *((f"{shift:+d} {name}", "neighbours") for shift in SHIFTS for name in SHIFTED),
    *((f"window {window} {name}", "neighbours") for window in WINDOWS for name in WINDOWED),
    *((f"{group} {name}", "groups") for group in GROUPS for name in GROUPED),
    *((f"leading {name}", "groups") for name in LEADING[:4]),
    *((name, "title") for name in LEADING[4:7]),
    *((f"{name} signature", "groups") for name in LEADING[7:]),
)


def evidence(sheet: Sheet, keys: Ints, out: Floats) -> None:
    """Fills (blocks, FEATURES). `keys`: (elements,) a number for each element's tag and class."""
    blocks = sheet.blocks
    above = keys[np.maximum(blocks.parents, 0)]
    signatures = _numbered((keys * (int(keys.max()) + 1) + above)[blocks.owners])
    tags: dict[str, int] = {}
    numbers = np.array([tags.setdefault(tag, len(tags) + 1) for tag in blocks.element_tags])
    paths = _numbered(_paths(numbers, blocks.parents)[blocks.owners])
    begin = 0
    for part in (
        _shifted(sheet), _windows(sheet), _group(sheet, paths), _group(sheet, signatures), _leading(sheet, signatures)
    ):  # fmt: skip
        out[:, begin : begin + part.shape[1]] = part
        begin += part.shape[1]


def _numbered(values: Ints) -> Ints:
    """The same number, from 0, for equal values."""
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values.tolist()], np.int64)


def _paths(tags: Ints, parents: Ints) -> Ints:
    """A number for each element's tag path, by doubling: each step joins a path of 2^k tags to the one above it."""
    number = np.append(tags, 0)
    end = len(tags)
    above = np.append(np.where(parents < 0, end, parents), end)
    factor = 1_000_003
    while above[above.argmin()] < end:
        number = number + factor * number[above]
        above = above[above]
        factor = (factor * factor) & 0x3FFFFFFF | 1
    return number[:-1]


def _shifted(sheet: Sheet) -> Floats:
    count, far = len(sheet.size), max(SHIFTS)
    padded = np.zeros((count + 2 * far, len(SHIFTED)), np.float32)
    padded[far:-far, 0] = np.log1p(sheet.size)
    padded[far:-far, 1] = sheet.link_share
    padded[far:-far, 2] = sheet.ended
    return np.concatenate([padded[far + shift : far + shift + count] for shift in SHIFTS], 1)


def _windows(sheet: Sheet) -> Floats:
    count = len(sheet.size)
    rows, windows = sheet.rows[:, None], np.array(WINDOWS)
    low, high = np.maximum(0, rows - windows), np.minimum(count, rows + (windows + 1))
    sums = sheet.running[high] - sheet.running[low]
    size, blocks = np.maximum(1, sums[..., 0]), sums[..., 6]
    out = np.empty((count, len(WINDOWS), len(WINDOWED)), np.float32)
    out[..., :2] = sums[..., 1:3] / size[..., None]
    out[..., 2:4] = sums[..., 3:5] / blocks[..., None]
    out[..., 4] = np.log1p(size / (blocks + sums[..., 7] + sums[..., 5]))
    return out.reshape(count, -1)


def _group(sheet: Sheet, ids: Ints) -> Floats:
    columns = (sheet.running[1:] - sheet.running[:-1])[:, (0, 1, 2, 3, 6)]
    width = columns.shape[1]
    cells = (ids[:, None] * width + np.arange(width)).ravel()
    sums = np.bincount(cells, columns.ravel(), (int(ids.max()) + 1) * width).reshape(-1, width)
    size = np.maximum(1, sums[:, 0])
    out = np.empty((len(sums), len(GROUPED)), np.float32)
    out[:, 0] = sums[:, 1] / size
    out[:, 1] = sums[:, 2] / size
    out[:, 2] = size / max(1.0, sheet.total_size)
    out[:, 3] = sums[:, 2] / max(1.0, sheet.total_good)
    out[:, 4] = sums[:, 3] / sums[:, 4]
    out[:, 5] = np.log1p(sums[:, 4])
    return out[ids]


def _leading(sheet: Sheet, signatures: Ints) -> Floats:
    count = len(sheet.size)
    rows = sheet.rows
    weights = np.bincount(signatures, sheet.good)
    total = max(1.0, sheet.total_good)
    member = (signatures == signatures[int(weights[signatures].argmax())]) & (sheet.total_good > 0)
    where = np.flatnonzero(member)
    first, last = (where[0], where[-1] + 1) if len(where) else (0, count)
    out = np.zeros((count, len(LEADING)), np.float32)
    out[:, 0] = member
    out[:, 1] = np.minimum(2, np.maximum(-1, (rows - first + 0.5) / (last - first)))
    out[:, 2] = weights.max() / total
    out[:, 3] = _distance(np.flatnonzero(sheet.good), rows)
    out[:, 4] = sheet.running[:-1, 2] / total
    out[:, 5] = (sheet.total_good - sheet.running[1:, 2]) / total
    out[:, 6] = sheet.running[:-1, 0] / max(1.0, sheet.total_size)
    out[:-1, 7] = out[1:, 8] = signatures[1:] == signatures[:-1]
    return out


def _distance(places: Ints, rows: Ints) -> Floats:
    """log(1 + blocks) from each row to the nearest of some rows; that of 50 where there is none nearer."""
    if not len(places):
        return np.full(len(rows), np.log1p(50), np.float32)
    behind = np.searchsorted(places, rows)
    nearest = np.minimum(
        np.abs(places.take(behind, mode="clip") - rows), np.abs(places.take(behind - 1, mode="clip") - rows)
    )
    distance: Floats = np.log1p(np.minimum(50, nearest)).astype(np.float32)
    return distance
