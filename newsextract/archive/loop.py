"""The one loop over pages that were fetched before: a source plans each page, a reader extracts it, a sink takes it.

| | `cluster` | `reextract` |
|---|---|---|
| source | `extract.SliceSource`, by site | `reextract.KeptArticles`, by 50 pages |
| reader | `read_here`, in each task | `read_with` processes, here or on Dask |
| sink | `parquet_sink.ParquetSink` | `reextract.RevisionSink` |
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage
from newsextract.workers.messages import ExtractionPlan, Worker, Workers

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class ArchivePage(Generic[K]):
    """A page of a source, the `offset` of its record, and what is `known` of it before it is extracted."""

    offset: int
    page: FetchedPage
    known: K


class PageSource(Protocol[K]):
    """Where pages come from."""

    def batches(self) -> Iterator[Iterable[ArchivePage[K]]]:
        """All pages; those of a batch are given to the sink together."""

    def plan(self, stored: ArchivePage[K]) -> ExtractionPlan | Article:
        """How to extract a page; its article if it is known already. An error is that of the page."""


class ArticleSink(Protocol[K]):
    """Where articles go."""

    def add(self, stored: ArchivePage[K], article: Article) -> None:
        """Takes a page's article, or the page that isn't one."""

    def fail(self, stored: ArchivePage[K], error: Exception) -> None:
        """Takes a page that couldn't be extracted."""

    def flush(self) -> None:
        """Ends a batch."""


Plan: TypeAlias = Callable[[ArchivePage[K]], ExtractionPlan | Article]
Results: TypeAlias = Iterator[tuple[ArchivePage[K], Article | Exception]]
#: Extracts the pages of a batch by their plans: each with its article, or the error. A broken page affects only itself.
Reader: TypeAlias = Callable[[Iterable[ArchivePage[K]], Plan[K]], Results[K]]


def extract_all(source: PageSource[K], reader: Reader[K], sink: ArticleSink[K]) -> None:
    """Extracts the pages of a source into a sink."""
    for batch in source.batches():
        for stored, result in reader(batch, source.plan):
            if isinstance(result, Exception):
                sink.fail(stored, result)
            else:
                sink.add(stored, result)
        sink.flush()


def read_here(worker: Worker) -> Reader[K]:
    """The reader of a task: one page after the other, in this process."""

    def read(batch: Iterable[ArchivePage[K]], plan: Plan[K]) -> Results[K]:
        for stored in batch:
            try:
                planned = plan(stored)
                result = planned if isinstance(planned, Article) else worker.extract(stored.page, planned)
            except Exception as error:
                yield stored, error
            else:
                yield stored, result

    return read


def read_with(workers: Workers) -> Reader[K]:
    """The reader with worker processes, here or on a cluster: all pages of a batch are under way at a time."""

    def read(batch: Iterable[ArchivePage[K]], plan: Plan[K]) -> Results[K]:
        under_way = []
        for stored in batch:
            try:
                planned = plan(stored)
            except NewsextractError as error:
                yield stored, error
                continue
            if isinstance(planned, Article):
                yield stored, planned
            else:
                under_way.append((stored, workers.submit(Worker.extract, stored.page, planned)))
        for stored, future in under_way:
            try:
                result = future.result()
            except Exception as error:  # a page that crashes its worker
                yield stored, error
            else:
                yield stored, result

    return read
