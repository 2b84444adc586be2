"""Reading articles out: each once in its present state, or change by change; in order of change, in constant memory."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Select, func, or_, select
from sqlalchemy.engine import Row

from newsextract.identity import site_of
from newsextract.items import Article
from newsextract.store import changes
from newsextract.store.articles import key_hash, key_of
from newsextract.store.ledger import fingerprint
from newsextract.store.schema import article_versions, articles, urls
from newsextract.store.schema import changes as change_log

#: The articles that others are copies of.
originals = articles.alias("originals")
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
        line = json.dumps(values, ensure_ascii=False)
        return LINE_ENDS.sub(lambda found: f"\\u{ord(found.group()):04x}", line)


def present(
    since: int, until: int | None, sites: Sequence[str], languages: Sequence[str]
) -> Select[str, int, str, str | None]:
    """Articles whose last change lies after `since`, and not after `until`."""
    query = (
        select(article_versions.c.document, articles.c.change, articles.c.change_kind, originals.c.url)
        .join(
            articles, (article_versions.c.article == articles.c.id) & (article_versions.c.version == articles.c.version)
        )
        .outerjoin(originals, originals.c.id == articles.c.duplicate_of)
        .where(articles.c.change > since)
        .order_by(articles.c.change)
    )
    if until is not None:
        query = query.where(articles.c.change <= until)
    if sites:
        query = query.where(articles.c.site.in_([_site(site) for site in sites]))
    if languages:
        spoken = func.lower(articles.c.language)
        fits = [spoken == one.lower() for one in languages]
        fits += [spoken.startswith(f"{one.lower()}-", autoescape=True) for one in languages]
        query = query.where(or_(*fits))
    return query


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
        query = present(since, until, sites, languages)
        for row in self._connection.execution_options(yield_per=BATCH).execute(query):
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
        query = present(-1, None, (), ()).where(condition)
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
