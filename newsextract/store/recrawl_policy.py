"""Recrawl policy: when a fetched URL is due again. Lists and feeds in every run, articles while young."""

from datetime import datetime, timedelta

from newsextract.items import Article
from newsextract.store.outcome import OPEN, PageOutcome, UrlState

#: An article is fetched again when it reaches these ages; older ones hardly ever change.
RECRAWL_AGES = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7))
#: Reasons of pages that link to new articles, or may do so as the next run draws them: every run fetches them.
INDEX_REASONS = frozenset({"front", "section", "listing", "list", "short", "no_article", "other", "needs_javascript"})
#: Reasons of pages that hardly link to new articles, and when they are due again.
OTHER_REASONS = frozenset({"static", "consent"})
OTHERS_AFTER = timedelta(hours=12)
#: Failures that may not recur, and how long to wait before the URL is fetched again.
TRANSIENT_REASONS = frozenset(
    {"timeout", "no_connection", "no_such_host", "cut_off", "worker_died", "worker_timeout", "error"}
)
RETRY_AFTER = timedelta(minutes=30)


def next_due(outcome: PageOutcome, state: UrlState, article: Article | None, now: datetime) -> datetime | None:
    """The time from which a later run may fetch the URL again; None for never."""
    if not outcome.revisit or state in OPEN:
        return None
    published_at = outcome.published_at if article is None else article.date_published or article.first_seen_at or now
    if state in (UrlState.stored, UrlState.unchanged) and published_at is not None:
        return by_age(published_at, now)
    if state in (UrlState.not_article, UrlState.unchanged):
        if outcome.reason in OTHER_REASONS:
            return now + OTHERS_AFTER
        return now if outcome.reason in INDEX_REASONS else None
    if outcome.reason in TRANSIENT_REASONS or (outcome.status or 0) >= 500 or outcome.status in (408, 429):
        return now + RETRY_AFTER
    return None


def by_age(published: datetime, now: datetime) -> datetime | None:
    """When the article reaches the next of `RECRAWL_AGES`; one dated in the future counts as published now."""
    published_at = min(published, now)
    return next((published_at + age for age in RECRAWL_AGES if published_at + age > now), None)
