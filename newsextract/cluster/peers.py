"""Peers for an archive: reference pages of each site, found in two steps before the extraction.

`survey_slice` samples the records of each URL shape in a slice; `choose_references` reads a few samples of each shape
over all slices and keeps those that differ in template. `PeerLookup` finds the peer of a page among these references.
The result does not depend on which worker does a step, or when.
"""

import heapq
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from newsextract.article import page_of
from newsextract.cluster.attempts import AttemptLog
from newsextract.cluster.run_folder import RunFolder
from newsextract.cluster.slices import WarcSlice
from newsextract.discovery.warc_reader import MAX_PAGE_BYTES, read_warc_range
from newsextract.export.parquet import write_table
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing import PeerIndex, template_of, url_shape
from newsextract.urls import article_key, site_of

#: Records sampled of each URL shape in a slice, and chosen of them over all slices; their templates are compared then.
SAMPLES_PER_SLICE, SAMPLES_PER_SHAPE = 3, 6
#: Sites are distributed over at most this many buckets: so many tasks can choose references at a time.
MAX_BUCKETS = 64
#: Parsed peers kept in memory, those used last.
PARSED_PEERS = 24
SURVEY_SCHEMA = pa.schema(
    [("bucket", pa.int16()), ("pattern", pa.string()), ("rank", pa.int64()), ("offset", pa.int64())]
)
PEERS_SCHEMA = pa.schema(
    [
        ("site", pa.string()),
        ("url", pa.string()),
        ("encoding", pa.string()),
        ("fetched_at", pa.timestamp("us", "UTC")),
        ("template", pa.list_(pa.int64())),
        ("body", pa.binary()),
    ]
)


def bucket_count(slices: int) -> int:
    """The number of buckets for so many slices."""
    return max(1, min(MAX_BUCKETS, slices // 4))


def bucket_of(site: str, buckets: int) -> int:
    """The bucket of a site, 0 to `buckets` - 1."""
    return crc32(site.encode()) % buckets


def survey_slice(warc_slice: WarcSlice, folder: RunFolder, buckets: int) -> None:
    """Writes the positions of the first records of each URL shape, sorted by bucket."""
    seen: Counter[str] = Counter()
    rows = []
    for offset, page in read_warc_range(Path(warc_slice.path), Counter(), warc_slice.start, warc_slice.end):
        shape = url_shape(page.url)
        seen[shape.pattern] += 1
        if seen[shape.pattern] <= SAMPLES_PER_SLICE:
            rank = crc32(article_key(page.url).encode())
            rows.append((bucket_of(shape.site, buckets), shape.pattern, rank, offset))
    columns = [*zip(*sorted(rows), strict=True)] or [()] * len(SURVEY_SCHEMA)
    write_table(pa.table([*columns], schema=SURVEY_SCHEMA), folder.survey_file(warc_slice), row_group_size=1000)


def choose_references(bucket: int, slices: Sequence[WarcSlice], folder: RunFolder, *, watch: bool = False) -> None:
    """Writes the reference pages of a bucket's sites: of each URL shape one page for each template."""
    with AttemptLog(folder.attempts_file(f"{bucket:04d}"), watch=watch) as attempts:
        index, references = PeerIndex(), []
        for number, (path, offset) in enumerate(_choose_samples(bucket, slices, folder)):
            if number in attempts.suspects:
                continue
            attempts.begin(number)
            for _, page in read_warc_range(Path(path), Counter(), offset, offset + 1):
                page.template = template_of(page_of(page))
                if page.template and index.add(page):
                    references.append(page)
    rows = [
        {
            "site": site_of(page.url),
            "url": page.url,
            "encoding": page.encoding,
            "fetched_at": page.fetched_at,
            "template": sorted(page.template),
            "body": zstandard.ZstdCompressor(level=3).compress(page.body),
        }
        for page in sorted(references, key=lambda page: (site_of(page.url), page.url))
    ]
    write_table(pa.Table.from_pylist(rows, PEERS_SCHEMA), folder.peers_file(bucket), row_group_size=100)


def _choose_samples(bucket: int, slices: Sequence[WarcSlice], folder: RunFolder) -> list[tuple[str, int]]:
    """Path and offset of SAMPLES_PER_SHAPE records of each URL shape: those of the lowest rank, a hash of the URL."""
    lowest: dict[str, list[tuple[int, int, int]]] = {}
    for number, warc_slice in enumerate(slices):
        table = pq.read_table(folder.survey_file(warc_slice), filters=[("bucket", "=", bucket)])
        for row in table.to_pylist():
            heap = lowest.setdefault(row["pattern"], [])
            entry = (-row["rank"], -number, -row["offset"])
            if all(entry[0] != other[0] for other in heap):
                (heapq.heappush if len(heap) < SAMPLES_PER_SHAPE else heapq.heappushpop)(heap, entry)
    positions = sorted((-number, -offset) for heap in lowest.values() for _, number, offset in heap)
    return [(slices[number].path, offset) for number, offset in positions]


class PeerLookup:
    """Finds peers for the pages of one slice among the reference pages of its sites."""

    def __init__(self, warc_slice: WarcSlice, folder: RunFolder, buckets: int) -> None:
        self._index = PeerIndex()
        self._parsed: OrderedDict[str, Page] = OrderedDict()
        for page in _load_references(warc_slice, folder, buckets):
            self._index.add(page)

    def find_peer(self, fetched: FetchedPage, page: Page) -> Page | None:
        """The reference page of the same template with the most similar URL, parsed; None if there is none."""
        fetched.template = template_of(page)
        reference = self._index.find_peer(fetched)
        if reference is None:
            return None
        if reference.id not in self._parsed:
            body = zstandard.ZstdDecompressor().decompress(reference.body, max_output_size=MAX_PAGE_BYTES + 1)
            self._parsed[reference.id] = Page(body, reference.url, encoding=reference.encoding)
        self._parsed.move_to_end(reference.id)
        if len(self._parsed) > PARSED_PEERS:
            self._parsed.popitem(last=False)
        return self._parsed[reference.id]


def _load_references(warc_slice: WarcSlice, folder: RunFolder, buckets: int) -> Iterator[FetchedPage]:
    """The reference pages of the slice's sites, with compressed bodies."""
    patterns = pq.read_table(folder.survey_file(warc_slice), columns=["pattern"])["pattern"].to_pylist()
    sites: dict[int, set[str]] = {}
    for site in {pattern.partition("/")[0] for pattern in patterns}:
        sites.setdefault(bucket_of(site, buckets), set()).add(site)
    for bucket, sites_of_bucket in sorted(sites.items()):
        table = pq.read_table(folder.peers_file(bucket), filters=[("site", "in", sorted(sites_of_bucket))])
        for row in table.to_pylist():
            yield FetchedPage(
                row["url"], row["body"], row["fetched_at"], row["encoding"], template=frozenset(row["template"])
            )
