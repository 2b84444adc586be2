"""The articles as they were after an earlier change: what an export of that moment gave.

Versions and changes are kept until `newsextract db prune` deletes old ones and `db remove` whole articles. What is lost
is counted by its change numbers, which are never used again. Articles that have become one since are told apart by
`united_changes`. A name that was taken out stays out.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Select, Subquery, case, func, select

from newsextract.items import Article
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.store.changes import UNITED
from newsextract.store.engine import count_rows, rows_in
from newsextract.store.lookup import ArticleRow, Selection
from newsextract.store.schema import (
    article_versions,
    changes,
    former_urls,
    in_utc,
    removals,
    removed_names,
    united_changes,
)
from newsextract.text import counted
from newsextract.urls import named_site

#: The tables whose rows have change numbers.
NUMBERED = (changes, removals, former_urls)


def change_at(connection: Connection, moment: datetime) -> int:
    """The last change that was made up to a moment; 0 if there is none."""
    last = (
        connection.execute(select(func.max(table.c.change)).where(table.c.at <= moment)).scalar() for table in NUMBERED
    )
    return max((number or 0 for number in last), default=0)


def count_lost(connection: Connection, change: int) -> int:
    """How many of the changes up to this one the database doesn't have any more."""
    kept = (count_rows(connection, table, table.c.change <= change) for table in NUMBERED)
    return change - sum(kept)


def describe_losses(connection: Connection, change: int) -> Iterator[str]:
    """A clause for each reason for which an export as of this change may not be what one of then was."""
    if lost := count_lost(connection, change):
        are = "is" if lost == 1 else "are"
        yield f"{lost:,} of the {change:,} changes up to then {are} no longer there (db prune, db remove)"
    if moved := count_rows(connection, changes, (changes.c.original == UNITED) & (changes.c.change <= change)):
        yield f"{counted(moved, 'change')} of articles that an earlier newsextract united with others since"
    at = select(func.max(changes.c.at)).where(changes.c.change <= change).scalar_subquery()
    of_articles = func.coalesce(removed_names.c.articles, -1)
    if taken := connection.scalars(select(of_articles).where(removed_names.c.at > at, of_articles != 0)).all():
        of = "" if min(taken) < 0 else f" of {counted(sum(taken), 'article')}"
        yield f"{counted(len(taken), 'name')} taken out{of} since (db remove --author)"


def select_past(connection: Connection, selection: Selection) -> Iterator[ArticleRow]:
    """The selected articles in their state after the change `selection.as_of`, in the order of an export of that time.

    They are read lazily; only an order by time keeps the number and time of each in memory.
    """
    query = _states(selection)
    change = query.selected_columns.change
    if not selection.by_time:
        rows = connection.execution_options(yield_per=ARTICLES_AT_A_TIME).execute(query.order_by(change))
        yield from filter(None, (_selected(row, selection) for row in rows))
        return
    rows = connection.execution_options(yield_per=ARTICLES_AT_A_TIME).execute(query)
    found = filter(None, (_selected(row, selection) for row in rows))
    times = sorted((_published(one.article), one.change) for one in found)
    for start in range(0, len(times), ARTICLES_AT_A_TIME):
        part = [number for _, number in times[start : start + ARTICLES_AT_A_TIME]]
        by_change = {row.change: row for row in rows_in(connection, query, change, part)}
        yield from filter(None, (_selected(by_change[number], selection) for number in part))


def _states(selection: Selection) -> Select[*tuple[Any, ...]]:
    """SELECT of each article's last change up to `as_of` after `since`, with its version, and that of its original."""
    own, of_original = (_last_changes(selection.as_of or 0, name) for name in ("own", "of_original"))
    version, original_version = article_versions.alias(), article_versions.alias()
    columns = (own.c.change, own.c.kind, own.c.original, own.c.former_version, own.c.former_first_seen_at)
    return (
        select(version.c.document, *columns, original_version.c.document.label("original_document"))
        .select_from(own)
        .join(version, _is_version(version, own))
        .outerjoin(of_original, of_original.c.former == own.c.original)
        .outerjoin(original_version, _is_version(original_version, of_original))
        .where(own.c.change > selection.since)
    )


def _is_version(version: FromClause, change: FromClause) -> ColumnElement[bool]:
    return (version.c.article == change.c.article) & (version.c.version == change.c.version)


def _last_changes(as_of: int, name: str) -> Subquery:
    """SELECT of each article's last change up to this one. `former`: the id that the article had then."""
    later = united_changes.alias()
    first = select(func.min(later.c.until)).where(later.c.change == changes.c.change, later.c.until > as_of)
    was_other = (united_changes.c.change == changes.c.change) & (united_changes.c.until == first.scalar_subquery())
    former = func.coalesce(united_changes.c.article, changes.c.article)
    is_own = united_changes.c.change.is_(None)
    logged = (
        select(
            changes.c.change,
            changes.c.article,
            changes.c.version,
            former.label("former"),
            func.coalesce(united_changes.c.kind, changes.c.kind).label("kind"),
            case((is_own, changes.c.original), else_=united_changes.c.original).label("original"),
            united_changes.c.version.label("former_version"),
            united_changes.c.first_seen_at.label("former_first_seen_at"),
            func.max(changes.c.change).over(partition_by=former).label("last"),
        )
        .select_from(changes.outerjoin(united_changes, was_other))
        .where(changes.c.change <= as_of)
        .subquery(f"{name}_logged")
    )
    return select(logged).where(logged.c.change == logged.c.last).subquery(name)


def _selected(row: Sequence[Any], selection: Selection) -> ArticleRow | None:
    """The row as an export has it; None if the selection leaves it out."""
    document, change, kind, original, former_version, first_seen, original_document = row
    values = json.loads(document)
    if former_version is not None:  # of an article that has become one with another since
        values |= {"version": former_version, "first_seen_at": first_seen and first_seen.isoformat()}
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
