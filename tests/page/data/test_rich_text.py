"""Rich text of data as HTML: trees of editors, one paragraph a node, links and emphasis within it."""

import re
from typing import Any

import pytest

from newsextract.page.data.rich_text import render

BEFORE, LINK, BEHIND = "The ferry between the harbour and ", "the islands", " runs again from Monday, the company said."
HEADING = "New landing stage"
ITEMS = ("Three boats leave in the morning", "The last one returns at night")


def lexical_text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "format": 0, "mode": "normal", "detail": 0, "style": "", "version": 1}


def tag(name: str, *children: Any) -> dict[str, Any]:
    return {"type": "tag", "name": name, "attribs": {}, "children": list(children)}


def text(data: str) -> dict[str, Any]:
    return {"type": "text", "data": data}


TREES: dict[str, Any] = {
    "Lexical": {
        "root": {
            "type": "root",
            "children": [
                {
                    "type": "paragraph",
                    "children": [
                        lexical_text(BEFORE),
                        {"type": "link", "url": "/islands", "children": [lexical_text(LINK)]},
                        lexical_text(BEHIND),
                    ],
                },
                {"type": "heading", "tag": "h2", "children": [lexical_text(HEADING)]},
                {
                    "type": "list",
                    "tag": "ul",
                    "children": [{"type": "listitem", "children": [lexical_text(item)]} for item in ITEMS],
                },
            ],
        }
    },
    "Slate": [
        {
            "type": "paragraph",
            "children": [
                {"text": BEFORE},
                {"type": "link", "url": "/islands", "children": [{"text": LINK, "bold": True}]},
                {"text": BEHIND},
            ],
        },
        {"type": "heading-two", "children": [{"text": HEADING}]},
        {"type": "bulleted-list", "children": [{"type": "list-item", "children": [{"text": item}]} for item in ITEMS]},
    ],
    "domhandler": [
        tag("p", text(BEFORE), tag("a", text(LINK)), text(BEHIND)),
        tag("h2", text(HEADING)),
        tag("ul", *(tag("li", text(item)) for item in ITEMS)),
    ],
}


def paragraphs(html: str) -> list[str]:
    lines = re.split(r"</?(?:p|h\d|li|ul)>", html)
    return [plain for line in lines if (plain := re.sub(r"<[^>]*>", "", line))]


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_trees_of_editors_are_rendered_with_the_text_of_their_links(tree: Any) -> None:
    assert paragraphs(render(tree)) == [BEFORE + LINK + BEHIND, HEADING, *ITEMS]


def test_text_that_a_node_has_as_a_tree_and_as_html_is_rendered_once() -> None:
    lines = [f"{number}. {BEFORE}{LINK}{BEHIND}" for number in range(12)]
    node = {"body": [tag("p", text(line)) for line in lines], "bodyContent": "<br>".join(lines)}
    assert paragraphs(render(node)) == lines
