"""All stored articles looked through for copies once more, for databases from before there were signatures."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection, func, select

from newsextract.near_duplicates import Signature
from newsextract.store.changes import take_numbers
from newsextract.store.duplicates import announce, mark
from newsextract.store.engine import Clock, Database
from newsextract.store.schema import article_versions, articles

#: Articles of one transaction; other writers wait for as long as it takes.
PORTION = 100


@dataclass(frozen=True, slots=True)
class DeduplicationProgress:
    """How far it is: articles looked through, of how many, and how many marks of them have changed."""

    done: int
    of: int
    changed: int


def rededuplicate(
    database: Database, signature_of: Callable[[str], Signature | None]
) -> Iterator[DeduplicationProgress]:
    """Marks every article as a crawl would have that stored them in this order; each mark that changes is a change.

    May be ended and begun again at any time: what is right already stays as it is.
    """
    with database.reading() as connection:
        total = connection.execute(select(func.count()).select_from(articles)).scalar_one()
    after = done = changed = 0
    while True:
        looked = database.write(partial(_portion, after=after, signature_of=signature_of, clock=database.clock))
        if not looked[0]:
            return
        after, done, changed = max(looked[0]), done + len(looked[0]), changed + looked[1]
        yield DeduplicationProgress(done, total, changed)


def _portion(
    connection: Connection, after: int, signature_of: Callable[[str], Signature | None], clock: Clock
) -> tuple[list[int], int]:
    """The next articles by number, and how many of their marks have changed."""
    take_numbers(connection, 0)  # for its lock
    query = (
        select(articles.c.id, articles.c.duplicate_of, article_versions.c.document)
        .join(
            article_versions,
            (article_versions.c.article == articles.c.id) & (article_versions.c.version == articles.c.version),
        )
        .where(articles.c.id > after)
        .order_by(articles.c.id)
        .limit(PORTION)
    )
    rows = connection.execute(query).all()
    made = {row.id: signature_of(json.loads(row.document)["article_body"]) for row in rows}
    found = mark(connection, {number: one for number, one in made.items() if one is not None}, list(made))
    others = [row.id for row in rows if found.get(row.id) != row.duplicate_of]
    announce(connection, others, clock(connection))
    return list(made), len(others)
