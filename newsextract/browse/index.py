"""The index: an SQLite copy of the articles with flat rows and full-text search, updated through the change log.

The crawl's database has each article as one JSON document, and Datasette must not write to it; the index also works if
the crawl's database is PostgreSQL. `figures` adds what the dashboard plots.
"""

import json
import re
import shlex
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select

from newsextract.browse import figures
from newsextract.errors import DatabaseError
from newsextract.items import ARTICLE_FIELDS, Article
from newsextract.store import Store
from newsextract.store.changes import cursor
from newsextract.store.schema import article_versions, articles, current_articles, originals
from newsextract.text import HAN, character_class

#: Columns that come first in a row, and those at the end; `day` and the latter are no fields of `Article`.
FIRST = ("headline", "site", "day", "language", "authors", "section", "date_published", "article_body", "url")
BROWSED = tuple(spec.name for spec in ARTICLE_FIELDS if spec.use.browse)
LAST = ("stored_on", "hours_to_store", "letters", "original_site", "change_kind", "report", "change")
COLUMNS = ("id", *FIRST, *(name for name in BROWSED if name not in FIRST), *LAST)
#: What the tables are filtered and sorted by; the partial ones for what few articles have.
INDEXES = {
    **{name: f"({name})" for name in ("site", "day", "language", "fetched_at", "stored_on", "letters")},
    "first_seen_at": "(first_seen_at, site)",
    "original_site": "(original_site) WHERE original_site IS NOT NULL",
    "changed": "(fetched_at, site) WHERE version > 1",
}
TABLES = (
    f"CREATE TABLE articles (id INTEGER PRIMARY KEY, {', '.join(COLUMNS[1:])})",
    *(f"CREATE INDEX articles_{name} ON articles {columns}" for name, columns in INDEXES.items()),
    "CREATE VIRTUAL TABLE articles_fts USING fts5(words, content='', tokenize='unicode61 remove_diacritics 2')",
    *figures.TABLES,
    "CREATE TABLE _newsextract (source, cursor INTEGER)",
)
#: Han text has no spaces: of each run all n-grams up to this length are indexed, so that words are found.
HAN_RUN = re.compile(f"[{character_class(HAN)}]+")
MAX_NGRAM = 4
#: Version of the tables and of the indexed text; an index of another version is built anew.
LAYOUT = zlib.crc32("\n".join((*TABLES, HAN_RUN.pattern)).encode()) & 0x7FFFFFFF
#: Rows fetched from the crawl's database at a time.
BATCH_SIZE = 200


def update_index(store: Store, database: str, path: Path) -> int:
    """Copies the changes since the last call into the index at `path`; returns its number of articles.

    database: the store's URL as the user gave it, for the column `report`. DatabaseError if the file can't be written,
    or belongs to another program.
    """
    try:
        with closing(_open_index(path, store.name)) as index:
            _copy_changes(index, store, database)
            index.execute("PRAGMA analysis_limit = 1000")
            index.execute("PRAGMA optimize")  # statistics by which the rows behind a plot are found by the right index
            count: int = index.execute("SELECT count(*) FROM articles").fetchone()[0]
            return count
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: articles can't be copied there to be looked at ({error})") from error


def _open_index(path: Path, source: str) -> sqlite3.Connection:
    """The index, emptied if it was made from another database or has another layout."""
    index = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        tables = {name for (name,) in index.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "_newsextract" not in tables:
            raise DatabaseError(f"{path} is another program's database; name another file for the index")
        index.execute("PRAGMA journal_mode = WAL")  # Datasette reads while --follow writes
        same = tables and index.execute("SELECT source FROM _newsextract").fetchone() == (source,)
        if not same or index.execute("PRAGMA user_version").fetchone() != (LAYOUT,):
            _create_tables(index, source)
    except BaseException:
        index.close()
        raise
    return index


def _create_tables(index: sqlite3.Connection, source: str) -> None:
    index.execute("BEGIN IMMEDIATE")
    for name in ("articles", "articles_fts", *figures.TABLE_NAMES, "_newsextract"):
        index.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in TABLES:
        index.execute(statement)
    index.execute("INSERT INTO _newsextract VALUES (?, 0)", (source,))
    index.execute(f"PRAGMA user_version = {LAYOUT}")
    index.execute("COMMIT")


def _copy_changes(index: sqlite3.Connection, store: Store, database: str) -> None:
    """Copies changed articles and figures, deletes articles that were taken back or removed; in one transaction."""
    index.execute("BEGIN IMMEDIATE")
    since = index.execute("SELECT cursor FROM _newsextract").fetchone()[0]
    with store.database.reading() as connection:
        until = cursor(connection)
        if since > until:  # an older state of the crawl's database was put back
            figures.clear(index)
            since = 0
        stored_ids = set(connection.execute(select(articles.c.id)).scalars())
        columns = articles.c.id, articles.c.change, articles.c.change_kind, article_versions.c.document
        query = (
            current_articles(*columns, originals.c.url.label("original"), originals.c.site.label("original_site"))
            .where(articles.c.change > since)
            .order_by(articles.c.change)
        )
        for row in connection.execution_options(yield_per=BATCH_SIZE).execute(query):
            _delete(index, row.id)
            if row.change_kind != "retracted":
                _insert(index, flat_row(Article.from_dict(json.loads(row.document)), row, database))
        figures.copy_figures(index, connection, since, until)
    for (number,) in index.execute("SELECT id FROM articles").fetchall():
        if number not in stored_ids:
            _delete(index, number)
    figures.summarize(index)
    index.execute("UPDATE _newsextract SET cursor = ?", (until,))
    index.execute("COMMIT")


def flat_row(article: Article, row: Any, database: str) -> dict[str, Any]:
    """The article as a row: lists joined, dates to the second, its day, and the command that shows its report.

    row: id, change and change_kind of the article, URL and site of the one that it duplicates.
    """
    values = {**article.to_dict(), "id": row.id, "change": row.change, "change_kind": row.change_kind}
    values |= {"duplicate_of": row.original, "original_site": row.original_site, **figures.article_figures(article)}
    published_at = article.date_published or article.first_seen_at or article.fetched_at
    values["day"] = f"{published_at:%Y-%m-%d}" if published_at else None
    for spec in ARTICLE_FIELDS:
        if spec.type == list[str]:
            values[spec.name] = ", ".join(values[spec.name])
        elif spec.type is datetime and values[spec.name]:
            values[spec.name] = values[spec.name][:19].replace("T", " ")
    values["report"] = f"newsextract report {shlex.quote(article.url)} --database {shlex.quote(database)}"
    return {name: values[name] for name in COLUMNS}


def _insert(index: sqlite3.Connection, values: dict[str, Any]) -> None:
    names = ", ".join(COLUMNS)
    index.execute(f"INSERT INTO articles ({names}) VALUES ({', '.join('?' * len(COLUMNS))})", [*values.values()])
    index.execute("INSERT INTO articles_fts (rowid, words) VALUES (?, ?)", (values["id"], search_text(values)))
    figures.insert_article(index, values)


def _delete(index: sqlite3.Connection, number: int) -> None:
    """Deletes a row; a contentless FTS5 table needs the indexed text for that (sqlite.org/fts5.html)."""
    query = "SELECT headline, article_body, authors FROM articles WHERE id = ?"
    row = index.execute(query, (number,)).fetchone()
    if row is not None:
        words = search_text(dict(zip(("headline", "article_body", "authors"), row, strict=True)))
        index.execute("INSERT INTO articles_fts (articles_fts, rowid, words) VALUES ('delete', ?, ?)", (number, words))
        index.execute("DELETE FROM articles WHERE id = ?", (number,))
        figures.delete_article(index, number)


def search_text(values: dict[str, Any]) -> str:
    """The indexed text of a row: headline, authors and body, Han runs as their n-grams."""
    text = "\n".join(values[name] or "" for name in ("headline", "authors", "article_body"))
    return HAN_RUN.sub(lambda run: f" {' '.join(_ngrams(run.group()))} ", text)


def _ngrams(run: str) -> Iterator[str]:
    for size in range(1, MAX_NGRAM + 1):
        yield from (run[start : start + size] for start in range(len(run) - size + 1))
