"""What is known of the sites of an archive when their pages are extracted, found in two steps before that.

`survey_slice` notes where sample pages of each site are. `read_sites` reads them and writes a file for each site: its
profile (`newsextract.site_profile`) for `fusion`; for extractors that compare two pages reference pages, of each URL
shape one page for each template. `fusion` gets no reference pages: its text is no better with a peer
(docs/measurements/EXTRACTORS.md).

Samples are the pages whose URLs have the lowest hashes, so the result depends neither on the order of the pages nor on
the slices, nor on which worker does a step, or when.
"""

import json
import pickle
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from heapq import nsmallest
from itertools import groupby
from typing import Any, NamedTuple
from zlib import crc32

from newsextract.article import page_of, read_article
from newsextract.cluster.run_folder import AttemptLog, ExtractionJob, RunFolder, bucket_of, read_json, write_file
from newsextract.cluster.sources import WarcSlice
from newsextract.compression import compress, decompress
from newsextract.extractors import make_extractor
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing import PeerIndex, template_of, url_shape
from newsextract.site_profile import PageSummary, SiteProfile
from newsextract.site_profile.snapshot import MIN_PAGES
from newsextract.urls import article_key, site_of
from newsextract.warc.reader import read_warc_range

#: Number of different ranks, hashes of URLs.
RANKS = 1 << 32
#: Share of the pages of a site that are read for its profile, and how many at most.
SHARE, MOST_PAGES = 1 / 8, 32
#: Records noted of each URL shape in a slice, and read of them over all slices for reference pages.
SAMPLES_PER_SLICE, SAMPLES_PER_SHAPE = 3, 6
#: A slice is surveyed up to this many packed bytes, or this share of it, whichever is more: a site with many pages has
#: some there, and what its pages gain is less than a survey of all pages would cost.
SURVEY_BYTES, SURVEY_SHARE = 8 * 1024 * 1024, 0.25
#: Parsed peers kept in memory (the templates of one site), and archives kept open.
MOST_PARSED, MOST_OPEN = 8, 4


def survey_slice(warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Writes site, URL shape, rank and offset of the records in a slice that may be samples of their sites.

    Only the beginning of a long slice is read (`SURVEY_BYTES`, `SURVEY_SHARE`).
    """
    length = warc_slice.end - warc_slice.start
    end = warc_slice.start + min(length, max(SURVEY_BYTES, int(length * SURVEY_SHARE)))
    limit = RANKS if job.uses_peers else RANKS * SHARE * length / max(1, end - warc_slice.start)
    seen: Counter[str] = Counter()
    rows = []
    pages = read_warc_range(
        warc_slice.open_source(),
        Counter(),
        warc_slice.start,
        end,
        wanted=lambda url, at: rank_of(url) < limit and job.page_filter.wants_record(url, at),
    )
    for offset, page in pages:
        shape = url_shape(page.url)
        seen[shape.pattern] += 1
        if not job.uses_peers or seen[shape.pattern] <= SAMPLES_PER_SLICE:
            rows.append((shape.site, shape.pattern, rank_of(page.url), offset))
    write_file(folder.survey_file(warc_slice), json.dumps(rows).encode())


def rank_of(url: str) -> int:
    """The place of a page in the order in which pages are taken as samples."""
    return crc32(article_key(url).encode())


class Sample(NamedTuple):
    """A sample page: its site, the number of its slice, and the offset of its record."""

    site: str
    slice: int
    offset: int


def choose_samples(surveys: Iterable[Iterable[Sequence[Any]]], job: ExtractionJob, bucket: int = 0) -> list[Sample]:
    """The samples of a bucket's sites, by site: the pages with the lowest ranks in the rows of all surveys.

    For profiles up to MOST_PAGES of each site that has MIN_PAGES, for peers up to SAMPLES_PER_SHAPE of each URL shape.
    """
    groups: dict[tuple[str, str], dict[int, Sample]] = {}
    for number, rows in enumerate(surveys):
        for site, pattern, rank, offset in rows:
            if bucket_of(site, job.buckets) == bucket:
                group = groups.setdefault((site, pattern if job.uses_peers else ""), {})
                group.setdefault(rank, Sample(site, number, offset))
    most, fewest = (SAMPLES_PER_SHAPE, 1) if job.uses_peers else (MOST_PAGES, MIN_PAGES)
    chosen = [group[rank] for group in groups.values() if len(group) >= fewest for rank in nsmallest(most, group)]
    return sorted(chosen)


def read_sites(bucket: int, folder: RunFolder, job: ExtractionJob) -> None:
    """Writes what the samples of a bucket's sites say, a file for each site."""
    slices, source = folder.slices(), lru_cache(MOST_OPEN)(lambda number: slices[number].source)
    samples = choose_samples((read_json(folder.survey_file(each)) for each in slices), job, bucket)
    extractor = make_extractor(job.extractor, job.options)
    with AttemptLog(folder.attempts_file(f"{bucket:04d}"), watch=job.watch) as attempts:
        for site, numbered in groupby(enumerate(samples), lambda entry: entry[1].site):
            index, references, summaries = PeerIndex(), list[FetchedPage](), list[PageSummary]()
            for number, (_, number_of_slice, offset) in numbered:
                if number in attempts.suspects:
                    continue
                attempts.begin(number)
                for _, fetched in read_warc_range(source(number_of_slice), Counter(), offset, offset + 1):
                    with suppress(Exception):  # a broken page of any kind must not cost more than itself
                        page = page_of(fetched)
                        if not job.uses_peers:
                            summaries.append(read_article(page, extractor).summary)
                            continue
                        fetched.template = template_of(page)
                        packed = replace(fetched, body=compress(fetched.body))
                        if packed.template and index.add(packed):
                            references.append(packed)
            profile = SiteProfile.build(summaries) if len(summaries) >= MIN_PAGES else None
            if known := references or profile:
                write_file(folder.site_file(site), pickle.dumps(known, pickle.HIGHEST_PROTOCOL))
    write_file(folder.sites_done(bucket), b"")


class SiteLookup:
    """Finds what `read_sites` has written. Pages come sorted by site, so one site is kept at a time."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._site: str | None = None
        self._profile: SiteProfile | None = None
        self._index: PeerIndex | None = None
        self._parsed: dict[str, Page] = {}

    def find(self, fetched: FetchedPage, page: Page) -> tuple[SiteProfile | None, Page | None]:
        """The profile of a page's site, and the reference page of the same template with the most similar URL, parsed.

        None for what there isn't.
        """
        if (site := site_of(fetched.url)) != self._site:
            path = self._folder.site_file(site)
            known = pickle.loads(path.read_bytes()) if path.exists() else None  # of this run's own workers
            self._site, self._profile, self._index = site, None, None
            if isinstance(known, SiteProfile):
                self._profile = known
            elif known is not None:
                self._index = PeerIndex()
                for reference in known:
                    self._index.add(reference)
        return self._profile, self._peer(fetched, page, self._index) if self._index else None

    def _peer(self, fetched: FetchedPage, page: Page, index: PeerIndex) -> Page | None:
        fetched.template = template_of(page)
        reference = index.find_peer(fetched)
        if reference is None:
            return None
        if reference.id not in self._parsed:
            if len(self._parsed) == MOST_PARSED:
                del self._parsed[next(iter(self._parsed))]
            self._parsed[reference.id] = Page(decompress(reference.body), reference.url, encoding=reference.encoding)
        return self._parsed[reference.id]
