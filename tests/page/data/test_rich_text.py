"""Rich text of data as HTML: trees of editors, one paragraph a node, links and emphasis within it."""

from typing import Any

import pytest

from newsextract.page.data.rich_text import render

BEFORE, LINK, BEHIND = "The ferry between the harbour and ", "the islands", " runs again from Monday, the company said."
HEADING = "New landing stage"
ITEMS = ("Three boats leave in the morning", "The last one returns at night")


def node(kind: str, *children: Any, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more, "children": list(children)}


def tag(name: str, *children: Any) -> dict[str, Any]:
    return node("tag", *children, name=name, attribs={})


def lexical(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "format": 0, "mode": "normal", "detail": 0, "style": "", "version": 1}


def slate(text: str) -> dict[str, Any]:
    return {"text": text, "bold": True} if text == LINK else {"text": text}


def domhandler(text: str) -> dict[str, Any]:
    return {"type": "text", "data": text}


TREES: dict[str, Any] = {
    "Lexical": node(
        "root",
        node("paragraph", lexical(BEFORE), node("link", lexical(LINK), url="/islands"), lexical(BEHIND)),
        node("heading", lexical(HEADING), tag="h2"),
        node("list", *(node("listitem", lexical(item)) for item in ITEMS), tag="ul"),
    ),
    "Slate": [
        node("paragraph", slate(BEFORE), node("link", slate(LINK), url="/islands"), slate(BEHIND)),
        node("heading-two", slate(HEADING)),
        node("bulleted-list", *(node("list-item", slate(item)) for item in ITEMS)),
    ],
    "domhandler": [
        tag("p", domhandler(BEFORE), tag("a", domhandler(LINK)), domhandler(BEHIND)),
        tag("h2", domhandler(HEADING)),
        tag("ul", *(tag("li", domhandler(item)) for item in ITEMS)),
    ],
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_trees_of_editors_are_rendered_with_the_text_of_their_links(tree: Any) -> None:
    items = "".join(f"<li>{item}</li>" for item in ITEMS)
    assert render(tree) == f"<p>{BEFORE}<a>{LINK}</a>{BEHIND}</p><h2>{HEADING}</h2><ul>{items}</ul>"


def test_text_that_a_node_has_as_a_tree_and_as_html_is_rendered_once() -> None:
    lines = [f"{number}. {BEFORE}{LINK}{BEHIND}" for number in range(12)]
    trees = {"body": [tag("p", domhandler(line)) for line in lines], "bodyContent": "<br>".join(lines)}
    assert render(trees) == "".join(f"<p>{line}</p>" for line in lines)
