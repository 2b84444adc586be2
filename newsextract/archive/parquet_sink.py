"""The articles of a run as Parquet, a file for each slice and day of fetching, and the pages without one."""

import heapq
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archive.loop import ArchivePage
from newsextract.archive.page_filter import PageFilter
from newsextract.archive.run_folder import RunFolder, RunStats, read_json, write_file
from newsextract.archive.sites import KnownSite
from newsextract.archive.sources import WarcSlice
from newsextract.days import day_of
from newsextract.errors import PeerNeeded, StorageError
from newsextract.export.parquet import row, schema, write_row_groups
from newsextract.files import storing
from newsextract.items import ARTICLE_FIELDS, Article
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.store import Store
from newsextract.store.lookup import copies_among
from newsextract.warc.reader import SkippedRecords

#: The article's fields and the position of its record, named as in Common Crawl's index.
COLUMNS = (*(spec.name for spec in ARTICLE_FIELDS), "warc_filename", "warc_record_offset")
SCHEMA = schema(COLUMNS).set(len(COLUMNS) - 1, pa.field("warc_record_offset", pa.int64()))
#: Articles of a slice in memory; a file that isn't `.gz` is one slice, whatever its size. Further ones wait in files.
ROWS_IN_MEMORY = 10_000


@dataclass
class ParquetSink:
    """Collects and counts the pages of a slice, and writes them when all are read; when repeated, the same files."""

    folder: RunFolder
    warc_slice: WarcSlice
    page_filter: PageFilter
    stats: RunStats
    skipped: SkippedRecords
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _sorted_files: list[IO[bytes]] = field(default_factory=list)
    _refused: IO[bytes] = field(default_factory=tempfile.TemporaryFile)

    def add(self, stored: ArchivePage[KnownSite], article: Article) -> None:
        """Adds an article that the filter lets through, or the reason why a page isn't one."""
        if not article.is_article:
            reason = article.not_article_because or "not_article"
            self.stats.not_articles[reason] += 1
            self.stats.sites.setdefault(article.site, Counter())[reason] += 1
            self._refuse(stored.offset, article.url, reason)
        elif not self.page_filter.wants_article(article):
            self.stats.left_out += 1
        else:
            self.stats.articles += 1
            article.first_seen_at = article.fetched_at
            values = {**row(article), "warc_filename": self.warc_slice.file_name, "warc_record_offset": stored.offset}
            self._rows.append(values)
            if len(self._rows) >= ROWS_IN_MEMORY:
                self._sorted_files.append(_sorted_file(self._rows))
                self._rows = []

    def fail(self, stored: ArchivePage[KnownSite], error: Exception) -> None:
        """Counts a page that couldn't be extracted among the skipped records."""
        self.skipped.add("no_peer" if isinstance(error, PeerNeeded) else "failed", stored.offset, stored.page.url)

    def flush(self) -> None:
        """Nothing is written before the end."""

    def write(self) -> list[str]:
        """Writes the files, with the skipped records; returns the days of the articles."""
        for reason, offset, url in self.skipped.listed:
            self._refuse(offset, url, reason)
        days = []
        parts = *map(chain.from_iterable, map(_groups, self._sorted_files)), sorted(self._rows, key=_order)
        for day, rows in groupby(heapq.merge(*parts, key=_order), _day):
            days.append(day)
            write_row_groups(_tables(rows), SCHEMA, self.folder.articles_file(self.warc_slice, day))
        for file in self._sorted_files:
            file.close()
        self._refused.seek(0)
        with self._refused as lines:
            write_file(self.folder.refused_file(self.warc_slice), lines)
        return days

    def _refuse(self, offset: int, url: str, reason: str) -> None:
        """Adds a page without an article."""
        values = {"url": url, "reason": reason, "warc_record_offset": offset}
        line = json.dumps({**values, "warc_filename": self.warc_slice.file_name}, ensure_ascii=False)
        self._refused.write(f"{line}\n".encode())


def _day(values: dict[str, Any]) -> str:
    """The day of fetching of a row."""
    return f"{values['fetched_at'] and day_of(values['fetched_at'])}"


def _order(values: dict[str, Any]) -> tuple[str, str, int]:
    return _day(values), values["site"], values["warc_record_offset"]


def _sorted_file(rows: list[dict[str, Any]]) -> IO[bytes]:
    """A temporary file with the rows in their order."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  read when the slice ends
    with storing(Path(tempfile.gettempdir())), pq.ParquetWriter(file, SCHEMA) as writer:
        for table in _tables(sorted(rows, key=_order)):
            writer.write_table(table)
    return file


def _tables(rows: Iterable[dict[str, Any]]) -> Iterator[pa.Table]:
    """The rows as row groups."""
    rows = iter(rows)
    while group := [*islice(rows, ARTICLES_AT_A_TIME)]:
        yield pa.Table.from_pylist(group, SCHEMA)


def read_rows(folder: RunFolder, warc_slice: WarcSlice) -> Iterator[list[dict[str, Any]]]:
    """The rows of a finished slice, by row group."""
    for path in _files(folder, warc_slice):
        yield from _groups(path)


def mark_copies(folder: RunFolder, slices: Sequence[WarcSlice], database: str) -> None:
    """Writes which articles are copies of others, by the database that they are stored in, into the Parquet files."""
    with Store.open(database) as store:
        for warc_slice in slices:
            for path in _files(folder, warc_slice):
                if any(rows != _marked(rows, store) for rows in _groups(path)):
                    marked = (values for rows in _groups(path) for values in _marked(rows, store))
                    write_row_groups(_tables(marked), SCHEMA, path)


def _marked(rows: list[dict[str, Any]], store: Store) -> list[dict[str, Any]]:
    """Rows with what they are copies of, by the database."""
    copies = store.read(copies_among, [values["url"] for values in rows])
    return [{**values, "duplicate_of": copies.get(values["url"])} for values in rows]


def _files(folder: RunFolder, warc_slice: WarcSlice) -> Iterable[Path]:
    days = read_json(folder.done_file(warc_slice))["days"]
    return [folder.articles_file(warc_slice, day) for day in days]


def _groups(file: IO[bytes] | Path) -> Iterator[list[dict[str, Any]]]:
    try:
        with pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(ARTICLES_AT_A_TIME):
                yield batch.to_pylist()
    except (OSError, ValueError) as error:
        raise StorageError(f"{file} can't be read: {error}") from error
