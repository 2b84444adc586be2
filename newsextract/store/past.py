"""The articles as they were after an earlier change: what an export of that moment gave.

Versions and changes are kept until `newsextract db prune` deletes old ones and `db remove` whole articles. What is lost
is counted by its change numbers, which are never used again.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, Subquery, func, select

from newsextract.items import Article
from newsextract.store.changes import UNITED
from newsextract.store.engine import count_rows, rows_in
from newsextract.store.lookup import BATCH, ArticleRow, Selection
from newsextract.store.schema import article_versions, changes, in_utc, removals, removed_names
from newsextract.text import counted
from newsextract.urls import named_site


def change_at(connection: Connection, moment: datetime) -> int:
    """The last change that was made up to a moment; 0 if there is none."""
    last = (
        connection.execute(select(func.max(table.c.change)).where(table.c.at <= moment)).scalar()
        for table in (changes, removals)
    )
    return max((number or 0 for number in last), default=0)


def count_lost(connection: Connection, change: int) -> int:
    """How many of the changes up to this one the database doesn't have any more."""
    kept = (count_rows(connection, table, table.c.change <= change) for table in (changes, removals))
    return change - sum(kept)


def describe_losses(connection: Connection, change: int) -> Iterator[str]:
    """A clause for each reason for which an export as of this change may not be what one of then was."""
    if lost := count_lost(connection, change):
        yield f"{lost} of the {change} changes up to then are no longer there (db prune, db remove)"
    later = changes.alias()
    has_later = select(later.c.change).where(later.c.article == changes.c.article, later.c.change > change).exists()
    moved = (changes.c.original == UNITED) & (changes.c.change <= change) & has_later
    if united := count_rows(connection, changes, moved):
        yield f"{counted(united, 'change')} of articles that have become one with another since"
    at = connection.execute(select(changes.c.at).where(changes.c.change == change)).scalar()
    if at is not None and (names := count_rows(connection, removed_names, removed_names.c.at > at)):
        yield f"names taken out since: {names} (db remove --author)"


def select_past(connection: Connection, selection: Selection) -> Iterator[ArticleRow]:
    """The selected articles in their state after the change `selection.as_of`, in the order of an export of that time.

    They are read lazily; only an order by time keeps the number and time of each in memory.
    """
    query = _states(selection)
    if not selection.by_time:
        rows = connection.execution_options(yield_per=BATCH).execute(query.order_by(changes.c.change))
        yield from filter(None, (_selected(row, selection) for row in rows))
        return
    rows = connection.execution_options(yield_per=BATCH).execute(query)
    found = filter(None, (_selected(row, selection) for row in rows))
    times = sorted((_published(one.article), one.change) for one in found)
    for start in range(0, len(times), BATCH):
        part = [change for _, change in times[start : start + BATCH]]
        by_change = {row.change: row for row in rows_in(connection, query, changes.c.change, part)}
        yield from filter(None, (_selected(by_change[change], selection) for change in part))


def _states(selection: Selection) -> Select[*tuple[Any, ...]]:
    """SELECT of each article's last change up to `as_of` after `since`, with its version, and that of its original."""
    last, of_original = (_last_changes(selection.as_of or 0, name) for name in ("last", "of_original"))
    original_changes, original_versions = changes.alias(), article_versions.alias()
    version = (article_versions.c.article == changes.c.article) & (article_versions.c.version == changes.c.version)
    original_version = (original_versions.c.article == original_changes.c.article) & (
        original_versions.c.version == original_changes.c.version
    )
    columns = (article_versions.c.document, changes.c.change, changes.c.kind, changes.c.original)
    return (
        select(*columns, original_versions.c.document.label("original_document"))
        .select_from(last)
        .join(changes, changes.c.change == last.c.change)
        .join(article_versions, version)
        .outerjoin(of_original, of_original.c.article == changes.c.original)
        .outerjoin(original_changes, original_changes.c.change == of_original.c.change)
        .outerjoin(original_versions, original_version)
        .where(changes.c.change > selection.since)
    )


def _last_changes(as_of: int, name: str) -> Subquery:
    last = select(changes.c.article, func.max(changes.c.change).label("change")).where(changes.c.change <= as_of)
    return last.group_by(changes.c.article).subquery(name)


def _selected(row: Sequence[Any], selection: Selection) -> ArticleRow | None:
    """The row as an export has it; None if the selection leaves it out."""
    document, change, kind, original, original_document = row
    values = json.loads(document)
    first = None if original_document is None else Article.from_dict(json.loads(original_document))
    if original is not None:  # recorded since revision 0020; before, as it was when the version was stored
        values["duplicate_of"] = first.url if first else values["duplicate_of"] if original else None
    article = Article.from_dict(values)
    if not _passes(article, selection) or (kind == "retracted" and not selection.retracted):
        return None
    if not selection.copies and article.duplicate_of is not None and (first is None or _passes(first, selection)):
        return None
    return ArticleRow(article, change, kind)


def _passes(article: Article, selection: Selection) -> bool:
    """As `lookup._filters`, for an article that isn't the present one."""
    if selection.sites and article.site not in {named_site(site) for site in selection.sites}:
        return False
    language = (article.language or "").lower()
    if selection.languages and not any(
        language == code.lower() or language.startswith(f"{code.lower()}-") for code in selection.languages
    ):
        return False
    at = _published(article)
    if selection.published_from is not None and not selection.published_from <= at:
        return False
    return selection.published_before is None or selection.published_before > at


def _published(article: Article) -> datetime:
    at = article.date_published or article.first_seen_at or article.fetched_at
    return in_utc(at or datetime.min)
