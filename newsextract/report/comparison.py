"""The comparison of all extractors on one page: the share of each block that each keeps, their agreement, a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from newsextract.errors import NewsextractError
from newsextract.extractors import EXTRACTORS, Extraction, make_extractor
from newsextract.page import Page
from newsextract.report.block_rows import MAX_ROWS, Floats


@dataclass(frozen=True)
class ExtractorResult:
    """An extractor's result on a page. `shares`: (page's blocks,), the share of each that it keeps, 0 to 1;
    `agreement`: F1 of the characters kept with those that the report's extractor keeps.
    """

    name: str
    paper: str
    shares: Floats
    agreement: float

    @property
    def kept(self) -> int:
        """Blocks of which it keeps at least a part."""
        return int((self.shares > 0).sum())


def compare_extractors(
    page: Page, peer: Page | None, name: str, extraction: Extraction
) -> tuple[list[ExtractorResult], dict[str, str]]:
    """All extractors' results: the report's own first, then by agreement; and why others have none."""
    own = kept_shares(extraction)
    results, missing = [], {}
    for other in [other for other in EXTRACTORS if other != name]:
        try:
            extractor = make_extractor(other)
            if extractor.needs_peer and peer is None:
                missing[other] = "needs a peer: another page of the same template"
                continue
            shares = kept_shares(extractor(page, peer))
        except NewsextractError as error:
            missing[other] = str(error)
        except Exception as error:  # a third-party extractor may fail in any way, and the report can do without
            missing[other] = f"failed: {type(error).__name__}: {error}"
        else:
            results.append(ExtractorResult(other, extractor.paper, shares, _agreement(page, own, shares)))
    results.sort(key=lambda result: (-result.agreement, result.name))
    return [ExtractorResult(name, "this report's", own, 1.0), *results], missing


def kept_shares(extraction: Extraction) -> Floats:
    """(page's blocks,) share of each block's characters that an extraction keeps."""
    count = len(extraction.page.blocks)
    lengths = np.fromiter(map(len, extraction.texts), float, len(extraction.texts)) + 1
    total = np.bincount(extraction.origins, lengths, count)
    kept = np.bincount(extraction.origins, lengths * extraction.chosen, count)
    shares: Floats = kept / np.maximum(total, 1)
    return shares


def _agreement(page: Page, first: Floats, second: Floats) -> float:
    """2 |A and B| / (|A| + |B|) in characters; 1 if both keep nothing."""
    lengths = page.blocks.lengths
    both, sum_of_kept = lengths @ np.minimum(first, second), lengths @ (first + second)
    return float(2 * both / sum_of_kept) if sum_of_kept else 1.0


def table_lines(page: Page, extraction: Extraction, results: Sequence[ExtractorResult]) -> Iterator[dict[str, Any]]:
    """The lines of the table in page order: a block with each extractor's mark, or a run that none keeps.

    Blocks are numbered from 1; `row`: the block's number in the list of the extraction's blocks.
    """
    origins = extraction.origins[:MAX_ROWS].tolist()
    rows = {origin: number for number, origin in reversed(list(enumerate(origins, 1)))}
    votes = count_votes(results)
    for unkept, run in groupby(range(min(len(page.blocks), MAX_ROWS)), lambda block: not votes[block]):
        blocks = list(run)
        if unkept:
            yield {"first": blocks[0] + 1, "last": blocks[-1] + 1}
            continue
        for block in blocks:
            shares = [float(result.shares[block]) for result in results]
            marks = ["whole" if share > 0.95 else "part" if share > 0 else "none" for share in shares]
            yield {"row": rows.get(block), "text": page.blocks.texts[block], "marks": marks, "votes": votes[block]}


def count_votes(results: Sequence[ExtractorResult]) -> list[int]:
    """(page's blocks,) number of extractors that keep at least a part of each."""
    votes: list[int] = np.sum([result.shares > 0 for result in results], axis=0).tolist()
    return votes
