"""Recrawl policy: when a URL is due again. The only place that decides it.

Articles are due while young, and when a list announces a change (`store.announcements`); lists as often as they bring
something new; what failed, was refused or is no article after ever longer times, because a site that blocks, limits or
breaks for a while shows nothing about its stories. Nothing is final before it was seen on several days.

The interval of a list adapts, as in StormCrawler's AdaptiveFetchSchedule, but by its unseen links, not by its bytes:
one with new links is due in the next run, one without after twice the time since its last fetch. The intervals of a
site's URLs are spread, so that they are not all due in the same run.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, case

from newsextract.items import Article
from newsextract.reasons import GONE, GONE_STATUSES, REASONS, Due, UrlState, reason_of
from newsextract.store.leases import PAGE_KINDS
from newsextract.store.outcome import OPEN, PageOutcome
from newsextract.store.schema import fingerprint

#: An article is fetched again when it reaches these ages; older ones hardly ever change.
RECRAWL_AGES = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7))
#: Articles without a date are mostly old ones from a first crawl: they are fetched again once, at about this age.
UNDATED_AGE = timedelta(days=7)
#: When a list is due after its first fetch: the more unseen stories one has that the front page links to, the sooner;
#: and any other, whose new stories mostly stand on one of the former, too.
FIRST_INTERVAL = timedelta(days=1)
FIRST_INTERVAL_OF_OTHERS = timedelta(days=7)
#: Bounds of the interval of a list without new links.
SHORTEST_INTERVAL = timedelta(hours=1)
LONGEST_INTERVAL = timedelta(days=30)
#: How often a list is asked for as if it was unknown.
ASK_ANEW = timedelta(days=7)
#: How long a URL waits after each failure in a row; then always as long as the last, or for good if it is gone.
BACK_OFF = (timedelta(hours=1), timedelta(days=1), timedelta(days=7), timedelta(days=30))
#: A URL that waits for a retry is ranked as if it was worth this much at most: below likely articles, in its old order.
RETRIED = 500.0


def next_due(
    outcome: PageOutcome,
    state: UrlState,
    article: Article | None,
    new_links: int,
    now: datetime,
    failures: int = 1,
    *,
    leads_on: bool = True,
) -> datetime | None:
    """When a later run may fetch the URL again, if at all; `article`: as stored; `new_links`: to likely articles that
    were never seen before.

    `failures`: how many runs in a row failed, with this one. `leads_on`: a redirect leads to a new URL, or to an
    article.
    """
    if not outcome.requested.revisit or state in OPEN:
        return None
    due = due_of(outcome, state, article, leads_on)
    if due == "rarely":
        passed = now - outcome.requested.fetched_before if outcome.requested.fetched_before else timedelta(0)
        return now + max(LONGEST_INTERVAL, 2 * passed) * spread(outcome.url)
    if due is None:
        return article_due(outcome, article, now)
    if due == "as a list":
        return now + list_interval(outcome, new_links, now)
    if outcome.response.retry_after is not None and outcome.response.retry_after <= LONGEST_INTERVAL and due != "never":
        return now + outcome.response.retry_after
    if due == "give up" and failures > len(BACK_OFF):
        return None
    if due in ("back off", "give up"):
        return now + BACK_OFF[min(failures, len(BACK_OFF)) - 1] * (0.95 + spread(outcome.url) / 4)
    return now if due == "each run" else None


def due_of(outcome: PageOutcome, state: UrlState, article: Article | None, leads_on: bool) -> Due | None:
    """The kind of due time of a URL that ended in this state; None for an article."""
    if article is not None and fingerprint(article.url) != fingerprint(outcome.url):
        return "rarely"  # another URL of an article that is fetched by its own
    if outcome.response.is_cut_off:
        return "back off"  # what is stored of it, if anything, isn't all
    if state in (UrlState.stored, UrlState.unchanged) and (article or outcome.requested.published_at):
        return None
    if state == UrlState.redirected:
        return "as a list" if outcome.requested.is_main_list else "rarely" if leads_on else "back off"
    if state == UrlState.unchanged and not outcome.reason:
        return "rarely" if outcome.requested.is_alias else "as a list"
    if state == UrlState.dropped and outcome.reason not in REASONS:
        return "never"  # by a pipeline of the user
    return "give up" if outcome.response.status in GONE_STATUSES else reason_of(outcome.reason).due


def count_failures(
    outcome: PageOutcome, state: UrlState, article: Article | None, known: Row[Any] | None, leads_on: bool
) -> int:
    """How many runs in a row a URL failed, with this one if it did; 404 and 410 count alone, and once a day."""
    if not is_failure(due_of(outcome, state, article, leads_on)):
        return 0
    is_gone = outcome.response.status in GONE_STATUSES
    if known is None or is_gone != (known.reason in GONE):
        return 1
    is_same_day = is_gone and known.last_fetched is not None and known.last_fetched.date() == outcome.when.date()
    return max(1, int(known.failures) + (not is_same_day))


def missing_before(known: Row[Any]) -> int:
    """The failures with which a URL begins that is missing: most for feeds and sitemaps, of which pages declare many;
    none for a likely article, which may not be there yet."""
    if known.kind not in PAGE_KINDS:
        return 2
    return int(known.article is not None or not is_promising(known.priority))


def is_failure(due: Due | None) -> bool:
    """Whether a URL with this kind of due time failed."""
    return due in ("back off", "give up")


def is_retry(reason: str) -> bool:
    """Whether a queued URL with this reason failed before, and no list has had it again since."""
    return bool(reason) and is_failure(reason_of(reason).due)


def retried_priority(priority: float) -> float:
    """The priority of a URL that waits for a retry: that of a link that a list has again is higher."""
    return min(priority, RETRIED + priority / 100)


def lower_retried(priority: ColumnElement[float]) -> ColumnElement[float]:
    """`retried_priority` in SQL."""
    lower = RETRIED + priority / 100
    return case((priority < lower, priority), else_=lower)


def is_promising(priority: float) -> bool:
    """Whether a page of this priority may well be an article; a spider that ranks nothing leaves it at 0."""
    return priority >= RETRIED or not priority


def article_due(outcome: PageOutcome, article: Article | None, now: datetime) -> datetime | None:
    """When the article reaches the next of `RECRAWL_AGES`; one dated in the future counts as published now."""
    if article is None or article.date_published is not None:
        published = min((article and article.date_published) or outcome.requested.published_at or now, now)
        return next((published + age for age in RECRAWL_AGES if published + age > now), None)
    due = (article.first_seen_at or now) + UNDATED_AGE * spread(outcome.url)
    return due if due > now else None


def list_interval(outcome: PageOutcome, new_links: int, now: datetime) -> timedelta:
    """How long a list waits to be fetched again."""
    if outcome.requested.is_main_list or outcome.list_read.is_partial:
        return timedelta(0)
    if outcome.requested.fetched_before is None:
        counted = new_links if outcome.requested.depth <= 1 else 0
        interval = max(FIRST_INTERVAL, FIRST_INTERVAL_OF_OTHERS / max(1, counted))
    elif new_links:
        return timedelta(0)
    else:
        interval = min(max(2 * (now - outcome.requested.fetched_before), SHORTEST_INTERVAL), LONGEST_INTERVAL)
    return interval * spread(outcome.url)


def asks_anew(url: str, last: datetime, now: datetime) -> bool:
    """Whether a list is asked for without validators, once in each ASK_ANEW: some sites answer 304 for ever."""
    start = datetime(2000, 1, 3, tzinfo=last.tzinfo) + ASK_ANEW * spread(url)
    return (now - start) // ASK_ANEW > (last - start) // ASK_ANEW


def spread(url: str) -> float:
    """A factor from 0.5 to 1.5, the same for a URL each time."""
    return 0.5 + int(fingerprint(url)[:8], 16) / 2**32
