"""Markup hints: elements whose markup says date or author, and parts of the page about other articles."""

import pytest

from newsextract.metadata.evidence import PageEvidence
from newsextract.metadata.markup_hints import (
    AUTHOR_CLASS,
    BESIDE_CLASS,
    DATE_CLASS,
    HINT_PARTS,
    OTHER_CLASS,
    REGION_PARTS,
)
from newsextract.page import Page
from tests.patterns import examples

TEXT = "<p>The river rose again on Monday, and the town was cut off for hours.</p>" * 3


def hints_in(html: str) -> list[tuple[str, str]]:
    """Kind and text of each hint, nearest first."""
    page = Page(f"<h1>The river rises</h1>{html}{TEXT}", "https://paper.example/a/river")
    evidence = PageEvidence(page, tuple(range(len(page.blocks) - 3, len(page.blocks))), headline="The river rises")
    kinds = ("date", "author-class", "time", "address", "rel-author", "profile", "author", "datepublished")
    return [(hint.kind, hint.text) for hint in evidence.hints.of(*kinds)]


@pytest.mark.parametrize(
    ("patterns", "parts"),
    [((DATE_CLASS, AUTHOR_CLASS), HINT_PARTS), ((OTHER_CLASS, BESIDE_CLASS), REGION_PARTS)],
    ids=["hints", "regions"],
)
def test_hint_parts_cover_all_words_of_class_patterns(patterns, parts):
    words = [word for pattern in patterns for word in examples(pattern) if pattern.search(word)]
    assert len(words) > 20
    assert [word for word in words if not any(part in word for part in parts)] == []


def test_hints_by_class_tag_link_and_property():
    html = (
        '<span class="big Post-Author">Ann Lee</span><time>6 May 2024</time>'
        '<a rel="author nofollow" href="/authors/ann">Ann</a>'
        '<a href="/staff/bo-ek">Bo Ek</a><span itemprop="datePublished author">x</span>'
    )
    assert hints_in(f"<div>{html}</div>") == [
        ("author-class", "Ann Lee"),
        ("time", "6 May 2024"),
        ("rel-author", "Ann"),
        ("profile", "Bo Ek"),
        ("datepublished", "x"),
        ("author", "x"),
    ]


def test_hints_exclude_related_articles_and_comments():
    assert hints_in('<div class="Related-Posts"><span class="author">Ann Lee</span></div>') == []
    assert hints_in('<ul id="comments"><li class="author">Ann Lee</li></ul>') == []


def test_hints_use_id_only_without_class():
    assert hints_in('<p id="byline" class="x">Ann Lee</p><p id="byline">Bo Ek</p>') == [("author-class", "Bo Ek")]
    assert hints_in('<p class="x" id="byline">Ann Lee</p>') == []
