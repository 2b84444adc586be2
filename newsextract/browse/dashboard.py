"""The dashboard: a table of plots, as the configuration of the plugin datasette-dashboards, and the text around them.

Everything about a plot is data: its query on the index's tables of figures is in dashboard.toml, its Vega-Lite
specification in vega.json. Colours are CSS variables of `static/browse.css`, so that a plot works in light and dark
mode.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from string import Template
from typing import Any

from datasette.utils import tilde_encode  # type: ignore[import-untyped]

from newsextract.files import package_data

#: The dashboard's name in its URL, /-/dashboards/NAME.
NAME = "crawl"
#: Vega's configuration of all plots, and their `shapes`: Vega-Lite with parameters ("$name").
VEGA = package_data("newsextract.browse", "vega.json")
#: Runs a query on the index; returns its rows.
Query = Callable[[str, Mapping[str, Any]], Awaitable[list[Mapping[str, Any]]]]


def specification(shape: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A plot in Vega-Lite; `values`: those of the shape's parameters."""
    return {"$schema": VEGA["schema"], "config": VEGA["config"], **filled(VEGA["shapes"][shape], values)}


def filled(node: Any, values: Mapping[str, Any]) -> Any:
    """A part of a shape, with the values of its parameters."""
    if isinstance(node, Mapping):
        return {name: filled(part, values) for name, part in node.items()}
    if isinstance(node, list):
        return [filled(part, values) for part in node]
    return values[node[1:]] if isinstance(node, str) and node.startswith("$") else node


def with_names(query: str, names: Mapping[str, Any]) -> str:
    """A query with the texts that its names, and theirs, stand for."""
    while "$" in query:
        query = Template(query).substitute(names)
    return query


TABLES = package_data("newsextract.browse", "dashboard.toml")
OVERVIEW = {name: with_names(query, TABLES["names"]) for name, query in TABLES["overview"].items()}
#: The plots in their order on the page.
PLOTS: dict[str, dict[str, Any]] = {
    name: {**plot, "query": with_names(plot["query"], TABLES["names"] | plot)} for name, plot in TABLES["plots"].items()
}


def over_time(plot: Mapping[str, Any]) -> bool:
    """Whether the rows of a plot have a column `day` as the x axis."""
    return plot["shape"] in ("columns", "line")


def configuration(index: str, *, follow: float | None) -> dict[str, Any]:
    """The configuration of datasette-dashboards; `index`: its database; `follow`: seconds between updates."""
    base = f"/{tilde_encode(index)}"

    def chart(plot: Mapping[str, Any]) -> dict[str, Any]:
        display = specification(plot["shape"], plot)
        return {
            "title": plot["title"],
            "note": plot["note"],
            "rows": f"{base}/{plot['rows']}",
            "wide": plot.get("wide", False),
            "db": index,
            "query": plot["query"].replace("{base}", base),
            "library": "vega-lite",
            "display": {**display, "usermeta": {"embedOptions": {"renderer": "svg", "actions": False}}},
        }

    return {
        NAME: {
            "title": "Crawl health",
            "settings": {"autorefresh": max(follow / 60, 1.0)} if follow else {},
            "filters": TABLES["filters"],
            "charts": {name: chart(plot) for name, plot in PLOTS.items()},
        }
    }


async def overview(query: Query, site: str, updated_at: datetime | None) -> dict[str, Any]:
    """The values of the dashboard's template. `site`: empty for all. `updated_at`: when the index was."""
    rows = {name: await query(statement, {"site": site}) for name, statement in OVERVIEW.items()}
    [tiles], now = rows["tiles"], datetime.now(UTC)
    last_run = tiles["last_run"]
    return {
        **rows,
        "tiles": tiles,
        "site": site,
        "updated": ago(updated_at, now) if updated_at else None,
        "since_last_run": ago(datetime.fromisoformat(f"{last_run}Z"), now) if last_run else None,
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
