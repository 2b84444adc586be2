"""The extraction of one slice, one Parquet file for each day on which pages were fetched, and its way into a database.

Stored in a database, articles are a backfill: with the identity, versions and change log of a crawl. An article that is
there already is not doubled; the text of an earlier fetch becomes an older version (`store.articles`). Slices are
stored one after the other, in transactions of BATCH articles, and each is marked when it is done: a run that was killed
stores the rest of a slice again, which changes nothing.
"""

import hashlib
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from operator import itemgetter
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.article import article_of_fetched, page_of, read_fetched
from newsextract.cluster.page_filter import ALL_PAGES, PageFilter
from newsextract.cluster.peers import PeerLookup, ProfileLookup
from newsextract.cluster.run_folder import AttemptLog, RunFolder, read_json, write_json
from newsextract.cluster.sources import WarcSlice, scheme_of
from newsextract.compression import compress, decompress
from newsextract.errors import ArchiveError, PeerNeeded, StorageError
from newsextract.export.parquet import article_of_row, row, schema, write_row_groups
from newsextract.extractors import Extractor, make_extractor
from newsextract.items import ARTICLE_FIELDS, Article, FetchedPage
from newsextract.near_duplicates import with_signature
from newsextract.pairing import url_shape
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.urls import site_of
from newsextract.warc.reader import SkippedRecords, read_warc_range

#: The article's fields and the position of its record, named as in Common Crawl's index.
COLUMNS = (*(spec.name for spec in ARTICLE_FIELDS), "warc_filename", "warc_record_offset")
#: Compressed bytes of the pages that are sorted by site before they are extracted.
SORTED_BYTES = 16 * 1024 * 1024
#: Articles of a row group; so many are in memory unpacked when a file is written.
GROUP_ROWS = 250
SCHEMA = schema(COLUMNS).set(len(COLUMNS) - 1, pa.field("warc_record_offset", pa.int64()))


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """How every page of a run is extracted.

    buckets: number of peer buckets, 0 for an extractor without peers. watch: end the process over a page that takes too
    long. page_filter: which pages are asked for. uses_sites: whether pages are read with the profiles of their sites.
    """

    extractor: str
    options: Mapping[str, Any]
    buckets: int
    watch: bool
    page_filter: PageFilter = ALL_PAGES
    uses_sites: bool = True


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
        self.pages += stats["pages"]
        self.left_out += stats["left_out"]
        self.articles += stats["articles"]
        self.bytes += stats["bytes"]
        for site, reasons in stats["sites"].items():
            self.sites.setdefault(site, Counter()).update(reasons)
        self.not_articles.update(stats["not_articles"])
        self.skipped.update(stats["skipped"])
        self.named += stats["named"]
        self.seconds += stats["seconds"]
        self.cpu_seconds += stats["cpu_seconds"]
        self.peak_mib = max(self.peak_mib, stats["peak_mib"])


def extract_slice(warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Writes the slice's articles, then its statistics. Repeated, it writes the same files with the same content."""
    started, started_cpu = perf_counter(), process_time()
    stats, skipped = RunStats(), SkippedRecords()
    extractor = make_extractor(job.extractor, job.options)
    peers = PeerLookup(folder, job.buckets) if job.buckets else None
    profiles = ProfileLookup(folder, job.buckets) if job.buckets and job.uses_sites else None
    days: dict[str, list[tuple[str, int, bytes]]] = {}  # site, offset and packed values of each article
    with AttemptLog(folder.attempts_file(warc_slice.name), watch=job.watch) as attempts:
        try:
            for offset, page in _pages_by_site(warc_slice, job.page_filter, stats, skipped):
                if offset in attempts.suspects:
                    skipped.add("killed_its_worker", offset, page.url)
                    continue
                attempts.begin(offset)
                article = _extract_page(offset, page, extractor, peers, profiles, skipped)
                if article is None:
                    continue
                if not article.is_article:
                    reason = article.not_article_because or "not_article"
                    stats.not_articles[reason] += 1
                    stats.sites.setdefault(article.site, Counter())[reason] += 1
                    continue
                if not job.page_filter.wants_article(article):
                    stats.left_out += 1
                    continue
                stats.articles += 1
                values = {**row(article), "warc_filename": warc_slice.file_name, "warc_record_offset": offset}
                rows = days.setdefault(f"{page.fetched_at:%Y-%m-%d}", [])
                rows.append((article.site, offset, compress(pickle.dumps(values))))
        except ArchiveError:
            if scheme_of(warc_slice.path):
                raise  # a server that does not answer is tried again later
            skipped.add("no_warc", warc_slice.start)
    for day, rows in sorted(days.items()):
        write_row_groups(_row_groups(rows), SCHEMA, folder.articles_file(warc_slice, day))
    stats.named = [[reason, warc_slice.path, offset, url] for reason, offset, url in skipped.listed]
    stats.skipped = skipped
    stats.seconds, stats.cpu_seconds = perf_counter() - started, process_time() - started_cpu
    stats.peak_mib = _peak_mib()
    write_json(folder.done_file(warc_slice), {"days": sorted(days), **vars(stats)})


def _row_groups(rows: list[tuple[str, int, bytes]]) -> Iterator[pa.Table]:
    """Packed articles as tables of GROUP_ROWS, sorted by site and offset."""
    rows.sort(key=itemgetter(0, 1))
    for start in range(0, len(rows), GROUP_ROWS):
        group = [pickle.loads(decompress(packed)) for _, _, packed in rows[start : start + GROUP_ROWS]]
        yield pa.Table.from_pylist(group, SCHEMA)


def _peak_mib() -> int:
    """The largest memory of this process in MiB."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024
    except (OSError, IndexError, ValueError):
        return getrusage(RUSAGE_SELF).ru_maxrss // 1024


def _pages_by_site(
    warc_slice: WarcSlice, page_filter: PageFilter, stats: RunStats, skipped: SkippedRecords
) -> Iterator[tuple[int, FetchedPage]]:
    """The pages of a slice that are asked for, with their offsets, sorted by site and URL shape in batches of
    SORTED_BYTES: so the peer of one page is mostly that of the next, and is parsed once."""

    def wanted(url: str, fetched_at: datetime) -> bool:
        wants = page_filter.wants_record(url, fetched_at)
        stats.left_out += not wants
        return wants

    batch: list[tuple[str, str, int, FetchedPage]] = []
    size = 0

    def sorted_batch() -> Iterator[tuple[int, FetchedPage]]:
        for _, _, offset, page in sorted(batch, key=itemgetter(0, 1, 2)):
            yield offset, replace(page, body=decompress(page.body))

    check = None if page_filter.is_empty else wanted
    source = warc_slice.open_source()
    stats.bytes = warc_slice.end - warc_slice.start
    for offset, page in read_warc_range(source, skipped, warc_slice.start, warc_slice.end, wanted=check):
        if not page_filter.wants_page(page):
            stats.left_out += 1
            continue
        stats.pages += 1
        packed = replace(page, body=compress(page.body))
        shape = url_shape(page.url)
        batch.append((shape.site, shape.pattern, offset, packed))
        size += len(packed.body)
        if size >= SORTED_BYTES:
            yield from sorted_batch()
            batch, size = [], 0
    yield from sorted_batch()


def _extract_page(
    offset: int,
    fetched: FetchedPage,
    extractor: Extractor,
    peers: PeerLookup | None,
    profiles: ProfileLookup | None,
    skipped: SkippedRecords,
) -> Article | None:
    """The article of a page; None, counted as skipped, if its extraction fails."""
    try:
        page = page_of(fetched)
        peer = peers.find_peer(fetched, page) if peers else None
        page.site = profiles.find(site_of(fetched.url)) if profiles else None
        if page.site is None:
            article = article_of_fetched(fetched, page, extractor, peer)
        else:
            article = read_fetched(fetched, page, extractor, peer, quickly=True).article
        article.first_seen_at = article.fetched_at
        return article
    except PeerNeeded:
        skipped.add("no_peer", offset, fetched.url)
        return None
    except Exception:  # a broken page of any kind must not cost more than itself
        skipped.add("failed", offset, fetched.url)
        return None


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
                try:
                    marks.mkdir(parents=True, exist_ok=True)
                    mark.touch()
                except OSError as error:
                    raise StorageError(f"{mark} can't be written: {error.strerror or error}") from error
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
