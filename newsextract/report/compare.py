"""What every extractor says of each block of one page, and how far each agrees with the report's own."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import NewsextractError
from newsextract.extractors import EXTRACTORS, Extraction, make_extractor
from newsextract.page import Page

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Opinion:
    """One extractor on one page. `shares`: (page's blocks,), how much of each it keeps, 0 to 1; `agreement`: F of the
    characters kept with those that the report's extractor keeps."""

    name: str
    paper: str
    shares: Floats
    agreement: float

    @property
    def kept(self) -> int:
        """Blocks of which it keeps something."""
        return int((self.shares > 0).sum())


@dataclass(frozen=True)
class Silent:
    """An extractor that said nothing of this page, and why."""

    name: str
    reason: str


def compare(page: Page, peer: Page | None, name: str, extraction: Extraction) -> tuple[list[Opinion], list[Silent]]:
    """All extractors, the report's own (`name`, whose `extraction` is given) first, then the most agreeing."""
    own = kept_shares(extraction)
    opinions, silent = [], []
    for other in EXTRACTORS:
        if other == name:
            continue
        try:
            extractor = make_extractor(other)
            if extractor.needs_peer and peer is None:
                silent.append(Silent(other, "needs a peer: another page of the same template"))
                continue
            shares = kept_shares(extractor(page, peer))
        except NewsextractError as error:
            silent.append(Silent(other, str(error)))
        except Exception as error:  # somebody else's extractor may fail in any way, and the report stands without it
            silent.append(Silent(other, f"failed: {type(error).__name__}: {error}"))
        else:
            opinions.append(Opinion(other, extractor.paper, shares, _agreement(page, own, shares)))
    opinions.sort(key=lambda opinion: (-opinion.agreement, opinion.name))
    return [Opinion(name, "this report's", own, 1.0), *opinions], silent


def kept_shares(extraction: Extraction) -> Floats:
    """(page's blocks,) share of each block's characters that an extraction keeps."""
    count = len(extraction.page.blocks)
    lengths = np.fromiter(map(len, extraction.texts), float, len(extraction.texts)) + 1
    whole = np.bincount(extraction.origins, lengths, count)
    kept = np.bincount(extraction.origins, lengths * extraction.chosen, count)
    shares: Floats = kept / np.maximum(whole, 1)
    return shares


def _agreement(page: Page, one: Floats, other: Floats) -> float:
    """2 |A and B| / (|A| + |B|) in characters; 1 where both keep nothing."""
    lengths = page.blocks.lengths
    both, all_kept = lengths @ np.minimum(one, other), lengths @ (one + other)
    return float(2 * both / all_kept) if all_kept else 1.0
