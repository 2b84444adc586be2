"""Peers within a site across an archive, in two steps before the extraction; the same whoever does them and when.

`survey` notes of a slice which shapes of URL it has, and where; `choose` takes a few pages of each shape over all
slices, reads them, and keeps those that differ in template. `References` gives a slice's pages their peers.
"""

import heapq
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from newsextract.article import page_of
from newsextract.cluster.attempts import Attempts
from newsextract.cluster.run_folder import Place
from newsextract.cluster.slices import Slice
from newsextract.discovery.warc_reader import MAX_PAGE_BYTES, read_warc_range
from newsextract.export.parquet import write_table
from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing import PeerIndex, template_of, url_shape
from newsextract.urls import article_key, site_of

#: Pages of a shape noted in a slice, and chosen among all slices; templates are told apart among the chosen.
PER_SLICE, PER_SHAPE = 3, 6
#: Files of references, each with the sites of one bucket, at most: as many tasks can choose at a time.
BUCKETS = 64
#: Peers held parsed: those of the sites that were met last.
HELD = 24
SURVEY = pa.schema([("bucket", pa.int16()), ("pattern", pa.string()), ("rank", pa.int64()), ("offset", pa.int64())])
PEERS = pa.schema(
    [
        ("site", pa.string()),
        ("url", pa.string()),
        ("encoding", pa.string()),
        ("fetched_at", pa.timestamp("us", "UTC")),
        ("template", pa.list_(pa.int64())),
        ("body", pa.binary()),
    ]
)


def buckets_for(slices: int) -> int:
    """How many buckets are worth it for so many slices."""
    return max(1, min(BUCKETS, slices // 4))


def bucket_of(site: str, buckets: int) -> int:
    """The bucket of a site."""
    return crc32(site.encode()) % buckets


def survey(piece: Slice, place: Place, buckets: int) -> None:
    """Notes a few pages of each shape, by bucket."""
    taken: Counter[str] = Counter()
    rows = []
    for offset, page in read_warc_range(Path(piece.path), Counter(), piece.start, piece.end):
        shape = url_shape(page.url)
        taken[shape.pattern] += 1
        if taken[shape.pattern] <= PER_SLICE:
            rank = crc32(article_key(page.url).encode())
            rows.append((bucket_of(shape.site, buckets), shape.pattern, rank, offset))
    columns = [*zip(*sorted(rows), strict=True)] or [()] * len(SURVEY)
    write_table(pa.table([*columns], schema=SURVEY), place.survey(piece), row_group_size=1000)


def choose(bucket: int, pieces: Iterable[Slice], place: Place, *, watch: bool = False) -> None:
    """Writes the references of a bucket's sites."""
    where = [*pieces]
    with Attempts(place.folder / "work" / "attempts" / f"{bucket:04d}", watch=watch) as attempts:
        index, kept = PeerIndex(), []
        for number, (path, offset) in enumerate(_chosen(bucket, where, place)):
            if number in attempts.suspects:
                continue
            attempts.begin(number)
            for _, page in read_warc_range(Path(path), Counter(), offset, offset + 1):
                page.template = template_of(page_of(page))
                if page.template and index.add(page):
                    kept.append(page)
    rows = [
        {
            "site": site_of(page.url),
            "url": page.url,
            "encoding": page.encoding,
            "fetched_at": page.fetched_at,
            "template": sorted(page.template),
            "body": zstandard.ZstdCompressor(level=3).compress(page.body),
        }
        for page in sorted(kept, key=lambda page: (site_of(page.url), page.url))
    ]
    write_table(pa.Table.from_pylist(rows, PEERS), place.peers(bucket), row_group_size=100)


def _chosen(bucket: int, pieces: list[Slice], place: Place) -> list[tuple[str, int]]:
    """Path and offset of the pages chosen: of each shape those of the lowest rank, which is as good as chance."""
    best: dict[str, list[tuple[int, int, int]]] = {}
    for number, piece in enumerate(pieces):
        table = pq.read_table(place.survey(piece), filters=[("bucket", "=", bucket)])
        for row in table.to_pylist():
            heap = best.setdefault(row["pattern"], [])
            entry = (-row["rank"], -number, -row["offset"])
            if all(entry[0] != other[0] for other in heap):
                (heapq.heappush if len(heap) < PER_SHAPE else heapq.heappushpop)(heap, entry)
    entries = sorted((-number, -offset) for heap in best.values() for _, number, offset in heap)
    return [(pieces[number].path, offset) for number, offset in entries]


class References:
    """The references of the sites of one slice."""

    def __init__(self, piece: Slice, place: Place, buckets: int) -> None:
        self._index = PeerIndex()
        self._parsed: OrderedDict[str, Page] = OrderedDict()
        for page in _load(piece, place, buckets):
            self._index.add(page)

    def peer_of(self, fetched: FetchedPage, page: Page) -> Page | None:
        """The page of the same template with the most similar URL, parsed."""
        fetched.template = template_of(page)
        found = self._index.find_peer(fetched)
        if found is None:
            return None
        if found.id not in self._parsed:
            body = zstandard.ZstdDecompressor().decompress(found.body, max_output_size=MAX_PAGE_BYTES + 1)
            self._parsed[found.id] = Page(body, found.url, encoding=found.encoding)
        self._parsed.move_to_end(found.id)
        if len(self._parsed) > HELD:
            self._parsed.popitem(last=False)
        return self._parsed[found.id]


def _load(piece: Slice, place: Place, buckets: int) -> Iterator[FetchedPage]:
    """Those of the sites that the slice has, their bodies still packed."""
    patterns = pq.read_table(place.survey(piece), columns=["pattern"])["pattern"].to_pylist()
    sites: dict[int, set[str]] = {}
    for site in {pattern.partition("/")[0] for pattern in patterns}:
        sites.setdefault(bucket_of(site, buckets), set()).add(site)
    for bucket, some in sorted(sites.items()):
        table = pq.read_table(place.peers(bucket), filters=[("site", "in", sorted(some))])
        for row in table.to_pylist():
            yield FetchedPage(
                row["url"], row["body"], row["fetched_at"], row["encoding"], template=frozenset(row["template"])
            )
