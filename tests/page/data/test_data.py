"""The article in a page's data: every format, what is chosen, what stays behind a wall, hostile data."""

import json

import pytest

import newsextract
from tests.page.data.pages import (
    HEADLINE,
    HTML,
    NEWER,
    OTHER,
    PAGES,
    PARAGRAPHS,
    TEXT,
    URL,
    frame,
    json_ld,
    json_script,
)

FORMATS = [*PAGES.items(), *NEWER.items()]
LONG = (
    "The first of the harbours is the oldest one, and its quay was built of granite that came by ship from the north. "
    "Three boats leave it each morning, and the last one returns when the lamp is lit; in winter there is only one.",
    "The second harbour belongs to the village on the western side, where the wind is weaker and the water deeper. "
    "It has a crane, two sheds and a small office, which sells tickets and hot coffee to those who wait for the ferry.",
)
IDS = [f"{name}-{number}" for number, (name, _) in enumerate(FORMATS)]


@pytest.mark.parametrize(("source", "page"), FORMATS, ids=IDS)
def test_article_is_read_from_data_of_every_format(source: str, page: str) -> None:
    article = newsextract.extract(page, URL)
    assert article.article_body == TEXT
    assert article.headline == HEADLINE
    assert article.sources["article_body"] == source
    assert article.is_article, article.not_article_because
    assert article.article_body_html is not None
    assert article.article_body_html.count("<p>") == len(PARAGRAPHS)


def test_fields_come_from_the_object_that_has_the_text() -> None:
    article = newsextract.extract(PAGES["next-data"], URL)
    assert article.authors == ["Ada Martin"]
    assert article.date_published is not None
    assert article.date_published.isoformat() == "2026-03-04T08:30:00+00:00"
    assert article.section == "Islands"
    assert article.main_image is not None
    assert article.main_image.url == "https://example.org/ferry.jpg"
    fields = ("headline", "authors", "date_published", "section", "main_image")
    assert {article.sources[name] for name in fields} <= {"next-data", "og"}


def test_shown_text_is_taken_where_the_data_have_no_more() -> None:
    page = PAGES["next-data"].replace('<div id="root">', f'<div id="root"><h1>{HEADLINE}</h1><article>{HTML}</article>')
    article = newsextract.extract(page, URL)
    assert article.article_body == TEXT
    assert article.sources["article_body"] == "page"


def test_beginning_of_a_text_is_completed_from_the_data() -> None:
    shown = f"<h1>{HEADLINE}</h1><article><p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p></article><p>Read more</p>"
    page = PAGES["next-data"].replace('<div id="root">', f'<div id="root">{shown}')
    article = newsextract.extract(page, URL)
    assert article.article_body == TEXT
    assert article.sources["article_body"] == "next-data"


def test_another_articles_text_in_the_data_does_not_replace_the_shown_one() -> None:
    other = {"teasers": [{"title": "Keeper", "url": "/keeper", "body": " ".join(OTHER * 4)}]}
    shown = f"<h1>{HEADLINE}</h1><article>{HTML}</article>"
    page = frame(json_script(other, id="__NEXT_DATA__"), shown=shown)
    assert newsextract.extract(page, URL).article_body == TEXT


def test_parts_of_the_object_with_the_headline_are_one_text() -> None:
    rankings = [
        {"school": name, "why": f"{text} {text.replace('The', 'A')}"} for name, text in zip("AB", LONG, strict=True)
    ]
    post = {
        "title": HEADLINE,
        "body": "".join(f"<p>{one}</p>" for one in PARAGRAPHS),
        "rankings": rankings,
        "related": [{"title": "Keeper", "url": "/keeper", "body": " ".join(OTHER)}],
        "copy": "".join(f"<p>{one}</p>" for one in PARAGRAPHS),
    }
    body = newsextract.extract(frame(json_script({"post": post}, id="__NEXT_DATA__")), URL).article_body
    assert all(one in body for one in PARAGRAPHS)
    assert all(text in body for text in LONG)
    assert body.count(PARAGRAPHS[0]) == 1
    assert OTHER[0] not in body


def test_longer_text_of_the_data_is_taken_in_place_of_the_declared_one() -> None:
    declared = json_ld({"@type": "NewsArticle", "headline": HEADLINE, "articleBody": " ".join(PARAGRAPHS[:4])})
    elements = [{"type": "p", "children": [{"text": one}]} for one in PARAGRAPHS[:2]]
    elements += [{"type": "p", "spans": [{"text": one}]} for one in (*PARAGRAPHS[2:], LONG[0])]
    page = frame(json_script({"dom": {"children": elements}}, id="__NEXT_DATA__"), head=declared)
    assert newsextract.extract(page, URL).article_body == "\n".join((*PARAGRAPHS, LONG[0]))


def test_whole_declared_text_is_not_replaced_by_one_with_other_articles_behind_it() -> None:
    whole = [*PARAGRAPHS, *LONG]
    declared = json_ld({"@type": "NewsArticle", "headline": HEADLINE, "articleBody": "\n".join(whole)})
    stream = [{"type": "p", "children": [{"text": one}]} for one in (*whole, *OTHER)]
    page = frame(json_script({"dom": {"children": stream}}, id="__NEXT_DATA__"), head=declared)
    assert newsextract.extract(page, URL).article_body == "\n".join(whole)


def test_page_that_declares_its_text_needs_no_browser() -> None:
    declared = json_ld({"@type": "NewsArticle", "headline": HEADLINE, "articleBody": "\n".join((*PARAGRAPHS, *LONG))})
    article = newsextract.extract(frame("", head=declared, shown="<p>Please enable JavaScript.</p>"), URL)
    assert article.is_article and article.article_body.startswith(PARAGRAPHS[0])


MDX_1 = """const layoutProps={};const MDXLayout="wrapper";function MDXContent({components,...props}){return
mdx(MDXLayout,
{...layoutProps,...props,components:components,mdxType:"MDXLayout"},%s)}MDXContent.isMDXComponent=true;"""
MDX_2 = """"use strict";const {Fragment:_Fragment,jsx:_jsx,jsxs:_jsxs}=arguments[0];function _createMdxContent(props){
const
_components=Object.assign({p:"p",strong:"strong"},props.components);return _jsxs(_Fragment,{children:[%s]})}"""


@pytest.mark.parametrize(
    ("code", "paragraph"),
    [
        (MDX_1, "mdx('p',null,{0},mdx('strong',{{parentName:'p',...rest}},`{1}`))"),
        (MDX_2, "_jsxs(_components.p,{{children:[{0},_jsx(_components.strong,{{children:`{1}`}})]}}),'\\n'"),
    ],
    ids=["MDX 1", "MDX 2"],
)
def test_compiled_mdx_is_read_as_the_elements_that_it_creates(code: str, paragraph: str) -> None:
    halves = [(json.dumps(text[:40]), text[40:]) for text in PARAGRAPHS]
    compiled = code % ",".join(paragraph.format(*pair) for pair in halves)
    data = {"props": {"pageProps": {"title": HEADLINE, "source": {"compiledSource": compiled}}}}
    article = newsextract.extract(frame(json_script(data, id="__NEXT_DATA__")), URL)
    assert article.article_body == TEXT


def test_long_description_of_the_object_with_the_headline_is_the_text() -> None:
    data = {"Title": {"value": HEADLINE}, "Description": {"value": HTML}, "Authors": [{"bio": text} for text in LONG]}
    article = newsextract.extract(frame(json_script({"fields": data}, id="__NEXT_DATA__")), URL)
    assert article.article_body == TEXT


def test_keys_in_lists_are_no_text() -> None:
    keys = {"sections": ["section:b314bb08", "inArticle"], "relationships": ["nofollow", "noreferrer"]}
    items = [{"type": "text", "text": {"value": text}, "content": keys} for text in PARAGRAPHS]
    page = frame(json_script({"title": HEADLINE, "items": items}, id="__NEXT_DATA__"))
    assert newsextract.extract(page, URL).article_body == TEXT


def test_list_of_other_articles_is_a_list() -> None:
    items = [{"title": f"Story {n} of the town", "url": f"/{n}", "body": f"{n}. {' '.join(OTHER)}"} for n in range(6)]
    page = frame(json_script({"title": HEADLINE, "articles": items}, id="__NEXT_DATA__")).replace("article", "website")
    article = newsextract.extract(page, "https://example.org/islands/")
    assert article.not_article_because == "listing"
    with_code = page.replace("</body>", '<script src="/app.js"></script></body>')  # a browser would find its links
    assert newsextract.extract(with_code, "https://example.org/islands/").not_article_because == "needs_javascript"


def test_text_of_goods_is_no_article() -> None:
    goods = {
        "title": HEADLINE,
        "description": "\n".join((*OTHER, *PARAGRAPHS)),
        "price": 39,
        "variants": ["red", "blue"],
    }
    page = frame(json_script({"page": goods}, id="__NEXT_DATA__")).replace("article", "website")
    assert newsextract.extract(page, "https://example.org/kettles/7").not_article_because == "product"
    del goods["price"], goods["variants"]
    page = frame(json_script({"page": goods}, id="__NEXT_DATA__")).replace("article", "website")
    assert newsextract.extract(page, "https://example.org/kettles/7").is_article


def test_text_without_anything_of_an_article_is_none() -> None:
    settings = {"store": {"terms": "".join(f"<p>{one}</p>" for one in (*OTHER, *PARAGRAPHS))}}
    page = frame(json_script(settings, id="__NEXT_DATA__")).replace("article", "website")
    assert newsextract.extract(page, "https://example.org/kettles/7").not_article_because == "no_article"
    assert newsextract.extract(page, "https://example.org/news/7").is_article


SECTIONS = [
    {"heading": f"Line {name}", "text": f"The ferries of line {name} leave the old harbour at every full hour. {text}"}
    for name, text in zip("ABCD", OTHER, strict=False)
]
MESSAGES = {f"error{n}": f"Something went wrong while we read your order, try again in {n} minutes." for n in range(40)}


def test_page_of_many_parts_is_the_largest_part_of_its_data() -> None:
    data = {"pageProps": {"page": {"sections": SECTIONS}, "i18n": MESSAGES}}
    scripts = json_script(data, id="__NEXT_DATA__") + '<script src="/app.js"></script>'
    article = newsextract.extract(frame(scripts).replace("article", "website"), "https://example.org/lines")
    assert all(part["text"] in article.article_body for part in SECTIONS)
    assert "went wrong" not in article.article_body
    assert article.not_article_because == "needs_javascript"


def test_text_that_data_have_for_two_layouts_is_taken_once() -> None:
    data = {"title": HEADLINE, "wide": {"body": HTML}, "narrow": {"body": f"<div>{HTML}</div>{HTML}"}}
    assert newsextract.extract(frame(json_script(data, id="__NEXT_DATA__")), URL).article_body == TEXT


WALLS = {
    "json-ld": json_ld({"@type": "NewsArticle", "isAccessibleForFree": "False"}),
    "part": json_ld({"@type": "NewsArticle", "hasPart": {"isAccessibleForFree": False}}),
    "tier": '<meta property="article:content_tier" content="locked">',
}


@pytest.mark.parametrize("wall", WALLS.values(), ids=WALLS)
@pytest.mark.parametrize("source", ["next-data", "json-ld", "next-flight"])
def test_text_behind_a_wall_stays_there(wall: str, source: str) -> None:
    shown = f"<h1>{HEADLINE}</h1><article><p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p></article>"
    page = PAGES[source].replace("</head>", f"{wall}</head>")
    beginning = newsextract.extract(page.replace('<div id="root">', f'<div id="root">{shown}'), URL)
    assert beginning.article_body == "\n".join(PARAGRAPHS[:2])
    assert beginning.is_truncated is True
    assert beginning.sources["article_body"] == "page"
    nothing = newsextract.extract(page, URL)
    assert nothing.article_body == ""
    assert nothing.is_truncated is True
    assert nothing.not_article_because == "paywall_stub", "a browser would not bring it"
