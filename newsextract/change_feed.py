"""Reads articles back from a crawl or an export: a database, JSON lines, or Parquet."""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from newsextract.article.last_rows import LastRows
from newsextract.article.parquet_rows import SUFFIX, read_parquet
from newsextract.errors import NewsextractError, StorageError
from newsextract.items import ARTICLE_FIELDS, DATETIME_FIELDS, Article
from newsextract.reasons import GONE_KINDS

if TYPE_CHECKING:
    import pandas

SQLITE_SUFFIXES = (".db", ".sqlite", ".sqlite3")


@dataclass(frozen=True, slots=True)
class StoredArticles:
    """The articles of a database or a file, each once, in its current state; each iteration reads them anew."""

    source: str

    def __iter__(self) -> Iterator[Article]:
        if "://" in self.source:
            return _from_database(self.source)
        path = Path(self.source)
        return read_parquet(path) if path.is_dir() or path.suffix == SUFFIX else _from_lines(path)

    def to_dataframe(self, fields: Sequence[str] = ()) -> "pandas.DataFrame":
        """A pandas DataFrame with a row per article and these fields as columns (default: all); times as in Parquet."""
        try:
            import pandas
        except ImportError as error:
            raise NewsextractError("a DataFrame needs pandas: pip install pandas") from error
        known = [spec.name for spec in ARTICLE_FIELDS]
        names = list(fields) or known
        if unknown := [name for name in names if name not in known]:
            raise NewsextractError(f"{unknown[0]!r} isn't a field of an article; known are {', '.join(known)}")
        rows = [[getattr(article, name) for name in names] for article in self]
        frame = pandas.DataFrame(rows, columns=names)
        for name in DATETIME_FIELDS.intersection(names):
            frame[name] = pandas.to_datetime(frame[name], utc=True, errors="coerce").astype("datetime64[ns, UTC]")
        return frame


def read_articles(source: str | Path) -> StoredArticles:
    """The articles of a database (its URL, or an SQLite file) or of an export: a JSON lines file (.gz: compressed), a
    .parquet file, or a folder of such files.

    Deleted articles and earlier versions are left out. Raises DatabaseError or StorageError if the source doesn't
    exist, and StorageError when reading a file that doesn't have articles.
    """
    text = str(source)
    if "://" not in text:
        path = Path(text).expanduser()
        if path.is_dir() and not any(path.rglob(f"*{SUFFIX}")):
            raise StorageError(f"{path} has no {SUFFIX} files; other exports are files")
        if not path.exists():
            raise StorageError(f"{path} isn't a file; for PostgreSQL, give the database's URL")
        text = f"sqlite:///{path.absolute()}" if path.suffix in SQLITE_SUFFIXES else str(path)
    return StoredArticles(text)


def _from_database(url: str) -> Iterator[Article]:
    from newsextract.store import Store  # loads SQLAlchemy: files need no database

    with Store.open(url, must_exist=True, read_only=True) as store:
        for row in store.articles():
            if row.change_kind not in GONE_KINDS:
                yield row.article


def _from_lines(path: Path) -> Iterator[Article]:
    """Reads the file twice: which line of each article is its last, then those lines."""
    last = LastRows()
    with _open(path) as file:
        for number, line in enumerate(file):
            if line.strip():
                values = _parse(path, number, line)
                last.add(values, (0, number))
    kept = last.numbers()
    with _open(path) as file:
        for number, line in enumerate(file):
            if number in kept:
                values = _parse(path, number, line)
                if values.get("change_kind") in GONE_KINDS:
                    continue
                try:
                    article = Article.from_dict(values)
                except (AttributeError, TypeError, ValueError) as error:
                    raise StorageError(f"{path}, line {number + 1}: {error}") from error
                yield article


def _open(path: Path) -> TextIO:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise StorageError(f"{path}, line {number + 1}: {error}") from error
    if not isinstance(values, dict) or not isinstance(values.get("url"), str):
        raise StorageError(f"{path}, line {number + 1}: not an article: it has no url")
    return values
