"""The memory of a site for people: groups of pages with what they are, and furniture."""

import pytest

from newsextract.article import read_article
from newsextract.extractors import make_extractor
from newsextract.page import Page
from newsextract.site_profile.overview import KnownPage, find_furniture, group_by_address, group_by_template
from tests.crawling import article, front

FURNITURE = "<p>The Gazette is printed in Hill and sold in all of the county, on paper and on the screen.</p>"


def known(path: str, html: str, reason: str | None) -> KnownPage:
    page = Page(html, f"https://gazette.example{path}")
    return read_article(page, make_extractor("fusion", {})).summary, reason


@pytest.fixture(scope="module")
def pages() -> list[KnownPage]:
    """Six articles and two lists of one site, with a line that all have."""
    stories = [
        known(f"/news/2026/a-story-of-town-{n}", article(f"Story {n}", f"Town {n}") + FURNITURE, None) for n in range(6)
    ]
    return stories + [
        known(f"/tag/{name}", front("/a", "/b", "/c") + FURNITURE, "section") for name in ("hill", "dale")
    ]


def test_pages_are_grouped_by_address_and_template(pages: list[KnownPage]) -> None:
    groups = [(group.name, group.articles, group.kind) for group in group_by_address(pages)]
    tags = [(f"gazette.example/tag/{name}", 0, "section") for name in ("dale", "hill")]
    assert groups == [("gazette.example/news/YEAR/TITLE", 6, "articles"), *tags]
    templates = [(group.name, len(group.reasons), group.kind) for group in group_by_template(pages)]
    assert templates == [("1", 6, "articles"), ("2", 2, "section")]


def test_find_furniture_gives_the_lines_that_many_pages_have(pages: list[KnownPage]) -> None:
    line = "The Gazette is printed in Hill and sold in all of the county, on paper and on the screen."
    texts = ["A line of one page alone, which isn't furniture at all.", line]
    assert find_furniture(pages, texts) == [(line, 8)]
    assert find_furniture([], texts) == []
