"""A Datasette plugin: dashboard, evidence report and history of an article, search and topics; updates of the index."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, urlencode

from datasette import hookimpl  # type: ignore[import-untyped]
from datasette.app import Datasette  # type: ignore[import-untyped]
from datasette.facets import ColumnFacet  # type: ignore[import-untyped]
from datasette.filters import FilterArguments  # type: ignore[import-untyped]
from datasette.utils import tilde_encode  # type: ignore[import-untyped]
from datasette.utils.asgi import Request, Response  # type: ignore[import-untyped]
from markupsafe import Markup

from newsextract.browse import dashboard
from newsextract.browse.dashboard import Query, duration, overview
from newsextract.browse.figures import update_figures
from newsextract.browse.history import steps
from newsextract.browse.serve import ServerOptions
from newsextract.days import today
from newsextract.errors import NewsextractError
from newsextract.health.status import DUPLICATE
from newsextract.index import TOPICS_FILE
from newsextract.index.query import QueryError, parse_query
from newsextract.index.search import NUMBER, Filters, Unit, count_matches, match_ids, matches
from newsextract.index.topics import Topic, TopicStatus, read_topics, topic_status
from newsextract.index.update import open_index, update_index
from newsextract.store import Store, UrlState
from newsextract.store.corrections import corrections_at
from newsextract.store.lookup import find_versions

logger = logging.getLogger(__name__)
OPTIONS = ServerOptions.of_environment()
TABLE = f"/{tilde_encode(OPTIONS.name)}/articles"
#: How many articles, and rows of counts by site and language, the page shows.
ARTICLES = 10
ROWS = 10
#: The units of time of the plot, with their days, at most.
LENGTHS: dict[str, int] = {"day": 1, "week": 7, "month": 31}
#: One report at a time: each keeps a core busy for a second.
REPORTS = asyncio.Lock()
#: An update waits this many times as long as the last one took, so updating takes at most a tenth of a core.
REST = 9


@hookimpl  # type: ignore[untyped-decorator]
def register_routes() -> list[tuple[str, Callable[..., Awaitable[Response]]]]:
    """The front page, the pages of an article, the search."""
    article = ("^/-/article/(?P<page>evidence|history)$", article_page)
    return [("^/$", front_page), article, ("^/-/search$", search_page)]


async def front_page(request: Request, datasette: Datasette) -> Response:
    query = f"?{request.query_string}" if request.query_string else ""
    return Response.redirect(datasette.urls.path(f"/-/dashboards/{dashboard.NAME}{query}"))


async def article_page(request: Request, datasette: Datasette) -> Response:
    """The evidence report on the kept page of an article, or its versions as differences."""
    url, values = request.args.get("url") or "", dict[str, Any]()
    try:
        if request.url_vars["page"] == "evidence":
            async with REPORTS:
                return Response.html(await asyncio.to_thread(_report, url))
        template, status, values = "article_history.html", 200, await asyncio.to_thread(_history, url)
    except NewsextractError as error:
        template, status, values["error"] = "article_no_report.html", 404, str(error)
    html = await datasette.render_template(template, {**values, "url": url, "said": _said}, request=request)
    return Response.html(html, status=status)


def _said(value: object) -> str:
    """A corrected value as text."""
    return "; ".join(map(str, value)) if isinstance(value, list) else "nothing" if value is None else str(value)


def _report(url: str) -> str:
    # imported here, because most pages of the dashboard show no report
    from newsextract.archive.stored_pages import read_stored_pages
    from newsextract.report import render_report

    page, peer, site = read_stored_pages(OPTIONS.database, url)
    return render_report(page, url, peer=peer, peer_name=peer.url if peer else None, site=site)


def _history(url: str) -> dict[str, Any]:
    """The versions of an article as `steps`, and its corrections by hand: of each version, and those that hold."""
    with Store.open(OPTIONS.database, must_exist=True, read_only=True) as store:
        versions, corrected = store.read(find_versions, url), store.read(corrections_at, url)
    if not versions:
        raise NewsextractError(f"there is no article at {url}")
    latest = {one.field: one for ones in corrected.values() for one in ones}
    holding = [one for one in latest.values() if not one.undone]
    return {"steps": steps(versions), "corrected": corrected, "holding": holding}


@hookimpl  # type: ignore[untyped-decorator]
def extra_template_vars(
    template: str, request: Request, datasette: Datasette
) -> Callable[[], Awaitable[dict[str, Any]]]:
    """Values for the dashboard besides the plots, and links for every page."""

    async def values() -> dict[str, Any]:
        links: dict[str, Any] = {"article_path": article_path, "duration": duration}
        if template != "dashboard_view.html":
            return links

        async def query(statement: str, parameters: Any) -> list[Any]:
            return list((await datasette.execute(OPTIONS.name, statement, dict(parameters))).rows)

        shown = await overview(query, (request.args.get("site") or "").strip(), _updated_at())
        tables = {"index": OPTIONS.name, "crawl": OPTIONS.crawl, "follow": OPTIONS.follow}
        arguments = {name: request.args.get(name) or "" for name in ("site", "since", "until")}
        drawn = [name for name, plot in dashboard.PLOTS.items() if await _has_rows(query, plot, arguments)]
        [days] = (await query("SELECT count(DISTINCT day) AS days FROM daily", {}))[0]
        topics = await asyncio.to_thread(topic_statuses)
        return {**links, "overview": shown, "tables": tables, "drawn": drawn, "days": days, "topics": topics}

    return values


class DayFacet(ColumnFacet):  # type: ignore[misc]  # Datasette has no types
    """Datasette's facet by a column, latest days first instead of most frequent. In metadata: `{"day": COLUMN}`."""

    type = "day"

    def get_facet_size(self) -> int:
        """More days than an index has: Datasette cuts off those with few articles."""
        return 10_000

    async def facet_results(self) -> tuple[list[dict[str, Any]], list[str]]:
        """The facets, and the names of those that took too long."""
        facets, timed_out = await super().facet_results()
        shown = super().get_facet_size()
        for facet in facets:
            days = sorted(facet["results"], key=lambda result: result["value"], reverse=True)
            facet |= {"results": days[:shown], "truncated": len(days) > shown}
        return facets, timed_out


@hookimpl  # type: ignore[untyped-decorator]
def register_facet_classes() -> list[type[ColumnFacet]]:
    return [DayFacet]


@hookimpl  # type: ignore[untyped-decorator]
def filters_from_request(request: Request, database: str, table: str) -> Any:
    """Filters the table of articles by the search query in the parameter `_q`; an invalid query finds nothing."""
    text = request.args.get("_q")
    if not text or (database, table) != (OPTIONS.name, "articles"):
        return None
    try:
        query = parse_query(text)
    except QueryError as error:
        return FilterArguments(["0"], human_descriptions=[f"wrong query: {error.sentence}"])
    clause = f"id IN (SELECT {NUMBER} FROM articles_fts WHERE articles_fts MATCH :newsextract_query)"
    return FilterArguments([clause], {"newsextract_query": query.fts}, [f"search matches {text!r}"])


async def _has_rows(query: Query, plot: Mapping[str, str], arguments: Mapping[str, str]) -> bool:
    """Whether a plot has anything to show: one over time needs two days, because a single day would fill its width."""
    day = "day" if dashboard.over_time(plot) else "1"
    statement = f"SELECT count(*) AS rows, count(DISTINCT {day}) AS days FROM ({plot['query'].replace('{base}', '')})"
    [row] = await query(statement, arguments)
    return bool(row["rows"] and (row["days"] > 1 or not dashboard.over_time(plot)))


def _updated_at() -> datetime | None:
    path = Path(OPTIONS.index)
    times = [file.stat().st_mtime for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]
    return datetime.fromtimestamp(max(times), UTC) if times else None


def article_path(page: str, url: str) -> str:
    """The path of an article's evidence report ("evidence") or of its history ("history")."""
    return f"/-/article/{page}?url={quote(url, safe='')}"


@hookimpl  # type: ignore[untyped-decorator]
def render_cell(row: Any, value: Any, column: str, table: str | None, database: str) -> Markup | None:
    """Links to the pages of an article, and from counts of the outcomes to the URLs that were counted."""
    link = CELL_LINKS.get((table or "", column)) if database == OPTIONS.name else None
    values = dict(row)
    if link is None or not {"url", "site"} & values.keys():
        return None
    target = link(values)
    return None if target is None else Markup('<a href="{}" title="{}">{}</a>').format(target[0], value, target[1])


def _addresses_link(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """The URLs of a site with an outcome: a reason, or a state without one."""
    outcome = values.get("outcome") or values.get("reason")
    if OPTIONS.crawl is None or outcome in (None, UrlState.stored, DUPLICATE):  # no one column tells these
        return None
    column = "state" if outcome in set(UrlState) else "reason"
    table = f"/{tilde_encode(OPTIONS.crawl)}/urls"
    return f"{table}?{urlencode({'site': values['site'], column: outcome})}", f"{values['number']:,}"


#: Cells of the index's tables that are links: from the row's values to path and label.
CELL_LINKS: dict[tuple[str, str], Callable[[Mapping[str, Any]], tuple[str, str] | None]] = {
    ("articles", "report"): lambda values: (article_path("evidence", values["url"]), "evidence"),
    ("articles", "corrected"): lambda values: (
        (article_path("history", values["url"]), values["corrected"]) if values["corrected"] else None
    ),
    ("articles", "version"): lambda values: (article_path("history", values["url"]), f"{values['version']}, history"),
    ("outcomes", "number"): _addresses_link,
    ("refusals", "number"): _addresses_link,
    ("sites", "site"): lambda values: (f"/?{urlencode({'site': values['site']})}", values["site"]),
}


# ---- search ----------------------------------------------------------------------------------------------------------


async def search_page(request: Request, datasette: Datasette) -> Response:
    """`q`: a query; `topic`: names in topics.toml; `since`, `until`: days; `measure`: share or count."""
    arguments = {name: (request.args.get(name) or "").strip() for name in ("q", "since", "until", "measure", "unit")}
    values = await asyncio.to_thread(_answer, arguments, request.args.getlist("topic"))
    return Response.html(await datasette.render_template("search.html", values, request=request))


def _answer(arguments: dict[str, str], names: list[str]) -> dict[str, Any]:
    shown: dict[str, Any] = {"arguments": arguments, "chosen": names, "series": [], "error": None, "names": []}
    shown["tables_index"] = OPTIONS.name
    try:
        since, until = (date.fromisoformat(arguments[name]) if arguments[name] else None for name in ("since", "until"))
        topics = {topic.name: topic for topic in known_topics()}
        shown["names"] = [*topics]
        series = [topics[name] for name in names if name in topics]
        if arguments["q"]:
            series.insert(0, Topic(arguments["q"], parse_query(arguments["q"])))
        shown["unit"] = _unit_of(series, Filters(since=since, until=until), arguments["unit"])
        shown["series"] = [_count(topic, since, until, shown["unit"]) for topic in series]
    except (NewsextractError, ValueError) as error:
        shown["error"] = str(error)
    shown["chart"] = _chart(shown["series"], "number" if arguments["measure"] == "count" else "share")
    return shown


def _unit_of(series: list[Topic], filters: Filters, chosen: str) -> Unit:
    """The chosen unit of time, or the shortest that gives at most some hundred points."""
    if chosen in LENGTHS:
        return cast(Unit, chosen)
    with open_index(Path(OPTIONS.index)) as index:
        keys = sorted(count.key for topic in series for count in count_matches(index, topic.query, "month", filters))
    months = (date.fromisoformat(keys[-1]) - date.fromisoformat(keys[0])).days / 30 if keys else 0
    return "day" if months < 4 else "week" if months < 30 else "month"


def _count(topic: Topic, since: date | None, until: date | None, unit: Unit) -> dict[str, Any]:
    filters = Filters(topic.sites, topic.languages, since, until)
    with open_index(Path(OPTIONS.index)) as index:
        ids = match_ids(index, topic.query, filters, limit=ARTICLES)
        counts = count_matches(index, topic.query, unit, filters)
        by = {unit: count_matches(index, topic.query, unit, filters)[:ROWS] for unit in ("site", "language")}
        found = list(matches(index, topic.query, ids))
    fixed = [("site__in", ",".join(topic.sites))] * bool(topic.sites)
    return {
        "name": topic.name,
        "total": sum(count.number for count in counts),
        "counts": [(count, _rows(topic, fixed, **_period(count.key, unit))) for count in counts],
        "by": {unit: [(count, _rows(topic, fixed, **{unit: count.key})) for count in by[unit]] for unit in by},
        "articles": found,
        "rows": _rows(topic, fixed),
        "hints": topic.query.hints,
        "single": len(counts) == 1,
    }


def _period(first: str, unit: Unit) -> dict[str, str]:
    """The days of a unit as columns of a filter."""
    end = date.fromisoformat(first) + timedelta(LENGTHS[unit])
    last = end.replace(day=1) - timedelta(1) if unit == "month" else end - timedelta(1)
    return {"day": first} if unit == "day" else {"day__gte": first, "day__lte": f"{last}"}


def _rows(topic: Topic, fixed: list[tuple[str, str]], **columns: str) -> str:
    """The URL of the articles behind a count."""
    chosen = [(name, value) if value else (f"{name}__isnull", "1") for name, value in columns.items()]
    return f"{TABLE}?{urlencode([('_q', topic.query.text), ('_sort_desc', 'day'), *fixed, *chosen])}"


def _chart(series: list[dict[str, Any]], measure: str) -> dict[str, Any] | None:
    """Attention over time as a line for each query or topic, in Vega-Lite; None for fewer than two points in time."""
    values = [
        {"topic": each["name"][:60], "day": count.key, "number": count.number, "share": count.share, "rows": rows}
        for each in series
        for count, rows in each["counts"]
    ]
    if len({value["day"] for value in values}) < 2:
        return None
    axis = {"title": None, "tickCount": 5, **({"format": ".1%"} if measure == "share" else {"tickMinStep": 1})}
    return dashboard.specification("attention", {"values": values, "measure": measure, "axis": axis})


def known_topics() -> list[Topic]:
    """The topics of topics.toml in the current folder; none without the file. Raises WrongSetting."""
    return read_topics(TOPICS_FILE) if TOPICS_FILE.exists() else []


def topic_statuses() -> list[TopicStatus]:
    """The state of each topic today; empty if the file is invalid: the search page has the message."""
    try:
        with open_index(Path(OPTIONS.index)) as index:
            return [topic_status(index, topic, today()) for topic in known_topics()]
    except NewsextractError:
        return []


# ---- serving ---------------------------------------------------------------------------------------------------------


@hookimpl  # type: ignore[untyped-decorator]
def startup() -> None:
    """Starts updating the index repeatedly, with `--follow`, in a thread that ends with the process."""
    # uvicorn logs requests to stdout, with the SQL of plots; the server would stop when nobody reads them
    logging.getLogger("uvicorn.access").addFilter(lambda record: False)
    if OPTIONS.follow:
        threading.Thread(target=keep_updating, args=[OPTIONS.follow], daemon=True).start()


def keep_updating(follow: float) -> None:
    """Updates the index forever; errors are logged, and the update is retried."""
    wait = follow
    while True:
        time.sleep(wait)
        started = time.monotonic()
        try:
            with Store.open(OPTIONS.database, must_exist=True, read_only=True) as store:
                update_index(store, OPTIONS.database, Path(OPTIONS.index))
                update_figures(store, Path(OPTIONS.index))
        except NewsextractError as error:
            logger.warning("The copy could not be updated: %s", error)
        wait = max(follow, REST * (time.monotonic() - started))
