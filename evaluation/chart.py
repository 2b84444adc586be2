"""The chart of F against time a page: an SVG of plain text, drawn here, so that it can be reviewed line by line."""

from collections.abc import Sequence
from importlib.resources import files
from math import ceil, floor, log10
from pathlib import Path

import jinja2

WIDTH, HEIGHT = 860, 480
LEFT, RIGHT, TOP, BOTTOM = 60, 130, 30, 50
#: Ticks of the time axis within a power of ten.
TICKS = (1, 2, 5)
#: A label keeps so much distance from the one above it.
LINE = 13

#: Label, milliseconds a page, F, ours or not.
Point = tuple[str, float, float, bool]


def draw_chart(points: Sequence[Point]) -> str:
    """An SVG document; without points an empty frame."""
    times = [point[1] for point in points] or [1.0]
    scores = [point[2] for point in points] or [0.5]
    low, high = floor(min(scores) * 20) / 20, ceil(max(scores) * 20) / 20
    first, last = log10(min(times)) - 0.1, log10(max(times)) + 0.1

    def x(ms: float) -> float:
        return round(LEFT + (log10(ms) - first) / (last - first) * (WIDTH - LEFT - RIGHT), 1)

    def y(score: float) -> float:
        return round(HEIGHT - BOTTOM - (score - low) / max(high - low, 0.05) * (HEIGHT - TOP - BOTTOM), 1)

    marks = [(label, x(ms), y(score), ms, score, ours) for label, ms, score, ours in points]
    decades = range(floor(first), ceil(last) + 1)
    values = {
        "width": WIDTH,
        "height": HEIGHT,
        "box": (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM),
        "marks": list(zip(marks, _label_heights([mark[2] for mark in marks]), strict=True)),
        "times": [
            (x(tick), f"{tick:g}") for d in decades for t in TICKS if first <= log10(tick := t * 10.0**d) <= last
        ],
        "scores": [(y(step / 20), f"{step / 20:.2f}") for step in range(round(low * 20), round(high * 20) + 1)],
    }
    folder = Path(str(files("evaluation") / "templates"))
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("algorithms.svg.jinja").render(values) + "\n"


def _label_heights(heights: Sequence[float]) -> list[float]:
    """Labels from the top down, each at least a line below the one before, as near to its point as that allows."""
    placed = [0.0] * len(heights)
    free = float(TOP)
    for place in sorted(range(len(heights)), key=lambda i: heights[i]):
        placed[place] = max(heights[place] + 4, free)
        free = placed[place] + LINE
    return placed
