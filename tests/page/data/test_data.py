"""The article in a page's data: every format, what is chosen, what stays behind a wall, hostile data."""

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
