"""The articles of a run as Parquet, a file for each slice and day of fetching, and the pages without one."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

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
from newsextract.items import ARTICLE_FIELDS, Article
from newsextract.store import Store
from newsextract.store.lookup import copies_among
from newsextract.warc.reader import SkippedRecords

#: The article's fields and the position of its record, named as in Common Crawl's index.
COLUMNS = (*(spec.name for spec in ARTICLE_FIELDS), "warc_filename", "warc_record_offset")
SCHEMA = schema(COLUMNS).set(len(COLUMNS) - 1, pa.field("warc_record_offset", pa.int64()))
#: Articles per row group, and read at a time.
GROUP_ROWS = 250


@dataclass
class ParquetSink:
    """Collects and counts the pages of a slice, and writes them when all are read; when repeated, the same files."""

    folder: RunFolder
    warc_slice: WarcSlice
    page_filter: PageFilter
    stats: RunStats
    skipped: SkippedRecords
    _days: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    _refused: list[dict[str, Any]] = field(default_factory=list)

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
            self._days.setdefault(f"{article.fetched_at and day_of(article.fetched_at)}", []).append(values)

    def fail(self, stored: ArchivePage[KnownSite], error: Exception) -> None:
        """Counts a page that couldn't be extracted among the skipped records."""
        self.skipped.add("no_peer" if isinstance(error, PeerNeeded) else "failed", stored.offset, stored.page.url)

    def flush(self) -> None:
        """Nothing is written before the end."""

    def write(self) -> list[str]:
        """Writes the files, with the skipped records; returns the days of the articles."""
        for reason, offset, url in self.skipped.listed:
            self._refuse(offset, url, reason)
        for day, rows in sorted(self._days.items()):
            rows.sort(key=itemgetter("site", "warc_record_offset"))
            groups = (rows[start : start + GROUP_ROWS] for start in range(0, len(rows), GROUP_ROWS))
            tables = (pa.Table.from_pylist(group, SCHEMA) for group in groups)
            write_row_groups(tables, SCHEMA, self.folder.articles_file(self.warc_slice, day))
        lines = (json.dumps(values, ensure_ascii=False) for values in self._refused)
        write_file(self.folder.refused_file(self.warc_slice), "".join(f"{line}\n" for line in lines).encode())
        return sorted(self._days)

    def _refuse(self, offset: int, url: str, reason: str) -> None:
        """Adds a page without an article."""
        values = {"url": url, "reason": reason, "warc_record_offset": offset}
        self._refused.append({**values, "warc_filename": self.warc_slice.file_name})


def read_rows(folder: RunFolder, warc_slice: WarcSlice) -> Iterator[list[dict[str, Any]]]:
    """The rows of a finished slice, by row group."""
    for path in _files(folder, warc_slice):
        yield from _groups(path)


def mark_copies(folder: RunFolder, slices: Sequence[WarcSlice], database: str) -> None:
    """Writes which articles are copies of others, by the database that they are stored in, into the Parquet files."""
    with Store.open(database) as store:
        for warc_slice in slices:
            for path in _files(folder, warc_slice):
                groups, is_changed = [*_groups(path)], False
                for values, copies in (
                    (rows, store.read(copies_among, [one["url"] for one in rows])) for rows in groups
                ):
                    for one in values:
                        is_changed |= one["duplicate_of"] != copies.get(one["url"])
                        one["duplicate_of"] = copies.get(one["url"])
                if is_changed:
                    write_row_groups((pa.Table.from_pylist(rows, SCHEMA) for rows in groups), SCHEMA, path)


def _files(folder: RunFolder, warc_slice: WarcSlice) -> Iterable[Path]:
    days = read_json(folder.done_file(warc_slice))["days"]
    return [folder.articles_file(warc_slice, day) for day in days]


def _groups(path: Path) -> Iterator[list[dict[str, Any]]]:
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(GROUP_ROWS):
                yield batch.to_pylist()
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} can't be read: {error}") from error
