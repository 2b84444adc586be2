"""When a URL that was fetched is worth another look: index pages and lists in every run, articles while young."""

from datetime import datetime, timedelta

from newsextract.items import Article
from newsextract.store.outcome import OPEN, PageOutcome, UrlState

#: An article is looked at again when it reaches these ages; older ones hardly ever change.
AGES = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7))
#: Why pages are no article that may list some; every run reads them for what is new.
INDEX = frozenset({"front", "section", "listing", "short", "no_article", "consent", "list"})
#: What may have passed by the next run.
PASSING = frozenset({"timeout", "no_connection", "no_such_host", "cut_off", "worker_died", "worker_timeout", "error"})
PATIENCE = timedelta(minutes=30)


def next_due(outcome: PageOutcome, state: UrlState, article: Article | None, now: datetime) -> datetime | None:
    """The time from which a later run fetches the URL again; None for never."""
    if not outcome.revisit or state in OPEN:
        return None
    published_at = outcome.published_at if article is None else article.date_published or article.first_seen_at or now
    if state in (UrlState.stored, UrlState.unchanged) and published_at is not None:
        return by_age(published_at, now)
    if state in (UrlState.not_article, UrlState.unchanged):
        return now if outcome.reason in INDEX else None
    if outcome.reason in PASSING or (outcome.status or 0) >= 500 or outcome.status in (408, 429):
        return now + PATIENCE
    return None


def by_age(published: datetime, now: datetime) -> datetime | None:
    """The next of `AGES` that the article reaches; for one from the future, the first from now on."""
    published_at = min(published, now)
    return next((published_at + age for age in AGES if published_at + age > now), None)
