"""The batch loop: reads the pages of a slice by site, with what is known of the site, and gives them to the sink."""

import pickle
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from operator import itemgetter
from time import perf_counter, process_time
from typing import Any

from newsextract.archive.page_filter import ALL_PAGES
from newsextract.archive.parquet_sink import ParquetSink
from newsextract.archive.run_folder import AttemptLog, ExtractionJob, RunFolder, write_json
from newsextract.archive.sites import KnownSite
from newsextract.archive.sources import WarcSlice, scheme_of
from newsextract.article.extract import article_of, page_of, read_article
from newsextract.errors import ArchiveError, PeerNeeded
from newsextract.extractors import make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.urls import site_of
from newsextract.warc.reader import SkippedRecords, read_warc_range
from newsextract.workers.memory import peak_mib

#: Bytes of pages that are sorted by site before extraction.
SORTED_BYTES = 16 * 1024 * 1024


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
    sink = ParquetSink(folder, warc_slice)
    try:
        for offset, article in _read_articles(warc_slice, folder, job, stats, skipped):
            if not article.is_article:
                reason = article.not_article_because or "not_article"
                stats.not_articles[reason] += 1
                stats.sites.setdefault(article.site, Counter())[reason] += 1
                sink.refuse(offset, article.url, reason)
            elif not job.page_filter.wants_article(article):
                stats.left_out += 1
            else:
                stats.articles += 1
                sink.add(offset, article)
    except ArchiveError:
        if scheme_of(warc_slice.path):
            raise  # a server that doesn't answer is tried again later
        skipped.add("no_warc", warc_slice.start)
    for reason, offset, url in skipped.listed:
        sink.refuse(offset, url, reason)
    days = sink.write()
    stats.named = [[reason, warc_slice.path, offset, url] for reason, offset, url in skipped.listed]
    stats.skipped = skipped
    stats.seconds, stats.cpu_seconds = perf_counter() - started, process_time() - started_cpu
    stats.peak_mib = peak_mib()
    write_json(folder.done_file(warc_slice), {"days": days, **vars(stats)})


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
                    yield offset, article_of(page_of(fetched), extractor, site=known.profile)


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
