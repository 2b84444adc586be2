"""Small articles and outcomes, and stores to put them in."""

import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from newsextract.items import Article, Link
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Store, UrlState

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def text(seed: object, words: int = 60) -> str:
    """A body of its own for every seed; the same for the same one."""
    rng = random.Random(str(seed))
    return " ".join(f"{rng.choice('bcdfgklmnprst')}{rng.choice('aeiou')}{rng.randrange(2000)}" for _ in range(words))


def outcome(
    url: str,
    body: str | None = None,
    *,
    canonical: str | None = None,
    at: datetime = NOON,
    links: Iterable[Link] = (),
    **fields: object,
) -> PageOutcome:
    """A page that was fetched and holds an article; its body is the URL's own where none is given."""
    article = Article(
        url, canonical_url=canonical, headline="Headline", article_body=text(url) if body is None else body
    )
    for name, value in fields.items():
        setattr(article, name, value)
    return PageOutcome(url, UrlState.stored, article=article, links=list(links), at=at)


def signed(page: PageOutcome) -> PageOutcome:
    """The outcome as it comes from a crawl, with the signature of its article's text."""
    page.signature = signature_of(page.article.article_body) if page.article else None
    return page


def later(hours: float) -> datetime:
    return NOON + timedelta(hours=hours)


def bodies(store: Store) -> dict[str, str]:
    """Every stored article's text by its URL."""
    return {row.article.url: row.article.article_body for row in store.articles()}
