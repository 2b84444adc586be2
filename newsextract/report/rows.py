"""The blocks of an extraction as the report draws them: colour, remark, and the evidence as bars."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors import Block, Extraction
from newsextract.report.shown import number, shown

#: Masses of belief, where a method has them: then its other columns are weights of evidence, and its scores
#: probabilities.
MASSES = ("m(news)", "m(unknown)", "m(not news)")
CONFLICT = "conflict"
EVEN = 0.5
#: Blocks drawn in the list; a hostile page has any number.
MOST_ROWS = 2_000
#: Steps of colour from 0 (not news) to this (news).
LEVELS = 10
#: Width of the drawings of bars, in their own units.
WIDTH = 200.0
#: What the names of evidence mean, where the name alone does not say it.
MEANINGS = {
    "text": "its own size, punctuation, links, characters and tag",
    "containers": "the elements around it: what else they hold, how large they are",
    "neighbours": "the blocks before and after it",
    "groups": "the other blocks of the same markup",
    "title": "likeness to the headline, and the place after it",
    "class words": "words of class and id",
    "phrases": "wording such as 'read more', 'subscribe', '©'",
    "page": "what the page states about itself, and what kind of page it is",
    "peer": "whether another page of the site has the same block",
    "m(news)": "belief that it is the article's",
    "m(not news)": "belief that it is not",
    "m(unknown)": "what the evidence leaves open",
    "conflict": "how far the evidence contradicts itself",
    "fused": "the evidence joined by Dempster's rule",
}
REMARKS = {
    "furniture": "Chosen, but not body text: a headline, byline, date or caption.",
    "above": "At or above the threshold and still left out: a repetition, or a later rule of the method.",
    "below": "Below the threshold and still kept, by a later rule of the method.",
}


@dataclass(frozen=True)
class Bar:
    """One value of evidence: a bar from `x` on, `width` long, in units of WIDTH."""

    name: str
    meaning: str
    value: str
    x: float
    width: float
    kind: str


@dataclass(frozen=True)
class Row:
    """One block. `level`: its colour; `state`: body, chosen or left; `masses`: (name, share of WIDTH before, own)."""

    number: int
    origin: int
    tag: str
    text: str
    xpath: str
    score: str
    level: int
    state: str
    remark: str | None
    bars: tuple[Bar, ...]
    masses: tuple[Bar, ...]
    conflict: str | None


def threshold_of(extraction: Extraction) -> float | None:
    """The score that parts what was kept from what was not: even odds for a method with masses of belief, else any
    such value half-way between; None where a method's last word was not a threshold."""
    if fuses(extraction):
        return EVEN
    scores, chosen = finite(extraction.scores), extraction.chosen
    if chosen.all() or not chosen.any():
        return None
    low, high = float(scores[~chosen].max()), float(scores[chosen].min())
    return (low + high) / 2 if low < high else None


def fuses(extraction: Extraction) -> bool:
    """Whether the method gives masses of belief."""
    return set(MASSES) <= set(extraction.evidence)


def rows(extraction: Extraction, body: Collection[int]) -> list[Row]:
    """The first MOST_ROWS blocks; `body`: which of them are the article's body."""
    threshold = threshold_of(extraction)
    levels = _levels(finite(extraction.scores), threshold).tolist()
    tags, fused = extraction.page.blocks.tags, fuses(extraction)
    blocks = extraction.blocks[:MOST_ROWS]
    scales = _scales(blocks, fused)
    kept, found = set(body), []
    for at, (block, origin) in enumerate(zip(blocks, extraction.origins.tolist(), strict=False)):
        state = "body" if at in kept else "chosen" if block.chosen else "left"
        found.append(
            Row(
                at + 1,
                origin,
                tags[origin],
                shown(block.text),
                shown(block.xpath),
                _score(block.score, fused),
                levels[at],
                state,
                _remark(block, state, threshold),
                tuple(_bar(name, block.evidence[name], scale, fused) for name, scale in scales.items()),
                _masses(block.evidence) if fused else (),
                number(_finite(block.evidence.get(CONFLICT, 0.0))) if fused else None,
            )
        )
    return found


def finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values with something to draw in place of what is no number."""
    found: NDArray[np.float64] = np.nan_to_num(np.asarray(values, float), nan=0.0, posinf=1e9, neginf=-1e9)
    return found


def _finite(value: float) -> float:
    return float(finite(np.array(value)))


def _score(value: float, probability: bool) -> str:
    """A probability never looks surer than it is."""
    if not probability:
        return number(_finite(value))
    return "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.3f}"


def _levels(scores: NDArray[np.float64], threshold: float | None) -> NDArray[np.int64]:
    """(blocks,) steps of colour: the threshold, or half-way from 0 to the highest score, is the middle one."""
    if not len(scores):
        return np.zeros(0, np.int64)
    low, high = min(0.0, float(scores.min())), float(scores.max())
    if threshold == EVEN and low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    middle = (low + high) / 2 if threshold is None else threshold
    points = [min(low, middle) - 1e-9, middle, max(high, middle) + 1e-9]
    levels: NDArray[np.int64] = np.rint(np.interp(scores, points, [0, LEVELS / 2, LEVELS])).astype(np.int64)
    return levels


def _scales(blocks: Sequence[Block], fused: bool) -> dict[str, float]:
    """Name of evidence -> the value whose bar is longest: one for all weights and for all shares, so that bars compare;
    else each name's own."""
    names = [name for name in (blocks[0].evidence if blocks else ()) if not fused or name not in (*MASSES, CONFLICT)]
    largest = {name: max(abs(_finite(block.evidence[name])) for block in blocks) or 1.0 for name in names}
    if not largest or not (fused or max(largest.values()) <= 1):
        return largest
    return dict.fromkeys(names, max(largest.values()) if fused else 1.0)


def _bar(name: str, raw: float, scale: float, signed: bool) -> Bar:
    """Weights go from the middle to either side, other values from the left."""
    value = _finite(raw)
    share = min(1.0, abs(value) / scale)
    long = round(share * (WIDTH / 2 if signed else WIDTH), 1)
    start = 0.0 if not signed else WIDTH / 2 if value >= 0 else WIDTH / 2 - long
    text = f"{value:+.2f}" if signed else number(value)
    kind = "plain" if not signed else "news" if value >= 0 else "other"
    return Bar(shown(name), MEANINGS.get(name, ""), text, round(start, 1), long, kind)


def _masses(evidence: Mapping[str, float]) -> tuple[Bar, ...]:
    """Three parts of one bar."""
    parts, before = [], 0.0
    for name, kind in zip(MASSES, ("news", "unknown", "other"), strict=True):
        value = min(1.0, max(0.0, _finite(evidence[name])))
        parts.append(Bar(name, MEANINGS[name], f"{value:.3f}", round(before * WIDTH, 1), round(value * WIDTH, 1), kind))
        before += value
    return tuple(parts)


def _remark(block: Block, state: str, threshold: float | None) -> str | None:
    if state == "chosen":
        return REMARKS["furniture"]
    if threshold is None or block.chosen == (_finite(block.score) >= threshold):
        return None
    return REMARKS["below" if block.chosen else "above"]
