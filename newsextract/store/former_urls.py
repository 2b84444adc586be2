"""Former URLs of articles: who keeps articles by URL has to drop or rename the copy, as one line of an export says.

A line is written whenever the URL of an article becomes another one, unless that URL is another article's by then. Its
change number is lower than that of the article's own line.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from newsextract.items import Article
from newsextract.store.changes import take_numbers
from newsextract.store.engine import RowValues, execute_many, rows_in
from newsextract.store.schema import articles, fingerprint, former_urls, urls
from newsextract.urls import site_of

#: The kind of change that a former URL has in exports.
RENAMED = "renamed"


class Rename(NamedTuple):
    """The URL that an article had, the one that it has now, and the article's id."""

    url: str
    renamed_to: str
    article: int

    @property
    def is_one(self) -> bool:
        """Whether both are the same URL, but for tracking parameters and the like."""
        return fingerprint(self.url) == fingerprint(self.renamed_to)


def record_renames(connection: Connection, renames: Iterable[Rename], now: datetime) -> None:
    """Records what the articles were called, each with the next change number, unless another article has the URL."""
    renames = [one for one in renames if not one.is_one]
    taken = _owners(connection, renames) if renames else {}
    taken |= {fingerprint(one.renamed_to): one.article for one in renames}
    left = [one for one in renames if taken.get(fingerprint(one.url), one.article) == one.article]
    rows: list[RowValues] = [
        {"url": one.url, "renamed_to": one.renamed_to, "site": site_of(one.url), "at": now} for one in left
    ]
    numbers = take_numbers(connection, len(rows)) if rows else ()
    values = [{**row, "change": number} for row, number in zip(rows, numbers, strict=True)]
    execute_many(connection, insert(former_urls), values)


def _owners(connection: Connection, renames: Iterable[Rename]) -> dict[str, int]:
    """The articles whose own URLs these former ones are, by fingerprint."""
    leads = select(urls.c.fingerprint, urls.c.article, articles.c.url).join(articles, articles.c.id == urls.c.article)
    found = rows_in(connection, leads, urls.c.fingerprint, [fingerprint(one.url) for one in renames])
    return {row.fingerprint: row.article for row in found if fingerprint(row.url) == row.fingerprint}


def renamed_since(connection: Connection, since: int, until: int | None = None) -> Iterator[tuple[Article, int]]:
    """The former URLs recorded after this change, in order, each with the number of the change."""
    query = select(former_urls).where(former_urls.c.change > since)
    if until is not None:
        query = query.where(former_urls.c.change <= until)
    for row in connection.execute(query.order_by(former_urls.c.change)):
        known = {"site": row.site, "duplicate_of": row.renamed_to, "fetched_at": row.at}
        yield Article(url=row.url, is_article=False, **known), row.change
