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
    return KnownPage(read_article(page, make_extractor("fusion", {})).summary, reason)


@pytest.fixture(scope="module")
def pages() -> list[KnownPage]:
    """Six articles and two lists of one site, with a line that all have."""
    stories = [
        known(f"/news/2026/a-story-of-town-{n}", article(f"Story {n}", f"Town {n}") + FURNITURE, None) for n in range(6)
    ]
    lists = [
        known(f"/tag/{name}", front("/a", "/b", "/c") + FURNITURE, reason)
        for name, reason in (("hill", "section"), ("dale", "section"))
    ]
    return stories + lists


def test_group_by_address_says_of_each_form_what_its_pages_are(pages: list[KnownPage]) -> None:
    groups = group_by_address(pages)
    assert [(group.name, group.pages, group.articles, group.kind) for group in groups[:1]] == [
        ("gazette.example/news/YEAR/TITLE", 6, 6, "articles")
    ]
    assert {(group.name, group.kind) for group in groups[1:]} == {
        ("gazette.example/tag/hill", "section"),
        ("gazette.example/tag/dale", "section"),
    }


def test_group_by_template_puts_pages_of_one_template_together(pages: list[KnownPage]) -> None:
    groups = group_by_template(pages)
    assert [(group.pages, group.kind) for group in groups] == [(6, "articles"), (2, "section")]
    assert [group.name for group in groups] == ["1", "2"]
    assert groups[0].example.endswith("a-story-of-town-0")


def test_find_furniture_gives_the_lines_that_many_pages_have(pages: list[KnownPage]) -> None:
    texts = ["A line of one page alone, which isn't furniture at all.", "The Gazette is printed in Hill and sold"]
    texts += ["The Gazette is printed in Hill and sold in all of the county, on paper and on the screen."]
    lines = find_furniture(pages, texts)
    assert [count for _, count in lines] == [8]
    assert lines[0][0].startswith("The Gazette is printed in Hill")
    assert find_furniture([], texts) == []
