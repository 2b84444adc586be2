"""A slice of an archive: its pages by site, each planned by what is known of the site, into the loop and to Parquet."""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from time import perf_counter, process_time

from newsextract.archive.loop import ArchivePage, extract_all, read_here
from newsextract.archive.page_filter import ALL_PAGES
from newsextract.archive.parquet_sink import ParquetSink
from newsextract.archive.run_folder import AttemptLog, ExtractionJob, RunFolder, RunStats, write_json
from newsextract.archive.sites import KnownSite
from newsextract.archive.sources import WarcSlice, scheme_of
from newsextract.errors import ArchiveError
from newsextract.extractors import make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.urls import site_of
from newsextract.warc.reader import SkippedRecords, read_warc_range
from newsextract.workers.memory import peak_mib
from newsextract.workers.messages import ExtractionPlan
from newsextract.workers.worker import PageWorker

#: Bytes of pages that are sorted by site before extraction.
SORTED_BYTES = 16 * 1024 * 1024
#: Bytes of parsed pages that a task keeps if its extractor compares pages: the peers of some templates.
PEER_BYTES = 1024 * 1024


def extract_slice(warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Writes the slice's articles, then its statistics. When repeated, it writes the same files again."""
    started, started_cpu = perf_counter(), process_time()
    stats, skipped = RunStats(bytes=warc_slice.end - warc_slice.start), SkippedRecords()
    sink = ParquetSink(folder, warc_slice, job.page_filter, stats, skipped)
    worker = PageWorker(make_extractor(job.extractor, job.options), PEER_BYTES if job.uses_peers else 0)
    with AttemptLog(folder.attempts_file(warc_slice.name), watch=job.watch) as attempts:
        source = SliceSource(warc_slice, folder, job, worker, attempts, stats, skipped)
        try:
            extract_all(source, read_here(worker), sink)
        except ArchiveError:
            if scheme_of(warc_slice.path):
                raise  # a server that doesn't answer is tried again later
            skipped.add("no_warc", warc_slice.start)
    days = sink.write()
    stats.named = [[reason, warc_slice.path, offset, url] for reason, offset, url in skipped.listed]
    stats.skipped = skipped
    stats.seconds, stats.cpu_seconds = perf_counter() - started, process_time() - started_cpu
    stats.peak_mib = peak_mib()
    write_json(folder.done_file(warc_slice), {"days": days, **vars(stats)})


@dataclass
class SliceSource:
    """The requested pages of a slice, in batches of a site. Sorted by URL, neighbours often have the same peer."""

    warc_slice: WarcSlice
    folder: RunFolder
    job: ExtractionJob
    worker: PageWorker
    attempts: AttemptLog
    stats: RunStats
    skipped: SkippedRecords

    def batches(self) -> Iterator[Iterable[ArchivePage[KnownSite]]]:
        """The pages of each site, as far as they are near each other."""
        known_site = lru_cache(1)(partial(KnownSite.load, self.folder))
        waiting: dict[str, list[tuple[int, FetchedPage]]] = {}
        size = 0
        for offset, page in self._pages():
            waiting.setdefault(site_of(page.url), []).append((offset, page))
            size += len(page.body)
            if size >= SORTED_BYTES:
                yield from (self._of_site(known_site(site), waiting[site]) for site in sorted(waiting))
                waiting, size = {}, 0
        yield from (self._of_site(known_site(site), waiting[site]) for site in sorted(waiting))

    def plan(self, stored: ArchivePage[KnownSite]) -> ExtractionPlan | Article:
        """A sample of its site has been extracted before."""
        if article := stored.known.articles.get((self.warc_slice.name, stored.offset)):
            known: Article = pickle.loads(article)
            return known
        self.attempts.begin(stored.offset)
        return stored.known.plan(stored.page, self.worker)

    def _of_site(self, known: KnownSite, pages: list[tuple[int, FetchedPage]]) -> Iterator[ArchivePage[KnownSite]]:
        for offset, page in sorted(pages, key=lambda entry: entry[1].url):
            if offset in self.attempts.suspects:
                self.skipped.add("killed_its_worker", offset, page.url)
            else:
                yield ArchivePage(offset, page, known)

    def _pages(self) -> Iterator[tuple[int, FetchedPage]]:
        page_filter, where = self.job.page_filter, self.warc_slice
        is_wanted = None if page_filter == ALL_PAGES else self._is_wanted
        records = read_warc_range(where.open_source(), self.skipped, where.start, where.end, wanted=is_wanted)
        for offset, page in records:
            if page_filter.wants_page(page):
                self.stats.pages += 1
                yield offset, page
            else:
                self.stats.left_out += 1

    def _is_wanted(self, url: str, fetched_at: datetime) -> bool:
        wants = self.job.page_filter.wants_record(url, fetched_at)
        self.stats.left_out += not wants
        return wants
