"""Puts the articles of a finished run into a database, as a backfill: with the identity, versions and change log of a
crawl.

An article that is there already is not doubled; the text of an earlier fetch becomes an older version
(`store.articles`). Slices are stored one after the other, in transactions of BATCH articles, and each is marked when it
is done: a run that was killed stores the rest of a slice again, which changes nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from newsextract.cluster.run_folder import RunFolder, read_json
from newsextract.cluster.slices import WarcSlice
from newsextract.errors import StorageError
from newsextract.export.parquet import article_of_row
from newsextract.near_duplicates import with_signature
from newsextract.store import PageOutcome, Store, UrlState

#: Articles of one transaction.
BATCH = 200


def store_articles(
    folder: RunFolder, slices: Sequence[WarcSlice], database: str, on_done: Callable[[int, int], None]
) -> Counter[str]:
    """Stores the articles of all finished slices; returns their number by what became of them.

    `on_done` is called with the number of slices that are stored, and of all. Raises DatabaseError, StorageError.
    """
    counts: Counter[str] = Counter()
    marks = folder.path / "work" / "stored" / hashlib.sha256(database.encode()).hexdigest()[:16]
    with Store.open(database) as store:
        for number, warc_slice in enumerate(slices):
            mark = marks / warc_slice.name
            if folder.done_file(warc_slice).exists() and not mark.exists():
                for batch in _batches(_rows(folder, warc_slice)):
                    results = store.commit([_outcome(row) for row in batch])
                    counts.update(result.kind for result in results)
                try:
                    marks.mkdir(parents=True, exist_ok=True)
                    mark.touch()
                except OSError as error:
                    raise StorageError(f"{mark} can't be written: {error.strerror or error}") from error
            on_done(number + 1, len(slices))
    return counts


def _rows(folder: RunFolder, warc_slice: WarcSlice) -> Iterator[dict[str, Any]]:
    for day in read_json(folder.done_file(warc_slice))["days"]:
        path = Path(folder.articles_file(warc_slice, day))
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH):
                    yield from batch.to_pylist()
        except (OSError, ValueError) as error:
            raise StorageError(f"{path} can't be read: {error}") from error


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _outcome(row: dict[str, Any]) -> PageOutcome:
    article = with_signature(article_of_row(row))
    return PageOutcome(
        article.url,
        UrlState.stored,
        article=article,
        signature=article.signature,
        status=200,
        at=article.fetched_at,
    )
