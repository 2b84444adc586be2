"""The articles of a slice as Parquet files by day, however many there are."""

from datetime import UTC, datetime, timedelta

import pyarrow.parquet as pq

from newsextract.archive import parquet_sink
from newsextract.archive.loop import ArchivePage
from newsextract.archive.page_filter import ALL_PAGES
from newsextract.archive.parquet_sink import ParquetSink
from newsextract.archive.run_folder import RunFolder, RunStats
from newsextract.archive.sources import WarcSlice
from newsextract.items import Article, FetchedPage, Image
from newsextract.warc.reader import SkippedRecords


def write(folder, monkeypatch, rows_in_memory):
    """The rows of 60 articles by day; at most `rows_in_memory` are kept in memory before they are written."""
    monkeypatch.setattr(parquet_sink, "ROWS_IN_MEMORY", rows_in_memory)
    monkeypatch.setattr(parquet_sink, "ARTICLES_AT_A_TIME", 7)
    sink = ParquetSink(RunFolder(folder), WarcSlice("a.warc", 0, 1000), ALL_PAGES, RunStats(), SkippedRecords())
    for number in range(60):
        site = f"site{number % 4}.example"
        article = Article(
            url=f"http://{site}/{number}",
            site=site,
            headline=f"Story {number}",
            images=[Image(f"http://{site}/{number}.jpg", caption="A pier.")],
            fetched_at=None if number == 40 else datetime(2026, 3, 5, tzinfo=UTC) + timedelta(days=number * 7 % 3),
            is_article=True,
        )
        page = FetchedPage(article.url, b"", {}, datetime(2026, 3, 5, tzinfo=UTC))
        sink.add(ArchivePage(number, page, None), article)
    days = sink.write()
    return {day: pq.read_table(folder / "articles" / f"day={day}").to_pylist() for day in days}


def test_rows_that_wait_in_files_are_written_in_the_same_order(tmp_path, monkeypatch):
    in_memory = write(tmp_path / "a", monkeypatch, 1000)
    assert sum(map(len, in_memory.values())) == 60 and "None" in in_memory
    assert write(tmp_path / "b", monkeypatch, 9) == in_memory
    for rows in in_memory.values():
        assert [row["site"] for row in rows] == sorted(row["site"] for row in rows)
