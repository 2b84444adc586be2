"""Reference pages and profiles of the sites of an archive, found in two steps before the extraction.

`survey_slice` samples the records of each URL shape in a slice; `choose_references` reads a few samples of each shape
over all slices and keeps those that differ in template, then reads the samples of sites with these as peers.
`PeerLookup` finds the peer of a page among these references. The result does not depend on which worker does a step, or
when.

A page is in the sample of its site by the hash of its URL, so that neither the order of the pages nor the number of
slices matters: SHARE of a site's pages, at most MOST_PAGES. A site of which so many pages are not there has no profile.
The sample is read with peers, as the extraction reads all pages.
"""

import heapq
import json
import pickle
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.article import page_of, read_fetched
from newsextract.cluster.page_filter import ALL_PAGES, PageFilter
from newsextract.cluster.run_folder import AttemptLog, RunFolder, bucket_of
from newsextract.cluster.sources import RemoteFile, WarcSlice
from newsextract.compression import compress, decompress
from newsextract.export.parquet import write_table
from newsextract.extractors import Extractor
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.page_codec import page_of_values, page_values
from newsextract.pairing import PeerIndex, template_of, url_shape
from newsextract.site_profile import PageSummary, SiteProfile
from newsextract.site_profile.snapshot import MIN_PAGES
from newsextract.urls import article_key, site_of
from newsextract.warc.reader import read_warc_range

#: Parsed peers kept in memory: the templates of one site.
MOST_PARSED = 8


class ParsedPeers:
    """Finds peers among the pages of an index, which have packed bodies."""

    def __init__(self, index: PeerIndex) -> None:
        self._index = index
        self._parsed: OrderedDict[str, Page] = OrderedDict()

    def find(self, fetched: FetchedPage, page: Page) -> Page | None:
        """The page of the same template with the most similar URL; None if there is none. Sets `fetched.template`."""
        fetched.template = template_of(page)
        reference = self._index.find_peer(fetched)
        if reference is None:
            return None
        if reference.id not in self._parsed:
            self._parsed[reference.id] = Page(decompress(reference.body), reference.url, encoding=reference.encoding)
        self._parsed.move_to_end(reference.id)
        if len(self._parsed) > MOST_PARSED:
            self._parsed.popitem(last=False)
        return self._parsed[reference.id]


#: Share of the pages of a site that are read for its profile, and how many at most.
SHARE, MOST_PAGES = 1 / 8, 32
#: Number of different ranks, hashes of URLs.
RANKS = 1 << 32
SCHEMA = pa.schema([("site", pa.string()), ("profile", pa.binary())])

#: Path of a file and the offset of a record in it.
Position = tuple[str, int]


def is_sampled(rank: int, surveyed_share: float) -> bool:
    """Whether a page of this rank is in the sample of its site; `surveyed_share`: of its slice, which stands for all
    of it."""
    return rank < RANKS * SHARE / surveyed_share


def choose_site_samples(
    rows: Iterable[tuple[int, Mapping[str, Any]]], slices: Sequence[WarcSlice], shares: Sequence[float]
) -> list[tuple[str, str, int]]:
    """Site, path and offset of each page of the samples, the lowest ranks of all slices, by site.

    `rows`: rows of surveys with the numbers of their slices; `shares`: how much of each slice was surveyed.
    """
    sampled: dict[str, dict[int, tuple[int, int]]] = {}
    for number, row in rows:
        if is_sampled(row["rank"], shares[number]):
            sampled.setdefault(row["pattern"].partition("/")[0], {}).setdefault(row["rank"], (number, row["offset"]))
    return [
        (site, slices[number].path, offset)
        for site, of_rank in sorted(sampled.items())
        if len(of_rank) >= MIN_PAGES
        for number, offset in sorted(of_rank[rank] for rank in heapq.nsmallest(MOST_PAGES, of_rank))
    ]


class SampleReader:
    """Reads pages of samples. `sources`: files by path; `index`: the reference pages, with packed bodies."""

    def __init__(self, sources: Mapping[str, Path | RemoteFile], index: PeerIndex, extractor: Extractor) -> None:
        self._sources, self._extractor = sources, extractor
        self._peers = ParsedPeers(index)

    def read_all(
        self, samples: Sequence[tuple[str, str, int]], attempts: AttemptLog, first_number: int
    ) -> dict[str, list[PageSummary]]:
        """The summaries of sampled pages by site. `samples`: site, path and offset of each; `first_number`: of the
        pages in the log of attempts."""
        summaries: dict[str, list[PageSummary]] = {}
        for number, (site, path, offset) in enumerate(samples, first_number):
            if number in attempts.suspects:
                continue
            attempts.begin(number)
            if (summary := self.read(path, offset)) is not None:
                summaries.setdefault(site, []).append(summary)
        return summaries

    def read(self, path: str, offset: int) -> PageSummary | None:
        """What the page at that position says by itself and its peer; None for one that can't be read."""
        with suppress(Exception):  # a broken page of any kind must not cost more than itself
            for _, fetched in read_warc_range(self._sources[path], Counter(), offset, offset + 1):
                return self._summarize(fetched)
        return None

    def _summarize(self, fetched: FetchedPage) -> PageSummary:
        page = page_of(fetched)
        return read_fetched(fetched, page, self._extractor, self._peers.find(fetched, page)).summary


def write_profiles(summaries: Mapping[str, Sequence[PageSummary]], folder: RunFolder, bucket: int) -> None:
    """Writes the profiles of a bucket's sites; none of too few pages."""
    rows = [
        {"site": site, "profile": pickle.dumps(SiteProfile.build(of_site), pickle.HIGHEST_PROTOCOL)}
        for site, of_site in sorted(summaries.items())
        if len(of_site) >= MIN_PAGES
    ]
    write_table(pa.Table.from_pylist(rows, SCHEMA), folder.profiles_file(bucket), row_group_size=1)


class ProfileLookup:
    """Finds the profile of a site. Pages come sorted by site, so one profile is kept at a time."""

    def __init__(self, folder: RunFolder, buckets: int) -> None:
        self._folder, self._buckets = folder, buckets
        self._files: dict[int, tuple[pq.ParquetFile, dict[str, int]]] = {}
        self._found: tuple[str, SiteProfile | None] | None = None

    def find(self, site: str) -> SiteProfile | None:
        """The profile of a site; None where it has none."""
        if self._found is None or self._found[0] != site:
            self._found = site, self._read(site, bucket_of(site, self._buckets))
        return self._found[1]

    def _read(self, site: str, bucket: int) -> SiteProfile | None:
        if bucket not in self._files:
            file = pq.ParquetFile(self._folder.profiles_file(bucket))
            sites = file.read(columns=["site"])["site"].to_pylist()
            self._files[bucket] = file, {name: number for number, name in enumerate(sites)}
        file, groups = self._files[bucket]
        if site not in groups:
            return None
        packed = file.read_row_group(groups[site], columns=["profile"])["profile"][0].as_py()
        profile: SiteProfile = pickle.loads(packed)  # of this run's own workers
        return profile


#: Records sampled of each URL shape in a slice, and chosen of them over all slices; their templates are compared then.
SAMPLES_PER_SLICE, SAMPLES_PER_SHAPE = 3, 6
#: A slice is surveyed up to this many packed bytes, or this share of it, whichever is more: a site with many pages has
#: some there, and what a page gains by its peer is less than a survey of all pages would cost.
SURVEY_BYTES, SURVEY_SHARE = 8 * 1024 * 1024, 0.25
#: Rows of a row group of a file of references: about a site's.
REFERENCES_PER_GROUP = 8
SURVEY_SCHEMA = pa.schema(
    [("bucket", pa.int16()), ("pattern", pa.string()), ("rank", pa.int64()), ("offset", pa.int64())]
)
PEERS_SCHEMA = pa.schema(
    [
        ("site", pa.string()),
        ("page", pa.string()),
        ("body", pa.binary()),
    ]
)


def survey_slice(warc_slice: WarcSlice, folder: RunFolder, buckets: int, page_filter: PageFilter = ALL_PAGES) -> None:
    """Writes the positions of the first records of each URL shape, and of its site's sample, sorted by bucket.

    Only the beginning of a long slice is read (`SURVEY_BYTES`, `SURVEY_SHARE`).
    """
    seen: Counter[str] = Counter()
    rows = []
    wanted = None if page_filter.is_empty else page_filter.wants_record
    source, end, share = warc_slice.open_source(), surveyed_end(warc_slice), surveyed_share(warc_slice)
    for offset, page in read_warc_range(source, Counter(), warc_slice.start, end, wanted=wanted):
        shape = url_shape(page.url)
        seen[shape.pattern] += 1
        rank = crc32(article_key(page.url).encode())
        if seen[shape.pattern] <= SAMPLES_PER_SLICE or is_sampled(rank, share):
            rows.append((bucket_of(shape.site, buckets), shape.pattern, rank, offset))
    columns = [*zip(*sorted(rows), strict=True)] or [()] * len(SURVEY_SCHEMA)
    write_table(pa.table([*columns], schema=SURVEY_SCHEMA), folder.survey_file(warc_slice), row_group_size=1000)


def surveyed_end(warc_slice: WarcSlice) -> int:
    """Where the surveyed part of a slice ends."""
    length = warc_slice.end - warc_slice.start
    return warc_slice.start + min(length, max(SURVEY_BYTES, int(length * SURVEY_SHARE)))


def surveyed_share(warc_slice: WarcSlice) -> float:
    """Share of a slice that is surveyed."""
    return (surveyed_end(warc_slice) - warc_slice.start) / max(1, warc_slice.end - warc_slice.start)


def choose_references(
    bucket: int, slices: Sequence[WarcSlice], folder: RunFolder, extractor: Extractor | None, *, watch: bool = False
) -> None:
    """Writes the reference pages of a bucket's sites, of each URL shape one page for each template; with an extractor
    also the profiles of those sites that have one."""
    surveyed = [
        (number, row)
        for number, warc_slice in enumerate(slices)
        for row in survey_rows(folder.survey_file(warc_slice), bucket)
    ]
    positions = _choose_samples(surveyed, slices)
    with AttemptLog(folder.attempts_file(f"{bucket:04d}"), watch=watch) as attempts:
        sources = {warc_slice.path: warc_slice.source for warc_slice in slices}
        index, references = PeerIndex(), []
        for number, (path, offset) in enumerate(positions):
            if number in attempts.suspects:
                continue
            attempts.begin(number)
            for _, page in read_warc_range(sources[path], Counter(), offset, offset + 1):
                page.template = template_of(page_of(page))
                packed = replace(page, body=compress(page.body))
                if packed.template and index.add(packed):
                    references.append(packed)
        summaries: dict[str, list[PageSummary]] = {}
        if extractor is not None:
            samples = choose_site_samples(surveyed, slices, [surveyed_share(warc_slice) for warc_slice in slices])
            reader = SampleReader(sources, index, extractor)
            summaries = reader.read_all(samples, attempts, first_number=len(positions))
    write_profiles(summaries, folder, bucket)
    _write_references(references, folder.peers_file(bucket))


def _write_references(references: Sequence[FetchedPage], path: Path) -> None:
    rows = [
        {"site": site_of(page.url), "page": json.dumps(page_values(page)), "body": page.body}
        for page in sorted(references, key=lambda page: (site_of(page.url), page.url))
    ]
    write_table(pa.Table.from_pylist(rows, PEERS_SCHEMA), path, row_group_size=REFERENCES_PER_GROUP)


def _choose_samples(surveyed: Sequence[tuple[int, dict[str, Any]]], slices: Sequence[WarcSlice]) -> list[Position]:
    """Path and offset of SAMPLES_PER_SHAPE records of each URL shape: those of the lowest rank, a hash of the URL.

    A site with one article in an archive that was surveyed whole needs no reference.
    """
    lowest: dict[str, list[tuple[int, int, int]]] = {}
    partial = any(surveyed_end(warc_slice) != warc_slice.end for warc_slice in slices)
    articles: dict[str, set[int]] = {}
    for number, row in surveyed:
        articles.setdefault(row["pattern"].partition("/")[0], set()).add(row["rank"])
        heap = lowest.setdefault(row["pattern"], [])
        entry = (-row["rank"], -number, -row["offset"])
        if all(entry[0] != other[0] for other in heap):
            (heapq.heappush if len(heap) < SAMPLES_PER_SHAPE else heapq.heappushpop)(heap, entry)
    positions = sorted(
        (-number, -offset)
        for pattern, heap in lowest.items()
        if partial or len(articles[pattern.partition("/")[0]]) > 1
        for _, number, offset in heap
    )
    return [(slices[number].path, offset) for number, offset in positions]


def survey_rows(path: Path, bucket: int) -> Iterator[dict[str, Any]]:
    """The rows of a bucket in a survey, from the row groups that have some: the file is sorted by bucket.

    The same as `filters` of `pq.read_table`, with which pyarrow imports pandas (40 MiB) where that is installed.
    """
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            extent = file.metadata.row_group(group).column(0).statistics
            if extent is None or extent.min <= bucket <= extent.max:
                yield from (row for row in file.read_row_group(group).to_pylist() if row["bucket"] == bucket)


class PeerLookup:
    """Finds peers for pages among the reference pages of their sites, which are loaded with the first page of each.

    Pages come sorted by site, so the references of one site are kept at a time.
    """

    def __init__(self, folder: RunFolder, buckets: int) -> None:
        self._folder, self._buckets = folder, buckets
        self._files: dict[int, tuple[pq.ParquetFile, dict[str, list[int]]]] = {}
        self._site: str | None = None
        self._has_references = False
        self._peers = ParsedPeers(PeerIndex())

    def find_peer(self, fetched: FetchedPage, page: Page) -> Page | None:
        """The reference page of the same template with the most similar URL, parsed; None if there is none."""
        site = site_of(fetched.url)
        if site != self._site:
            self._load(site)
        return self._peers.find(fetched, page) if self._has_references else None

    def _load(self, site: str) -> None:
        """Replaces the references by those of a site."""
        index = PeerIndex()
        self._site, self._peers = site, ParsedPeers(index)
        file, groups = self._bucket(bucket_of(site, self._buckets))
        self._has_references = site in groups
        if self._has_references:
            for row in file.read_row_groups(groups[site]).to_pylist():
                if row["site"] == site:
                    index.add(page_of_values(json.loads(row["page"]), row["body"]))

    def _bucket(self, number: int) -> "tuple[pq.ParquetFile, dict[str, list[int]]]":
        """The file of a bucket, and by site the row groups in which its references are."""
        if number not in self._files:
            file = pq.ParquetFile(self._folder.peers_file(number))
            sites: dict[str, list[int]] = {}
            for row, site in enumerate(file.read(columns=["site"])["site"].to_pylist()):
                groups = sites.setdefault(site, [])
                if row // REFERENCES_PER_GROUP not in groups:
                    groups.append(row // REFERENCES_PER_GROUP)
            self._files[number] = file, sites
        return self._files[number]
