"""The extraction of a slice: one Parquet file for each day of fetching, and storing into a database.

Storing articles in a database is a backfill: with the identity, versions and change log of a crawl. An existing article
isn't duplicated; the text of an earlier fetch becomes an older version (`store.articles`). Slices are stored one after
the other, in transactions of BATCH articles, and marked when done: after a kill, the rest of a slice is stored again,
which changes nothing.
"""

import hashlib
import json
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from operator import itemgetter
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archive.page_filter import ALL_PAGES
from newsextract.archive.run_folder import AttemptLog, ExtractionJob, RunFolder, read_json, write_file, write_json
from newsextract.archive.sites import KnownSite
from newsextract.archive.sources import WarcSlice, scheme_of
from newsextract.article.extract import article_of, page_of, read_article
from newsextract.article.parquet_rows import article_of_row
from newsextract.days import day_of
from newsextract.errors import ArchiveError, PeerNeeded, StorageError
from newsextract.export.parquet import row, schema, write_row_groups
from newsextract.extractors import make_extractor
from newsextract.items import ARTICLE_FIELDS, Article, FetchedPage
from newsextract.near_duplicates import signature_of
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.leases import record_command
from newsextract.store.lookup import copies_among
from newsextract.store.outcome import PageResponse
from newsextract.urls import site_of
from newsextract.warc.reader import SkippedRecords, read_warc_range
from newsextract.workers.memory import peak_mib

#: The article's fields and the position of its record, named as in Common Crawl's index.
COLUMNS = (*(spec.name for spec in ARTICLE_FIELDS), "warc_filename", "warc_record_offset")
#: Bytes of pages that are sorted by site before extraction.
SORTED_BYTES = 16 * 1024 * 1024
#: Articles per row group.
GROUP_ROWS = 250
SCHEMA = schema(COLUMNS).set(len(COLUMNS) - 1, pa.field("warc_record_offset", pa.int64()))


@dataclass
class RunStats:
    """Statistics of a slice or of a run: pages read, articles, non-articles and skipped records by reason.

    left_out: pages excluded by the filter. bytes: compressed bytes of the slices. sites: pages that aren't articles, by
    site and reason. named: the first skipped records of each reason as (reason, file, offset, URL). seconds,
    cpu_seconds: wall clock and CPU time. peak_mib: the largest memory of a worker. stored: articles stored in a
    database, by result.
    """

    pages: int = 0
    left_out: int = 0
    articles: int = 0
    bytes: int = 0
    not_articles: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    sites: dict[str, Counter[str]] = field(default_factory=dict)
    named: list[list[Any]] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mib: int = 0
    stored: Counter[str] = field(default_factory=Counter)

    def add_slice(self, stats: Mapping[str, Any]) -> None:
        """Adds the statistics of a slice, as in its `done/SLICE.json`."""
        for name in ("pages", "left_out", "articles", "bytes", "seconds", "cpu_seconds"):
            setattr(self, name, getattr(self, name) + stats[name])
        for site, reasons in stats["sites"].items():
            self.sites.setdefault(site, Counter()).update(reasons)
        self.not_articles.update(stats["not_articles"])
        self.skipped.update(stats["skipped"])
        self.named += stats["named"]
        self.peak_mib = max(self.peak_mib, stats["peak_mib"])


def extract_slice(warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Writes the slice's articles, then its statistics. When repeated, it writes the same files again."""
    started, started_cpu = perf_counter(), process_time()
    stats, skipped = RunStats(bytes=warc_slice.end - warc_slice.start), SkippedRecords()
    days: dict[str, list[dict[str, Any]]] = {}
    refused: list[dict[str, Any]] = []
    try:
        for offset, article in _read_articles(warc_slice, folder, job, stats, skipped):
            if not article.is_article:
                reason = article.not_article_because or "not_article"
                stats.not_articles[reason] += 1
                stats.sites.setdefault(article.site, Counter())[reason] += 1
                refused.append({"url": article.url, "reason": reason, "warc_record_offset": offset})
            elif not job.page_filter.wants_article(article):
                stats.left_out += 1
            else:
                stats.articles += 1
                article.first_seen_at = article.fetched_at
                values = {**row(article), "warc_filename": warc_slice.file_name, "warc_record_offset": offset}
                days.setdefault(f"{article.fetched_at and day_of(article.fetched_at)}", []).append(values)
    except ArchiveError:
        if scheme_of(warc_slice.path):
            raise  # a server that doesn't answer is tried again later
        skipped.add("no_warc", warc_slice.start)
    for day, rows in sorted(days.items()):
        rows.sort(key=itemgetter("site", "warc_record_offset"))
        groups = (rows[start : start + GROUP_ROWS] for start in range(0, len(rows), GROUP_ROWS))
        tables = (pa.Table.from_pylist(group, SCHEMA) for group in groups)
        write_row_groups(tables, SCHEMA, folder.articles_file(warc_slice, day))
    refused += [{"url": url, "reason": reason, "warc_record_offset": at} for reason, at, url in skipped.listed]
    lines = (json.dumps({**values, "warc_filename": warc_slice.file_name}, ensure_ascii=False) for values in refused)
    write_file(folder.refused_file(warc_slice), "".join(f"{line}\n" for line in lines).encode())
    stats.named = [[reason, warc_slice.path, offset, url] for reason, offset, url in skipped.listed]
    stats.skipped = skipped
    stats.seconds, stats.cpu_seconds = perf_counter() - started, process_time() - started_cpu
    stats.peak_mib = peak_mib()
    write_json(folder.done_file(warc_slice), {"days": sorted(days), **vars(stats)})


def _read_articles(
    warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob, stats: RunStats, skipped: SkippedRecords
) -> Iterator[tuple[int, Article]]:
    """The articles of a slice's pages, read with what is known of their sites, each with its record's offset."""
    extractor = make_extractor(job.extractor, job.options)
    known_site = lru_cache(1)(partial(KnownSite.load, folder))
    with AttemptLog(folder.attempts_file(warc_slice.name), watch=job.watch) as attempts:
        for site, pages in _pages_by_site(warc_slice, job, stats, skipped):
            known, undecided = known_site(site), list[tuple[int, FetchedPage, ExtractedArticle]]()
            for offset, fetched in pages:
                if offset in attempts.suspects:
                    skipped.add("killed_its_worker", offset, fetched.url)
                    continue
                if article := known.articles.get((warc_slice.name, offset)):
                    yield offset, pickle.loads(article)
                    continue
                attempts.begin(offset)
                with _counting_failures(skipped, offset, fetched.url):
                    page = page_of(fetched)
                    if known.profile is None:
                        yield offset, article_of(page, extractor, known.find_peer(fetched, page))
                    else:
                        undecided.append((offset, fetched, read_article(page, extractor)))
            decided = known.decide([read for *_, read in undecided])
            for (offset, fetched, _), settled in zip(undecided, decided, strict=True):
                if settled is not None:
                    yield offset, settled
                    continue
                attempts.begin(offset)
                with _counting_failures(skipped, offset, fetched.url):
                    page = page_of(fetched)
                    page.site = known.profile
                    yield offset, article_of(page, extractor)


@contextmanager
def _counting_failures(skipped: SkippedRecords, offset: int, url: str) -> Iterator[None]:
    """Counts failures: any broken page must affect only itself."""
    try:
        yield
    except Exception as error:
        skipped.add("no_peer" if isinstance(error, PeerNeeded) else "failed", offset, url)


def _pages_by_site(
    warc_slice: WarcSlice, job: ExtractionJob, stats: RunStats, skipped: SkippedRecords
) -> Iterator[tuple[str, list[tuple[int, FetchedPage]]]]:
    """The requested pages by site, with offsets. Sorted by URL, neighbours often have the same peer."""

    def wanted(url: str, fetched_at: datetime) -> bool:
        wants = job.page_filter.wants_record(url, fetched_at)
        stats.left_out += not wants
        return wants

    waiting: dict[str, list[tuple[int, FetchedPage]]] = {}
    size = 0

    def release() -> Iterator[tuple[str, list[tuple[int, FetchedPage]]]]:
        for site, pages in sorted(waiting.items(), key=itemgetter(0)):
            yield site, sorted(pages, key=lambda entry: entry[1].url)
        waiting.clear()

    source, start, end = warc_slice.open_source(), warc_slice.start, warc_slice.end
    is_wanted = None if job.page_filter == ALL_PAGES else wanted
    for offset, page in read_warc_range(source, skipped, start, end, wanted=is_wanted):
        if not job.page_filter.wants_page(page):
            stats.left_out += 1
            continue
        stats.pages += 1
        waiting.setdefault(site_of(page.url), []).append((offset, page))
        size += len(page.body)
        if size >= SORTED_BYTES:
            yield from release()
            size = 0
    yield from release()


#: Articles of one transaction, and of a row group that is written again.
BATCH = GROUP_ROWS


def store_articles(
    folder: RunFolder, slices: Sequence[WarcSlice], database: str, maker: str, on_done: Callable[[int, int], None]
) -> Counter[str]:
    """Stores the articles of finished slices; their number by result. `on_done` gets the stored slices and all."""
    counts: Counter[str] = Counter()
    run: int | None = None
    marks = folder.path / "work" / "stored" / hashlib.sha256(database.encode()).hexdigest()[:16]
    with Store.open(database) as store:
        for number, warc_slice in enumerate(slices):
            mark = marks / warc_slice.name
            if folder.done_file(warc_slice).exists() and not mark.exists():
                run = run or store.write(record_command, "cluster", {"output": str(folder.path)}, maker)
                for day in read_json(folder.done_file(warc_slice))["days"]:
                    for rows in _stored_rows(folder.articles_file(warc_slice, day)):
                        counts.update(result.kind for result in store.commit([_outcome(one, run) for one in rows]))
                write_file(mark, b"")
            on_done(number + 1, len(slices))
    return counts


def mark_copies(folder: RunFolder, slices: Sequence[WarcSlice], database: str) -> None:
    """Writes which articles are copies of others, by the database that they are stored in, into the Parquet files."""
    with Store.open(database) as store:
        for warc_slice in slices:
            for day in read_json(folder.done_file(warc_slice))["days"]:
                path, is_changed = folder.articles_file(warc_slice, day), False
                groups = [*_stored_rows(path)]
                for values, copies in (
                    (rows, store.read(copies_among, [one["url"] for one in rows])) for rows in groups
                ):
                    for one in values:
                        is_changed |= one["duplicate_of"] != copies.get(one["url"])
                        one["duplicate_of"] = copies.get(one["url"])
                if is_changed:
                    write_row_groups((pa.Table.from_pylist(rows, SCHEMA) for rows in groups), SCHEMA, path)


def _stored_rows(path: Path) -> Iterator[list[dict[str, Any]]]:
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH):
                yield batch.to_pylist()
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} can't be read: {error}") from error


def _outcome(values: dict[str, Any], run: int) -> PageOutcome:
    article = article_of_row(values)
    article.discovered_from = article.discovered_from or f"{values['warc_filename']}:{values['warc_record_offset']}"
    outcome = PageOutcome(article.url, UrlState.stored, article=article, response=PageResponse(200))
    outcome.signature = signature_of(article.article_body)
    outcome.at, outcome.captured, outcome.run = article.fetched_at, True, run
    return outcome
