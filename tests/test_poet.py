"""Page objects of web-poet without Scrapy: items of pages of the demonstration site."""

import asyncio

import attrs
import pytest
from web_poet import HttpResponse, field
from zyte_common_items import Article, ArticleList, ArticleNavigation

import newsextract
from newsextract.demo import Site
from newsextract.metadata.page_type import article_probability
from newsextract.poet import ArticleListPage, ArticleNavigationPage, ArticlePage

SITE = Site()
STORY = next(gold for gold in SITE.gold() if gold.path.endswith("dredger-finds-bell.html"))


def response(path: str, body: bytes | None = None, **headers: str) -> HttpResponse:
    return HttpResponse(f"https://example.org{path}", SITE.page(path).body if body is None else body, headers=headers)


def test_article_page_gives_every_field_and_a_subclass_overrides_one():
    item = asyncio.run(ArticlePage(response(STORY.path)).to_item())
    assert isinstance(item, Article)
    assert (item.headline, item.url) == (STORY.headline, f"https://example.org{STORY.path}")
    assert item.articleBody and {*STORY.text.splitlines()} <= {*item.articleBody.splitlines()}
    assert [(author.name, author.nameRaw) for author in item.authors or ()] == [("Tom Reyes", "By Tom Reyes")]
    crumbs = [(crumb.name, crumb.url) for crumb in item.breadcrumbs or ()]
    assert crumbs == [("Home", "https://example.org/"), ("Harbour", "https://example.org/news/harbour/")]
    assert (item.datePublished, item.inLanguage) == ("2026-03-12T09:12:00Z", "en")

    @attrs.define
    class OwnPage(ArticlePage):
        @field
        def headline(self) -> str:
            return "Own headline"

    own = asyncio.run(OwnPage(response(STORY.path)).to_item())
    assert (own.headline, own.articleBody) == ("Own headline", item.articleBody)


def test_article_page_of_a_list_or_of_nothing_has_a_low_probability():
    for page in (response("/news/harbour/"), response("/empty", b""), response("/large", b"<p>word" * 3_000_000)):
        item = asyncio.run(ArticlePage(page).to_item())
        assert item.metadata is not None and item.metadata.probability is not None
        assert item.metadata.probability < 0.1


def test_list_and_navigation_pages_name_the_articles_and_sections_of_a_front_page_and_the_next_page():
    articles = asyncio.run(ArticleListPage(response("/")).to_item())
    assert isinstance(articles, ArticleList)
    headlines = {article.url: article.headline for article in articles.articles or ()}
    assert headlines[f"https://example.org{STORY.path}"] == STORY.headline
    navigation = asyncio.run(ArticleNavigationPage(response("/")).to_item())
    assert isinstance(navigation, ArticleNavigation)
    items = {request.url for request in navigation.items or ()}
    sections = {request.url for request in navigation.subCategories or ()}
    assert f"https://example.org{STORY.path}" in items and "https://example.org/news/harbour/" in sections
    section = asyncio.run(ArticleNavigationPage(response("/news/harbour/")).to_item())
    assert section.pageNumber == 1 and section.nextPage is not None and "2" in section.nextPage.url


def test_to_zyte_leaves_the_probability_of_a_stored_article_open():
    article = newsextract.extract(SITE.page(STORY.path).body, f"https://example.org{STORY.path}")
    item = article.to_zyte()
    assert item.metadata is not None and item.metadata.probability is None
    assert (item.datePublished, item.inLanguage) == ("2026-03-12T09:12:00Z", "en")


@pytest.mark.parametrize(
    "html", ["<script type='application/ld+json'>[[{}]]</script>", "<div class=breadcrumb></div>", "\0"]
)
def test_breadcrumbs_of_hostile_pages_are_none(html):
    assert asyncio.run(ArticlePage(response("/x", html.encode())).to_item()).breadcrumbs is None


def test_probability_rises_with_the_margin_and_is_low_for_recognised_pages():
    probabilities = [article_probability(margin, None) for margin in (-5.0, 0.0, 2.0, 6.0, 1e9)]
    assert probabilities == sorted(probabilities) and probabilities[-1] <= 1
    assert article_probability(9.0, "consent") < 0.1
