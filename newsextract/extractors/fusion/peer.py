"""Evidence of another page of the site: what stands in both is template.

By TSReC's idea (see `tsrec`), on blocks: the text of a block that the peer holds too is hardly ever of the article. The
weight is the log ratio of how often that happens to news and to other blocks, counted in training. A peer that holds
most of what the page alone would keep is the same article once more, and says nothing.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import Floats, Sheet
from newsextract.extractors.fusion.selection import words_of
from newsextract.page import Page

#: Of what is kept without it, a peer with more than this share is the same article.
SAME = 0.3
#: A line of less characters may be in any two articles.
SHORT = 4
#: A block of so many characters that two articles share is hardly ever their own.
LONG = 60


def shared_with(sheet: Sheet, peer: Page) -> NDArray[np.bool_]:
    """(blocks,) whether the peer has a block of the same text."""
    there = set(peer.blocks.texts)
    return np.array([text in there for text in sheet.blocks.texts], bool)


def evidence(sheet: Sheet, peer: Page, chosen: NDArray[np.bool_], ratios: Sequence[float]) -> Floats | None:
    """(blocks,) weights to add to the logits; None where the peer is the same article or has no blocks."""
    shared = shared_with(sheet, peer)
    words = words_of(sheet)
    if not len(peer.blocks) or words[shared & chosen].sum() > SAME * words[chosen].sum():
        return None
    kinds = 2 * (sheet.blocks.lengths >= LONG) + ~shared
    weights: Floats = np.array(ratios, np.float32)[kinds]
    weights[sheet.blocks.lengths < SHORT] = 0
    return weights
