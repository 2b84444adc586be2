"""Decision on a page by its summary and the profile of its site: is it an article, and which blocks are its text."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newsextract.items import Article
from newsextract.pickling import pickled_at_once
from newsextract.reasons import reason_of
from newsextract.site_profile.batch import REPETITION, Batch, Flags, Floats, Ints
from newsextract.site_profile.page_evidence import FEATURES
from newsextract.site_profile.profile import SiteProfile
from newsextract.site_profile.summary import CHOSEN, PageSummary

if TYPE_CHECKING:
    from newsextract.metadata.page_type import PageType

#: Log odds by which the site must support a page with hardly any text; the page itself must support it, too.
SHORT_ODDS = 1.0
#: Log odds of a page with such a reason.
CERTAIN = 30.0
#: Log odds of a page that is rejected by itself although its margin is that of an article: nothing is certain.
UNDECIDED = 0.5
#: Log odds of a page by itself below which no site can make it an article.
SURE_ALONE = 3.0
#: Reasons of a page that the site rejects: it has the beginnings of this many other pages; anything else.
LIST_LEADS = 2
LIST_REASON = "listing"
OTHER_REASON = "no_article"
#: Reason, and log odds, of an undated page that is linked from the menu of a site whose articles are dated.
MENU_REASON = "menu"
MENU_ODDS = -SURE_ALONE


@pickled_at_once
@dataclass(frozen=True, slots=True)
class Decision:
    """`log_odds`: of an article; `chosen`: a packed bit per summary row; `reason`: why the page isn't an article;
    `weights`: (rows,) what the site adds to each block's log odds, if it has a profile; `furniture`: (rows,) the lines
    of most articles. The last three aren't serialized.
    """

    is_article: bool
    log_odds: float
    chosen: bytes
    reason: str | None = None
    weights: Floats | None = None
    furniture: Flags | None = None

    @property
    def confidence(self) -> float:
        """The probability that the decision is right."""
        return 1 / (1 + math.exp(-abs(self.log_odds)))

    def chosen_rows(self, count: int) -> Flags:
        """(count,) whether each row of the summary is text."""
        bits: Flags = np.unpackbits(np.frombuffer(self.chosen, np.uint8), count=count) > 0
        return bits

    def keeps_text(self, before: "Decision | None") -> bool:
        """Whether what was extracted by an earlier decision can stay: the page is no article, or has the same text."""
        return not self.is_article or (before is not None and before.chosen == self.chosen)

    def to_bytes(self) -> bytes:
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


def is_final(reason: str | None) -> bool:
    """Whether a page with this reason isn't an article whatever the site says: a front page or an interstitial."""
    return reason is not None and reason_of(reason).is_final


def set_page_type(article: Article, decided: "Decision | PageType", text_confidence: float | None) -> None:
    """Sets an article's page type and confidence, the lower of the page type's and the text's; the text stays."""
    article.is_article, article.not_article_because = decided.is_article, decided.reason
    article.confidence = round(min(decided.confidence, 1.0 if text_confidence is None else text_confidence), 3)


def decide(summary: PageSummary, profile: SiteProfile | None = None) -> Decision:
    """The decision on a page; without a profile that of the page alone."""
    return decide_all([summary], profile)[0]


def decide_all(summaries: Sequence[PageSummary], profile: SiteProfile | None = None) -> list[Decision]:
    """The decisions on pages, computed together, which takes a fraction of the time.

    Pages that surely aren't articles are skipped: of some 430 such pages of eight saved sites, none became one.
    """
    numbers = [n for n, one in enumerate(summaries) if one.margin > -SURE_ALONE and not is_final(one.reason)]
    if profile is None or not len(profile) or not numbers:
        return [_decide_alone(one) for one in summaries]
    asked = [summaries[number] for number in numbers]
    batch, own = Batch(asked), profile.numbers_of(asked)
    pages = _page_decisions(asked, profile, batch, own) if profile.decides else [*map(_odds_alone, asked)]
    chosen, weights, furniture = _text_decisions(profile, batch, own)
    rows = itertools.starmap(slice, itertools.pairwise(batch.starts.tolist()))
    by_profile = {
        number: Decision(reason is None, odds, _packed(chosen[of_page]), reason, weights[of_page], furniture[of_page])
        for number, (odds, reason), of_page in zip(numbers, pages, rows, strict=True)
    }
    return [by_profile.get(number) or _decide_alone(one) for number, one in enumerate(summaries)]


def _page_decisions(
    summaries: Sequence[PageSummary], profile: SiteProfile, batch: Batch, own: Ints
) -> list[tuple[float, str | None]]:
    """For each page, the log odds of an article, and why it isn't one."""
    log_odds, features = profile.page_log_odds(batch, own)
    has_leads = features[:, FEATURES.index("leads of others")] >= np.log1p(LIST_LEADS)
    in_menu = profile.is_undated_in_menu(batch, own)
    log_odds = np.minimum(np.maximum(log_odds, -CERTAIN), CERTAIN)
    decided: list[tuple[float, str | None]] = []
    for one, odds, is_list, is_in_menu in zip(summaries, log_odds.tolist(), has_leads, in_menu, strict=True):
        if one.reason == "short":
            odds = min(odds, -UNDECIDED) if one.margin < 0 else odds - SHORT_ODDS
        odds = min(odds, MENU_ODDS) if is_in_menu else odds
        by_site = MENU_REASON if is_in_menu else LIST_REASON if is_list else OTHER_REASON
        decided.append((odds, None if odds >= 0 else one.reason or by_site))
    return decided


def _text_decisions(profile: SiteProfile, batch: Batch, own: Ints) -> tuple[Flags, Floats, Flags]:
    """(rows,) whether each is text, what the site adds to its log odds, and whether it is a line of most articles.

    If nothing is left, the page keeps its own choice, except what many articles of the site have: a photo or video
    story has an empty text, not its site's banner. A line of most articles is no article's text.
    """
    furniture = profile.furniture(batch, own)
    weights, is_common = profile.block_weights(batch, own) if profile.decides else (np.zeros(len(furniture)), furniture)
    weights = np.where(furniture, np.minimum(weights, -batch.decided - REPETITION), weights)
    chosen = batch.decided + weights >= 0
    is_empty = ~batch.any(chosen)[batch.pages]
    return chosen | (is_empty & batch.chosen & ~is_common), weights, furniture


def _decide_alone(summary: PageSummary) -> Decision:
    odds, reason = _odds_alone(summary)
    return Decision(reason is None, odds, _packed((summary.rows["flags"] & CHOSEN) > 0), reason)


def _odds_alone(summary: PageSummary) -> tuple[float, str | None]:
    """The log odds of an article by the page alone, and why it isn't one."""
    odds = max(-CERTAIN, min(CERTAIN, float(summary.margin)))
    if summary.reason is not None:
        odds = -CERTAIN if is_final(summary.reason) else min(odds, -UNDECIDED)
    return odds, summary.reason


def _packed(chosen: Flags) -> bytes:
    return bytes(np.packbits(chosen).tobytes())
