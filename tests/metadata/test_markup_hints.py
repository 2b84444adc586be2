"""What the body marks as date or author, and what stands in a part of the page about others."""

import pytest

from newsextract.metadata.evidence import Evidence
from newsextract.metadata.markup_hints import AUTHORED, BESIDE, DATED, MARKING, OTHERS, PLACING
from newsextract.page import Page
from tests.patterns import examples

TEXT = "<p>The river rose again on Monday, and the town was cut off for hours.</p>" * 3


def marked(html: str) -> list[tuple[str, str]]:
    """Kind and text of each mark, nearest first."""
    page = Page(f"<h1>The river rises</h1>{html}{TEXT}", "https://paper.example/a/river")
    evidence = Evidence(page, tuple(range(len(page.blocks) - 3, len(page.blocks))), headline="The river rises")
    kinds = ("date", "author-class", "time", "address", "rel-author", "profile", "author", "datepublished")
    return [(mark.kind, mark.text) for mark in evidence.marks.of(*kinds)]


@pytest.mark.parametrize(
    ("patterns", "parts"), [((DATED, AUTHORED), MARKING), ((OTHERS, BESIDE), PLACING)], ids=["marks", "places"]
)
def test_no_class_word_is_passed_over_before_the_patterns_are_asked(patterns, parts):
    words = [word for pattern in patterns for word in examples(pattern) if pattern.search(word)]
    assert len(words) > 20
    assert [word for word in words if not any(part in word for part in parts)] == []


def test_a_byline_is_found_by_its_class_its_tag_its_link_and_its_property():
    html = (
        '<span class="big Post-Author">Ann Lee</span><time>6 May 2024</time>'
        '<a rel="author nofollow" href="/authors/ann">Ann</a>'
        '<a href="/staff/bo-ek">Bo Ek</a><span itemprop="datePublished author">x</span>'
    )
    assert marked(f"<div>{html}</div>") == [
        ("author-class", "Ann Lee"),
        ("time", "6 May 2024"),
        ("rel-author", "Ann"),
        ("profile", "Bo Ek"),
        ("datepublished", "x"),
        ("author", "x"),
    ]


def test_a_byline_of_another_article_is_none():
    assert marked('<div class="Related-Posts"><span class="author">Ann Lee</span></div>') == []
    assert marked('<ul id="comments"><li class="author">Ann Lee</li></ul>') == []


def test_the_class_decides_and_the_id_only_where_there_is_none():
    assert marked('<p id="byline" class="x">Ann Lee</p><p id="byline">Bo Ek</p>') == [("author-class", "Bo Ek")]
    assert marked('<p class="x" id="byline">Ann Lee</p>') == []
