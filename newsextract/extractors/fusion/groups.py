"""Evidence of the blocks that are marked up alike: same tag and class, within the same tag and class.

Body paragraphs of one page are marked up alike; the *leading* group is the one that holds most good text. How far the
nearest good text is, and how much stands before and behind, is seen here too.
"""

import numpy as np

from newsextract.extractors.fusion.features import (
    COUNT_SUM,
    ENDED_SUM,
    GOOD_SUM,
    LINKED_SUM,
    SIZE_SUM,
    Floats,
    Ints,
    Numbers,
    Sheet,
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


def evidence(sheet: Sheet, forms: Ints, out: Floats) -> None:
    """Fills (FEATURES, blocks). `forms`: a number for each element's tag and class."""
    groups = Numbers().of((forms * (int(forms.max()) + 1) + forms[sheet.parents])[sheet.blocks.owners].tolist())
    columns = np.diff(sheet.running[COUNTED, :])
    width, count = int(groups.max()) + 1, len(COUNTED)
    cells = groups + np.arange(0, count * width, width)[:, None]
    sums = np.bincount(cells.ravel(), columns.ravel(), count * width).reshape(count, width)
    figures = np.empty((len(GROUPED), width), np.float32)
    np.divide(sums[1:3], np.maximum(1, sums[0]), out=figures[:2], casting="same_kind")
    np.divide(sums[3], sums[4], out=figures[2], casting="same_kind")
    figures[3] = sums[0] / max(1.0, sheet.total_size)
    figures[4] = sums[2] / max(1.0, sheet.total_good)
    figures[5] = np.log1p(sums[4])
    begin = len(GROUPED)
    out[:begin] = figures.take(groups, 1)
    _leading(sheet, groups, sums[2], out[begin : begin + len(LEADING)])
    begin += len(LEADING)
    out[begin, -1] = out[begin + 1, 0] = 0
    out[begin, :-1] = out[begin + 1, 1:] = groups[1:] == groups[:-1]
    _on_page(sheet, out[begin + len(ALIKE) :])


def _leading(sheet: Sheet, groups: Ints, good: Floats, out: Floats) -> None:
    leader = int(good.argmax())
    member = groups == leader if sheet.total_good else np.zeros(len(groups), bool)
    where = np.flatnonzero(member)
    first, last = (where[0], where[-1] + 1) if len(where) else (0, len(groups))
    out[0] = member
    sheet.place(first, last, out[1])
    out[2] = good[leader] / max(1.0, sheet.total_good)


def _on_page(sheet: Sheet, out: Floats) -> None:
    """Blocks to the nearest good one, as log(1 + blocks), no more than FAR; good text before and behind; the place."""
    rows, good, total = sheet.rows, sheet.running[GOOD_SUM], max(1.0, sheet.total_good)
    places = np.flatnonzero(sheet.good)
    if len(places):
        behind = np.searchsorted(places, rows)
        to_next, to_last = places.take(behind, mode="clip") - rows, places.take(behind - 1, mode="clip") - rows
        out[0] = np.log1p(np.minimum(FAR, np.minimum(np.abs(to_next), np.abs(to_last))))
    else:
        out[0] = np.log1p(FAR)
    np.divide(good[:-1], total, out=out[1])
    np.divide(total - good[1:], total, out=out[2])
    np.divide(sheet.running[SIZE_SUM, :-1], max(1.0, sheet.total_size), out=out[3])
