"""The text above and below the dashboard's plots: figures of the day, sites, warnings, latest articles."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

#: Rows of the tables of the page.
SITES_SHOWN, ARTICLES_SHOWN = 40, 12
#: Runs a query on the index; returns its rows.
Query = Callable[[str, Mapping[str, Any]], Awaitable[list[Mapping[str, Any]]]]
OF_SITE = "(site = :site OR :site = '')"
#: The figures at the top.
TILES = f"""SELECT sum(articles) AS articles, sum(new_last_day) AS new, sum(usual_low) AS usual_low,
  sum(usual_high) AS usual_high, count(*) AS sites, sum(state = 'warning') AS warned, sum(state = 'low') AS low,
  sum(waiting) AS waiting, sum(refused) AS refused, max(last_run) AS last_run,
  (SELECT hours FROM delays WHERE site = :site ORDER BY day DESC LIMIT 1) AS hours
FROM sites WHERE {OF_SITE}"""
SITES = f"""SELECT * FROM sites WHERE {OF_SITE}
ORDER BY CASE state WHEN 'warning' THEN 0 WHEN 'low' THEN 1 ELSE 2 END, new_last_day DESC, site LIMIT {SITES_SHOWN}"""
WARNINGS = f"SELECT site, name, warning, advice FROM sites WHERE (warning <> '' OR advice <> '') AND {OF_SITE} LIMIT 40"
LATEST = f"""SELECT id, headline, site, url, date_published, first_seen_at, version, change_kind FROM articles
WHERE {OF_SITE} ORDER BY first_seen_at DESC LIMIT {ARTICLES_SHOWN}"""
LATEST_CHANGED = f"""SELECT id, headline, site, url, version, fetched_at FROM articles
WHERE version > 1 AND {OF_SITE} ORDER BY fetched_at DESC LIMIT 6"""
SITE_NAMES = "SELECT site FROM sites ORDER BY site LIMIT 2000"


async def overview(query: Query, site: str, updated_at: datetime | None) -> dict[str, Any]:
    """The values of the dashboard's template. `site`: empty for all. `updated_at`: when the index was."""
    values = {"site": site}
    [tiles] = await query(TILES, values)
    last_run = tiles["last_run"]
    return {
        "tiles": tiles,
        "sites": await query(SITES, values),
        "warnings": await query(WARNINGS, values),
        "latest": await query(LATEST, values),
        "changed": await query(LATEST_CHANGED, values),
        "site_names": [row["site"] for row in await query(SITE_NAMES, {})],
        "site": site,
        "updated": ago(updated_at, datetime.now(UTC)) if updated_at else None,
        "since_last_run": ago(datetime.fromisoformat(f"{last_run}Z"), datetime.now(UTC)) if last_run else None,
    }


def ago(then: datetime, now: datetime) -> str:
    """How long ago, in a suitable unit."""
    seconds = max((now - then) / timedelta(seconds=1), 0)
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        number = int(seconds // length)
        if number >= 2 or (number == 1 and unit != "minute"):
            return f"{number} {unit}{'s' if number > 1 else ''} ago"
    return "a moment ago"


def duration(hours: float | None) -> str:
    """A number of hours in a suitable unit."""
    if hours is None:
        return "–"
    if hours < 1:
        return f"{60 * hours:.0f} min"
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.0f} d"
