"""The blocks of an extraction as rows of the report: colour level, remark, and the evidence as bars; printable text."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors import Block, Extraction
from newsextract.files import package_data

#: Evidence with these names are Dempster-Shafer masses; the other columns are then weights of evidence (log odds),
#: and the scores are probabilities.
MASSES = ("m(news)", "m(unknown)", "m(not news)")
CONFLICT = "conflict"
EVEN_ODDS = 0.5
#: Maximum rows of the report; a hostile page may have any number of blocks.
MAX_ROWS = 2_000
#: Colour levels from 0 (not news) to this (news).
LEVELS = 10
#: Width of the bars' drawings in SVG units.
WIDTH = 200.0
TEXTS = package_data("newsextract.report", "texts.toml")
REMARKS: dict[str, str] = TEXTS["remarks"]
Floats = NDArray[np.float64]


def threshold_of(extraction: Extraction) -> float | None:
    """The score that separates kept blocks from others; None if further rules of the method overlap it."""
    if has_masses(extraction):
        return EVEN_ODDS
    scores, chosen = finite(extraction.scores), extraction.chosen
    if chosen.all() or not chosen.any():
        return None
    low, high = float(scores[~chosen].max()), float(scores[chosen].min())
    return (low + high) / 2 if low < high else None


def has_masses(extraction: Extraction) -> bool:
    """Whether the extractor gives Dempster-Shafer masses of belief as evidence."""
    return set(MASSES) <= set(extraction.evidence)


def block_rows(
    extraction: Extraction, body: Collection[int], on_site: Mapping[int, str] | None = None
) -> list[dict[str, Any]]:
    """The rows of the first MAX_ROWS blocks. `body`: indices of body text; `on_site`: sentences on other pages.

    A row's `level` is its colour, 0 to LEVELS; its `state`: "body", "chosen" (kept, but not body text) or "left". Bars
    have their beginning `x` and `width` in SVG units (see WIDTH).
    """
    threshold = threshold_of(extraction)
    levels = _levels(finite(extraction.scores), threshold).tolist()
    fused, blocks = has_masses(extraction), extraction.blocks[:MAX_ROWS]
    scales = _scales(blocks, fused)
    body, rows = set(body), []
    for index, (block, origin) in enumerate(zip(blocks, extraction.origins.tolist(), strict=False)):
        state = "body" if index in body else "chosen" if block.chosen else "left"
        row = {
            "number": index + 1,
            "origin": origin,
            "text": block.text,
            "xpath": block.xpath,
            "score": _score(block.score, fused),
            "level": levels[index],
            "state": state,
            "remark": _remark(block, state, threshold),
            "bars": [_bar(name, block.evidence[name], scale, fused) for name, scale in scales.items()],
            "masses": _masses(block.evidence) if fused else (),
            "conflict": format_number(_finite(block.evidence.get(CONFLICT, 0.0))) if fused else None,
            "on_site": (on_site or {}).get(index),
        }
        rows.append(row)
    return rows


def finite(values: Floats) -> Floats:
    """The values with NaN as 0 and infinities as 1e9 or -1e9, for drawing."""
    numbers: Floats = np.nan_to_num(np.asarray(values, float), nan=0.0, posinf=1e9, neginf=-1e9)
    return numbers


def _finite(value: float) -> float:
    return float(finite(np.array(value)))


def _score(value: float, probability: bool) -> str:
    """The score as text; a probability is never rounded to 0 or 1."""
    if not probability:
        return format_number(_finite(value))
    return "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.3f}"


def _levels(scores: Floats, threshold: float | None) -> NDArray[np.int64]:
    """(blocks,) colour levels: the threshold, or half the highest score without one, is the middle level."""
    if not len(scores):
        return np.zeros(0, np.int64)
    low, high = min(0.0, float(scores.min())), float(scores.max())
    if threshold == EVEN_ODDS and low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    middle = (low + high) / 2 if threshold is None else threshold
    points = [min(low, middle) - 1e-9, middle, max(high, middle) + 1e-9]
    levels: NDArray[np.int64] = np.rint(np.interp(scores, points, [0, LEVELS / 2, LEVELS])).astype(np.int64)
    return levels


def _scales(blocks: Sequence[Block], fused: bool) -> dict[str, float]:
    """Name -> the value of the longest bar: one for all weights or shares, else the largest of each name."""
    names = [name for name in (blocks[0].evidence if blocks else ()) if not fused or name not in (*MASSES, CONFLICT)]
    largest = {name: max(abs(_finite(block.evidence[name])) for block in blocks) or 1.0 for name in names}
    if not largest or not (fused or max(largest.values()) <= 1):
        return largest
    return dict.fromkeys(names, max(largest.values()) if fused else 1.0)


def _bar(name: str, raw: float, scale: float, signed: bool) -> dict[str, Any]:
    """The bar of a value: signed weights start in the middle, other values on the left."""
    value = _finite(raw)
    width = min(1.0, abs(value) / scale) * WIDTH
    if not signed:
        return _drawn(name, format_number(value), 0.0, width, "plain")
    width = round(width / 2, 1)
    start, kind = (WIDTH / 2, "news") if value >= 0 else (WIDTH / 2 - width, "other")
    return _drawn(name, f"{value:+.2f}", start, width, kind)


def _masses(evidence: Mapping[str, float]) -> list[dict[str, Any]]:
    """The three masses as adjoining parts of one bar."""
    parts, start = [], 0.0
    for name, kind in zip(MASSES, ("news", "unknown", "other"), strict=True):
        value = min(1.0, max(0.0, _finite(evidence[name])))
        parts.append(_drawn(name, f"{value:.3f}", start * WIDTH, value * WIDTH, kind))
        start += value
    return parts


def _drawn(name: str, value: str, x: float, width: float, kind: str) -> dict[str, Any]:
    return {"name": name, "value": value, "x": round(x, 1), "width": round(width, 1), "kind": kind}


def _remark(block: Block, state: str, threshold: float | None) -> str | None:
    if state == "chosen":
        return REMARKS["furniture"]
    if threshold is None or block.chosen == (_finite(block.score) >= threshold):
        return None
    return REMARKS["below" if block.chosen else "above"]


#: Maximum characters printed of a block or field; a page may have megabytes in one.
MAX_LENGTH = 4_000
#: C0 except tab and newline, DEL and C1; bidirectional controls, which could also end those of the report.
CONTROLS = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible_text(text: str) -> str:
    """The text with control characters as their code points, truncated to MAX_LENGTH."""
    excess = len(text) - MAX_LENGTH
    cut = text if excess <= 0 else f"{text[:MAX_LENGTH]} … ({excess} more characters)"
    return CONTROLS.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", cut)


def format_number(value: float) -> str:
    """A value with three significant digits, without trailing zeros."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
