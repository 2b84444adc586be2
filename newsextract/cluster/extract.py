"""One slice: its pages become articles, in one file for each day on which pages were fetched."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
from typing import Any

import pyarrow as pa

from newsextract.article import article_of_fetched, page_of
from newsextract.cluster.attempts import Attempts
from newsextract.cluster.peers import References
from newsextract.cluster.run_folder import Place, write_json
from newsextract.cluster.slices import Slice
from newsextract.discovery.warc_reader import SkippedRecords, read_warc_range
from newsextract.errors import ArchiveError, PeerNeeded
from newsextract.export.parquet import row, schema, write_table
from newsextract.extractors import Extractor, make_extractor
from newsextract.items import Article, FetchedPage

#: Beside the article's own fields: where its page stands, in Common Crawl's words.
COLUMNS = (*Article.__dataclass_fields__, "warc_filename", "warc_record_offset")
SCHEMA = schema(COLUMNS).set(len(COLUMNS) - 1, pa.field("warc_record_offset", pa.int64()))


@dataclass(frozen=True, slots=True)
class Job:
    """What is done with every page.

    `buckets`: of references, 0 where the extractor looks at one page alone; `watch`: end the process over a page that
    takes too long.
    """

    extractor: str
    options: Mapping[str, Any]
    buckets: int
    watch: bool


@dataclass
class Figures:
    """Of a slice, or of all: pages read, articles, pages that are none and records that are no page by reason.

    `named`: the first few records skipped for each reason: reason, file, offset, address. `seconds`, `cpu_seconds`: by
    the clock and of the processor; `peak_mib`: the most memory that a worker had.
    """

    pages: int = 0
    articles: int = 0
    not_articles: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    named: list[list[Any]] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mib: int = 0

    def add(self, other: Mapping[str, Any]) -> None:
        """Adds those of a slice, as `done/SLICE.json` has them."""
        self.pages += other["pages"]
        self.articles += other["articles"]
        self.not_articles.update(other["not_articles"])
        self.skipped.update(other["skipped"])
        self.named += other["named"]
        self.seconds += other["seconds"]
        self.cpu_seconds += other["cpu_seconds"]
        self.peak_mib = max(self.peak_mib, other["peak_mib"])


def extract_slice(piece: Slice, place: Place, job: Job) -> None:
    """Writes the slice's articles, then that it is done. Done again, it writes the same files with the same content."""
    began, began_cpu = perf_counter(), process_time()
    figures, skipped = Figures(), SkippedRecords()
    extractor = make_extractor(job.extractor, job.options)
    references = References(piece, place, job.buckets) if job.buckets else None
    days: dict[str, list[dict[str, Any]]] = {}
    with Attempts(place.attempts(piece), watch=job.watch) as attempts:
        try:
            for offset, fetched in read_warc_range(Path(piece.path), skipped, piece.start, piece.end):
                figures.pages += 1
                if offset in attempts.suspects:
                    skipped.add("killed_its_worker", offset, fetched.url)
                    continue
                attempts.begin(offset)
                article = _article(offset, fetched, extractor, references, skipped)
                if article is None:
                    continue
                if not article.is_article:
                    figures.not_articles[article.not_article_because or "not_article"] += 1
                    continue
                figures.articles += 1
                values = {**row(article), "warc_filename": Path(piece.path).name, "warc_record_offset": offset}
                days.setdefault(f"{fetched.fetched_at:%Y-%m-%d}", []).append(values)
        except ArchiveError:
            skipped.add("no_warc", piece.start)
    for day, rows in sorted(days.items()):
        ordered = sorted(rows, key=lambda values: (values["site"], values["warc_record_offset"]))
        write_table(pa.Table.from_pylist(ordered, SCHEMA), place.articles(piece, day), row_group_size=1000)
    figures.named = [[reason, piece.path, offset, url] for reason, offset, url in skipped.listed]
    figures.skipped = skipped
    figures.seconds, figures.cpu_seconds = perf_counter() - began, process_time() - began_cpu
    figures.peak_mib = getrusage(RUSAGE_SELF).ru_maxrss // 1024
    write_json(place.done(piece), {"days": sorted(days), **vars(figures)})


def _article(
    offset: int, fetched: FetchedPage, extractor: Extractor, references: References | None, skipped: SkippedRecords
) -> Article | None:
    """The article of a page; None, counted and named, where reading it fails."""
    try:
        page = page_of(fetched)
        peer = references.peer_of(fetched, page) if references else None
        article = article_of_fetched(fetched, page, extractor, peer)
        article.first_seen_at = article.fetched_at
        return article
    except PeerNeeded:
        skipped.add("no_peer", offset, fetched.url)
        return None
    except Exception:  # whatever is wrong with a page costs that page
        skipped.add("failed", offset, fetched.url)
        return None
