"""Weight of evidence from the other pages of the site, added to that of the page and its peer.

The weights come from `newsextract.site_profile`, which knows which blocks other articles have; here they become part of
an extraction: its scores, its choice of blocks, its explanation and its confidence.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.base import Extraction
from newsextract.extractors.fusion.explain import BlockExplanation
from newsextract.extractors.fusion.features import build_features
from newsextract.extractors.fusion.selection import confidence_features, predict_confidence

MAX_LOGIT = 30.0


def with_site(extraction: Extraction, weights: NDArray[np.float64], chosen: NDArray[np.bool_]) -> Extraction:
    """The extraction with (blocks,) weights of the site added to its log odds, and these blocks chosen."""
    bounded = np.clip(extraction.scores, 1e-12, 1 - 1e-12)
    logits = np.log(bounded / (1 - bounded)) + weights
    scores = 1 / (1 + np.exp(-np.clip(logits, -MAX_LOGIT, MAX_LOGIT)))
    evidence, confidence = extraction.evidence, extraction.confidence
    if isinstance(evidence, BlockExplanation):
        evidence = evidence.with_site(weights)
        if (chosen != extraction.chosen).any():
            measured = confidence_features(build_features(extraction.page), scores.astype(np.float32), chosen)
            confidence = predict_confidence(evidence.model.certainty, measured)
    return replace(extraction, scores=scores, chosen=chosen, evidence=evidence, confidence=confidence)
