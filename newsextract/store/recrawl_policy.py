"""Recrawl policy: when a fetched URL is due again. Lists and feeds in every run, articles while young."""

from datetime import datetime, timedelta

from newsextract.items import Article
from newsextract.reasons import UrlState, reason_of
from newsextract.store.outcome import OPEN, PageOutcome

#: An article is fetched again when it reaches these ages; older ones hardly ever change.
RECRAWL_AGES = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7))
#: How long to wait for what is due "later", and "soon".
LATER, SOON = timedelta(hours=12), timedelta(minutes=30)


def next_due(outcome: PageOutcome, state: UrlState, article: Article | None, now: datetime) -> datetime | None:
    """The time from which a later run may fetch the URL again; None for never."""
    if not outcome.revisit or state in OPEN:
        return None
    due = reason_of(outcome.reason).due
    published_at = outcome.published_at if article is None else article.date_published or article.first_seen_at or now
    if state in (UrlState.stored, UrlState.unchanged) and published_at is not None:
        return by_age(published_at, now)
    if state in (UrlState.not_article, UrlState.unchanged):
        return {"later": now + LATER, "each run": now}.get(due)
    return now + SOON if due == "soon" or reason_of(f"http_{outcome.status}").due == "soon" else None


def by_age(published: datetime, now: datetime) -> datetime | None:
    """When the article reaches the next of `RECRAWL_AGES`; one dated in the future counts as published now."""
    published_at = min(published, now)
    return next((published_at + age for age in RECRAWL_AGES if published_at + age > now), None)
