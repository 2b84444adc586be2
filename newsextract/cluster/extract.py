"""The extraction of one slice, one Parquet file for each day on which pages were fetched, and its way into a database.

Stored in a database, articles are a backfill: with the identity, versions and change log of a crawl. An article that is
there already is not doubled; the text of an earlier fetch becomes an older version (`store.articles`). Slices are
stored one after the other, in transactions of BATCH articles, and each is marked when it is done: a run that was killed
stores the rest of a slice again, which changes nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from operator import itemgetter
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.article import article_of, page_of
from newsextract.cluster.run_folder import AttemptLog, ExtractionJob, RunFolder, read_json, write_file, write_json
from newsextract.cluster.sites import SiteLookup
from newsextract.cluster.sources import WarcSlice, scheme_of
from newsextract.errors import ArchiveError, PeerNeeded, StorageError
from newsextract.export.parquet import article_of_row, row, schema, write_row_groups
from newsextract.extractors import Extractor, make_extractor
from newsextract.items import ARTICLE_FIELDS, Article, FetchedPage
from newsextract.near_duplicates import with_signature
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.urls import site_of
from newsextract.warc.reader import SkippedRecords, read_warc_range

#: The article's fields and the position of its record, named as in Common Crawl's index.
COLUMNS = (*(spec.name for spec in ARTICLE_FIELDS), "warc_filename", "warc_record_offset")
#: Bytes of the pages that are sorted by site before they are extracted.
SORTED_BYTES = 16 * 1024 * 1024
#: Articles of a row group.
GROUP_ROWS = 250
SCHEMA = schema(COLUMNS).set(len(COLUMNS) - 1, pa.field("warc_record_offset", pa.int64()))


@dataclass
class RunStats:
    """Statistics of a slice or of a run: pages read, articles, non-articles and skipped records by reason.

    left_out: pages that were not asked for. bytes: packed bytes of the slices. sites: pages that are no articles, by
    site and reason. named: the first skipped records of each reason as (reason, file, offset, URL). seconds,
    cpu_seconds: wall clock and processor time. peak_mib: the largest memory of a worker. stored: articles put into a
    database, by what became of them.
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
        """Adds the statistics of a slice as its `done/SLICE.json` has them."""
        for name in ("pages", "left_out", "articles", "bytes", "seconds", "cpu_seconds"):
            setattr(self, name, getattr(self, name) + stats[name])
        for site, reasons in stats["sites"].items():
            self.sites.setdefault(site, Counter()).update(reasons)
        self.not_articles.update(stats["not_articles"])
        self.skipped.update(stats["skipped"])
        self.named += stats["named"]
        self.peak_mib = max(self.peak_mib, stats["peak_mib"])


def extract_slice(warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Writes the slice's articles, then its statistics. Repeated, it writes the same files with the same content."""
    started, started_cpu = perf_counter(), process_time()
    stats, skipped = RunStats(bytes=warc_slice.end - warc_slice.start), SkippedRecords()
    extractor = make_extractor(job.extractor, job.options)
    lookup = SiteLookup(folder) if job.uses_profiles or job.uses_peers else None
    days: dict[str, list[dict[str, Any]]] = {}
    with AttemptLog(folder.attempts_file(warc_slice.name), watch=job.watch) as attempts:
        try:
            for offset, page in _pages_by_site(warc_slice, job, stats, skipped):
                if offset in attempts.suspects:
                    skipped.add("killed_its_worker", offset, page.url)
                    continue
                attempts.begin(offset)
                try:
                    article = _extract_page(page, extractor, lookup)
                except Exception as error:  # a broken page of any kind must not cost more than itself
                    skipped.add("no_peer" if isinstance(error, PeerNeeded) else "failed", offset, page.url)
                    continue
                if not article.is_article:
                    reason = article.not_article_because or "not_article"
                    stats.not_articles[reason] += 1
                    stats.sites.setdefault(article.site, Counter())[reason] += 1
                elif not job.page_filter.wants_article(article):
                    stats.left_out += 1
                else:
                    stats.articles += 1
                    values = {**row(article), "warc_filename": warc_slice.file_name, "warc_record_offset": offset}
                    days.setdefault(f"{page.fetched_at:%Y-%m-%d}", []).append(values)
        except ArchiveError:
            if scheme_of(warc_slice.path):
                raise  # a server that does not answer is tried again later
            skipped.add("no_warc", warc_slice.start)
    for day, rows in sorted(days.items()):
        rows.sort(key=itemgetter("site", "warc_record_offset"))
        groups = (rows[start : start + GROUP_ROWS] for start in range(0, len(rows), GROUP_ROWS))
        tables = (pa.Table.from_pylist(group, SCHEMA) for group in groups)
        write_row_groups(tables, SCHEMA, folder.articles_file(warc_slice, day))
    stats.named = [[reason, warc_slice.path, offset, url] for reason, offset, url in skipped.listed]
    stats.skipped = skipped
    stats.seconds, stats.cpu_seconds = perf_counter() - started, process_time() - started_cpu
    stats.peak_mib = getrusage(RUSAGE_SELF).ru_maxrss // 1024
    write_json(folder.done_file(warc_slice), {"days": sorted(days), **vars(stats)})


def _pages_by_site(
    warc_slice: WarcSlice, job: ExtractionJob, stats: RunStats, skipped: SkippedRecords
) -> Iterator[tuple[int, FetchedPage]]:
    """The pages of a slice that are asked for, with their offsets, in batches of SORTED_BYTES sorted by site and URL:
    so what is known of one page's site, and mostly its peer, are those of the next."""

    def wanted(url: str, fetched_at: datetime) -> bool:
        wants = job.page_filter.wants_record(url, fetched_at)
        stats.left_out += not wants
        return wants

    def sort_key(entry: tuple[int, FetchedPage]) -> tuple[str, str]:
        return site_of(entry[1].url), entry[1].url

    batch: list[tuple[int, FetchedPage]] = []
    size = 0
    source = warc_slice.open_source()
    for offset, page in read_warc_range(source, skipped, warc_slice.start, warc_slice.end, wanted=wanted):
        if not job.page_filter.wants_page(page):
            stats.left_out += 1
            continue
        stats.pages += 1
        batch.append((offset, page))
        size += len(page.body)
        if size >= SORTED_BYTES:
            yield from sorted(batch, key=sort_key)
            batch, size = [], 0
    yield from sorted(batch, key=sort_key)


def _extract_page(fetched: FetchedPage, extractor: Extractor, lookup: SiteLookup | None) -> Article:
    """The article of a page, read with what is known of its site."""
    page = page_of(fetched)
    page.site, peer = lookup.find(fetched, page) if lookup else (None, None)
    article = article_of(page, extractor, peer)
    article.first_seen_at = article.fetched_at
    return article


#: Articles of one transaction.
BATCH = 200


def store_articles(
    folder: RunFolder, slices: Sequence[WarcSlice], database: str, on_done: Callable[[int, int], None]
) -> Counter[str]:
    """Stores the articles of all finished slices; returns their number by what became of them.

    `on_done` is called with the number of slices that are stored, and of all. Raises DatabaseError, StorageError.
    """
    counts: Counter[str] = Counter()
    marks = folder.path / "work" / "stored" / hashlib.sha256(database.encode()).hexdigest()[:16]
    with Store.open(database) as store:
        for number, warc_slice in enumerate(slices):
            mark = marks / warc_slice.name
            if folder.done_file(warc_slice).exists() and not mark.exists():
                stored = _stored_rows(folder, warc_slice)
                while batch := [*islice(stored, BATCH)]:
                    results = store.commit([_outcome(values) for values in batch])
                    counts.update(result.kind for result in results)
                write_file(mark, b"")
            on_done(number + 1, len(slices))
    return counts


def _stored_rows(folder: RunFolder, warc_slice: WarcSlice) -> Iterator[dict[str, Any]]:
    for day in read_json(folder.done_file(warc_slice))["days"]:
        path = Path(folder.articles_file(warc_slice, day))
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH):
                    yield from batch.to_pylist()
        except (OSError, ValueError) as error:
            raise StorageError(f"{path} can't be read: {error}") from error


def _outcome(values: dict[str, Any]) -> PageOutcome:
    article = with_signature(article_of_row(values))
    return PageOutcome(
        article.url,
        UrlState.stored,
        article=article,
        signature=article.signature,
        status=200,
        at=article.fetched_at,
    )
