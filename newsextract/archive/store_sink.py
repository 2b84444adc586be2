"""The articles of a run in a database: a backfill, with the identity, versions and change log of a crawl.

An existing article isn't duplicated; the text of an earlier fetch becomes an older version (`store.articles`). Slices
are stored one after the other, in transactions of a row group, and marked when done: after a kill, the rest of a slice
is stored again, which changes nothing.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from newsextract.archive.parquet_sink import read_rows
from newsextract.archive.run_folder import RunFolder, write_file
from newsextract.archive.sources import WarcSlice
from newsextract.article.parquet_rows import article_of_row
from newsextract.near_duplicates import signature_of
from newsextract.store import PageOutcome, Store, UrlState
from newsextract.store.leases import record_command
from newsextract.store.outcome import PageResponse


def store_articles(
    folder: RunFolder, slices: Sequence[WarcSlice], database: str, maker: str, on_done: Callable[[int, int], None]
) -> Counter[str]:
    """Stores the articles of finished slices; their number by result. `on_done` gets the stored slices and all."""
    counts: Counter[str] = Counter()
    run: int | None = None
    marks = folder.path / "work" / "stored" / hashlib.sha256(database.encode()).hexdigest()[:16]
    with Store.open(database) as store:
        for number, warc_slice in enumerate(slices):
            mark = marks / warc_slice.name
            if folder.done_file(warc_slice).exists() and not mark.exists():
                run = run or store.write(record_command, "cluster", {"output": str(folder.path)}, maker)
                for rows in read_rows(folder, warc_slice):
                    counts.update(result.kind for result in store.commit([_outcome(one, run) for one in rows]))
                write_file(mark, [])
            on_done(number + 1, len(slices))
    return counts


def _outcome(values: dict[str, Any], run: int) -> PageOutcome:
    article = article_of_row(values)
    article.discovered_from = article.discovered_from or f"{values['warc_filename']}:{values['warc_record_offset']}"
    outcome = PageOutcome(article.url, UrlState.stored, article=article, response=PageResponse(200))
    outcome.signature = signature_of(article.article_body)
    outcome.at, outcome.captured, outcome.run = article.fetched_at, True, run
    return outcome
