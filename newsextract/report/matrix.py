"""The table of extractors: a line a block, a column an extractor; runs of blocks that nobody keeps are one line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from newsextract.extractors import Extraction
from newsextract.page import Page
from newsextract.report.compare import Opinion
from newsextract.report.rows import MOST_ROWS
from newsextract.report.shown import shown

#: Characters of a block that are shown.
GLIMPSE = 90


@dataclass(frozen=True)
class Line:
    """A line of the table of extractors: a block and who keeps it, or a run of blocks that nobody keeps."""

    first: int
    last: int
    row: int | None = None
    text: str = ""
    marks: tuple[str, ...] = ()
    votes: int = 0


def lines(page: Page, extraction: Extraction, opinions: Sequence[Opinion]) -> Iterator[Line]:
    """The table of extractors: runs of blocks that none keeps are one line."""
    origins = extraction.origins[:MOST_ROWS].tolist()
    row_of = {origin: at + 1 for at, origin in reversed(list(enumerate(origins)))}
    keepers = votes(opinions)
    for nobody, run in groupby(range(min(len(page.blocks), MOST_ROWS)), lambda block: not keepers[block]):
        blocks = list(run)
        if nobody:
            yield Line(blocks[0] + 1, blocks[-1] + 1)
            continue
        for block in blocks:
            marks = tuple(_mark(float(opinion.shares[block])) for opinion in opinions)
            text = page.blocks.texts[block]
            glimpse = shown(text[:GLIMPSE] + ("…" if len(text) > GLIMPSE else ""))
            yield Line(block + 1, block + 1, row_of.get(block), glimpse, marks, keepers[block])


def votes(opinions: Sequence[Opinion]) -> list[int]:
    """(page's blocks,) how many extractors keep something of each."""
    count: list[int] = np.sum([opinion.shares > 0 for opinion in opinions], axis=0).tolist()
    return count


def _mark(share: float) -> str:
    return "whole" if share > 0.95 else "part" if share > 0 else "none"
