"""The index: an SQLite copy of the articles with flat rows and full-text search, updated through the change log.

The crawl's database has each article as a JSON document, perhaps in PostgreSQL. `browse`, `search` and `topics` read
the index instead: `articles` has a flat row for each current article, `figures` a narrow one for counts, and
`articles_fts` the tokens of those that are neither deleted nor retracted. One process at a time updates it, any number
read it. An index of another database or an older version is rebuilt.

The row id of an entry in `articles_fts` is its day and its number in the database, so that matches come newest first
without sorting, and a word in half of a million articles is answered as fast as a rare one.
"""

import json
import shlex
import sqlite3
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from newsextract.days import day_of_article, day_zone
from newsextract.errors import DatabaseError, WrongCall
from newsextract.index.query import COLUMNS as SEARCHED
from newsextract.index.query import DROPPED, STROKES, TOKEN, token_line
from newsextract.items import ARTICLE_FIELDS, is_plausible_date
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.store import Store
from newsextract.store.changes import last_change
from newsextract.store.engine import parse_database_url, use_wal
from newsextract.store.histories import change_of, read_cursor
from newsextract.store.lookup import count_articles
from newsextract.store.manual import MANUAL
from newsextract.store.schema import article_versions, articles, current_articles, originals

#: Columns that come first in a row, and those at the end; `day` and the latter aren't fields of `Article`.
FIRST = ("headline", "site", "day", "language", "authors", "section", "date_published", "article_body", "url")
BROWSED = tuple(spec.name for spec in ARTICLE_FIELDS if spec.browse)
LAST = ("stored_on", "hours_to_store", "letters", "original_site", "change_kind", "report", "change", "corrected")
COLUMNS = ("id", *FIRST, *(name for name in BROWSED if name not in FIRST), *LAST)
LISTS = tuple(spec.name for spec in ARTICLE_FIELDS if spec.browse and spec.type == list[str])
MOMENTS = tuple(spec.name for spec in ARTICLE_FIELDS if spec.browse and spec.type is datetime)
#: What the tables are filtered and sorted by; the partial indexes are for what few articles have.
INDEXES = {
    **{name: f"({name})" for name in ("site", "day", "language", "fetched_at", "stored_on", "letters")},
    "first_seen_at": "(first_seen_at, site)",
    "original_site": "(original_site) WHERE original_site IS NOT NULL",
    "changed": "(fetched_at, site) WHERE version > 1",
}
TABLES = (
    f"CREATE TABLE articles (id INTEGER PRIMARY KEY, {', '.join(COLUMNS[1:])})",
    *(f"CREATE INDEX articles_{name} ON articles {columns}" for name, columns in INDEXES.items()),
    # `query.token_line` makes the tokens; this tokenizer separates them at spaces.
    f"CREATE VIRTUAL TABLE articles_fts USING fts5({', '.join(SEARCHED)}, content='', tokenize='ascii')",
    "CREATE TABLE figures (article INTEGER PRIMARY KEY, day, site, language, present INTEGER, original INTEGER, "
    "stored_on, letters INTEGER, hours REAL, original_site, has_headline INTEGER, has_date INTEGER, "
    "has_authors INTEGER)",
    "CREATE INDEX figures_by_storage ON figures (stored_on, site, language, letters, hours, original_site, "
    "has_headline, has_date, has_authors)",
    "CREATE INDEX figures_by_day ON figures (day, site, language, present, original)",
    "CREATE INDEX figures_by_original ON figures (original) WHERE original IS NOT NULL",
    "CREATE TABLE _newsextract (source, cursor)",  # the latter as `Cursor.to_text`
)
TABLE_NAMES = ("articles", "articles_fts", "figures", "_newsextract")
#: Version of the tables and of the indexed text; an index of another version is rebuilt.
LAYOUT = (
    zlib.crc32("\n".join((*TABLES, TOKEN.pattern, DROPPED.pattern, str(STROKES), unicodedata.unidata_version)).encode())
    >> 1
)
#: Bits of an article's number in the row id of its entry; the day (`date.toordinal`) is above them.
NUMBER_BITS = 32
#: Maximum hours from publication to storage: an older article was found late, not stored late.
LONGEST_DELAY = 24 * 30.0
#: Seconds to wait while another process updates the index.
WAIT_SECONDS = 300.0


def index_path(database: str, index: Path | None = None) -> Path:
    """`index`, or NAME-index.db beside the database. Raises WrongCall if that is the crawl's own database."""
    crawl = parse_database_url(database).path
    path = index or (crawl.with_name(f"{crawl.stem}-index.db") if crawl else Path("newsextract-index.db"))
    if path.absolute() == crawl:
        raise WrongCall(f"{path} is the crawl's own database; choose another --index")
    return path.absolute()


def update_index(store: Store, database: str, path: Path) -> int:
    """Copies the changes since the last call into the index at `path`; returns its number of articles.

    database: the store's URL as given by the user, for the column `report`. Raises DatabaseError if the file can't be
    written, or belongs to another program.
    """
    with open_index(path) as index, store.database.reading() as connection:
        until, number = _state(connection)
        source = f"{store.name}, days of {day_zone()}"
        if _kept(index, source, connection) != (until, number):
            connection.rollback()  # the changes are read as of a moment when this process holds the index's lock
            _copy_changes(index, connection, source, database)
        return int(index.execute("SELECT count(*) FROM articles").fetchone()[0])


@contextmanager
def open_index(
    path: Path, failure: str = "articles can't be copied there for browsing"
) -> Iterator[sqlite3.Connection]:
    """A connection to the index; SQLite's errors become DatabaseError with what `failure` says, also if the file
    belongs to another program."""
    try:
        with closing(sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)) as index:
            tables = {name for (name,) in index.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables and "_newsextract" not in tables:
                raise DatabaseError(f"{path} is another program's database; name another file for the index")
            use_wal(index, WAIT_SECONDS)
            yield index
    except sqlite3.Error as error:
        raise DatabaseError(f"{path}: {failure} ({error})") from error


def _state(connection: Connection) -> tuple[int, int]:
    """The last change of the crawl's database, and its number of articles that were not retracted."""
    return last_change(connection), count_articles(connection)


def _kept(index: sqlite3.Connection, source: str, connection: Connection) -> tuple[int, int] | None:
    """The same for the index; None if it is empty, of another database, time zone or version, or if the crawl's
    database went on from an earlier state, such as a restored backup."""
    if index.execute("PRAGMA user_version").fetchone() != (LAYOUT,):
        return None
    [kept_source, cursor] = index.execute("SELECT source, cursor FROM _newsextract").fetchone()
    [number] = index.execute("SELECT count(*) FROM articles").fetchone()
    until = change_of(connection, f"{cursor}") if kept_source == source else None
    return None if until is None else (until, number)


def _copy_changes(index: sqlite3.Connection, connection: Connection, source: str, database: str) -> None:
    """Copies changed articles and deletes retracted or removed ones, in one transaction."""
    index.execute("BEGIN IMMEDIATE")
    kept = _kept(index, source, connection)
    until, number = _state(connection)
    if kept is None:
        for name in TABLE_NAMES:
            index.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in (*TABLES, f"PRAGMA user_version = {LAYOUT}"):
            index.execute(statement)
        index.execute("INSERT INTO _newsextract VALUES (?, 0)", (source,))
        kept = 0, 0
    columns = articles.c.id, articles.c.change, articles.c.change_kind, article_versions.c.document
    of_original = originals.c.id.label("original_id"), originals.c.url.label("original")
    query = current_articles(*columns, *of_original, originals.c.site.label("original_site"))
    query = query.where(articles.c.change > kept[0]).order_by(articles.c.change)
    for row in connection.execution_options(yield_per=ARTICLES_AT_A_TIME).execute(query):
        if kept != (0, 0):
            _delete(index, row.id)
        if row.change_kind != "retracted":
            _insert(index, flat_row(json.loads(row.document), row, database), row.original_id)
    if index.execute("SELECT count(*) FROM articles").fetchone() != (number,):
        stored = set(connection.scalars(select(articles.c.id)))
        for (article,) in index.execute("SELECT id FROM articles").fetchall():
            if article not in stored:
                _delete(index, article)
    index.execute("UPDATE _newsextract SET cursor = ?", (read_cursor(connection, until).to_text(),))
    index.execute("PRAGMA analysis_limit = 1000")
    index.execute("PRAGMA optimize")  # statistics by which rows are found by the right index
    index.execute("COMMIT")


def flat_row(document: Mapping[str, Any], row: Any, database: str) -> dict[str, Any]:
    """The article as a row: lists joined, moments in UTC, its day (`days`), and the command for its report.

    document: `Article.to_dict()`. row: id, change and change_kind of the article, URL and site of the one that it
    duplicates.
    """
    values = {name: document.get(name) for name in BROWSED}
    values |= {"id": row.id, "change": row.change, "change_kind": row.change_kind}
    values |= {"duplicate_of": row.original, "original_site": row.original_site, "hours_to_store": None}
    values["letters"] = len(values["article_body"] or "")
    corrected = (name for name, source in (document.get("sources") or {}).items() if source == MANUAL)
    values["corrected"] = ", ".join(corrected) or None
    moments = {name: datetime.fromisoformat(text) for name in MOMENTS if (text := values[name])}
    published, stored = moments.get("date_published"), moments.get("first_seen_at") or moments.get("fetched_at")
    days = day_of_article(None, stored), day_of_article(published, stored)
    values["stored_on"], values["day"] = (day and f"{day}" for day in days)
    if published and stored and -24 < (hours := (stored - published) / timedelta(hours=1)) <= LONGEST_DELAY:
        values["hours_to_store"] = round(max(hours, 0.0), 2)
    for name in LISTS:
        values[name] = ", ".join(values[name] or ())
    for name, moment in moments.items():
        values[name] = f"{moment.astimezone(UTC) if is_plausible_date(moment) else moment:%Y-%m-%d %H:%M:%S}"
    values["report"] = f"newsextract report {shlex.quote(document['url'])} --database {shlex.quote(database)}"
    return {name: values[name] for name in COLUMNS}


INSERT_ARTICLE = f"INSERT INTO articles ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
INSERT_FIGURES = f"INSERT INTO figures VALUES ({', '.join('?' * 13)})"
INSERT_ENTRY = f"INSERT INTO articles_fts (rowid, {', '.join(SEARCHED)}) VALUES (?, ?, ?, ?, ?)"
DELETE_ENTRY = f"INSERT INTO articles_fts (articles_fts, rowid, {', '.join(SEARCHED)}) VALUES ('delete', ?, ?, ?, ?, ?)"


def _insert(index: sqlite3.Connection, row: Mapping[str, Any], original: int | None) -> None:
    present = row["change_kind"] != "deleted"
    index.execute(INSERT_ARTICLE, [*row.values()])
    if present:
        index.execute(INSERT_ENTRY, _entry(row))
    about = (row["id"], row["day"], row["site"], row["language"], present, original, row["stored_on"], row["letters"])
    filled = (bool(row[name]) for name in ("headline", "date_published", "authors"))
    index.execute(INSERT_FIGURES, (*about, row["hours_to_store"], row["original_site"], *filled))


def _delete(index: sqlite3.Connection, number: int) -> None:
    """Deletes a row; a contentless FTS5 table needs the indexed text for that (sqlite.org/fts5.html)."""
    names = ("id", "day", "change_kind", *SEARCHED)
    found = index.execute(f"SELECT {', '.join(names)} FROM articles WHERE id = ?", (number,)).fetchone()
    if found is None:
        return
    row = dict(zip(names, found, strict=True))
    if row["change_kind"] != "deleted":
        index.execute(DELETE_ENTRY, _entry(row))
    index.execute("DELETE FROM articles WHERE id = ?", (number,))
    index.execute("DELETE FROM figures WHERE article = ?", (number,))


def _entry(row: Mapping[str, Any]) -> list[object]:
    """The row id and the tokens of an article."""
    day = date.fromisoformat(row["day"]).toordinal() if row["day"] else 0
    return [day << NUMBER_BITS | row["id"], *(token_line(row[name] or "") for name in SEARCHED)]
