"""Small articles and outcomes for tests of the store."""

import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, select

from newsextract.items import Article
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, QueuedLink, Store, UrlState
from newsextract.store.outcome import PageResponse
from newsextract.store.schema import urls

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def text(seed: object, words: int = 60) -> str:
    """A body of random words, different for every seed."""
    rng = random.Random(str(seed))
    return " ".join(f"{rng.choice('bcdfgklmnprst')}{rng.choice('aeiou')}{rng.randrange(2000)}" for _ in range(words))


def outcome(
    url: str,
    body: str | None = None,
    *,
    canonical: str | None = None,
    at: datetime = NOON,
    links: Iterable[QueuedLink] = (),
    **fields: Any,
) -> PageOutcome:
    """The outcome of a fetched article page; without `body`, a text that is different for every URL."""
    body = text(url) if body is None else body
    article = Article(url, canonical_url=canonical, headline="Headline", article_body=body)
    return PageOutcome(url, UrlState.stored, article=replace(article, **fields), links=list(links), at=at)


def signed(page: PageOutcome, run: int | None = None) -> PageOutcome:
    """The outcome with the signature of its article's text and its run, as a crawl sets them."""
    page.run = run
    page.signature = signature_of(page.article.article_body) if page.article else None
    return page


def later(hours: float) -> datetime:
    return NOON + timedelta(hours=hours)


def delete(store: Store, *pages: str, at: datetime, status: int = 410) -> None:
    """The pages were gone on three days, the last one at this time."""
    for days in (2, 1, 0):
        gone = {"response": PageResponse(status), "at": at - timedelta(days=days)}
        store.commit([PageOutcome(url, UrlState.failed, f"http_{status}", **gone) for url in pages])


def bodies(store: Store) -> dict[str, str]:
    """Every stored article's text by its URL."""
    return {row.article.url: row.article.article_body for row in store.articles()}


def count_url_states(connection: Connection) -> dict[UrlState, int]:
    counted = connection.execute(select(urls.c.state, func.count()).group_by(urls.c.state))
    return {UrlState(state): count for state, count in counted}


def urls_in(connection: Connection, state: UrlState) -> list[str]:
    return list(connection.execute(select(urls.c.url).where(urls.c.state == state)).scalars())
