"""Finds sites whose yield has dropped.

A redesign, a block or a consent wall shows in two ways: far fewer of the new pages are articles, or there is no new
article for far longer than ever before. A front page that has become an empty frame is reported at once: no links are
found on it.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from newsextract.health.past_runs import PastRun
from newsextract.health.yields import SiteYield
from newsextract.reasons import FRAME, reason_of

#: Pages that a run must have tried for their share of articles to be significant.
TRIED = 5
#: Pages that earlier runs must have tried for the same.
TRIED_BEFORE = 20
#: Earlier runs from which the usual share is computed; after this many, a permanent change is the new normal.
BASELINE_RUNS = 50
#: Standard deviations of the Wilson score interval; 2.5, so that a few new tag pages at night raise no alarm.
DEVIATIONS = 2.5
#: A share has dropped if its upper bound is below this many times the usual share.
DROP = 0.5
#: Articles missed at the usual rate, for a warning of silence.
MISSED = 10
#: How many times as long as the longest silence before one must be, for a warning.
LONGER = 2.0
#: Earlier runs with new articles that a warning of silence needs.
RUNS_WITH_NEWS = 5


def detect_drops(yields: Mapping[str, SiteYield], now: datetime, before: Sequence[PastRun]) -> dict[str, str]:
    """A warning for each site whose yield has dropped; `before`: earlier runs of the same kind, newest first."""
    warnings = {}
    for site in {*yields, *(site for run in before for site in run.yields)}:
        current = yields.get(site, SiteYield())
        earlier = [(run.started_at, run.yields[site]) for run in before if site in run.yields]
        tried = [past for _, past in earlier if past.tried]
        sentence = _lower_share(current, tried) or _front_is_frame(current, earlier) or _silence(current, now, earlier)
        if sentence:
            warnings[site] = sentence
    return dict(sorted(warnings.items()))


def _lower_share(current: SiteYield, before: Sequence[SiteYield]) -> str | None:
    """A warning if the share of articles among the tried pages has dropped."""
    later = before[:-1][:BASELINE_RUNS]
    counted = later if sum(past.tried for past in later) >= TRIED_BEFORE else before[:BASELINE_RUNS]
    tried = sum(past.tried for past in counted)
    if current.tried < TRIED or tried < TRIED_BEFORE:
        return None
    usual = sum(past.articles for past in counted) / tried
    if _upper_bound(current.articles, current.tried) >= DROP * usual:
        return None
    reason, number = max(current.others.items(), key=lambda pair: pair[1])
    cause = reason_of(reason).cause or "a redesign"
    return (
        f"only {current.articles} of {current.tried} pages were articles (usually {usual:.0%}); "
        f"{number} with reason {reason}: {cause}?"
    )


def _front_is_frame(current: SiteYield, before: Sequence[tuple[datetime, SiteYield]]) -> str | None:
    """A warning if the front page used to be a page and bring articles, and is now an empty frame."""
    was_page = any(past.articles and not past.front_is_frame for _, past in before[:BASELINE_RUNS])
    if not current.front_is_frame or current.new or not was_page:
        return None
    return f"no new articles; the front page has reason {FRAME}: {reason_of(FRAME).cause}?"


def _silence(current: SiteYield, now: datetime, before: Sequence[tuple[datetime, SiteYield]]) -> str | None:
    """A warning if there was no new article for far longer than ever before."""
    with_news = [at for at, past in before if past.new]
    if current.new or len(with_news) < RUNS_WITH_NEWS:
        return None
    last, first = with_news[0], with_news[-1]
    counted = sum(past.new for at, past in before if at > first)  # without the first run, which got the backlog
    gaps = [later - earlier for later, earlier in pairwise(with_news)]
    silence, span = now - last, last - first
    if span <= timedelta(0) or silence < LONGER * max(gaps) or counted * (silence / span) < MISSED:
        return None
    hours, daily = silence / timedelta(hours=1), counted / (span / timedelta(days=1))
    duration = f"{hours:.0f} hours" if hours < 72 else f"{hours / 24:.0f} days"
    return f"no new articles for {duration}; before, about {daily:.2g} a day: a redesign or a block?"


def _upper_bound(successes: int, trials: int) -> float:
    """The upper end of the Wilson score interval of a share (E. B. Wilson, JASA 22, 1927)."""
    square = DEVIATIONS**2
    centre = successes + square / 2
    spread = DEVIATIONS * math.sqrt(successes * (trials - successes) / trials + square / 4)
    return (centre + spread) / (trials + square)
