"""The article in a page's data: every format, which text is chosen, what stays behind a paywall; hostile data."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from time import process_time
from typing import Any

import pytest

import newsextract
from newsextract.items import Image
from newsextract.page import Page
from newsextract.page.data.rich_text import render
from newsextract.report.render import render_report
from tests.page.data.pages import (
    FORMATS,
    HEADLINE,
    HTML,
    OTHER,
    PAGES,
    PARAGRAPHS,
    TEXT,
    URL,
    frame,
    json_ld,
    json_script,
    next_data,
    script,
    works,
)

LONG = (
    "The first of the harbours is the oldest one, and its quay was built of granite that came by ship from the north. "
    "Three boats leave it each morning, and the last one returns when the lamp is lit; in winter there is only one.",
    "The second harbour belongs to the village on the western side, where the wind is weaker and the water deeper. "
    "It has a crane, two sheds and a small office, which sells tickets and hot coffee to those who wait for the ferry.",
)


def extract(page: str, url: str = URL) -> newsextract.Article:
    return newsextract.extract(page, url)


def of_data(data: Any) -> str:
    return frame(next_data(data))


def other_type(data: Any) -> str:
    """A page with these data that doesn't say that it is an article."""
    return of_data(data).replace("article", "website")


@pytest.mark.parametrize(("source", "page"), FORMATS)
def test_article_is_read_from_data_of_every_format(source, page):
    article = extract(page)
    assert (article.article_body, article.headline) == (TEXT, HEADLINE)
    assert article.sources["article_body"] == source
    assert article.is_article, article.not_article_because
    assert (article.article_body_html or "").count("<p>") == len(PARAGRAPHS)


def test_fields_come_from_the_object_that_has_the_text():
    article = extract(PAGES["next-data"])
    assert (article.authors, article.section) == (["Ada Martin"], "Islands")
    assert article.date_published == datetime(2026, 3, 4, 8, 30, tzinfo=UTC)
    assert article.main_image == Image("https://example.org/ferry.jpg")
    fields = ("headline", "authors", "date_published", "section", "main_image")
    assert {article.sources[name] for name in fields} <= {"next-data", "og"}


def showing(paragraphs: str, page: str = PAGES["next-data"]) -> str:
    return page.replace('<div id="root">', f'<div id="root"><h1>{HEADLINE}</h1><article>{paragraphs}</article>')


def declaring(text: str, *texts: str) -> str:
    """A page that declares a text and has these texts in its data."""
    declared = json_ld({"@type": "NewsArticle", "headline": HEADLINE, "articleBody": text})
    elements = [{"type": "p", "children": [{"text": one}]} for one in texts]
    return frame(next_data({"dom": {"children": elements}}), head=declared, shown="<p>Please enable JavaScript.</p>")


BEGINNING = "".join(f"<p>{one}</p>" for one in PARAGRAPHS[:2])
OTHERS = next_data({"teasers": [{"title": "Keeper", "url": "/keeper", "body": " ".join(OTHER * 4)}]})
KEYS = {"sections": ["section:b314bb08", "inArticle"], "relationships": ["nofollow", "noreferrer"]}
#: MDX compiled to JavaScript -> how it writes a paragraph.
MDX = {
    """const layoutProps={};const MDXLayout="wrapper";function MDXContent({components,...props}){return
mdx(MDXLayout,
{...layoutProps,...props,components:components,mdxType:"MDXLayout"},%s)}MDXContent.isMDXComponent=true;""": (
        "mdx('p',null,{0},mdx('strong',{{parentName:'p',...rest}},`{1}`))"
    ),
    """"use strict";const {Fragment:_Fragment,jsx:_jsx,jsxs:_jsxs}=arguments[0];function _createMdxContent(props){
const
_components=Object.assign({p:"p",strong:"strong"},props.components);return _jsxs(_Fragment,{children:[%s]})}""": (
        "_jsxs(_components.p,{{children:[{0},_jsx(_components.strong,{{children:`{1}`}})]}}),'\\n'"
    ),
}
COMPILED = [
    code % ",".join(paragraph.format(json.dumps(text[:40]), text[40:]) for text in PARAGRAPHS)
    for code, paragraph in MDX.items()
]
ALL = (*PARAGRAPHS, *LONG)
WHOLE = "\n".join(ALL)
MORE_DATA = declaring(" ".join(PARAGRAPHS[:4]), *PARAGRAPHS, LONG[0])
KEYED = [{"text": {"value": one}, "content": KEYS} for one in PARAGRAPHS]
DESCRIBED = {"Title": {"value": HEADLINE}, "Description": {"value": HTML}, "bios": [{"bio": LONG[0]}]}
TWICE = {"title": HEADLINE, "wide": {"body": HTML}, "narrow": {"body": f"<div>{HTML}</div>{HTML}"}}
#: What a page has -> the page, where its text is from, its text.
BODIES: dict[str, tuple[str, str, str]] = {
    "shown text, and no more in the data": (showing(HTML), "page", TEXT),
    "the beginning of the data's text": (f"{showing(BEGINNING)}<p>Read more</p>", "next-data", TEXT),
    "another article's text in the data": (showing(HTML, frame(OTHERS)), "page", TEXT),
    "more text than it declares": (MORE_DATA, "next-data", f"{TEXT}\n{LONG[0]}"),
    "a whole declared text, others behind it": (declaring(WHOLE, *ALL, *OTHER), "json-ld", WHOLE),
    "a declared text alone": (declaring(TEXT), "json-ld", TEXT),
    "a long description": (of_data(DESCRIBED), "next-data", TEXT),
    "lists of keys": (of_data({"title": HEADLINE, "items": KEYED}), "next-data", TEXT),
    "its text for two layouts": (of_data(TWICE), "next-data", TEXT),
    "MDX 1": (of_data({"title": HEADLINE, "mdx": {"compiledSource": COMPILED[0]}}), "next-data", TEXT),
    "MDX 2": (of_data({"title": HEADLINE, "mdx": {"compiledSource": COMPILED[1]}}), "next-data", TEXT),
}


@pytest.mark.parametrize("kind", BODIES)
def test_text_is_chosen_from_page_and_data(kind):
    page, source, text = BODIES[kind]
    article = extract(page)
    assert article.article_body == text
    assert article.sources["article_body"] == source
    assert article.is_article


def test_parts_of_the_object_with_the_headline_are_one_text():
    reasons = zip("AB", LONG, strict=True)
    rankings = [{"school": name, "why": f"{text} {text.replace('The', 'A')}"} for name, text in reasons]
    related = [{"title": "Keeper", "url": "/keeper", "body": " ".join(OTHER)}]
    post = {"title": HEADLINE, "body": HTML, "rankings": rankings, "related": related, "copy": HTML}
    body = extract(of_data({"post": post})).article_body
    assert all(text in body for text in (*PARAGRAPHS, *LONG))
    assert body.count(PARAGRAPHS[0]) == 1 and OTHER[0] not in body


GOODS = {"title": HEADLINE, "description": "\n".join((*OTHER, *PARAGRAPHS))}
ITEMS = [{"title": f"Story {n} of the town", "url": f"/{n}", "body": f"{n}. {' '.join(OTHER)}"} for n in range(6)]
TERMS = {"store": {"terms": "".join(f"<p>{one}</p>" for one in (*OTHER, *PARAGRAPHS))}}
CODE = '<script src="/app.js"></script></body>'


@pytest.mark.parametrize(
    ("page", "path", "reason"),
    [
        (other_type({"title": HEADLINE, "articles": ITEMS}), "islands/", "listing"),
        # A browser would find the links of the list.
        (other_type({"title": HEADLINE, "articles": ITEMS}).replace("</body>", CODE), "islands/", "needs_javascript"),
        (other_type({"page": {**GOODS, "price": 39, "variants": ["red", "blue"]}}), "kettles/7", "product"),
        (other_type({"page": GOODS}), "kettles/7", None),
        (other_type(TERMS), "kettles/7", "no_article"),
        (other_type(TERMS), "news/7", None),
    ],
)
def test_text_of_the_data_is_an_article_only_with_something_of_one(page, path, reason):
    assert extract(page, f"https://example.org/{path}").not_article_because == reason


def test_page_of_many_parts_is_the_largest_part_of_its_data():
    sections = [{"heading": f"Line {name}", "text": text} for name, text in zip("ABC", OTHER, strict=True)]
    messages = {f"error{n}": f"Something went wrong while we read your order, try {n} times." for n in range(40)}
    page = other_type({"pageProps": {"page": {"sections": sections}, "i18n": messages}}).replace("</body>", CODE)
    article = extract(page, "https://example.org/lines")
    assert all(text in article.article_body for text in OTHER)
    assert "went wrong" not in article.article_body
    assert article.not_article_because == "needs_javascript"


WALLS = {
    "json-ld": json_ld({"@type": "NewsArticle", "isAccessibleForFree": "False"}),
    "part": json_ld({"@type": "NewsArticle", "hasPart": {"isAccessibleForFree": False}}),
    "tier": '<meta property="article:content_tier" content="locked">',
}


@pytest.mark.parametrize("wall", WALLS.values(), ids=WALLS)
@pytest.mark.parametrize("source", ["next-data", "json-ld", "next-flight"])
def test_text_behind_a_wall_stays_there(wall, source):
    page = PAGES[source].replace("</head>", f"{wall}</head>")
    beginning, nothing = extract(showing(BEGINNING, page)), extract(page)
    assert (beginning.article_body, beginning.is_truncated) == ("\n".join(PARAGRAPHS[:2]), True)
    assert beginning.sources["article_body"] == "page"
    assert (nothing.article_body, nothing.is_truncated) == ("", True)
    assert nothing.not_article_because == "paywall_stub", "a browser would not bring it"


#: Seconds of processor time for one page; a crawl allows 30.
MAX_SECONDS = 12.0
NESTED = 1_000_000
ATTACK = "<script>alert(1)</script><img src=x onerror=alert(2)><a href='javascript:alert(3)'>press here</a>"


def flight(rows: str) -> str:
    return frame(script(f"self.__next_f.push({json.dumps([1, rows])})"))


def nuxt(values: list[object]) -> str:
    return frame(json_script(values, id="__NUXT_DATA__"))


#: Made by the test that reads it: some have 50 MB.
HOSTILE: dict[str, Callable[[], str]] = {
    "50 MB of text": lambda: frame(json_script({"a": "The ferry runs again. " * 2_400_000}, id="__NEXT_DATA__")),
    "50 MB of members": lambda: frame(
        json_script({"a": [{"t": "The ferry runs again"}] * 1_800_000}, id="__NEXT_DATA__")
    ),
    "nested lists in JSON": lambda: frame(f'<script type="application/json">{"[" * NESTED}{"]" * NESTED}</script>'),
    "nested lists in a script": lambda: frame(script("window.x = " + "[" * NESTED + json.dumps(TEXT) + "]" * NESTED)),
    "nested objects, unclosed": lambda: frame(script("window.x = " + '{"a":' * NESTED)),
    "nested calls": lambda: frame(script("window.x = {a:" + "f(" * 100_000 + json.dumps(TEXT) + ")" * 100_000 + "}")),
    "unclosed string": lambda: frame(script('window.x = {"text": "' + TEXT * 3_000)),
    "backslashes": lambda: frame(script(f'window.x = {{"text": "{TEXT[:80]}' + "\\" * 500_000)),
    "code": lambda: frame(script(f"/* {TEXT} */" + "var a=function(b){return {c:b({d:1})}};" * 20_000)),
    "nested elements": lambda: flight("0:" + '["$","div",null,{"children":' * 50_000 + '"x"' + "}]" * 50_000 + "\n"),
    "rows that refer to each other": lambda: flight('0:["$1","$1","$2"]\n1:["$2","$2","$0"]\n2:["$0","$1","$L1"]\n'),
    "rows without end": lambda: flight(f"0:T{2**40:x},short"),
    "broken chunks": lambda: frame(script("self.__next_f.push([1,") + script('self.__next_f.push([1,"0:[\\u12"])')),
    "indices in a circle": lambda: nuxt([{"a": 0, "b": 1}, [0, 1, 1], ["Ref", 2], ["Reactive", 0]]),
    "indices that multiply": lambda: nuxt([[1] * 50, *([number + 1] * 50 for number in range(1, 60)), TEXT]),
    "indices outside": lambda: nuxt([{"a": 1, "b": 2}, ["Map", 99, -7, 1], ["Date"]]),
    "halves of surrogates": lambda: frame(json_script({"title": HEADLINE, "body": f"\ud83d {TEXT} \udc00"})),
    "escapes of no characters": lambda: frame(
        script(f'window.x = {{"body": "\\u{{110000}} \\xZZ \\u12 {TEXT[:90]}"}}')
    ),
    "Markdown of brackets": lambda: frame(json_script({"body": "[" * 100_000 + "](http://a)" + TEXT})),
    "compiled elements, unclosed": lambda: frame(
        json_script({"body": "function f(){return " + "mdx('p',null,'x'," * 50_000})
    ),
    "a number alone": lambda: frame(json_script(int("9" * 300))),
    "numbers without end": lambda: frame(script("window.x = {a: " + "9" * 1_000_000 + f", b: {json.dumps(TEXT)}}}")),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_data_give_a_result_in_time(kind):
    page = HOSTILE[kind]()
    begin = process_time()
    article = newsextract.extract(page, URL)
    assert process_time() - begin < MAX_SECONDS
    article.article_body.encode("utf-8")


@pytest.mark.parametrize("form", ["html", "escaped", "escaped twice", "plain list", "nodes"])
def test_no_script_of_the_data_comes_out(form):
    data = works()
    escaped = (HTML + ATTACK).replace("&", "&amp;").replace("<", "&lt;")
    paragraphs = [{"type": "p", "children": [{"text": one}]} for one in PARAGRAPHS]
    nodes: dict[str, object] = {
        "html": HTML + ATTACK,
        "escaped": escaped,
        "escaped twice": escaped.replace("&", "&amp;"),
        "plain list": [*PARAGRAPHS, ATTACK],
        "nodes": [*paragraphs, {"type": "script", "text": ATTACK}],
    }
    data["article"] = {"title": f"{HEADLINE}</title><script>alert(0)</script>", "content": nodes[form]}
    inner = json.dumps(json.dumps({"data": data})).replace("</", "<\\/")
    page = Page(frame(f'<script type="application/json">{{"state":{inner}}}</script>'), URL)
    article = newsextract.extract(page)
    assert article.article_body.startswith(TEXT)
    for html in (article.article_body_html or "", render_report(page, "hostile").split("<body", 1)[1]):
        assert "<script>alert" not in html
        assert "onerror=" not in html.replace("&lt;img src=x onerror=", "")
        assert 'href="javascript' not in html


@pytest.mark.parametrize("page", [page for _, page in FORMATS])
def test_truncated_and_spoiled_data_give_a_result(page):
    for cut in range(0, len(page), max(1, len(page) // 12)):
        newsextract.extract(page[:cut], URL)
        newsextract.extract(page[:cut] + '"}]\\' + page[cut + 5 :], URL)


BEFORE = "The ferry between the harbour and "
LINK = "the islands"
BEHIND = " runs again from Monday, the company said."
HEADING = "New landing stage"
LIST_ITEMS = ("Three boats leave in the morning", "The last one returns at night")


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
        node("list", *(node("listitem", lexical(item)) for item in LIST_ITEMS), tag="ul"),
    ),
    "Slate": [
        node("paragraph", slate(BEFORE), node("link", slate(LINK), url="/islands"), slate(BEHIND)),
        node("heading-two", slate(HEADING)),
        node("bulleted-list", *(node("list-item", slate(item)) for item in LIST_ITEMS)),
    ],
    "domhandler": [
        tag("p", domhandler(BEFORE), tag("a", domhandler(LINK)), domhandler(BEHIND)),
        tag("h2", domhandler(HEADING)),
        tag("ul", *(tag("li", domhandler(item)) for item in LIST_ITEMS)),
    ],
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_trees_of_editors_are_rendered_with_the_text_of_their_links(tree):
    items = "".join(f"<li>{item}</li>" for item in LIST_ITEMS)
    assert render(tree) == f"<p>{BEFORE}<a>{LINK}</a>{BEHIND}</p><h2>{HEADING}</h2><ul>{items}</ul>"


def test_text_that_a_node_has_as_a_tree_and_as_html_is_rendered_once():
    lines = [f"{number}. {BEFORE}{LINK}{BEHIND}" for number in range(12)]
    trees = {"body": [tag("p", domhandler(line)) for line in lines], "bodyContent": "<br>".join(lines)}
    assert render(trees) == "".join(f"<p>{line}</p>" for line in lines)
