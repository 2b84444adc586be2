"""Searches the index: the articles that match a query, and their counts beside the counts of all articles."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from newsextract.errors import WrongCall
from newsextract.index.query import Query, parse_query
from newsextract.index.update import NUMBER_BITS, index_path, open_index, update_index
from newsextract.items import Article
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.store import Store
from newsextract.urls import named_site

Order = Literal["date", "relevance"]
Unit = Literal["day", "week", "month", "site", "language"]
#: Weights of the columns of `articles_fts` for the order by relevance.
WEIGHTS = "10.0, 5.0, 5.0, 1.0"
#: The order by relevance covers this many of the newest matches; half a million would take seconds.
RANKED = 10_000
#: An entry's row id without its day: the number of its article.
NUMBER = f"(articles_fts.rowid & {(1 << NUMBER_BITS) - 1})"
#: What to count by; a week by its Monday, a month by its first day.
KEYS = {
    "day": "f.day",
    "week": "date(f.day, 'weekday 0', '-6 days')",
    "month": "substr(f.day, 1, 8) || '01'",
    "site": "f.site",
    "language": "coalesce(f.language, '')",
}
#: Characters of a snippet, before and after the beginning of the first match.
BEFORE = 60
AFTER = 140


def day_of_argument(name: str, value: object) -> date | None:
    """A day given as a date or as text (2026-01-31). Raises WrongCall, which names the argument."""
    if isinstance(value, datetime):
        return value.date()
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value).strip())
    except ValueError as error:
        raise WrongCall(f"`{name}` is {value!r}; give a date, or a text such as 2026-01-31") from error


@dataclass(frozen=True)
class Filters:
    """Which articles count. `sites`: hosts, or URLs on them; `languages` include their regions (`en`: `en-GB`).

    `since`, `until`: first and last day. `duplicates`: count near-duplicates, too; otherwise a copy counts only if its
    original doesn't pass the other filters.
    """

    sites: Sequence[str] = ()
    languages: Sequence[str] = ()
    since: date | None = None
    until: date | None = None
    duplicates: bool = False

    def sql(self) -> tuple[str, dict[str, object]]:
        """A condition on the table `figures AS f`, with its parameters."""
        lists = [named_site(site) for site in self.sites], [code.lower() for code in self.languages]
        values: dict[str, object] = {"since": f"{self.since}", "until": f"{self.until}"}
        values["sites"], values["languages"] = map(json.dumps, lists)
        code = "SELECT 1 FROM json_each(:languages) WHERE lower(f.language) || '-' GLOB value || '-*'"
        clauses = {
            "f.present": True,
            "f.site IN (SELECT value FROM json_each(:sites))": self.sites,
            f"EXISTS ({code})": self.languages,
            "f.day >= :since": self.since,
            "f.day <= :until": self.until,
        }
        condition = " AND ".join(clause for clause, is_given in clauses.items() if is_given)
        if not self.duplicates:
            of_original = f"SELECT 1 FROM figures o WHERE o.article = f.original AND {condition.replace('f.', 'o.')}"
            condition += f" AND (f.original IS NULL OR NOT EXISTS ({of_original}))"
        return condition, values


ALL = Filters()


@dataclass(frozen=True)
class Match:
    """A matching article. `spans`: the positions of the query's terms in `snippet`."""

    id: int
    url: str
    headline: str | None
    site: str
    day: str | None
    language: str | None
    authors: str
    snippet: str
    spans: list[tuple[int, int]]


@dataclass(frozen=True)
class Count:
    """How many articles match, and how many there are. `key`: a site, a language, or the first day of the unit."""

    key: str
    number: int
    total: int

    @property
    def share(self) -> float:
        return self.number / self.total if self.total else 0.0


@contextmanager
def open_current(database: str, index: Path | None = None) -> Iterator[tuple[sqlite3.Connection, Store]]:
    """The index of a database, brought up to date, and the database."""
    path = index_path(database, index)
    with Store.open(database, must_exist=True, read_only=True) as store:
        update_index(store, database, path)
        with open_index(path) as connection:
            yield connection, store


def match_ids(
    index: sqlite3.Connection, query: Query, filters: Filters = ALL, by: Order = "date", limit: int | None = None
) -> list[int]:
    """The numbers of the matching articles, newest day first; by relevance, the newest RANKED of them by BM25."""
    entries, values = _entries(query, filters)
    newest = f"{entries} ORDER BY articles_fts.rowid DESC LIMIT :limit"
    if by == "date":
        values["limit"] = -1 if limit is None else limit
        return [number for (number,) in index.execute(f"SELECT {NUMBER} {newest}", values)]
    values["limit"] = RANKED
    columns = f"bm25(articles_fts, {WEIGHTS}), -articles_fts.rowid, {NUMBER}"
    return [number for *_, number in sorted(index.execute(f"SELECT {columns} {newest}", values))[:limit]]


def _entries(query: Query, filters: Filters) -> tuple[str, dict[str, object]]:
    """FROM and WHERE of matching entries, with parameters; days are a range of row ids, to which FTS5 limits itself."""
    condition, values = filters.sql()
    since = f"AND articles_fts.rowid >= {filters.since.toordinal() << NUMBER_BITS}" if filters.since else ""
    until = f"AND articles_fts.rowid < {filters.until.toordinal() + 1 << NUMBER_BITS}" if filters.until else ""
    # CROSS JOIN: the planner keeps this order of the tables, so that FTS5 returns sorted rows.
    tables = f"articles_fts CROSS JOIN figures f ON f.article = {NUMBER}"
    matching = f"FROM {tables} WHERE articles_fts MATCH :fts {since} {until} AND {condition}"
    return matching, {**values, "fts": query.fts}


def matches(index: sqlite3.Connection, query: Query, ids: Sequence[int]) -> Iterator[Match]:
    """The rows of these articles, each with the part of its text around the first match."""
    names = "id, url, headline, site, day, language, authors, coalesce(article_body, ''), coalesce(subtitle, '')"
    statement = f"SELECT {names} FROM articles WHERE id = ?"
    for number in ids:
        row = index.execute(statement, (number,)).fetchone()
        yield Match(*row[:-2] + make_snippet(query, *row[-2:]))


def make_snippet(query: Query, body: str, subtitle: str = "") -> tuple[str, list[tuple[int, int]]]:
    """The surroundings of the first match in the body or the subtitle, and the positions of the terms in them."""
    text = body if not subtitle or query.spans(body) or not query.spans(subtitle) else subtitle
    first = next(iter(query.spans(text)), (0, 0))[0]
    start = 0 if first <= BEFORE else text.find(" ", first - BEFORE, first) + 1 or first - BEFORE
    cut = " ".join(text[start : first + AFTER].split())
    snippet = f"{'… ' * (start > 0)}{cut}{' …' * (first + AFTER < len(text))}"
    return snippet, query.spans(snippet)


def count_matches(index: sqlite3.Connection, query: Query, unit: Unit, filters: Filters = ALL) -> list[Count]:
    """Counts by day or week in order of time, including empty ones in between; by site or language, highest first.

    Days and weeks begin with the first match, or with `filters.since`; those without any article are left out.
    """
    (entries, values), counted = _entries(query, filters), f"SELECT {KEYS[unit]}, count(*)"
    numbers = dict(index.execute(f"{counted} {entries} GROUP BY 1", values))
    numbers.pop(None, None)
    if not numbers:
        return []
    dated = f"FROM figures f WHERE {filters.sql()[0]} AND f.day IS NOT NULL"
    totals = dict(index.execute(f"{counted} {dated} GROUP BY 1", values))
    if unit in ("site", "language"):
        counts = [Count(key, number, totals.get(key, number)) for key, number in numbers.items()]
        return sorted(counts, key=lambda count: (-count.number, count.key))
    first = min(totals) if filters.since else min(numbers)
    return [Count(key, numbers.get(key, 0), total) for key, total in sorted(totals.items()) if key >= first]


# ---- the library -----------------------------------------------------------------------------------------------------


def search(
    database: str,
    query: str,
    *,
    sites: Sequence[str] = (),
    languages: Sequence[str] = (),
    since: date | str | None = None,
    until: date | str | None = None,
    by: Order = "date",
    limit: int | None = None,
    duplicates: bool = False,
) -> Iterator[Article]:
    """The current articles of a crawl that match a query, newest first or by relevance.

    `database`: its URL, or an SQLite file; the index beside it is brought up to date first. `query`, `sites` and the
    others: as for `newsextract search` (docs/TOPIC_TRACKING.md). Before the first article, raises WrongCall for an
    invalid query or option, DatabaseError for an unusable database.
    """
    first, last = day_of_argument("since", since), day_of_argument("until", until)
    parsed, filters = parse_query(query), Filters(sites, languages, first, last, duplicates)
    if by not in get_args(Order):
        raise WrongCall(f"`by` is {by!r}; use date or relevance")

    def articles() -> Iterator[Article]:
        with open_current(database) as (index, store), store.snapshot() as snapshot:
            ids = iter(match_ids(index, parsed, filters, by, limit))
            while batch := list(islice(ids, ARTICLES_AT_A_TIME)):
                stored = snapshot.articles_by_id(batch)
                yield from (stored[number].article for number in batch if number in stored)

    return articles()


def count_by(
    database: str,
    query: str,
    unit: Unit = "day",
    *,
    sites: Sequence[str] = (),
    languages: Sequence[str] = (),
    since: date | str | None = None,
    until: date | str | None = None,
    duplicates: bool = False,
) -> list[Count]:
    """How many articles match by day, week, site or language, and how many there are. Arguments as for `search`."""
    if unit not in KEYS:
        raise WrongCall(f"`unit` is {unit!r}; {', '.join(KEYS)} are right")
    parsed, first, last = parse_query(query), day_of_argument("since", since), day_of_argument("until", until)
    with open_current(database) as (index, _):
        return count_matches(index, parsed, unit, Filters(sites, languages, first, last, duplicates))
