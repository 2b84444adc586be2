"""The article in a page's data: every format, what is chosen, what stays behind a wall, hostile data."""

import pytest

import newsextract
from tests.page.data.pages import HEADLINE, NEWER, PAGES, PARAGRAPHS, TEXT, URL

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
