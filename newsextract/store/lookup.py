"""Reads the database: articles and changes for exports, in constant memory; and versions."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import starmap
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import ColumnElement, Connection, FromClause, Select, and_, false, func, or_, select, true

from newsextract.errors import WrongCall
from newsextract.items import Article
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.store.articles import key_hash, key_of
from newsextract.store.changes import last_change
from newsextract.store.engine import count_rows, rows_in
from newsextract.store.former_urls import RENAMED, renamed_since
from newsextract.store.histories import Cursor, Start, find_start, read_cursor
from newsextract.store.removals import REMOVED, removed_since
from newsextract.store.schema import (
    PUBLISHED_AT,
    article_versions,
    articles,
    changes,
    current_articles,
    fingerprint,
    originals,
    published_at,
    runs,
    stories,
    story_articles,
    urls,
)
from newsextract.urls import named_site

P = ParamSpec("P")
T = TypeVar("T")

#: Characters that JSON allows in a string but `str.splitlines` and others treat as line ends.
LINE_ENDS = "\x85\u2028\u2029"


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An article with the number and kind of the change that led to this state."""

    article: Article
    change: int
    change_kind: str

    def to_dict(self) -> dict[str, Any]:
        """The article's fields and the change, as JSON values."""
        return {**self.article.to_dict(), "change": self.change, "change_kind": self.change_kind}

    def to_json(self) -> str:
        """One line of JSON, without its line end."""
        return one_line(json.dumps(self.to_dict(), ensure_ascii=False))


def one_line(text: str) -> str:
    """The JSON with every character escaped that some readers treat as a line end."""
    for end in LINE_ENDS:
        text = text.replace(end, f"\\u{ord(end):04x}")
    return text


@dataclass(frozen=True, slots=True)
class Selection:
    """Which articles to read, in their current state.

    `since`, `until`: change numbers, the first exclusive. `sites`: hosts, or URLs on them. `languages` match their
    regions too (`en`: `en-GB`). `published_from`, `published_before`: by `PUBLISHED_AT`. `copies`: whether copies are
    included whose original passes sites, languages and days. `by_time`: order by `PUBLISHED_AT`, not by change.
    `retracted`: whether retracted ones are included. `as_of`: in their state after this change instead.
    """

    since: int = 0
    until: int | None = None
    sites: Sequence[str] = ()
    languages: Sequence[str] = ()
    published_from: datetime | None = None
    published_before: datetime | None = None
    copies: bool = True
    by_time: bool = False
    retracted: bool = True
    as_of: int | None = None


def select_articles(selection: Selection) -> Select[str, int, str, str | None]:
    """The SELECT for a selection: document, change, kind, URL of the original."""
    query = current_articles(article_versions.c.document, articles.c.change, articles.c.change_kind, originals.c.url)
    query = query.where(articles.c.change > selection.since, *_conditions(selection))
    order = (PUBLISHED_AT, articles.c.change) if selection.by_time else (articles.c.change,)
    return query.order_by(*order)


def _conditions(selection: Selection) -> Iterator[ColumnElement[bool]]:
    if selection.until is not None:
        yield articles.c.change <= selection.until
    if not selection.retracted:
        yield articles.c.change_kind != "retracted"
    yield from _filters(selection, articles)
    if not selection.copies:
        passes = and_(true(), *_filters(selection, originals))
        yield or_(articles.c.duplicate_of.is_(None), ~func.coalesce(passes, false()))


def _filters(selection: Selection, table: FromClause) -> Iterator[ColumnElement[bool]]:
    """The conditions on what an article is: its site, language and day."""
    if selection.sites:
        yield table.c.site.in_([named_site(site) for site in selection.sites])
    if selection.languages:
        language = func.lower(table.c.language)
        matches = [language == code.lower() for code in selection.languages]
        matches += [language.startswith(f"{code.lower()}-", autoescape=True) for code in selection.languages]
        yield or_(*matches)
    if selection.published_from is not None:
        yield selection.published_from <= published_at(table)
    if selection.published_before is not None:
        yield selection.published_before > published_at(table)


class Snapshot:
    """The articles as of one moment, while writers continue."""

    def __init__(self, connection: Connection) -> None:
        """For use inside `Store.snapshot`."""
        self._connection = connection
        #: The highest change number at this moment: the cursor for the next read.
        self.cursor = last_change(connection)

    def read(self, work: Callable[Concatenate[Connection, P], T], *given: P.args, **options: P.kwargs) -> T:
        """Calls a reading function that takes a connection first."""
        return work(self._connection, *given, **options)

    def read_cursor(self) -> Cursor:
        """The same with what says to which database it belongs."""
        return read_cursor(self._connection, self.cursor)

    def find_start(self, cursor: Cursor, name: str) -> Start:
        """As `histories.find_start`."""
        return find_start(self._connection, cursor, name)

    def select(self, selection: Selection) -> Iterator[ArticleRow]:
        """The selected articles, read lazily."""
        rows = self._connection.execution_options(yield_per=ARTICLES_AT_A_TIME).execute(select_articles(selection))
        return map(as_row, rows)

    def removed(self, selection: Selection) -> Iterator[ArticleRow]:
        """What is left of the articles of these sites that were removed since, and former URLs of those renamed."""
        wanted = {named_site(site) for site in selection.sites}
        until = selection.until if selection.as_of is None else selection.as_of
        removed = ((*found, REMOVED) for found in removed_since(self._connection, selection.since, until))
        renamed = ((*found, RENAMED) for found in renamed_since(self._connection, selection.since, until))
        for row in merge(starmap(ArticleRow, removed), starmap(ArticleRow, renamed), key=lambda row: row.change):
            if not wanted or row.article.site in wanted:
                yield row

    def story_ranks(self, only: Collection[int] = ()) -> dict[int, tuple[int, bool, int]]:
        """The story of each article that is in one (of these), whether it is its first report, and its rank by time;
        by the article's change number."""
        columns = (articles.c.id, articles.c.change, story_articles.c.story, stories.c.first_report)
        query = select(*columns).join(story_articles, story_articles.c.article == articles.c.id)
        query = query.join(stories, stories.c.id == story_articles.c.story)
        query = query.where(story_articles.c.story.in_(only)) if only else query
        query = query.order_by(story_articles.c.story, story_articles.c.at, articles.c.id)
        ranks: dict[int, tuple[int, bool, int]] = {}
        story, rank = None, 0
        for row in self._connection.execution_options(yield_per=ARTICLES_AT_A_TIME).execute(query):
            story, rank = row.story, rank + 1 if row.story == story else 1
            ranks[row.change] = row.story, row.id == row.first_report, rank
        return ranks

    def articles_by_id(self, ids: Sequence[int]) -> dict[int, ArticleRow]:
        """The current articles with these ids, by id."""
        query = select_articles(Selection(retracted=False)).add_columns(articles.c.id).where(articles.c.id.in_(ids))
        return {number: as_row(row) for *row, number in self._connection.execute(query)}


def copies_among(connection: Connection, addresses: Collection[str]) -> dict[str, str]:
    """The articles with these URLs that are copies of others, with the URLs of those."""
    query = select(articles.c.url, originals.c.url).join(originals, originals.c.id == articles.c.duplicate_of)
    return {row[0]: row[1] for row in connection.execute(query.where(articles.c.url.in_(addresses)))}


def changes_since(connection: Connection, since: int, limit: int) -> list[ArticleRow]:
    """The next changes after `since`, each with the article as of that change; `duplicate_of` is as of now.

    Former URLs of renamed articles are among them.
    """
    is_own = (article_versions.c.article == changes.c.article) & (article_versions.c.version == changes.c.version)
    query = select(article_versions.c.document, changes.c.change, changes.c.kind, originals.c.url)
    query = query.join(article_versions, is_own).join(articles, articles.c.id == changes.c.article)
    query = query.outerjoin(originals, originals.c.id == articles.c.duplicate_of)
    query = query.where(changes.c.change > since).order_by(changes.c.change).limit(limit)
    rows = [as_row(row) for row in connection.execute(query)]
    until = rows[-1].change if len(rows) == limit else None
    renamed = [ArticleRow(article, change, RENAMED) for article, change in renamed_since(connection, since, until)]
    return sorted(rows + renamed, key=lambda row: row.change)[:limit]


def find_article(connection: Connection, url_or_key: str) -> Article | None:
    """The article with that key, or of a fetched URL, in its current state; None if there is none."""
    has_key = articles.c.key_hash == key_hash(key_of(url_or_key))
    query = select_articles(Selection(since=-1)).where(articles.c.id.in_(ids_of(url_or_key)))
    row = connection.execute(query.order_by(None).order_by(has_key.desc())).first()
    return row and as_row(row).article


def as_row(row: Sequence[Any]) -> ArticleRow:
    """A row of document, change, kind and URL of the original as an `ArticleRow`."""
    document, change, kind, original = row
    return ArticleRow(Article.from_dict({**json.loads(document), "duplicate_of": original}), change, kind)


def find_versions(connection: Connection, url: str) -> list[Article]:
    """All versions of the article at a URL, oldest first; empty if there is no such article."""
    columns = (article_versions.c.article, article_versions.c.fetched_at, article_versions.c.version)
    query = select(article_versions.c.document).where(article_versions.c.article.in_(ids_of(url))).order_by(*columns)
    return [Article.from_dict(json.loads(document)) for document in connection.scalars(query)]


def deletions(connection: Connection, url: str) -> list[tuple[datetime, int]]:
    """When the article at a URL was deleted, and the version that it had then; oldest first."""
    query = select(changes.c.at, changes.c.version).where(changes.c.kind == "deleted")
    rows = connection.execute(query.where(changes.c.article.in_(ids_of(url))).order_by(changes.c.change))
    return [(at, version) for at, version in rows]


def ids_of(url: str) -> Select[int]:
    """SELECT of the ids of the articles with the URL's key, or that the URL led to."""
    led_to = select(urls.c.article).where(urls.c.fingerprint == fingerprint(url), urls.c.article.is_not(None))
    return select(articles.c.id).where(or_(articles.c.key_hash == key_hash(key_of(url)), articles.c.id.in_(led_to)))


def find_ids(connection: Connection, addresses: Iterable[str]) -> dict[str, int]:
    """The ids of the articles at these URLs, by URL: those with the URL's key, else those that it led to."""
    keys = {url: key_hash(key_of(url)) for url in addresses}
    by_key = {
        row.key_hash: row.id
        for row in rows_in(connection, select(articles.c.key_hash, articles.c.id), articles.c.key_hash, keys.values())
    }
    others = {url: fingerprint(url) for url, key in keys.items() if key not in by_key}
    led_to = select(urls.c.fingerprint, urls.c.article).where(urls.c.article.is_not(None))
    rows = rows_in(connection, led_to, urls.c.fingerprint, others.values())
    by_fingerprint = {row.fingerprint: row.article for row in rows}
    found = {url: by_key[key] if key in by_key else by_fingerprint.get(others[url]) for url, key in keys.items()}
    return {url: number for url, number in found.items() if number is not None}


def makers_of(connection: Connection, selection: Selection) -> list[Any]:
    """What extracted the selected articles, as far as runs recorded it (`extractors.registry.made_by`)."""
    is_made = changes.c.kind.in_(("new", "changed", "reextracted"))
    is_current = changes.c.version == articles.c.version if selection.as_of is None else true()
    query = select(runs.c.made_by).distinct().join(changes, changes.c.run == runs.c.id)
    query = query.join(articles, (articles.c.id == changes.c.article) & is_made & is_current)
    query = query.where(changes.c.change > selection.since, runs.c.made_by.is_not(None), *_conditions(selection))
    if selection.as_of is not None:
        query = query.where(changes.c.change <= selection.as_of)
    lines = {line for text in connection.scalars(query) for line in (text or "").splitlines()}
    return [json.loads(line) for line in sorted(lines)]


def site_named(url_or_site: str) -> str | None:
    """The site for a site's name or front page; None for the URL of a page."""
    rest = url_or_site.rpartition("://")[2]
    if "/" in rest.rstrip("/") or "?" in rest:
        return None
    return named_site(url_or_site)


def check_languages(connection: Connection, codes: Iterable[str]) -> None:
    """Raises WrongCall for a language that no article has."""
    known = [code for code in connection.scalars(select(articles.c.language).distinct()) if code]
    bases = {code.lower() for code in known} | {code.lower().partition("-")[0] for code in known}
    for code in codes:
        if known and code.lower() not in bases:
            raise WrongCall(f"no article has the language {code!r}; there are {', '.join(sorted(known))}")


def count_articles_of_site(connection: Connection, url_or_site: str) -> int:
    """The number of articles for a site's name or front page; 0 for the URL of a page."""
    site = site_named(url_or_site)
    return 0 if site is None else count_rows(connection, articles, articles.c.site == site)


def count_articles(connection: Connection) -> int:
    """The number of stored articles, without retracted ones."""
    return count_rows(connection, articles, articles.c.change_kind != "retracted")
