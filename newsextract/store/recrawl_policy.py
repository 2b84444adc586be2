"""Recrawl policy: when a fetched URL is due again. Articles while young, lists as often as they bring something new.

The interval of a list adapts, as in StormCrawler's AdaptiveFetchSchedule, but by its unseen links, not by its bytes.
Nothing is stored for it: the last interval is the time since the last fetch. A list with new links is due in the next
run; one without is due after twice the last interval. The intervals of a site's URLs are spread, so that its lists are
not all due in the same run.
"""

from datetime import datetime, timedelta

from newsextract.items import Article
from newsextract.reasons import UrlState, reason_of
from newsextract.store.outcome import OPEN, PageOutcome
from newsextract.store.schema import fingerprint

#: An article is fetched again when it reaches these ages; older ones hardly ever change.
RECRAWL_AGES = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7))
#: Articles without a date are mostly old ones from a first crawl: they are fetched again once, at about this age.
UNDATED_AGE = timedelta(days=7)
#: When a list is due after its first fetch: one with unseen links, and any other.
FIRST_INTERVAL, FIRST_INTERVAL_WITHOUT_LINKS = timedelta(days=1), timedelta(days=7)
#: Bounds of the interval of a list without new links.
SHORTEST_INTERVAL, LONGEST_INTERVAL = timedelta(hours=1), timedelta(days=30)
#: How long to wait for what is due "later" and "soon".
LATER, SOON = timedelta(hours=12), timedelta(minutes=30)


def next_due(
    outcome: PageOutcome, state: UrlState, article: Article | None, new_links: int, now: datetime
) -> datetime | None:
    """When a later run may fetch the URL again, if at all; `article`: as stored; `new_links`: never seen before."""
    if not outcome.revisit or state in OPEN:
        return None
    due = reason_of(outcome.reason).due
    if article is not None and fingerprint(article.url) != fingerprint(outcome.url):
        return None  # another URL of an article that is fetched by its own
    if state in (UrlState.stored, UrlState.unchanged) and (article or outcome.published_at):
        return article_due(outcome, article, now)
    if state in (UrlState.not_article, UrlState.unchanged):
        if due == "as a list":
            return now + list_interval(outcome, new_links, now)
        return {"later": now + LATER, "each run": now}.get(due)
    return now + SOON if due == "soon" or reason_of(f"http_{outcome.status}").due == "soon" else None


def article_due(outcome: PageOutcome, article: Article | None, now: datetime) -> datetime | None:
    """When the article reaches the next of `RECRAWL_AGES`; one dated in the future counts as published now."""
    if article is None or article.date_published is not None:
        published = min((article and article.date_published) or outcome.published_at or now, now)
        return next((published + age for age in RECRAWL_AGES if published + age > now), None)
    due = (article.first_seen_at or now) + UNDATED_AGE * spread(outcome.url)
    return due if due > now else None


def list_interval(outcome: PageOutcome, new_links: int, now: datetime) -> timedelta:
    """How long a list waits to be fetched again."""
    if outcome.is_main_list:
        return timedelta(0)
    if outcome.fetched_before is None:
        interval = FIRST_INTERVAL if new_links else FIRST_INTERVAL_WITHOUT_LINKS
    elif new_links:
        return timedelta(0)
    else:
        interval = min(max(2 * (now - outcome.fetched_before), SHORTEST_INTERVAL), LONGEST_INTERVAL)
    return interval * spread(outcome.url)


def spread(url: str) -> float:
    """A factor from 0.5 to 1.5, the same for a URL each time."""
    return 0.5 + int(fingerprint(url)[:8], 16) / 2**32
