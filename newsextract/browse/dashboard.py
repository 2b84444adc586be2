"""The dashboard: a table of plots, as the configuration of the plugin datasette-dashboards.

Each plot has a title, a sentence, an SQL query on the index's tables of figures, and a Vega-Lite specification. The
page's parameters `site`, `since` and `until` go into the queries; empty ones mean all sites and the last 30 days.
Colours are CSS variables of `static/browse.css`, so that a plot works in light and dark mode. A mark's `href` leads to
its rows.
"""

import json
from dataclasses import dataclass
from typing import Any

from datasette.utils import tilde_encode  # type: ignore[import-untyped]

#: The dashboard's name in its URL, /-/dashboards/NAME.
NAME = "crawl"
#: Number of sites with their own colour in plots; the others share one.
NAMED_SITES = 9
#: Maximum rows of plots with a row per site.
SITE_ROWS = 25
#: Conditions on a column of days, and on a column `site`, by the parameters of the page.
DAYS = (
    "{day} >= CASE WHEN :since <> '' THEN :since ELSE date((SELECT max(day) FROM daily), '-29 days') END "
    "AND ({day} <= :until OR :until = '')"
)
SITE = "(site = :site OR :site = '')"
AND_SITE = "CASE WHEN :site <> '' THEN '&site=' || :site ELSE '' END"
PERIOD = f"{DAYS} AND {SITE}".replace("{day}", "day")
STORED = f"{DAYS} AND {SITE}".replace("{day}", "stored_on")
#: Sites with a warning first, then the most productive ones.
SITE_ORDER = "CASE state WHEN 'warning' THEN 0 WHEN 'low' THEN 1 ELSE 2 END, usual_high DESC, site"
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
CONFIG: dict[str, Any] = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        **dict.fromkeys(("gridColor", "domainColor", "tickColor"), "var(--grid)"),
        **dict.fromkeys(("labelColor", "titleColor"), "var(--muted)"),
        **dict.fromkeys(("labelFontSize", "titleFontSize"), 11),
        "titleFontWeight": "normal",
        "labelLimit": 150,
    },
    "axisX": {"grid": False, "labelOverlap": True},
    "legend": {
        "title": None,
        "orient": "bottom",
        "columns": 2,
        "labelColor": "var(--ink)",
        "labelLimit": 130,
        "symbolType": "square",
    },
    "range": {"category": [*(f"var(--series-{n})" for n in range(1, NAMED_SITES + 1)), "var(--series-other)"]},
    "bar": {"color": "var(--series-1)"},
    "line": {"color": "var(--series-1)", "strokeWidth": 2},
    "point": {"color": "var(--series-1)"},
    "text": {"color": "var(--ink)"},
}
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
PLOTS = {
    "new_by_site": Plot(
        "New articles a day, by site",
        "By the day on which they were stored. A column leads to its articles.",
        f"""WITH named AS (
  SELECT site FROM daily WHERE kind = 'new' AND {PERIOD} GROUP BY site ORDER BY sum(number) DESC LIMIT {NAMED_SITES})
SELECT day, CASE WHEN site IN named THEN site ELSE 'other sites' END AS shown, sum(number) AS number,
  '{{base}}/articles?stored_on=' || day || CASE WHEN site IN named THEN '&site=' || site ELSE '' END AS rows
FROM daily WHERE kind = 'new' AND {PERIOD} GROUP BY day, shown ORDER BY day, shown""",
        _columns(field("shown", "nominal"), "day", "shown", "number"),
        "articles?_sort_desc=stored_on",
        wide=True,
    ),
    "usual_band": Plot(
        "New articles in 24 hours against the usual range",
        f"Grey: the range of four of five days of the site. Warnings first; {SITE_ROWS} sites at most.",
        f"""SELECT coalesce(name, site) AS label, new_last_day AS new, usual_low AS low, usual_high AS high, state,
  warning, '{{base}}/yields?_sort_desc=run&site=' || site AS rows
FROM sites WHERE {SITE} ORDER BY {SITE_ORDER} LIMIT {SITE_ROWS}""",
        {
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
        "sites",
    ),
    "share": Plot(
        "Share of articles among the pages tried",
        "In per cent, by the day of the run. Red: a run of the day gave a warning.",
        f"""SELECT day, round(100.0 * sum(articles) / sum(tried), 1) AS share, sum(tried) AS tried,
  coalesce(group_concat(DISTINCT CASE WHEN warning IS NOT NULL THEN site || ': ' || warning END), '') AS warning,
  '{{base}}/yields?day=' || day || {AND_SITE} AS rows
FROM yields WHERE {PERIOD} GROUP BY day HAVING sum(tried) > 0 ORDER BY day""",
        _line("share", "%", "tried", "warning", marked="datum.warning != ''"),
        "yields?_sort_desc=run",
    ),
    "changes": Plot(
        "What changed",
        "New articles, new versions of known ones, articles removed by their site or retracted.",
        f"""SELECT day, kind, sum(number) AS number, '{{base}}/daily?day=' || day || '&kind=' || kind AS rows
FROM daily WHERE {PERIOD} GROUP BY day, kind""",
        _columns(field("kind", "nominal", sort=KINDS, scale={"domain": KINDS}), "day", "kind", "number"),
        "daily?_sort_desc=day",
    ),
    "refused": Plot(
        "Pages without an article, by reason",
        "Pages that failed or weren't articles, in finished runs. A jump points to a block, a wall or a redesign.",
        f"""WITH named AS (
  SELECT reason FROM refusals WHERE {PERIOD} GROUP BY reason ORDER BY sum(number) DESC LIMIT {NAMED_SITES})
SELECT day, CASE WHEN reason IN named THEN reason ELSE 'other reasons' END AS shown, sum(number) AS number,
  '{{base}}/refusals?day=' || day || CASE WHEN reason IN named THEN '&reason=' || reason ELSE '' END AS rows
FROM refusals WHERE {PERIOD} GROUP BY day, shown""",
        _columns(field("shown", "nominal"), "day", "shown", "number"),
        "refusals?_sort_desc=day",
    ),
    "delay": Plot(
        "From publication to storage",
        "Median hours, by the day of storage. Articles from before a site's first day don't count.",
        f"""SELECT day, round(hours, 2) AS hours, articles,
  '{{base}}/articles?hours_to_store__notnull=1&_sort_desc=hours_to_store&stored_on=' || day || {AND_SITE} AS rows
FROM delays WHERE site = :site AND {DAYS.replace("{day}", "day")} ORDER BY day""",
        _line("hours", "hours", "articles"),
        "delays?_sort_desc=day",
    ),
    "lengths": Plot(
        "Length of the texts, in letters",
        f"A peak at the left end is teasers or a paywall. The last column: {BIN * BINS:,} and more.",
        f"""SELECT min(letters / {BIN}, {BINS}) * {BIN} AS letters, (min(letters / {BIN}, {BINS}) + 1) * {BIN} AS below,
  count(*) AS number, '{{base}}/articles?_sort=letters&letters__gte=' || (min(letters / {BIN}, {BINS}) * {BIN})
  || CASE WHEN letters / {BIN} < {BINS} THEN '&letters__lt=' || ((letters / {BIN} + 1) * {BIN}) ELSE '' END
  || {AND_SITE} AS rows
FROM figures WHERE {STORED} GROUP BY 1""",
        {
            "height": 220,
            "mark": BAR,
            "encoding": encoding(
                *("letters", "number"),
                x=field("letters", bin={"binned": True, "step": BIN}, axis={"title": None}),
                x2={"field": "below"},
                y=field("number", axis=COUNT_AXIS),
            ),
        },
        "articles?_sort_desc=letters",
    ),
    "copies": Plot(
        "Copies between sites",
        "Articles of the site on the left with nearly the text of one that the other had first.",
        f"""SELECT site || ' ← ' || original_site AS pair, count(*) AS number,
  '{{base}}/articles?site=' || site || '&original_site=' || original_site AS rows FROM figures
WHERE original_site <> site AND {STORED} GROUP BY site, original_site ORDER BY number DESC LIMIT 12""",
        _bars("pair"),
        "articles?original_site__notnull=1&_facet=original_site",
    ),
    "languages": Plot(
        "Languages",
        "Of the articles stored in this period.",
        f"""SELECT coalesce(language, 'unknown') AS shown, count(*) AS number,
  '{{base}}/articles?language' || CASE WHEN language IS NULL THEN '__isnull=1' ELSE '=' || language END
  || {AND_SITE} AS rows
FROM figures WHERE {STORED} GROUP BY language ORDER BY number DESC LIMIT 12""",
        _bars("shown"),
        "articles?_facet=language",
    ),
    "outcomes": Plot(
        "All URLs by outcome",
        "Every URL ever seen: stored, queued, or why not. A bar leads to its sites, and from there to the URLs.",
        f"""SELECT outcome, sum(number) AS number,
  '{{base}}/outcomes?_sort_desc=number&outcome=' || outcome || {AND_SITE} AS rows
FROM outcomes WHERE {SITE} GROUP BY outcome ORDER BY number DESC LIMIT 14""",
        _bars("outcome"),
        "outcomes?_sort_desc=number",
    ),
}


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
