"""The dashboard: a table of plots, as the configuration of the plugin datasette-dashboards.

Each plot has a title, a sentence, an SQL query on the index's tables of figures, and a Vega-Lite specification. The
parameters `site`, `since` and `until` of the page go into every query; empty ones mean all sites and the last 30 days.
Colours are CSS variables of `static/browse.css`, so that one plot serves light and dark. A mark's `href` leads to the
rows behind it.
"""

from dataclasses import dataclass
from typing import Any

#: The dashboard's name in its address, /-/dashboards/NAME.
NAME = "crawl"
#: Sites that have a colour of their own in plots; the others are one.
NAMED_SITES = 9
#: Rows of plots that have a row a site.
SITE_ROWS = 25

PERIOD = (
    "{day} >= CASE WHEN :since <> '' THEN :since ELSE date((SELECT max(day) FROM daily), '-29 days') END "
    "AND ({day} <= :until OR :until = '') AND (site = :site OR :site = '')"
)
PALETTE = [f"var(--series-{number})" for number in range(1, NAMED_SITES + 1)] + ["var(--series-other)"]
AXIS = {
    "labelColor": "var(--muted)",
    "titleColor": "var(--muted)",
    "gridColor": "var(--grid)",
    "domainColor": "var(--grid)",
    "tickColor": "var(--grid)",
    "labelFontSize": 11,
    "titleFontSize": 11,
    "titleFontWeight": "normal",
    "labelLimit": 150,
}
CONFIG: dict[str, Any] = {
    "background": None,
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": AXIS,
    "axisX": {"grid": False, "labelOverlap": True},
    "legend": {
        "orient": "bottom",
        "columns": 3,
        "labelColor": "var(--ink)",
        "labelLimit": 130,
        "symbolType": "square",
        "title": None,
    },
    "range": {"category": PALETTE},
    "bar": {"color": "var(--series-1)"},
    "line": {"color": "var(--series-1)", "strokeWidth": 2},
    "point": {"color": "var(--series-1)"},
    "text": {"color": "var(--ink)"},
}
EMBEDDING = {"renderer": "svg", "actions": False}
DAY_AXIS = {"title": None, "format": "%-d %b", "tickCount": 6}
DAY = {"field": "day", "type": "temporal", "timeUnit": "utcyearmonthdate", "axis": DAY_AXIS}
COUNT_AXIS = {"title": None, "tickMinStep": 1, "tickCount": 5}


@dataclass(frozen=True)
class Plot:
    """A plot of the dashboard.

    `query`: may name {period}, the condition of the page's parameters. `spec`: Vega-Lite without data. `rows`: path
    (below the index's database) of all rows behind the plot. `wide`: whether it takes the whole width.
    """

    title: str
    note: str
    query: str
    spec: dict[str, Any]
    rows: str
    wide: bool = False


def _bars(color: dict[str, Any], tooltip: list[str], **axes: Any) -> dict[str, Any]:
    """Stacked columns by day."""
    encoding = {
        "x": DAY,
        "y": {"field": "number", "type": "quantitative", "aggregate": "sum", "axis": COUNT_AXIS},
        "color": color,
        "href": {"field": "rows"},
        "tooltip": [{"field": name} for name in tooltip],
        **axes,
    }
    return {"height": 220, "mark": {"type": "bar", "cursor": "pointer"}, "encoding": encoding}


NEW_BY_SITE = Plot(
    "New articles a day, by site",
    "By the day on which they were stored. A column leads to its articles.",
    f"""WITH named AS (
  SELECT site FROM daily WHERE kind = 'new' AND {{period}}
  GROUP BY site ORDER BY sum(number) DESC LIMIT {NAMED_SITES})
SELECT day, CASE WHEN site IN named THEN site ELSE 'other sites' END AS shown, sum(number) AS number,
  'articles?stored_on=' || day || CASE WHEN site IN named THEN '&site=' || site ELSE '' END AS rows
FROM daily WHERE kind = 'new' AND {{period}} GROUP BY day, shown ORDER BY day, shown""",
    _bars({"field": "shown", "type": "nominal"}, ["day", "shown", "number"]),
    "articles?_sort_desc=stored_on",
    wide=True,
)
KINDS = ("new", "changed", "reextracted", "deleted", "retracted")
CHANGES = Plot(
    "What changed",
    "New articles, new versions of known ones, articles gone from their site or taken back.",
    """SELECT day, kind, sum(number) AS number, 'daily?day=' || day || '&kind=' || kind AS rows
FROM daily WHERE {period} GROUP BY day, kind""",
    _bars({"field": "kind", "type": "nominal", "sort": KINDS, "scale": {"domain": KINDS}}, ["day", "kind", "number"]),
    "daily?_sort_desc=day",
)
REFUSED = Plot(
    "Pages that came to nothing, by reason",
    "Pages tried in finished runs that gave no article. A jump of one reason is a block, a wall or a redesign.",
    f"""WITH named AS (
  SELECT reason FROM refusals WHERE {{period}} GROUP BY reason ORDER BY sum(number) DESC LIMIT {NAMED_SITES})
SELECT day, CASE WHEN reason IN named THEN reason ELSE 'other reasons' END AS shown, sum(number) AS number,
  'refusals?day=' || day || CASE WHEN reason IN named THEN '&reason=' || reason ELSE '' END AS rows
FROM refusals WHERE {{period}} GROUP BY day, shown""",
    _bars({"field": "shown", "type": "nominal"}, ["day", "shown", "number"]),
    "refusals?_sort_desc=day",
)
PLOTS = {"new_by_site": NEW_BY_SITE, "changes": CHANGES, "refused": REFUSED}


def chart(plot: Plot, index: str) -> dict[str, Any]:
    """The plot as a chart of datasette-dashboards; `index`: the name of the database."""
    query = plot.query.replace("{period}", PERIOD.replace("{day}", "day"))
    query = query.replace("'articles?", f"'/{index}/articles?")
    for table in ("daily", "refusals", "yields", "sites", "delays", "growth"):
        query = query.replace(f"'{table}?", f"'/{index}/{table}?")
    display = {"config": CONFIG, "usermeta": {"embedOptions": EMBEDDING}, **plot.spec}
    return {
        "title": plot.title,
        "note": plot.note,
        "rows": f"/{index}/{plot.rows}",
        "wide": plot.wide,
        "db": index,
        "query": query,
        "library": "vega-lite",
        "display": display,
    }


def configuration(index: str, *, follow: float | None) -> dict[str, Any]:
    """The plugin configuration of datasette-dashboards. `follow`: seconds between updates of the index."""
    return {
        NAME: {
            "title": "How the crawl does",
            "settings": {"autorefresh": max(follow / 60, 1.0)} if follow else {},
            "filters": {
                "site": {"name": "Site", "type": "text"},
                "since": {"name": "From", "type": "date"},
                "until": {"name": "To", "type": "date"},
            },
            "charts": {name: chart(plot, index) for name, plot in PLOTS.items()},
        }
    }
