"""The vectors of articles and the statistics of their words, kept in the index beside the database.

Whatever is missing is computed again from the articles, so the index may be deleted. The statistics are stored before
the stories of the same articles, with both change numbers in between: after a crash, the same articles are put into
stories with the same statistics.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from newsextract.index.update import open_index
from newsextract.store.engine import chunked
from newsextract.stories.statistics import Statistics

#: Version of the vectors; raise it when other terms or weights are computed for the same text.
VERSION = 6
VECTORS = f"story_vectors_{VERSION}"
REBUILT = "rebuilt_vectors"
TABLES = (
    # an index without this row is new to `index.update`, which then fills it
    "CREATE TABLE IF NOT EXISTS _newsextract (source, cursor)",
    f"CREATE TABLE IF NOT EXISTS {VECTORS} (article INTEGER PRIMARY KEY, text_hash, vector BLOB)",
    f"CREATE TABLE IF NOT EXISTS story_statistics_{VERSION} (id INTEGER PRIMARY KEY, source, since INTEGER, "
    "until INTEGER, cursor, articles, terms BLOB, term_counts BLOB, lines BLOB, line_counts BLOB)",
)


class StoredVector(NamedTuple):
    text_hash: str
    vector: bytes


@dataclass
class Cache:
    """An open index. `since`, `until`: the change numbers between which the last articles were counted; `cursor`: the
    state of the database at `until`, as `Cursor.to_text`."""

    index: sqlite3.Connection
    source: str
    since: int = -1
    until: int = -1
    cursor: str = ""
    statistics: Statistics = field(default_factory=Statistics)

    def load(self) -> None:
        """Reads the statistics; none if they are of another database."""
        query = "SELECT since, until, cursor, articles, terms, term_counts, lines, line_counts FROM "
        row = self.index.execute(f"{query}story_statistics_{VERSION} WHERE source = ?", (self.source,)).fetchone()
        self.since, self.until, self.cursor, self.statistics = -1, -1, "", Statistics()
        if row is None:
            self.index.execute(f"DELETE FROM {VECTORS}")
            return
        self.since, self.until, self.cursor, articles, terms, term_counts, lines, line_counts = row
        self.statistics.articles = Counter(json.loads(articles))
        self.statistics.terms[np.frombuffer(terms, np.int32)] = np.frombuffer(term_counts, np.uint32)
        self.statistics.lines[np.frombuffer(lines, np.int32)] = np.frombuffer(line_counts, np.uint8)

    def save(self, since: int, until: int, cursor: str, vectors: Iterable[tuple[int, StoredVector]]) -> None:
        """Stores vectors by article, and the statistics, in one transaction."""
        self.index.execute("BEGIN IMMEDIATE")
        self._insert(VECTORS, vectors)
        self._save_statistics(since, until, cursor)
        self.index.execute("COMMIT")

    def _save_statistics(self, since: int, until: int, cursor: str) -> None:
        statistics = self.statistics
        terms, lines = (np.flatnonzero(counts) for counts in (statistics.terms, statistics.lines))
        parts = (terms.astype(np.int32), statistics.terms[terms], lines.astype(np.int32), statistics.lines[lines])
        blobs = [part.tobytes() for part in parts]
        values = (1, self.source, since, until, cursor, json.dumps(statistics.articles), *blobs)
        self.index.execute(
            f"INSERT OR REPLACE INTO story_statistics_{VERSION} VALUES ({', '.join('?' * len(values))})", values
        )
        self.since, self.until, self.cursor = since, until, cursor

    def begin_rebuild(self) -> None:
        """What `add_rebuilt` stores stays apart until `end_rebuild`, so a rebuild that is killed changes nothing."""
        self.index.execute(f"CREATE TEMP TABLE {REBUILT} (article INTEGER PRIMARY KEY, text_hash, vector BLOB)")

    def add_rebuilt(self, vectors: Iterable[tuple[int, StoredVector]]) -> None:
        """Stores vectors by article, in one transaction."""
        self.index.execute("BEGIN")
        self._insert(REBUILT, vectors)
        self.index.execute("COMMIT")

    def end_rebuild(self, until: int, cursor: str) -> None:
        """Replaces all vectors, and the statistics, in one transaction."""
        self.index.execute("BEGIN IMMEDIATE")
        self.index.execute(f"DELETE FROM {VECTORS}")
        self.index.execute(f"INSERT INTO {VECTORS} SELECT * FROM {REBUILT}")
        self._save_statistics(-1, until, cursor)
        self.index.execute("COMMIT")

    def _insert(self, table: str, vectors: Iterable[tuple[int, StoredVector]]) -> None:
        rows = [(article, *vector) for article, vector in vectors]
        self.index.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)", rows)

    def vectors(self, articles: Sequence[int]) -> Iterator[tuple[int, StoredVector]]:
        """Those that are stored."""
        for chunk in chunked(articles):
            marks = ", ".join("?" * len(chunk))
            for article, *values in self.index.execute(f"SELECT * FROM {VECTORS} WHERE article IN ({marks})", chunk):
                yield article, StoredVector(*values)


@contextmanager
def open_cache(path: Path, source: str) -> Iterator[Cache]:
    """The cache in the index at `path`; DatabaseError if the file can't be used."""
    with open_index(path, "stories can't keep their vectors there") as index:
        for statement in TABLES:
            index.execute(statement)
        yield Cache(index, source)
