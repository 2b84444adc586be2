"""Reading articles out: each once in its present state, or change by change; in order of change, in constant memory."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Select, func, or_, select
from sqlalchemy.engine import Row

from newsextract.items import Article
from newsextract.store import changes
from newsextract.store.articles import key_hash, key_of
from newsextract.store.schema import article_versions, articles, urls
from newsextract.store.schema import changes as change_log
from newsextract.store.url_states import fingerprint
from newsextract.urls import site_of

#: The articles that others are copies of.
originals = articles.alias("originals")
#: When an article was published, as far as that is known.
DATE = func.coalesce(articles.c.date_published, articles.c.first_seen_at)
#: Rows fetched at once.
BATCH = 100
#: Legal in a JSON string, but line ends to readers such as `str.splitlines`.
LINE_ENDS = re.compile("[\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An article with the number and kind of the change that it is the state of."""

    article: Article
    change: int
    change_kind: str

    def to_json(self) -> str:
        """One line of JSON, without its line end."""
        values = {**self.article.to_dict(), "change": self.change, "change_kind": self.change_kind}
        return one_line(json.dumps(values, ensure_ascii=False))


def one_line(text: str) -> str:
    """JSON that is one line to every reader."""
    return LINE_ENDS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which articles are asked for, in their present state.

    `since`, `until`: numbers of changes, the first left out. `sites`: hosts, or addresses on them. `languages` match
    their regions too (`en`: `en-GB`). `published_from`, `published_before`: by date of publication, or where that is
    not known by when the article was first seen. `copies`: whether duplicates come too. `by_day`: in order of that
    date's day, not of change.
    """

    since: int = 0
    until: int | None = None
    sites: Sequence[str] = ()
    languages: Sequence[str] = ()
    published_from: datetime | None = None
    published_before: datetime | None = None
    copies: bool = True
    by_day: bool = False


def present(selection: Selection) -> Select[str, int, str, str | None]:
    """The query for a selection."""
    query = (
        select(article_versions.c.document, articles.c.change, articles.c.change_kind, originals.c.url)
        .join(
            articles, (article_versions.c.article == articles.c.id) & (article_versions.c.version == articles.c.version)
        )
        .outerjoin(originals, originals.c.id == articles.c.duplicate_of)
        .where(articles.c.change > selection.since, *_conditions(selection))
    )
    return query.order_by(func.date(DATE), articles.c.change) if selection.by_day else query.order_by(articles.c.change)


def _conditions(selection: Selection) -> Iterator[ColumnElement[bool]]:
    if selection.until is not None:
        yield articles.c.change <= selection.until
    if selection.sites:
        yield articles.c.site.in_([_site(site) for site in selection.sites])
    if selection.languages:
        spoken = func.lower(articles.c.language)
        fits = [spoken == one.lower() for one in selection.languages]
        fits += [spoken.startswith(f"{one.lower()}-", autoescape=True) for one in selection.languages]
        yield or_(*fits)
    if selection.published_from is not None:
        yield selection.published_from <= DATE
    if selection.published_before is not None:
        yield selection.published_before > DATE
    if not selection.copies:
        yield articles.c.duplicate_of.is_(None)


class Snapshot:
    """What there is to read at one moment, while writers go on."""

    def __init__(self, connection: Connection) -> None:
        """For use inside `Store.snapshot`."""
        self._connection = connection
        #: The highest change number at this moment: where the next reading goes on.
        self.cursor = changes.cursor(connection)

    def articles(
        self, since: int = 0, sites: Sequence[str] = (), languages: Sequence[str] = (), until: int | None = None
    ) -> Iterator[ArticleRow]:
        """As `Store.articles`."""
        return self.select(Selection(since, until, sites, languages))

    def select(self, selection: Selection) -> Iterator[ArticleRow]:
        """The articles of a selection, read as they are asked for."""
        for row in self._connection.execution_options(yield_per=BATCH).execute(present(selection)):
            yield as_row(row)


def log(connection: Connection, since: int, limit: int) -> list[ArticleRow]:
    """The next changes after `since`, each with the article as it was then; whose copy it is, as of now."""
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


def find(connection: Connection, url_or_key: str) -> Article | None:
    """The article with that key, or the one that a fetched URL led to; in its present state."""
    key = key_of(url_or_key)
    led_to = select(urls.c.article).where(urls.c.fingerprint == fingerprint(url_or_key)).scalar_subquery()
    for condition in (articles.c.key_hash == key_hash(key), articles.c.id == led_to):
        query = present(Selection(since=-1)).where(condition)
        if (row := connection.execute(query).first()) is not None:
            return as_row(row).article
    return None


def as_row(row: Row[str, int, str, str | None]) -> ArticleRow:
    """A row of `document, change, kind, original` as readers get it: whose copy it is counts as of now."""
    document, change, kind, original = row
    article = Article.from_dict(json.loads(document))
    article.duplicate_of = original
    return ArticleRow(article, change, kind)


def _site(given: str) -> str:
    return site_of(given if "://" in given else f"https://{given}")
