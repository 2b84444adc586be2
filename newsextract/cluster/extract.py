"""The extraction of one slice: its pages become articles, one Parquet file for each day on which pages were fetched."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

import pyarrow as pa

from newsextract.article import article_of_fetched, page_of
from newsextract.cluster.attempts import AttemptLog
from newsextract.cluster.peers import PeerLookup
from newsextract.cluster.run_folder import RunFolder, write_json
from newsextract.cluster.slices import WarcSlice
from newsextract.discovery.warc_reader import SkippedRecords, read_warc_range
from newsextract.errors import ArchiveError, PeerNeeded
from newsextract.export.parquet import row, schema, write_table
from newsextract.extractors import Extractor, make_extractor
from newsextract.items import ARTICLE_FIELDS, Article, FetchedPage

#: The article's fields and the position of its record, named as in Common Crawl's index.
COLUMNS = (*(spec.name for spec in ARTICLE_FIELDS), "warc_filename", "warc_record_offset")
SCHEMA = schema(COLUMNS).set(len(COLUMNS) - 1, pa.field("warc_record_offset", pa.int64()))


@dataclass(frozen=True, slots=True)
class ExtractionJob:
    """How every page of a run is extracted.

    buckets: number of peer buckets, 0 for an extractor without peers. watch: end the process over a page that takes too
    long.
    """

    extractor: str
    options: Mapping[str, Any]
    buckets: int
    watch: bool


@dataclass
class RunStats:
    """Statistics of a slice or of a run: pages read, articles, non-articles and skipped records by reason.

    named: the first skipped records of each reason as (reason, file, offset, URL). seconds, cpu_seconds: wall clock and
    processor time. peak_mib: the largest memory of a worker.
    """

    pages: int = 0
    articles: int = 0
    not_articles: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    named: list[list[Any]] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mib: int = 0

    def add_slice(self, stats: Mapping[str, Any]) -> None:
        """Adds the statistics of a slice as its `done/SLICE.json` has them."""
        self.pages += stats["pages"]
        self.articles += stats["articles"]
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
    peers = PeerLookup(warc_slice, folder, job.buckets) if job.buckets else None
    days: dict[str, list[dict[str, Any]]] = {}
    path = Path(warc_slice.path)
    with AttemptLog(folder.attempts_file(warc_slice.name), watch=job.watch) as attempts:
        try:
            for offset, page in read_warc_range(path, skipped, warc_slice.start, warc_slice.end):
                stats.pages += 1
                if offset in attempts.suspects:
                    skipped.add("killed_its_worker", offset, page.url)
                    continue
                attempts.begin(offset)
                article = _extract_page(offset, page, extractor, peers, skipped)
                if article is None:
                    continue
                if not article.is_article:
                    stats.not_articles[article.not_article_because or "not_article"] += 1
                    continue
                stats.articles += 1
                values = {**row(article), "warc_filename": path.name, "warc_record_offset": offset}
                days.setdefault(f"{page.fetched_at:%Y-%m-%d}", []).append(values)
        except ArchiveError:
            skipped.add("no_warc", warc_slice.start)
    for day, rows in sorted(days.items()):
        rows.sort(key=lambda values: (values["site"], values["warc_record_offset"]))
        write_table(pa.Table.from_pylist(rows, SCHEMA), folder.articles_file(warc_slice, day), row_group_size=1000)
    stats.named = [[reason, warc_slice.path, offset, url] for reason, offset, url in skipped.listed]
    stats.skipped = skipped
    stats.seconds, stats.cpu_seconds = perf_counter() - started, process_time() - started_cpu
    stats.peak_mib = getrusage(RUSAGE_SELF).ru_maxrss // 1024
    write_json(folder.done_file(warc_slice), {"days": sorted(days), **vars(stats)})


def _extract_page(
    offset: int, fetched: FetchedPage, extractor: Extractor, peers: PeerLookup | None, skipped: SkippedRecords
) -> Article | None:
    """The article of a page; None, counted as skipped, if its extraction fails."""
    try:
        page = page_of(fetched)
        peer = peers.find_peer(fetched, page) if peers else None
        article = article_of_fetched(fetched, page, extractor, peer)
        article.first_seen_at = article.fetched_at
        return article
    except PeerNeeded:
        skipped.add("no_peer", offset, fetched.url)
        return None
    except Exception:  # a broken page of any kind must not cost more than itself
        skipped.add("failed", offset, fetched.url)
        return None
