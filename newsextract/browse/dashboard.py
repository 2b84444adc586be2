"""The dashboard: a table of plots, as the configuration of the plugin datasette-dashboards.

Each plot has a title, a sentence, an SQL query on the index's tables of figures (dashboard.toml), and a Vega-Lite
specification. The page's parameters `site`, `since` and `until` go into the queries; empty ones mean all sites and the
last 30 days.
Colours are CSS variables of `static/browse.css`, so that a plot works in light and dark mode. A mark's `href` leads to
its rows.
"""

import json
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Any

from datasette.utils import tilde_encode  # type: ignore[import-untyped]

from newsextract.files import package_data

#: The dashboard's name in its URL, /-/dashboards/NAME.
NAME = "crawl"
#: Number of sites with their own colour in plots; the others share one.
NAMED_SITES = 9
#: Maximum rows of plots with a row per site.
SITE_ROWS = 25
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
#: Vega's configuration of all plots; its colours are as many as NAMED_SITES, and that of the others.
CONFIG: dict[str, Any] = package_data("newsextract.browse", "vega.json")
DAY_AXIS = {"title": None, "format": "%-d %b", "tickCount": 6}
COUNT_AXIS = {"title": None, "tickMinStep": 1, "tickCount": 5}
#: A point of a line, and a bar: each leads to its rows.
DOT = {"type": "point", "filled": True, "opacity": 1, "size": 30, "cursor": "pointer"}
BAR = {"type": "bar", "cursor": "pointer"}


@dataclass(frozen=True)
class Plot:
    """A plot of the dashboard.

    `query`: {base} in it is the path of the index's database. `spec`: Vega-Lite without data. `rows`: path below {base}
    of all rows behind the plot. `wide`: whether it takes the whole width.
    """

    title: str
    note: str
    query: str
    spec: dict[str, Any]
    rows: str
    wide: bool = False

    @property
    def over_time(self) -> bool:
        """Whether its rows have a column `day` as the x axis."""
        return '"temporal"' in json.dumps(self.spec)


def field(name: str, kind: str = "quantitative", **more: Any) -> dict[str, Any]:
    """A column of the rows as a channel of an encoding; `kind`: its type in Vega-Lite."""
    return {"field": name, "type": kind, **more}


def encoding(*tooltip: str, **channels: dict[str, Any]) -> dict[str, Any]:
    """An encoding whose marks lead to their rows."""
    return {**channels, "href": {"field": "rows"}, "tooltip": [{"field": name} for name in tooltip]}


def _columns(color: dict[str, Any], *tooltip: str) -> dict[str, Any]:
    day = field("day", "temporal", timeUnit="utcyearmonthdate", axis=DAY_AXIS)
    number = field("number", aggregate="sum", axis=COUNT_AXIS)
    return {"height": 220, "mark": BAR, "encoding": encoding(*tooltip, x=day, y=number, color=color)}


def _bars(label: str) -> dict[str, Any]:
    """Horizontal bars with their numbers, in the order of the query."""
    axis = {"title": None, "grid": False, "labelLimit": 170}
    shared = encoding(
        label, "number", y=field(label, "nominal", sort=None, axis=axis), x=field("number", axis=COUNT_AXIS)
    )
    label_mark = {"type": "text", "align": "left", "dx": 4, "cursor": "pointer"}
    text = {"field": "number", "format": ",d"}
    bars = [{"mark": BAR, "encoding": shared}, {"mark": label_mark, "encoding": {**shared, "text": text}}]
    return {"height": {"step": 20}, "layer": bars}


def _line(name: str, title: str, *tooltip: str, marked: str = "false") -> dict[str, Any]:
    """A line with a point a day; `marked`: the condition of points in the warning colour."""
    x = field("day", "temporal", axis=DAY_AXIS)
    y = field(name, axis={"title": title, "tickCount": 5}, scale={"zero": True})
    color = {"value": "var(--series-1)", "condition": {"test": marked, "value": "var(--warn)"}}
    size = {"value": 30, "condition": {"test": marked, "value": 120}}
    points = {"mark": DOT, "encoding": encoding("day", name, *tooltip, x=x, y=y, color=color, size=size)}
    return {"height": 220, "layer": [{"mark": "line", "encoding": {"x": x, "y": y}}, points]}


KINDS = ("new", "changed", "reextracted", "deleted", "retracted")
STATE_COLORS = {"well": "var(--good)", "low": "var(--low)", "warning": "var(--warn)", "new": "var(--series-other)"}
STATE = field("state", "nominal", scale={"domain": [*STATE_COLORS], "range": [*STATE_COLORS.values()]})
BAND = {"x": field("low", axis=COUNT_AXIS, scale={"zero": True}), "x2": {"field": "high"}}
#: Letters per bin of the histogram, and the number of bins; the last one has all longer texts.
BIN, BINS = 500, 20
#: Conditions by the parameters of the page, on a column of days and on a column `site`.
DAYS = (
    "{0} >= CASE WHEN :since <> '' THEN :since ELSE date((SELECT max(day) FROM daily), '-29 days') END "
    "AND ({0} <= :until OR :until = '')"
)
SITE = "(site = :site OR :site = '')"
#: The names in the queries; the order of sites is those with a warning first, then the most productive ones.
SQL = {
    "DAYS": DAYS.format("day"),
    "SITE": SITE,
    "PERIOD": f"{DAYS.format('day')} AND {SITE}",
    "STORED": f"{DAYS.format('stored_on')} AND {SITE}",
    "AND_SITE": "CASE WHEN :site <> '' THEN '&site=' || :site ELSE '' END",
    "SITE_ORDER": "CASE state WHEN 'warning' THEN 0 WHEN 'low' THEN 1 ELSE 2 END, usual_high DESC, site",
}
#: The Vega-Lite specification of each plot, without data, in their order on the page.
SPECS = {
    "new_by_site": _columns(field("shown", "nominal"), "day", "shown", "number"),
    "usual_band": {
        "height": {"step": 20},
        "encoding": encoding(
            *("label", "new", "low", "high", "warning"),
            y=field("label", "nominal", sort=None, axis={"title": None, "grid": False}),
        ),
        "layer": [
            {"mark": {"type": "bar", "height": 12, "color": "var(--grid)", "cornerRadius": 3}, "encoding": BAND},
            {"mark": {**DOT, "size": 90}, "encoding": {"x": field("new"), "color": STATE}},
        ],
    },
    "share": _line("share", "%", "tried", "warning", marked="datum.warning != ''"),
    "changes": _columns(field("kind", "nominal", sort=KINDS, scale={"domain": KINDS}), "day", "kind", "number"),
    "refused": _columns(field("shown", "nominal"), "day", "shown", "number"),
    "delay": _line("hours", "hours", "articles"),
    "lengths": {
        "height": 220,
        "mark": BAR,
        "encoding": encoding(
            *("letters", "number"),
            x=field("letters", bin={"binned": True, "step": BIN}, axis={"title": None}),
            x2={"field": "below"},
            y=field("number", axis=COUNT_AXIS),
        ),
    },
    "copies": _bars("pair"),
    "languages": _bars("shown"),
    "outcomes": _bars("outcome"),
}


def _read_plots() -> dict[str, Plot]:
    text = files("newsextract.browse").joinpath("dashboard.toml").read_text("utf-8")
    numbers = {"NAMED": NAMED_SITES, "SITE_ROWS": SITE_ROWS, "BIN": BIN, "BINS": BINS, "LONGEST": f"{BIN * BINS:,}"}
    entries = tomllib.loads(Template(text).substitute(SQL, **numbers))
    return {name: Plot(spec=spec, **entries[name]) for name, spec in SPECS.items()}


PLOTS = _read_plots()


def chart(plot: Plot, base: str, database: str) -> dict[str, Any]:
    """The plot as a chart of datasette-dashboards; `base`: path of the database."""
    display = {
        "$schema": SCHEMA,
        "config": CONFIG,
        "usermeta": {"embedOptions": {"renderer": "svg", "actions": False}},
        **plot.spec,
    }
    return {
        "title": plot.title,
        "note": plot.note,
        "rows": f"{base}/{plot.rows}",
        "wide": plot.wide,
        "db": database,
        "query": plot.query.replace("{base}", base),
        "library": "vega-lite",
        "display": display,
    }


def configuration(index: str, *, follow: float | None) -> dict[str, Any]:
    """The configuration of datasette-dashboards; `index`: its database; `follow`: seconds between updates."""
    base = f"/{tilde_encode(index)}"
    return {
        NAME: {
            "title": "Crawl health",
            "settings": {"autorefresh": max(follow / 60, 1.0)} if follow else {},
            "filters": {
                "site": {"name": "Site", "type": "text"},
                "since": {"name": "From", "type": "date"},
                "until": {"name": "To", "type": "date"},
            },
            "charts": {name: chart(plot, base, index) for name, plot in PLOTS.items()},
        }
    }
