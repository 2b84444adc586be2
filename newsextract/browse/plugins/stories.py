"""A Datasette plugin: the stories of a day, and how one spread over hours and sites. Every number leads to articles."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from datasette import hookimpl  # type: ignore[import-untyped]
from datasette.app import Datasette  # type: ignore[import-untyped]
from datasette.utils import tilde_encode  # type: ignore[import-untyped]
from datasette.utils.asgi import Request, Response  # type: ignore[import-untyped]

from newsextract.browse.serve import ServerOptions
from newsextract.days import beginning_of, today
from newsextract.errors import NewsextractError, WrongCall
from newsextract.store import Store
from newsextract.stories.by_hand import find_story
from newsextract.stories.compare import central_article
from newsextract.stories.read import (
    StoryArticle,
    articles_of,
    last_day,
    list_stories,
    read_story,
    silent_sites,
)
from newsextract.stories.update import load_statistics
from newsextract.text import MAX_LISTED

OPTIONS = ServerOptions.of_environment()
TABLE = f"/{tilde_encode(OPTIONS.name)}/articles"
#: Stories of a day that are listed, silent sites that are named.
STORIES = 100


@hookimpl  # type: ignore[untyped-decorator]
def register_routes() -> list[tuple[str, Callable[..., Awaitable[Response]]]]:
    return [("^/-/stories$", day_page), ("^/-/stories/(?P<story>[0-9]{1,18})$", story_page)]


async def day_page(request: Request, datasette: Datasette) -> Response:
    """`day`: by default the last one with stories; `by`: sites, articles or growth; `site`; `min_sites`."""
    names = ("day", "by", "site", "min_sites")
    arguments = {name: (request.args.get(name) or "").strip() for name in names}
    return await _render(request, datasette, "stories.html", _day, arguments)


async def story_page(request: Request, datasette: Datasette) -> Response:
    """The articles of a story by hour and by site, independent texts beside copies."""
    return await _render(request, datasette, "story.html", _story, request.url_vars["story"])


async def _render(
    request: Request, datasette: Datasette, template: str, read: Callable[[Any], dict[str, Any]], argument: object
) -> Response:
    status = 200
    try:
        values = await asyncio.to_thread(read, argument)
    except (NewsextractError, ValueError) as error:
        values, status = {"error": str(error), "arguments": argument}, 404
    return Response.html(await datasette.render_template(template, values, request=request), status=status)


def _day(arguments: dict[str, str]) -> dict[str, Any]:
    by = arguments["by"] or "sites"
    if not (arguments["min_sites"] or "1").isdecimal():
        raise WrongCall(f"the number of sites is {arguments['min_sites']!r}; use a whole number")
    with Store.open(OPTIONS.database, must_exist=True, read_only=True) as store:
        newest = store.read(last_day)
        day = date.fromisoformat(arguments["day"]) if arguments["day"] else newest or today()
        found = store.read(
            list_stories,
            since=beginning_of(day),
            until=beginning_of(day + timedelta(1)),
            sites=[arguments["site"]] if arguments["site"] else (),
            min_sites=int(arguments["min_sites"] or 1),
            by=by,  # type: ignore[arg-type]
            limit=STORIES,
        )
    shown = {**arguments, "day": f"{day}", "by": by}
    days = {"before": f"{day - timedelta(1)}", "after": f"{day + timedelta(1)}"}
    links = {name: f"/-/stories?{urlencode({**shown, 'day': value})}" for name, value in days.items()}
    return {"arguments": shown, "stories": found, "has_stories": newest is not None, "links": links, "limit": STORIES}


def _story(name: str) -> dict[str, Any]:
    with Store.open(OPTIONS.database, must_exist=True, read_only=True) as store:
        number = store.read(find_story, name)
        story, members = store.read(read_story, number), store.read(articles_of, number)
        if not members:
            raise NewsextractError(f"story {number} has no articles any more")
        silent = store.read(silent_sites, story)
        central = central_article(store, members, load_statistics(store, OPTIONS.database, Path(OPTIONS.index)))
    own = [member for member in members if member.copy_of is None] or members
    copies: defaultdict[str | None, list[StoryArticle]] = defaultdict(list)
    for member in members:
        if member not in own:
            copies[member.copy_of].append(member)
    stored = min(own, key=lambda member: (member.stored_at, member.id))
    copied = [member for each in copies.values() for member in each]
    return {
        "story": story,
        "central": central,
        "first": own[0],
        "stored": stored if stored is not own[0] else None,
        "articles": [(member, copies[member.url]) for member in own],
        "all": {
            "own": _link(own),
            "copies": _link(copied),
            "rows": _link(members),
        },
        "hours": _counts(members, lambda member: f"{member.at:%Y-%m-%d %H}:00"),
        "sites": _counts(members, lambda member: member.site),
        "silent": silent[:MAX_LISTED],
        "more": max(len(silent) - MAX_LISTED, 0),
        "article": TABLE,
    }


def _counts(members: list[StoryArticle], key: Callable[[StoryArticle], str]) -> list[dict[str, Any]]:
    """The articles by a key, in order of time: how many texts of their own and copies, with links to them."""
    groups: defaultdict[str, list[StoryArticle]] = defaultdict(list)
    for member in members:
        groups[key(member)].append(member)
    largest = max(map(len, groups.values()))
    return [
        {
            "key": name,
            "first": group[0].at,
            "delay": _delay(group[0].at - members[0].at),
            "own": len(own := [member for member in group if member.copy_of is None]),
            "own_link": _link(own),
            "copies": len(group) - len(own),
            "copies_link": _link(member for member in group if member.copy_of is not None),
            "own_width": round(100 * len(own) / largest),
            "copies_width": round(100 * (len(group) - len(own)) / largest),
        }
        for name, group in groups.items()
    ]


def _delay(after: timedelta) -> str:
    hours, minutes = divmod(round(after.total_seconds() / 60), 60)
    return f"{hours // 24} d {hours % 24} h" if hours >= 24 else f"{hours} h {minutes:02} min"


def _link(members: Iterable[StoryArticle]) -> str:
    """The URL of the rows of these articles."""
    ids = ",".join(f"{member.id}" for member in members)
    return f"{TABLE}?{urlencode({'id__in': ids, '_sort': 'date_published'})}"
