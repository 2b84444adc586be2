"""Marks near-duplicates among all stored articles again, for databases from before signatures were stored."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from newsextract.store.changes import take_numbers
from newsextract.store.duplicates import log_remarked, mark
from newsextract.store.engine import Clock, Database
from newsextract.store.schema import article_versions, articles, current_articles

if TYPE_CHECKING:
    from newsextract.near_duplicates import Signature

#: Articles per transaction, during which other writers wait.
BATCH = 100


@dataclass(frozen=True, slots=True)
class DeduplicationProgress:
    """Articles looked at so far, of how many, and how many of them got another `duplicate_of`."""

    done: int
    of: int
    changed: int


def rededuplicate(
    database: Database, signature_of: "Callable[[str], Signature | None]"
) -> Iterator[DeduplicationProgress]:
    """Marks all articles as a crawl that stored them in this order would have; each changed mark is logged as a change.

    May be interrupted and started again at any time: correct marks stay as they are.
    """
    with database.reading() as connection:
        total = connection.execute(select(func.count()).select_from(articles)).scalar_one()
    after = done = changed = 0
    while True:
        ids, remarked = database.write(partial(_batch, after=after, signature_of=signature_of, clock=database.clock))
        if not ids:
            return
        after, done, changed = max(ids), done + len(ids), changed + remarked
        yield DeduplicationProgress(done, total, changed)


def _batch(
    connection: Connection, after: int, signature_of: "Callable[[str], Signature | None]", clock: Clock
) -> tuple[list[int], int]:
    """Marks the next articles; returns their ids, and how many of them got another `duplicate_of`."""
    take_numbers(connection, 0)  # only for its lock
    query = (
        current_articles(articles.c.id, articles.c.duplicate_of, article_versions.c.document)
        .where(articles.c.id > after)
        .order_by(articles.c.id)
        .limit(BATCH)
    )
    rows = connection.execute(query).all()
    texts = {row.id: signature_of(json.loads(row.document)["article_body"]) for row in rows}
    signed = {number: signature for number, signature in texts.items() if signature is not None}
    originals = mark(connection, signed, list(texts))
    remarked = [row.id for row in rows if originals.get(row.id) != row.duplicate_of]
    log_remarked(connection, remarked, clock(connection))
    return list(texts), len(remarked)
