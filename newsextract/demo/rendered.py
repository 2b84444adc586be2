"""The section of the site that scripts draw: its pages are one empty frame, its list and its stories are JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial

from newsextract.demo.render import environment, html
from newsextract.demo.response import Response, answer
from newsextract.demo.texts import Publication, Story

#: The path of the list, of the script, and of the data of a page with that path.
LIST_PATH = "/app/"
SCRIPT_PATH = "/app/static/app.js"
DATA_PATH = "/app/data{path}.json"

Respond = Callable[[str, str], Response]


def routes(publication: Publication) -> Iterator[tuple[str, str, Respond]]:
    """Path, kind and response of every page, of the script and of the data."""
    yield LIST_PATH, "section", _frame
    yield DATA_PATH.format(path=LIST_PATH), "data", partial(_json, _list_data(publication))
    yield SCRIPT_PATH, "asset", _script
    for story in publication.stories:
        yield story.path, "article", _frame
        yield DATA_PATH.format(path=story.path), "data", partial(_json, _story_data(story))


def _frame(base: str, query: str) -> Response:
    return html("frame.html", {"script": SCRIPT_PATH})


def _script(base: str, query: str) -> Response:
    text = environment().get_template("app.js").render(data="/app/data")
    return answer(text.encode(), "text/javascript; charset=utf-8")


def _json(data: dict[str, object], base: str, query: str) -> Response:
    return answer(json.dumps(data, ensure_ascii=False).encode(), "application/json")


def _list_data(publication: Publication) -> dict[str, object]:
    stories = [{"path": story.path, "headline": story.headline} for story in publication.stories]
    return {"title": publication.title, "stories": stories}


def _story_data(story: Story) -> dict[str, object]:
    return {
        "headline": story.headline,
        "authors": story.authors,
        "published": story.published.isoformat(),
        "blocks": [block.text for block in story.blocks],
    }
