"""Decision on a page by its summary and the profile of its site: is it an article, and which blocks are its text."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from newsextract.site_profile.profile import SiteProfile
from newsextract.site_profile.summary import CHOSEN, LOGIT_STEPS, PageSummary

#: A decision once made is changed only from these log odds on, both ways; of a page, and of a block.
HYSTERESIS, BLOCK_HYSTERESIS = 0.7, 0.5


@dataclass(frozen=True, slots=True)
class Decision:
    """`log_odds`: of the page being an article; `chosen`: one bit a row of the summary, packed."""

    is_article: bool
    log_odds: float
    chosen: bytes

    def to_bytes(self) -> bytes:
        """The decision as bytes."""
        return bytes([self.is_article]) + np.array(self.log_odds, "<f4").tobytes() + self.chosen

    @classmethod
    def from_bytes(cls, data: bytes) -> "Decision":
        """The decision of `to_bytes`. Raises ValueError for anything else."""
        if len(data) < 5 or data[0] > 1:
            raise ValueError("no decision on a page")
        log_odds = float(np.frombuffer(data, "<f4", 1, 1)[0])
        if not np.isfinite(log_odds):
            raise ValueError("no decision on a page")
        return cls(bool(data[0]), log_odds, data[5:])


def decide(summary: PageSummary, profile: SiteProfile | None = None) -> Decision:
    """The decision on a page; without a profile that of the page alone."""
    chosen = (summary.rows["flags"] & CHOSEN) > 0
    return Decision(summary.reason is None, summary.margin, np.packbits(chosen).tobytes())


def is_revised(summary: PageSummary, profile: SiteProfile, before: Decision) -> bool:
    """Whether the page has to be read again with this profile: another decision than `before`, and clearly so."""
    now = decide(summary, profile)
    if now.is_article != before.is_article:
        return abs(now.log_odds) >= HYSTERESIS
    return now.is_article and now.chosen != before.chosen


def block_logits(summary: PageSummary) -> NDArray[np.float64]:
    """(rows,) log odds of article text by the page alone."""
    logits: NDArray[np.float64] = summary.rows["logit"].astype(float) / LOGIT_STEPS
    return logits
