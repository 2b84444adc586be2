"""Templates of pages: equal within a design, different after a redesign, which three articles show."""

from datetime import UTC, datetime

import pytest

from newsextract.items import FetchedPage
from newsextract.page import Page
from newsextract.pairing import RedesignDetector, same_template, template_of
from newsextract.pairing.templates import REDESIGN_AFTER

NOW = datetime(2026, 5, 5, tzinfo=UTC)


def template(word: str, paragraphs: int = 3) -> frozenset[int]:
    wrappers = "".join(f"<div class='{word}-{part}'><span>{part}</span></div>" for part in "abcdefgh")
    return template_of(Page(f"<body>{wrappers}" + "<p>Some text of the article.</p>" * paragraphs))


def outdated(*designs: str, are_articles: bool = True) -> list[int]:
    """What a site with two reference pages of the old design has of them after each page of this run."""
    detector = RedesignDetector()

    def page(name: str, design: str) -> FetchedPage:
        return FetchedPage(f"https://site.example/news/a-{name}-story", b"", NOW, template=template(design))

    detector.add_reference(page("first", "old"))
    detector.add_reference(page("second", "old"))
    counts = []
    for number, design in enumerate(designs):
        detector.add_fetched(page(f"{number}th", design))
        counts.append(detector.record_outcome(page(f"{number}th", design).url, are_articles))
    counts.append(detector.record_outcome(page("other", "new").url, True))  # never fetched
    return counts


@pytest.mark.parametrize(
    ("designs", "counts"),
    [
        (["new"] * 5, [0, 0, 2, 0, 0]),
        (["old"] + ["new"] * 3, [0, 0, 0, 0]),
        (["new", "newer", "new", "new"], [0, 0, 0, 2]),
        (["new"] * (REDESIGN_AFTER - 1), [0] * (REDESIGN_AFTER - 1)),
    ],
)
def test_redesign_is_three_articles_of_one_new_template_and_none_of_the_old(
    designs: list[str], counts: list[int]
) -> None:
    assert outdated(*designs) == [*counts, 0]


def test_redesign_is_not_detected_by_pages_that_are_not_articles() -> None:
    assert outdated(*["new"] * 5, are_articles=False) == [0] * 6


def test_same_template_ignores_number_of_paragraphs_but_not_redesign() -> None:
    assert same_template(template("old", 3), template("old", 30))
    assert not same_template(template("old"), template("new"))
    assert not same_template(frozenset(), frozenset())


def test_same_template_separates_section_page_from_article() -> None:
    chrome = frozenset(range(24))
    article, section = chrome | frozenset(range(100, 121)), chrome | frozenset(range(200, 204))
    assert not same_template(article, section)
    assert same_template(article, article | frozenset(range(300, 310)))
