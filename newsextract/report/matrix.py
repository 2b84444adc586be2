"""The table of extractors: a line a block, a column an extractor; runs of blocks that nobody keeps are one line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from newsextract.page import Page
from newsextract.report.compare import Opinion
from newsextract.report.rows import MOST_ROWS, Row
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


def lines(page: Page, listed: Sequence[Row], opinions: Sequence[Opinion]) -> Iterator[Line]:
    """The table of extractors: runs of blocks that none keeps are one line."""
    row_of = {row.origin: row.number for row in reversed(listed)}
    keepers = votes(opinions)
    nobody: int | None = None
    count = min(len(page.blocks), MOST_ROWS)
    for block in range(count + 1):
        alone = block < count and not keepers[block]
        if alone and nobody is None:
            nobody = block
        if not alone and nobody is not None:
            yield Line(nobody + 1, block)
            nobody = None
        if block < count and not alone:
            marks = tuple(_mark(float(opinion.shares[block])) for opinion in opinions)
            text = page.blocks.texts[block]
            glimpse = shown(text[:GLIMPSE] + ("…" if len(text) > GLIMPSE else ""))
            yield Line(block + 1, block + 1, row_of.get(block), glimpse, marks, keepers[block])


def votes(opinions: Sequence[Opinion]) -> list[int]:
    """(page's blocks,) how many extractors keep something of each."""
    count: list[int] = sum(opinion.shares > 0 for opinion in opinions).tolist()  # type: ignore[union-attr]
    return count


def _mark(share: float) -> str:
    return "whole" if share > 0.95 else "part" if share > 0 else "none"
