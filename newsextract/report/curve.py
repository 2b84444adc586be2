"""The curve of scores over the sequence of blocks with the threshold, as the papers plot it; geometry only.

Where the method has masses of belief, a band from m(news) to 1 - m(not news) shows how much each score leaves open.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors import Extraction
from newsextract.report.rows import MOST_ROWS, finite, fuses, threshold_of
from newsextract.report.shown import number

WIDTH, HEIGHT = 1000, 240
LEFT, RIGHT, TOP, BOTTOM = 48, 10, 12, 30
#: Columns drawn at most; of more blocks, each column shows the one with the highest score.
COLUMNS = 1_000
#: Blocks between two labels of the x axis.
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """One block drawn: its number, its place, whether it was kept, whether the list has it too."""

    number: int
    x: float
    y: float
    score: str
    chosen: bool
    listed: bool


@dataclass(frozen=True)
class Curve:
    """Paths and labels in an SVG of WIDTH by HEIGHT."""

    columns: tuple[Column, ...]
    step: float
    line: str
    band: str | None
    threshold: tuple[float, str] | None
    y_ticks: tuple[tuple[float, str], ...]
    x_ticks: tuple[tuple[float, int], ...]
    blocks: int
    box: tuple[int, int, int, int] = (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)


def draw_curve(extraction: Extraction) -> Curve:
    """The curve of an extraction with at least one block."""
    scores, threshold = finite(extraction.scores), threshold_of(extraction)
    at = _drawn(scores)
    low, high = _range(scores, threshold)
    step = (WIDTH - LEFT - RIGHT) / len(at)
    xs = np.array([LEFT + step * (i + 0.5) for i in range(len(at))])
    wide = (WIDTH - LEFT - RIGHT) / len(scores)

    def height(values: Floats) -> Floats:
        share = np.clip((values - low) / (high - low), 0, 1)
        heights: Floats = HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
        return heights

    ys = height(scores[at])
    band = None
    if fuses(extraction):
        least = finite(extraction.evidence["m(news)"])[at]
        most = 1 - finite(extraction.evidence["m(not news)"])[at]
        band = f"M{_points(xs, height(most))}L{_points(xs[::-1], height(least)[::-1])}Z"
    ticks = np.linspace(low, high, 5)
    labels = next((s for s in STEPS if len(scores) / s <= 12), STEPS[-1])
    return Curve(
        columns=tuple(
            Column(i + 1, round(x, 1), round(y, 1), number(scores[i]), bool(extraction.chosen[i]), i < MOST_ROWS)
            for i, x, y in zip(at.tolist(), xs.tolist(), ys.tolist(), strict=True)
        ),
        step=round(step, 2),
        line=f"M{_points(xs, ys)}",
        band=band,
        threshold=None if threshold is None else (round(float(height(np.array(threshold))), 1), number(threshold)),
        y_ticks=tuple(zip(np.round(height(ticks), 1).tolist(), map(number, ticks.tolist()), strict=True)),
        x_ticks=tuple((round(LEFT + wide * (i - 0.5), 1), i) for i in range(labels, len(scores) + 1, labels)),
        blocks=len(scores),
    )


def _drawn(scores: Floats) -> NDArray[np.int64]:
    """Which blocks are drawn: all, or the highest of each column's run."""
    if len(scores) <= COLUMNS:
        return np.arange(len(scores))
    bounds = np.linspace(0, len(scores), COLUMNS + 1).astype(int)
    return np.array([a + int(scores[a:b].argmax()) for a, b in pairwise(bounds.tolist())])


def _range(scores: Floats, threshold: float | None) -> tuple[float, float]:
    """The y axis: 0 to 1 for shares and probabilities, else from 0 or the least to the greatest."""
    values = scores if threshold is None else np.append(scores, threshold)
    low, high = min(0.0, float(values.min())), float(values.max())
    if low == 0 and 0.2 < high <= 1:
        return 0.0, 1.0
    return low, high if high > low else low + 1


def _points(xs: Floats, ys: Floats) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs.tolist(), ys.tolist(), strict=True))
