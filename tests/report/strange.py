"""An extractor whose scores are NaN, infinite and huge."""

from dataclasses import dataclass, field

import numpy as np

import newsextract


@dataclass(frozen=True)
class Strange:
    """Scores that aren't numbers, or beyond all others."""

    scores: list[float] = field(default_factory=lambda: [float("nan"), float("inf"), float("-inf"), 1e300])
    name, paper, needs_peer = "strange", "none", False

    def __call__(self, page, peer=None):
        scores = np.resize(np.array(self.scores), len(page.blocks))
        return newsextract.Extraction.of_blocks(page, scores > 0, scores, evidence={"<b>": scores})
