"""The geometry of the score curve: scores over the sequence of blocks with the threshold, as papers plot it.

If the method has masses of belief, a band from m(news) to 1 - m(not news) shows the uncertainty of each score.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors import Extraction
from newsextract.report.block_rows import MAX_ROWS, Floats, finite, format_number, has_masses, threshold_of

WIDTH = 1000
HEIGHT = 240
LEFT = 48
RIGHT = 10
TOP = 12
BOTTOM = 30
#: Maximum columns; if there are more blocks, each column shows the highest score of a run of blocks.
MAX_COLUMNS = 1_000
#: Possible distances, in blocks, between the labels of the x axis, of which there are at most 12.
LABEL_STEPS = tuple(digit * 10**power for power in range(9) for digit in (1, 2, 5))


def draw_curve(extraction: Extraction) -> dict[str, Any]:
    """The curve of an extraction, which has at least one block: SVG paths and labels, WIDTH by HEIGHT.

    `columns` are blocks, numbered from 1; `listed`: the list has a row for it; `step`: the width of a column; `box`:
    left, top, right and bottom of the plot.
    """
    scores, threshold = finite(extraction.scores), threshold_of(extraction)
    drawn = _drawn_blocks(scores)
    low, high = _axis_range(scores, threshold)
    step = (WIDTH - LEFT - RIGHT) / len(drawn)
    xs = np.array([LEFT + step * (i + 0.5) for i in range(len(drawn))])

    def height(values: Floats) -> Floats:
        share = np.clip((values - low) / (high - low), 0, 1)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    ys, band = height(scores[drawn]), None
    if has_masses(extraction):
        belief = finite(extraction.evidence["m(news)"])[drawn]
        plausibility = 1 - finite(extraction.evidence["m(not news)"])[drawn]
        band = f"M{_points(xs, height(plausibility))}L{_points(xs[::-1], height(belief)[::-1])}Z"
    limit = None if threshold is None else (round(float(height(np.array(threshold))), 1), format_number(threshold))
    ticks = np.linspace(low, high, 5)
    width = (WIDTH - LEFT - RIGHT) / len(scores)
    labels = next(steps for n in LABEL_STEPS if len(steps := range(n, len(scores) + 1, n)) <= 12)
    columns = [
        {
            "number": i + 1,
            "x": round(x, 1),
            "y": round(y, 1),
            "score": format_number(scores[i]),
            "chosen": bool(extraction.chosen[i]),
            "listed": i < MAX_ROWS,
        }
        for i, x, y in zip(drawn.tolist(), xs.tolist(), ys.tolist(), strict=True)
    ]
    return {
        "columns": columns,
        "step": round(step, 2),
        "line": f"M{_points(xs, ys)}",
        "band": band,
        "threshold": limit,
        "y_ticks": list(zip(np.round(height(ticks), 1).tolist(), map(format_number, ticks.tolist()), strict=True)),
        "x_ticks": [(round(LEFT + width * (i - 0.5), 1), i) for i in labels],
        "blocks": len(scores),
        "box": (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM),
    }


def _drawn_blocks(scores: Floats) -> NDArray[np.int64]:
    """(columns,) indices of the blocks that are drawn: all, or the one with the highest score of each column."""
    if len(scores) <= MAX_COLUMNS:
        return np.arange(len(scores))
    bounds = np.linspace(0, len(scores), MAX_COLUMNS + 1).astype(int)
    return np.array([a + int(scores[a:b].argmax()) for a, b in pairwise(bounds.tolist())])


def _axis_range(scores: Floats, threshold: float | None) -> tuple[float, float]:
    """The range of the y axis: 0 to 1 for shares and probabilities, else from 0 or the minimum to the maximum."""
    values = scores if threshold is None else np.append(scores, threshold)
    low, high = min(0.0, float(values.min())), float(values.max())
    if low == 0 and 0.2 < high <= 1:
        return 0.0, 1.0
    return low, high if high > low else low + 1


def _points(xs: Floats, ys: Floats) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs.tolist(), ys.tolist(), strict=True))
