"""Weight of evidence from a peer, another page of the same site: text that both have belongs to the template.

TSReC's idea (see `extractors/tsrec.py`) on blocks: text that the peer has too is hardly ever part of the article. The
weight is a log likelihood ratio counted in training: how often article blocks, and other blocks, are in the peer. A
peer with most of the blocks selected without it is the same article again, and is ignored.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.features import FeatureTable, Floats
from newsextract.extractors.fusion.selection import count_words
from newsextract.page import Page

#: A peer with more than this share of the words selected without it is the same article.
SAME = 0.3
#: Shorter blocks, in characters, may be in any two articles.
SHORT = 4
#: Blocks from this length on have likelihood ratios of their own.
LONG = 60


def shared_blocks(table: FeatureTable, peer: Page) -> NDArray[np.bool_]:
    """(blocks,) whether the peer has a block of the same text."""
    peer_texts = set(peer.blocks.texts)
    return np.array([text in peer_texts for text in table.blocks.texts], bool)


def peer_weights(table: FeatureTable, peer: Page, chosen: NDArray[np.bool_], ratios: Sequence[float]) -> Floats | None:
    """(blocks,) weights to add to the logits; None where the peer is the same article or has no blocks."""
    shared = shared_blocks(table, peer)
    words = count_words(table)
    if not len(peer.blocks) or words[shared & chosen].sum() > SAME * words[chosen].sum():
        return None
    kinds = 2 * (table.blocks.lengths >= LONG) + ~shared
    weights: Floats = np.array(ratios, np.float32)[kinds]
    weights[table.blocks.lengths < SHORT] = 0
    return weights
