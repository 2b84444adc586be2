"""The figures on the dashboard: further tables in the index's file, so that no plot reads all URLs.

`daily`, `yields` and `refusals` grow with the change log and the finished runs, and outlive their deletion by
retention; `outcomes`, `delays` and `sites` are as of the last update.
"""

import json
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from statistics import median, quantiles

from sqlalchemy import Connection, func, select

from newsextract.days import day_of, day_zone
from newsextract.health.counts import CrawlCounts
from newsextract.health.status import site_statuses
from newsextract.health.yields import yields_of
from newsextract.index.update import open_index
from newsextract.limits import ARTICLES_AT_A_TIME
from newsextract.store import Store
from newsextract.store.changes import last_change
from newsextract.store.schema import articles, changes, runs

#: The statements that make the tables, one a line.
TABLES = files("newsextract.browse").joinpath("figures.sql").read_text("utf-8").splitlines()
TABLE_NAMES = tuple(statement.split()[2] for statement in TABLES if statement.startswith("CREATE TABLE"))
#: Version of the tables; others are rebuilt.
LAYOUT = zlib.crc32("\n".join(TABLES).encode())
#: Number of days that a site's figures cover, and from which its usual range is computed.
PERIOD = 30
#: Days that a site must have been crawled for a usual range; the first, which brings the backlog, doesn't count.
DAYS_FOR_BAND = 5


def update_figures(store: Store, path: Path) -> None:
    """Brings the figures in the (up-to-date) index at `path` up to date. Raises DatabaseError like `update_index`."""
    with open_index(path) as index, store.database.reading() as connection:
        index.execute("BEGIN IMMEDIATE")
        until = last_change(connection)
        tables = {name for (name,) in index.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        kept = index.execute("SELECT source, layout, cursor FROM _figures").fetchone() if "_figures" in tables else None
        source = f"{store.name}, days of {day_zone()}"
        if kept is None or kept[:2] != (source, LAYOUT) or kept[2] > until:
            for name in (*TABLE_NAMES, "growth", "_open_runs", "_last_run"):  # three of earlier versions
                index.execute(f"DROP TABLE IF EXISTS {name}")
            for statement in TABLES:
                index.execute(statement)
            index.execute("INSERT INTO _figures VALUES (?, ?, 0)", (source, LAYOUT))
            kept = (source, LAYOUT, 0)
        copy_figures(index, connection, kept[2], until)
        summarize(index)
        index.execute("UPDATE _figures SET cursor = ?", (until,))
        index.execute("COMMIT")


def copy_figures(index: sqlite3.Connection, connection: Connection, since: int, until: int) -> None:
    """Adds changes in (since, until] and runs finished since the last call; counts outcomes and sites anew."""
    _add_changes(index, connection, since, until)
    _add_runs(index, connection)
    index.execute("DELETE FROM outcomes")
    index.execute("DELETE FROM sites")
    for status in site_statuses(connection):
        others = {state: number for state, number in status.states.items() if state not in NOT_OUTCOMES}
        rows = [(status.site, outcome, number) for outcome, number in {**status.dropped, **others}.items()]
        index.executemany("INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?)", rows)
        row = {
            "site": status.site,
            "name": status.name,
            "warning": status.warning,
            "advice": status.advice,
            "articles": status.articles,
            "last_run": f"{status.last.started_at:%Y-%m-%d %H:%M}" if status.last else None,
            "waiting": sum(status.states.get(state, 0) for state in ("queued", "retried")),
            "refused": sum(status.dropped.values()),
        }
        places = ", ".join(f":{column}" for column in row)
        index.execute(f"INSERT INTO sites ({', '.join(row)}) VALUES ({places})", row)


#: States of URLs whose reasons are in `SiteStatus.dropped`, and what stands beside the outcome.
NOT_OUTCOMES = ("not_article", "dropped", "refused", "failed", "unchanged")


def _add_changes(index: sqlite3.Connection, connection: Connection, since: int, until: int) -> None:
    """Counts the entries of the change log by day, site and kind."""
    columns = (changes.c.at, articles.c.site, changes.c.kind)
    query = select(*columns, func.count()).join(articles, articles.c.id == changes.c.article)
    query = query.where(changes.c.change > since, changes.c.change <= until).group_by(*columns)
    counted = connection.execution_options(yield_per=ARTICLES_AT_A_TIME).execute(query)
    _add_counts(index, "daily", ((f"{day_of(at)}", *values) for at, *values in counted))


def _add_counts(index: sqlite3.Connection, table: str, rows: Iterable[Iterable[object]]) -> None:
    """Adds rows of three keys and a number to the numbers in the table."""
    index.executemany(
        f"INSERT INTO {table} VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number",
        map(tuple, rows),
    )


def _add_runs(index: sqlite3.Connection, connection: Connection) -> None:
    """Copies the yields and warnings of the runs that have been finished since the last call."""
    finished = set(connection.scalars(select(runs.c.id).where(runs.c.finished_at.is_not(None))))
    new = sorted(finished - {number for (number,) in index.execute("SELECT run FROM _runs")})
    columns = (runs.c.id, runs.c.spider, runs.c.started_at, runs.c.stats)
    for number in new:
        row = connection.execute(select(*columns).where(runs.c.id == number)).one()
        stats, day = json.loads(row.stats or "{}"), f"{day_of(row.started_at)}"
        warnings = CrawlCounts.of_run(stats).warnings
        for site, counts in yields_of(stats).items():
            about = (number, site, row.spider, day, f"{row.started_at:%Y-%m-%d %H:%M:%S}")
            figures = (counts.new, counts.changed, counts.articles, counts.tried)
            index.execute(
                "INSERT OR REPLACE INTO yields VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*about, *figures, warnings.get(site)),
            )
            _add_counts(index, "refusals", ((day, site, reason, n) for reason, n in counts.others.items()))
        index.execute("INSERT INTO _runs VALUES (?)", (number,))


#: New articles of a site in the last day, and the range of four of five days before it.
UsualBand = tuple[int, float | None, float | None]


def summarize(index: sqlite3.Connection) -> None:
    """Computes the figures of the sites and the delays by day from what was copied."""
    newest = (
        "SELECT max(at) FROM (SELECT max(started_at) AS at FROM yields UNION SELECT max(first_seen_at) FROM articles)"
    )
    [at] = index.execute(newest).fetchone()
    if at is None:
        return
    now = datetime.fromisoformat(f"{at}Z")
    since = f"{day_of(now) - timedelta(days=PERIOD - 1)}"
    bands = usual_bands(index, now)
    delays = _add_delays(index, since)
    sites = [site for (site,) in index.execute("SELECT site FROM sites")]
    index.executemany(
        "UPDATE sites SET new_last_day = ?, usual_low = ?, usual_high = ?, median_hours = ?, copies = 0 WHERE site = ?",
        [(*bands.get(site, (0, None, None)), delays.get(site), site) for site in sites],
    )
    index.execute(
        "UPDATE sites SET state = CASE WHEN warning <> '' THEN 'warning' WHEN usual_low IS NULL THEN 'new' "
        "WHEN new_last_day < usual_low THEN 'low' ELSE 'well' END"
    )
    index.execute(
        "UPDATE sites SET percent_headline = of_site.headline, percent_date = of_site.dated, "
        "percent_authors = of_site.authors, copies = of_site.copies FROM (SELECT site, "
        "100.0 * avg(has_headline) AS headline, 100.0 * avg(has_date) AS dated, 100.0 * avg(has_authors) AS authors, "
        "count(original_site) AS copies FROM figures WHERE stored_on >= ? GROUP BY site) AS of_site "
        "WHERE sites.site = of_site.site",
        (since,),
    )


def usual_bands(index: sqlite3.Connection, now: datetime) -> dict[str, UsualBand]:
    """The new articles of each site in the 24 hours before `now`, against the whole days before."""
    first_days = dict(index.execute("SELECT site, min(day) FROM yields GROUP BY site"))
    numbers: dict[str, dict[str, int]] = defaultdict(dict)
    query = "SELECT site, day, number FROM daily WHERE kind = 'new' AND day >= ?"
    for site, day, number in index.execute(query, (f"{day_of(now) - timedelta(days=PERIOD)}",)):
        numbers[site][day] = number
    yesterday = f"{now - timedelta(days=1):%Y-%m-%d %H:%M:%S}"
    query = "SELECT site, count(*) FROM articles WHERE first_seen_at > ? GROUP BY site"
    last_day = dict(index.execute(query, (yesterday,)))
    days = [f"{day_of(now) - timedelta(days=back)}" for back in range(1, PERIOD)]
    bands: dict[str, UsualBand] = {}
    for site in {*numbers, *first_days}:
        before = [numbers[site].get(day, 0) for day in days if site in first_days and day > first_days[site]]
        tenths = quantiles(before, n=10, method="inclusive") if len(before) >= DAYS_FOR_BAND else [None]
        bands[site] = last_day.get(site, 0), tenths[0], tenths[-1]
    return bands


def _add_delays(index: sqlite3.Connection, since: str) -> dict[str, float]:
    """Adds the median hours to storage by day; returns those by site, without its first day's backlog."""
    first_days = dict(index.execute("SELECT site, min(stored_on) FROM figures GROUP BY site"))
    by_day: dict[tuple[str, str], list[float]] = defaultdict(list)
    by_site: dict[str, list[float]] = defaultdict(list)
    query = "SELECT stored_on, site, hours FROM figures WHERE stored_on >= ? AND hours IS NOT NULL"
    for day, site, hours in index.execute(query, (since,)):
        if day > first_days[site]:
            by_site[site].append(hours)
            by_day[day, site].append(hours)
            by_day[day, ""].append(hours)
    index.execute("DELETE FROM delays WHERE day >= ?", (since,))
    rows = [(day, site, median(hours), len(hours)) for (day, site), hours in by_day.items()]
    index.executemany("INSERT INTO delays VALUES (?, ?, ?, ?)", rows)
    return {site: median(hours) for site, hours in by_site.items()}
