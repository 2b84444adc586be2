"""The article in a page's data: every format, which text is chosen, what stays behind a paywall."""

import json
from typing import Any

import pytest

import newsextract
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
    next_data,
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
def test_article_is_read_from_data_of_every_format(source: str, page: str) -> None:
    article = extract(page)
    assert article.article_body == TEXT
    assert article.headline == HEADLINE
    assert article.sources["article_body"] == source
    assert article.is_article, article.not_article_because
    assert article.article_body_html is not None
    assert article.article_body_html.count("<p>") == len(PARAGRAPHS)


def test_fields_come_from_the_object_that_has_the_text() -> None:
    article = extract(PAGES["next-data"])
    assert article.authors == ["Ada Martin"]
    assert article.date_published is not None
    assert article.date_published.isoformat() == "2026-03-04T08:30:00+00:00"
    assert article.section == "Islands"
    assert article.main_image is not None
    assert article.main_image.url == "https://example.org/ferry.jpg"
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
WHOLE = (*PARAGRAPHS, *LONG)
KEYED = [{"text": {"value": one}, "content": KEYS} for one in PARAGRAPHS]
DESCRIBED = {"Title": {"value": HEADLINE}, "Description": {"value": HTML}, "bios": [{"bio": LONG[0]}]}
TWICE = {"title": HEADLINE, "wide": {"body": HTML}, "narrow": {"body": f"<div>{HTML}</div>{HTML}"}}
#: What a page has -> the page, where its text is from, its text.
BODIES: dict[str, tuple[str, str, str]] = {
    "shown text, and no more in the data": (showing(HTML), "page", TEXT),
    "the beginning of the data's text": (f"{showing(BEGINNING)}<p>Read more</p>", "next-data", TEXT),
    "another article's text in the data": (showing(HTML, frame(OTHERS)), "page", TEXT),
    "more text than it declares": (
        declaring(" ".join(PARAGRAPHS[:4]), *PARAGRAPHS, LONG[0]),
        "next-data",
        f"{TEXT}\n{LONG[0]}",
    ),
    "a whole declared text, others behind it": (
        declaring("\n".join(WHOLE), *WHOLE, *OTHER),
        "json-ld",
        "\n".join(WHOLE),
    ),
    "a declared text alone": (declaring(TEXT), "json-ld", TEXT),
    "a long description": (of_data(DESCRIBED), "next-data", TEXT),
    "lists of keys": (of_data({"title": HEADLINE, "items": KEYED}), "next-data", TEXT),
    "its text for two layouts": (of_data(TWICE), "next-data", TEXT),
    "MDX 1": (of_data({"title": HEADLINE, "mdx": {"compiledSource": COMPILED[0]}}), "next-data", TEXT),
    "MDX 2": (of_data({"title": HEADLINE, "mdx": {"compiledSource": COMPILED[1]}}), "next-data", TEXT),
}


@pytest.mark.parametrize("kind", BODIES)
def test_text_is_chosen_from_page_and_data(kind: str) -> None:
    page, source, text = BODIES[kind]
    article = extract(page)
    assert article.article_body == text
    assert article.sources["article_body"] == source
    assert article.is_article


def test_parts_of_the_object_with_the_headline_are_one_text() -> None:
    rankings = [
        {"school": name, "why": f"{text} {text.replace('The', 'A')}"} for name, text in zip("AB", LONG, strict=True)
    ]
    related = [{"title": "Keeper", "url": "/keeper", "body": " ".join(OTHER)}]
    post = {"title": HEADLINE, "body": HTML, "rankings": rankings, "related": related, "copy": HTML}
    body = extract(of_data({"post": post})).article_body
    assert all(text in body for text in (*PARAGRAPHS, *LONG))
    assert body.count(PARAGRAPHS[0]) == 1
    assert OTHER[0] not in body


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
def test_text_of_the_data_is_an_article_only_with_something_of_one(page: str, path: str, reason: str | None) -> None:
    assert extract(page, f"https://example.org/{path}").not_article_because == reason


def test_page_of_many_parts_is_the_largest_part_of_its_data() -> None:
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
def test_text_behind_a_wall_stays_there(wall: str, source: str) -> None:
    page = PAGES[source].replace("</head>", f"{wall}</head>")
    beginning = extract(showing(BEGINNING, page))
    assert beginning.article_body == "\n".join(PARAGRAPHS[:2])
    assert beginning.is_truncated is True
    assert beginning.sources["article_body"] == "page"
    nothing = extract(page)
    assert nothing.article_body == ""
    assert nothing.is_truncated is True
    assert nothing.not_article_because == "paywall_stub", "a browser would not bring it"
