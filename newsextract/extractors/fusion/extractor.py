"""Fusion: the evidence of a block's text, place, neighbours, markup, of the page's own statements and of the site's
other pages, weighed by a trained model. No paper of its own; the parts cite theirs, `docs/FUSION.md` has the figures.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from newsextract.errors import WrongOption
from newsextract.extractors.base import Extraction
from newsextract.extractors.fusion import peer as peers
from newsextract.extractors.fusion.evidence import evidence
from newsextract.extractors.fusion.explain import Beliefs
from newsextract.extractors.fusion.features import Floats, read_sheet
from newsextract.extractors.fusion.model import trained
from newsextract.extractors.fusion.selection import certainty, choose, signs
from newsextract.page import Page


@dataclass(frozen=True)
class Fusion:
    """What there is to tune is trained: `weights` names a file of `scripts/bench train` to use instead of the
    package's own. `scores` are probabilities; `evidence` says why, when asked."""

    weights: str = ""

    name: ClassVar[str] = "fusion"
    paper: ClassVar[str] = "trained weights of evidence, fused by Dempster's rule (Denoeux 2019)"
    needs_peer: ClassVar[bool] = False
    uses_peer: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.weights, str):
            raise WrongOption(f"fusion: weights names a file, not {self.weights!r}")
        if self.weights:
            trained(self.weights)

    def __call__(self, page: Page, peer: Page | None = None) -> Extraction:
        if not len(page.blocks):
            return Extraction.of_blocks(page, np.zeros(0, bool), confidence=0.0)
        model = trained(self.weights)
        sheet = read_sheet(page)
        columns = evidence(sheet)
        logits = model.logits(columns)
        probability = logistic(logits)
        chosen = choose(sheet, probability)
        weights = None
        if peer is not None and (weights := peers.evidence(sheet, peer, chosen, model.peer)) is not None:
            probability = logistic(logits + weights)
            chosen = choose(sheet, probability)
        return Extraction.of_blocks(
            page,
            chosen,
            probability,
            evidence=Beliefs(model, columns, weights),
            confidence=certainty(model.certainty, signs(sheet, probability, chosen)) if chosen.any() else 0.0,
            peer_url=peer.url if peer is not None and weights is not None else None,
        )


def logistic(logits: Floats) -> Floats:
    """Probabilities from log odds."""
    probability: Floats = (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
    return probability
