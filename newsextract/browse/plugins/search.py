"""A Datasette plugin: the page of the search, with attention over time for a query and for topics."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from datasette import hookimpl  # type: ignore[import-untyped]
from datasette.app import Datasette  # type: ignore[import-untyped]
from datasette.utils import tilde_encode  # type: ignore[import-untyped]
from datasette.utils.asgi import Request, Response  # type: ignore[import-untyped]
from markupsafe import Markup

from newsextract.browse import dashboard
from newsextract.browse.serve import ServerOptions
from newsextract.errors import NewsextractError
from newsextract.index import TOPICS_FILE
from newsextract.index.query import parse_query
from newsextract.index.search import Filters, Match, count_matches, match_ids, matches
from newsextract.index.topics import Topic, TopicStatus, read_topics, topic_status
from newsextract.index.update import open_index

OPTIONS = ServerOptions.of_environment()
TABLE = f"/{tilde_encode(OPTIONS.name)}/articles"
#: How many articles, and rows of counts by site and language, the page shows.
ARTICLES, ROWS = 10, 10
#: Days of the plot if no first day is chosen: the few articles of a backlog's days have meaningless shares.
PLOTTED = 30


@hookimpl  # type: ignore[untyped-decorator]
def register_routes() -> list[tuple[str, Any]]:
    """The page of the search."""
    return [("^/-/search$", search_page)]


async def search_page(request: Request, datasette: Datasette) -> Response:
    """`q`: a query; `topic`: names in topics.toml; `since`, `until`: days; `measure`: share or count."""
    arguments = {name: (request.args.get(name) or "").strip() for name in ("q", "since", "until", "measure")}
    values = await asyncio.to_thread(_answer, arguments, request.args.getlist("topic"))
    return Response.html(await datasette.render_template("search.html", values, request=request))


def _answer(arguments: dict[str, str], names: list[str]) -> dict[str, Any]:
    """The values of the page's template."""
    shown: dict[str, Any] = {"arguments": arguments, "chosen": names, "series": [], "error": None, "names": []}
    shown["tables_index"] = OPTIONS.name
    try:
        since, until = (date.fromisoformat(arguments[name]) if arguments[name] else None for name in ("since", "until"))
        topics = {topic.name: topic for topic in known_topics()}
        shown["names"] = [*topics]
        series = [topics[name] for name in names if name in topics]
        if arguments["q"]:
            series.insert(0, Topic(arguments["q"], parse_query(arguments["q"])))
        shown["series"] = [_count(topic, since, until) for topic in series]
    except (NewsextractError, ValueError) as error:
        shown["error"] = str(error)
    shown["chart"] = _chart(
        shown["series"], "number" if arguments["measure"] == "count" else "share", arguments["since"]
    )
    return shown


def _count(topic: Topic, since: date | None, until: date | None) -> dict[str, Any]:
    filters = Filters(topic.sites, topic.languages, since, until)
    with open_index(Path(OPTIONS.index)) as index:
        ids = match_ids(index, topic.query, filters, limit=ARTICLES)
        days = count_matches(index, topic.query, "day", filters)
        by = {unit: count_matches(index, topic.query, unit, filters)[:ROWS] for unit in ("site", "language")}
        found = list(matches(index, topic.query, ids))
    fixed = [("site__in", ",".join(topic.sites))] * bool(topic.sites)
    return {
        "name": topic.name,
        "total": sum(count.number for count in days),
        "days": [(count, _rows(topic, fixed, day=count.key)) for count in days],
        "by": {unit: [(count, _rows(topic, fixed, **{unit: count.key})) for count in by[unit]] for unit in by},
        "articles": [(match, marked(match)) for match in found],
        "rows": _rows(topic, fixed),
        "single_day": len(days) == 1,
    }


def _rows(topic: Topic, fixed: list[tuple[str, str]], **columns: str) -> str:
    """The URL of the articles behind a count."""
    chosen = [(name, value) if value else (f"{name}__isnull", "1") for name, value in columns.items()]
    return f"{TABLE}?{urlencode([('_q', topic.query.text), ('_sort_desc', 'day'), *fixed, *chosen])}"


def _chart(series: list[dict[str, Any]], measure: str, since: str) -> dict[str, Any] | None:
    """Attention by day as a line for each query or topic, in Vega-Lite; None for fewer than two days."""
    recent = f"{datetime.now(UTC).date() - timedelta(PLOTTED)}"
    values = [
        {"topic": each["name"][:60], "day": count.key, "number": count.number, "share": count.share, "rows": rows}
        for each in series
        for count, rows in each["days"]
        if since or count.key > recent
    ]
    if len({value["day"] for value in values}) < 2:
        return None
    axis = {"title": None, "tickCount": 5, **({"format": ".1%"} if measure == "share" else {"tickMinStep": 1})}
    channels = {
        "x": dashboard.field("day", "temporal", axis=dashboard.DAY_AXIS),
        "y": dashboard.field(measure, axis=axis),
        "color": dashboard.field("topic", "nominal", sort=None),
    }
    points = dashboard.encoding("topic", "day", "number", **channels)
    points["tooltip"].append({"field": "share", "format": ".1%"})
    layer = [{"mark": "line", "encoding": channels}, {"mark": dashboard.DOT, "encoding": points}]
    data = {"data": {"values": values}, "width": "container", "height": 220, "layer": layer}
    return {"$schema": dashboard.SCHEMA, "config": dashboard.CONFIG, **data}


def marked(match: Match) -> Markup:
    """The snippet as HTML, with the terms of the query marked."""
    html, end = Markup(), 0
    for start, stop in match.spans:
        html += Markup("{}<mark>{}</mark>").format(match.snippet[end:start], match.snippet[start:stop])
        end = stop
    return html + match.snippet[end:]


def known_topics() -> list[Topic]:
    """The topics of topics.toml in the current folder; none without the file. Raises WrongSetting."""
    return read_topics(TOPICS_FILE) if TOPICS_FILE.exists() else []


def topic_statuses() -> list[TopicStatus]:
    """The state of each topic today; empty if the file is invalid: the search page has the message."""
    try:
        with open_index(Path(OPTIONS.index)) as index:
            return [topic_status(index, topic, datetime.now(UTC).date()) for topic in known_topics()]
    except NewsextractError:
        return []


@hookimpl  # type: ignore[untyped-decorator]
def extra_template_vars(template: str) -> Any:
    """The topics on the dashboard."""

    async def values() -> dict[str, Any]:
        return {"topics": await asyncio.to_thread(topic_statuses)}

    return values if template == "dashboard_view.html" else {}
