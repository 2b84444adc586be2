"""What is known about an archive's sites when their pages are extracted, found in two steps before that.

`survey_slice` records where sample pages of each site are. `read_sites` reads them and writes a file for each site: for
`fusion`, its profile (`newsextract.site_profile`) and the articles of its samples; for extractors that compare two
pages, a few peers per template of each URL shape. `fusion` gets no peers: they don't improve its text
(docs/measurements/EXTRACTORS.md).

Samples are the pages whose URLs have the lowest hashes, so the result depends neither on the order of the pages or
slices nor on workers and timing.
"""

import json
import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from heapq import nsmallest
from itertools import groupby
from typing import Any, NamedTuple
from zlib import crc32

from newsextract.archive.run_folder import AttemptLog, ExtractionJob, RunFolder, bucket_of, read_json, write_file
from newsextract.archive.sources import WarcSlice
from newsextract.article.extract import page_of, read_article
from newsextract.compression import compress, decompress
from newsextract.extractors import make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.site_profile import ProfileSnapshot, SiteEvidence, SiteProfile, build_profile, decide_all
from newsextract.site_profile.decision import set_page_type
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.site_profile.peer_index import PER_TEMPLATE, PeerIndex
from newsextract.site_profile.snapshot import MIN_PAGES
from newsextract.site_profile.templates import template_of
from newsextract.urls import article_key
from newsextract.urls.shapes import url_shape
from newsextract.warc.reader import read_warc_range
from newsextract.workers.messages import ExtractionPlan
from newsextract.workers.worker import PageWorker

#: Number of different ranks, hashes of URLs.
RANKS = 1 << 32
#: Share of a site's pages that are read for its profile, and the maximum number.
SHARE = 1 / 8
MOST_PAGES = 32
#: Records of each URL shape that are read over all slices for reference pages; half of them are listed per slice.
SAMPLES_PER_SHAPE = 6
#: Compressed bytes of a slice that are surveyed, or this share of it, whichever is more: a site with many pages has
#: some there, and a survey of all pages would cost more than its pages gain.
SURVEY_BYTES = 8 * 1024 * 1024
SURVEY_SHARE = 0.25
#: Archives kept open.
MOST_OPEN = 4


def survey_slice(warc_slice: WarcSlice, folder: RunFolder, job: ExtractionJob) -> None:
    """Writes the possible samples at the beginning of a slice: site, URL shape, rank, offset of each record."""
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
        if not job.uses_peers or seen[shape.pattern] <= PER_TEMPLATE:
            rows.append((shape.site, shape.pattern, rank_of(page.url), offset))
    write_file(folder.survey_file(warc_slice), [json.dumps(rows).encode()])


def rank_of(url: str) -> int:
    return crc32(article_key(url).encode())


class Sample(NamedTuple):
    """A sample page: its site, the number of its slice, and the offset of its record."""

    site: str
    slice: int
    offset: int


def choose_samples(surveys: Iterable[Iterable[Sequence[Any]]], job: ExtractionJob, bucket: int = 0) -> list[Sample]:
    """The pages of a bucket's sites with the lowest ranks of all surveys, in order of their sites."""
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
    """Writes what the samples of a bucket's sites show, one file per site."""
    slices, source = folder.slices(), lru_cache(MOST_OPEN)(lambda number: slices[number].source)
    samples = choose_samples((read_json(folder.survey_file(each)) for each in slices), job, bucket)
    extractor = make_extractor(job.extractor, job.options)
    with AttemptLog(folder.attempts_file(f"{bucket:04d}"), watch=job.watch) as attempts:
        for site, numbered in groupby(enumerate(samples), lambda entry: entry[1].site):
            peers, read = PeerIndex(), dict[Position, ExtractedArticle]()
            for number, (_, number_of_slice, offset) in numbered:
                if number in attempts.suspects:
                    continue
                attempts.begin(number)
                for _, fetched in read_warc_range(source(number_of_slice), Counter(), offset, offset + 1):
                    with suppress(Exception):  # any broken page must affect only itself
                        page = page_of(fetched)
                        if not job.uses_peers:
                            read[slices[number_of_slice].name, offset] = read_article(page, extractor)
                        elif template := template_of(page):
                            peers.add(replace(fetched, body=compress(fetched.body), template=template))
            if job.uses_peers:
                known = KnownSite(peers=peers)
            elif profile := build_profile([one.summary for one in read.values() if one.summary]):
                known = KnownSite(ProfileSnapshot.of(profile), decide_samples(read, profile))
            else:
                continue
            write_file(folder.site_file(site), [pickle.dumps(known)])
    write_file(folder.sites_done(bucket), [])


#: The name of a slice, and the offset of a record in its file.
Position = tuple[str, int]


def decide_samples(samples: Mapping[Position, ExtractedArticle], profile: SiteProfile) -> dict[Position, bytes]:
    """The articles of samples read without the profile, decided with it; not those whose text is another with it."""
    decisions = decide_all([page.summary for page in samples.values() if page.summary is not None], profile)
    articles = {}
    for (position, page), decision in zip(samples.items(), decisions, strict=True):
        if decision.weights is not None:
            set_page_type(page, decision, page.text_confidence)
        if decision.keeps_text(page.decision):
            articles[position] = pickle.dumps(page.as_kind(Article))
    return articles


@dataclass(slots=True)
class KnownSite:
    """A site's profile and its samples' articles (pickled), so that they are read once; or its `peers`."""

    snapshot: ProfileSnapshot | None = None
    articles: Mapping[Position, bytes] = field(default_factory=dict)
    peers: PeerIndex | None = None

    @classmethod
    def load(cls, folder: RunFolder, site: str) -> "KnownSite":
        """What `read_sites` has written."""
        path = folder.site_file(site)
        return pickle.loads(path.read_bytes()) if path.exists() else cls()  # of this run's own workers

    def plan(self, page: FetchedPage, worker: PageWorker) -> ExtractionPlan:
        """How to extract a page: with the profile, or the page of the same template with the most similar URL."""
        if self.peers is None:
            evidence = None if self.snapshot is None else SiteEvidence(self.snapshot)
            return ExtractionPlan(evidence=evidence, signs=False)
        peer = self.peers.find_peer(replace(page, template=template_of(worker.parse(page))))
        peers = () if peer is None else (replace(peer, body=decompress(peer.body)),)
        return ExtractionPlan(peers, signs=False)
