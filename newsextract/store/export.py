"""Reads articles out: each once in its current state, or change by change; in order of change, in constant memory."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, or_, select
from sqlalchemy.engine import Row

from newsextract.items import Article
from newsextract.store import changes
from newsextract.store.articles import key_hash, key_of
from newsextract.store.schema import article_versions, articles, current_articles, originals, urls
from newsextract.store.schema import changes as change_log
from newsextract.store.url_states import fingerprint
from newsextract.urls import site_of

#: The publication time of an article; where it is unknown, when the article was first seen.
PUBLISHED_AT = func.coalesce(articles.c.date_published, articles.c.first_seen_at)
#: Rows fetched at once.
BATCH = 100
#: Characters that JSON allows in a string but that `str.splitlines` and others take for line ends.
LINE_ENDS = re.compile("[\x85\u2028\u2029]")

DocumentRow = Row[str, int, str, str | None]


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An article with the number and kind of the change that led to this state."""

    article: Article
    change: int
    change_kind: str

    def to_json(self) -> str:
        """One line of JSON, without its line end."""
        values = {**self.article.to_dict(), "change": self.change, "change_kind": self.change_kind}
        return one_line(json.dumps(values, ensure_ascii=False))


def one_line(text: str) -> str:
    """The JSON with every character escaped that some readers take for a line end."""
    return LINE_ENDS.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which articles to read, in their current state.

    `since`, `until`: change numbers, the first exclusive. `sites`: hosts, or URLs on them. `languages` match their
    regions too (`en`: `en-GB`). `published_from`, `published_before`: by `PUBLISHED_AT`. `copies`: whether duplicates
    are included. `by_day`: order by the day of `PUBLISHED_AT`, then by change.
    `retracted`: whether articles that were taken back are included.
    """

    since: int = 0
    until: int | None = None
    sites: Sequence[str] = ()
    languages: Sequence[str] = ()
    published_from: datetime | None = None
    published_before: datetime | None = None
    copies: bool = True
    by_day: bool = False
    retracted: bool = True


def select_articles(selection: Selection) -> Select[str, int, str, str | None]:
    """The SELECT for a selection: document, change, kind, URL of the original."""
    query = current_articles(article_versions.c.document, articles.c.change, articles.c.change_kind, originals.c.url)
    query = query.where(articles.c.change > selection.since, *_conditions(selection))
    order = (func.date(PUBLISHED_AT), articles.c.change) if selection.by_day else (articles.c.change,)
    return query.order_by(*order)


def _conditions(selection: Selection) -> Iterator[ColumnElement[bool]]:
    if selection.until is not None:
        yield articles.c.change <= selection.until
    if selection.sites:
        yield articles.c.site.in_([_site(site) for site in selection.sites])
    if selection.languages:
        language = func.lower(articles.c.language)
        matches = [language == code.lower() for code in selection.languages]
        matches += [language.startswith(f"{code.lower()}-", autoescape=True) for code in selection.languages]
        yield or_(*matches)
    if selection.published_from is not None:
        yield selection.published_from <= PUBLISHED_AT
    if selection.published_before is not None:
        yield selection.published_before > PUBLISHED_AT
    if not selection.retracted:
        yield articles.c.change_kind != "retracted"
    if not selection.copies:
        yield articles.c.duplicate_of.is_(None)


class Snapshot:
    """The articles as of one moment, while writers go on."""

    def __init__(self, connection: Connection) -> None:
        """For use inside `Store.snapshot`."""
        self._connection = connection
        #: The highest change number at this moment: the cursor for the next reading.
        self.cursor = changes.cursor(connection)

    def articles(
        self, since: int = 0, sites: Sequence[str] = (), languages: Sequence[str] = (), until: int | None = None
    ) -> Iterator[ArticleRow]:
        """As `Store.articles`."""
        return self.select(Selection(since, until, sites, languages))

    def select(self, selection: Selection) -> Iterator[ArticleRow]:
        """The selected articles, read as they are iterated over."""
        for row in self._connection.execution_options(yield_per=BATCH).execute(select_articles(selection)):
            yield as_row(row)

    def articles_by_id(self, ids: Sequence[int]) -> dict[int, ArticleRow]:
        """The present articles with these numbers, by number."""
        query = select_articles(Selection(retracted=False)).add_columns(articles.c.id).where(articles.c.id.in_(ids))
        return {number: as_row(row) for *row, number in self._connection.execute(query)}


def changes_since(connection: Connection, since: int, limit: int) -> list[ArticleRow]:
    """The next changes after `since`, each with the article as of that change; `duplicate_of` is as of now."""
    query = (
        select(article_versions.c.document, change_log.c.change, change_log.c.kind, originals.c.url)
        .join(
            article_versions,
            (article_versions.c.article == change_log.c.article) & (article_versions.c.version == change_log.c.version),
        )
        .join(articles, articles.c.id == change_log.c.article)
        .outerjoin(originals, originals.c.id == articles.c.duplicate_of)
        .where(change_log.c.change > since)
        .order_by(change_log.c.change)
        .limit(limit)
    )
    return [as_row(row) for row in connection.execute(query)]


def find_article(connection: Connection, url_or_key: str) -> Article | None:
    """The article with that key, or that a fetched URL led to, in its current state; None if there is none."""
    led_to = select(urls.c.article).where(urls.c.fingerprint == fingerprint(url_or_key)).scalar_subquery()
    for condition in (articles.c.key_hash == key_hash(key_of(url_or_key)), articles.c.id == led_to):
        query = select_articles(Selection(since=-1)).where(condition)
        if (row := connection.execute(query).first()) is not None:
            return as_row(row).article
    return None


def as_row(row: DocumentRow | Sequence[Any]) -> ArticleRow:
    """A row of document, change, kind and URL of the original as an `ArticleRow`."""
    document, change, kind, original = row
    article = Article.from_dict(json.loads(document))
    article.duplicate_of = original
    return ArticleRow(article, change, kind)


def _site(host_or_url: str) -> str:
    return site_of(host_or_url if "://" in host_or_url else f"https://{host_or_url}")
