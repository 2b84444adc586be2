"""Fusion: features of a block's text, position, neighbours and markup, of what the page declares, and of a peer,
combined by a trained model.

No paper of its own: the model and its explanation follow T. Denoeux, Logistic regression, neural networks and
Dempster-Shafer theory, Knowledge-Based Systems 176, 2019 (`explain.py`), the comparison with a peer TSReC (`peer.py`).
Measurements: docs/measurements/FUSION.md.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from newsextract.errors import WrongOption
from newsextract.extractors.base import Extraction
from newsextract.extractors.fusion.explain import BlockExplanation
from newsextract.extractors.fusion.features import Floats, build_features
from newsextract.extractors.fusion.further_articles import further_article_weights
from newsextract.extractors.fusion.model import feature_matrix, trained
from newsextract.extractors.fusion.peer import peer_weights
from newsextract.extractors.fusion.selection import confidence_features, predict_confidence, select_blocks
from newsextract.extractors.fusion.siblings import sibling_weights
from newsextract.page import Page


@dataclass(frozen=True)
class Fusion:
    """`weights`: a file written by `scripts/bench train` to use instead of the package's.

    `Extraction.scores` are probabilities, `Extraction.evidence` is a `BlockExplanation`.
    """

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
        table = build_features(page)
        features = feature_matrix(table)
        logits = model.logits(features)
        added: dict[str, Floats] = {}
        if (weights := sibling_weights(table, logits)) is not None:
            added["siblings"] = weights
            logits = logits + weights
        if (weights := further_article_weights(table)) is not None:
            added["further articles"] = weights
            logits = logits + weights
        probability = logistic(logits)
        chosen = select_blocks(table, probability)
        if peer is not None and (weights := peer_weights(table, peer, chosen, model.peer)) is not None:
            added["peer"] = weights
            probability = logistic(logits + weights)
            chosen = select_blocks(table, probability)
        measured = confidence_features(table, probability, chosen)
        confidence = predict_confidence(model.certainty, measured) if chosen.any() else 0.0
        return Extraction.of_blocks(
            page,
            chosen,
            probability,
            evidence=BlockExplanation(model, features, added),
            confidence=confidence,
            peer_url=peer.url if peer is not None and "peer" in added else None,
        )


def logistic(logits: Floats) -> Floats:
    """Probabilities from log odds."""
    probability: Floats = (1 / (1 + np.exp(-np.clip(logits, -30, 30)))).astype(np.float32)
    return probability
