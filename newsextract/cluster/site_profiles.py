"""Profiles of the sites of an archive (`newsextract.site_profile`), each made of a sample of the site's pages.

A page is in the sample by the hash of its URL, so that neither the order of the pages nor the number of slices matters:
SHARE of a site's pages, at most MOST_PAGES. A site of which so many pages are not there has no profile. The sample is
read with peers, as the extraction reads all pages, and is what a profile costs: little on a large site.
"""

import heapq
import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.article import page_of, read_fetched
from newsextract.cluster.attempts import AttemptLog
from newsextract.cluster.parsed_peers import ParsedPeers
from newsextract.cluster.run_folder import RunFolder, bucket_of
from newsextract.cluster.slices import WarcSlice
from newsextract.cluster.sources import RemoteFile
from newsextract.export.parquet import write_table
from newsextract.extractors import Extractor
from newsextract.items import FetchedPage
from newsextract.pairing import PeerIndex
from newsextract.site_profile import PageSummary, SiteProfile
from newsextract.site_profile.snapshot import MIN_PAGES
from newsextract.warc.reader import read_warc_range

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
