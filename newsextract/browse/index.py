"""A file of the articles as people look at them: flat rows, days, full-text search; kept in step by the change log.

The crawl's database holds each article as one JSON document, for programs; and whoever looks must not write to it. So
readers get a file of their own, which also serves where the crawl's database is PostgreSQL.
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

from newsextract.errors import DatabaseError
from newsextract.items import ARTICLE_FIELDS, Article
from newsextract.store import Store
from newsextract.store.changes import cursor
from newsextract.store.schema import article_versions, articles, current_articles, originals

#: Columns that come first in a row; `day`, `change_kind`, `report` and `change` are no fields of `Article`.
FIRST = ("headline", "site", "day", "language", "authors", "section", "date_published", "article_body", "url")
BROWSED = tuple(spec.name for spec in ARTICLE_FIELDS if spec.use.browse)
COLUMNS = ("id", *FIRST, *(name for name in BROWSED if name not in FIRST), "change_kind", "report", "change")
TABLES = (
    f"CREATE TABLE articles (id INTEGER PRIMARY KEY, {', '.join(COLUMNS[1:])})",
    *(f"CREATE INDEX articles_{name} ON articles ({name})" for name in ("site", "day", "language", "fetched_at")),
    "CREATE VIRTUAL TABLE articles_fts USING fts5(words, content='', tokenize='unicode61 remove_diacritics 2')",
    "CREATE TABLE _newsextract (source, cursor INTEGER)",
)
#: Version of the tables; an index with other tables is built anew.
LAYOUT = zlib.crc32("\n".join(TABLES).encode()) & 0x7FFFFFFF
#: Han characters stand without spaces: each run is indexed by its parts of up to so many, so that words are found.
HAN = re.compile("[㐀-鿿豈-﫿]+")
LONGEST_WORD = 4
BATCH = 200


def update_index(store: Store, database: str, path: Path) -> int:
    """Brings the file at `path` in step with the store; gives how many articles it holds.

    `database`: the store's URL as the user gave it, for the commands that rows name. DatabaseError where the file can't
    be written, or is another program's.
    """
    try:
        with closing(_opened(path, store.name)) as file:
            _follow(file, store, database)
            number: int = file.execute("SELECT count(*) FROM articles").fetchone()[0]
            return number
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: articles can't be copied there to be looked at ({error})") from error


def _opened(path: Path, source: str) -> sqlite3.Connection:
    """The file, empty where it was of another database or layout."""
    file = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "_newsextract" not in tables:
            raise DatabaseError(f"{path} is another program's database; name another file for the index")
        same = tables and file.execute("SELECT source FROM _newsextract").fetchone() == (source,)
        if not same or file.execute("PRAGMA user_version").fetchone() != (LAYOUT,):
            _make(file, source)
    except BaseException:
        file.close()
        raise
    return file


def _make(file: sqlite3.Connection, source: str) -> None:
    file.execute("BEGIN IMMEDIATE")
    for name in ("articles", "articles_fts", "_newsextract"):
        file.execute(f"DROP TABLE IF EXISTS {name}")
    for statement in TABLES:
        file.execute(statement)
    file.execute("INSERT INTO _newsextract VALUES (?, 0)", (source,))
    file.execute(f"PRAGMA user_version = {LAYOUT}")
    file.execute("COMMIT")


def _follow(file: sqlite3.Connection, store: Store, database: str) -> None:
    """Copies what has changed since the last time, and drops what is there no more, in one transaction."""
    file.execute("BEGIN IMMEDIATE")
    since = file.execute("SELECT cursor FROM _newsextract").fetchone()[0]
    with store.database.reading() as connection:
        until = cursor(connection)
        there = set(connection.execute(select(articles.c.id)).scalars())
        columns = articles.c.id, articles.c.change, articles.c.change_kind, article_versions.c.document
        query = (
            current_articles(*columns, originals.c.url.label("original"))
            .where(articles.c.change > (since if since <= until else 0))
            .order_by(articles.c.change)
        )
        for row in connection.execution_options(yield_per=BATCH).execute(query):
            _forget(file, row.id)
            _put(file, flat(Article.from_dict(json.loads(row.document)), row, database))
    for (number,) in file.execute("SELECT id FROM articles").fetchall():
        if number not in there:
            _forget(file, number)
    file.execute("UPDATE _newsextract SET cursor = ?", (until,))
    file.execute("COMMIT")


def flat(article: Article, row: Any, database: str) -> dict[str, Any]:
    """The article as a row: lists as text, dates to the second, the day that it belongs to, how to see its report."""
    values = {**article.to_dict(), "id": row.id, "change": row.change, "change_kind": row.change_kind}
    values["duplicate_of"] = row.original
    born = article.date_published or article.first_seen_at or article.fetched_at
    values["day"] = f"{born:%Y-%m-%d}" if born else None
    for spec in ARTICLE_FIELDS:
        if spec.type == list[str]:
            values[spec.name] = ", ".join(values[spec.name])
        elif spec.type is datetime and values[spec.name]:
            values[spec.name] = values[spec.name][:19].replace("T", " ")
    values["report"] = f"newsextract report {shlex.quote(article.url)} --database {shlex.quote(database)}"
    return {name: values[name] for name in COLUMNS}


def _put(file: sqlite3.Connection, values: dict[str, Any]) -> None:
    names = ", ".join(COLUMNS)
    file.execute(f"INSERT INTO articles ({names}) VALUES ({', '.join('?' * len(COLUMNS))})", [*values.values()])
    file.execute("INSERT INTO articles_fts (rowid, words) VALUES (?, ?)", (values["id"], words_of(values)))


def _forget(file: sqlite3.Connection, number: int) -> None:
    """An index without content of its own is told what it had."""
    query = "SELECT headline, article_body, authors FROM articles WHERE id = ?"
    found = file.execute(query, (number,)).fetchone()
    if found is not None:
        words = words_of(dict(zip(("headline", "article_body", "authors"), found, strict=True)))
        file.execute("INSERT INTO articles_fts (articles_fts, rowid, words) VALUES ('delete', ?, ?)", (number, words))
        file.execute("DELETE FROM articles WHERE id = ?", (number,))


def words_of(values: dict[str, Any]) -> str:
    """What the search finds an article by: headline, authors and text; Han as all its words that might be."""
    text = "\n".join(values[name] or "" for name in ("headline", "authors", "article_body"))
    return HAN.sub(lambda run: f" {' '.join(_parts(run.group()))} ", text)


def _parts(run: str) -> Iterator[str]:
    for size in range(1, LONGEST_WORD + 1):
        yield from (run[start : start + size] for start in range(len(run) - size + 1))
