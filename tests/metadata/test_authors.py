"""Authors: names of persons, and nothing that bylines hold besides."""

import json

import pytest

from newsextract.metadata import describe
from newsextract.metadata.names import names
from newsextract.page import Page

BODY = "<p>" + "The council met on the bridge and talked about the river for hours. " * 6 + "</p>"


def authors(byline="", head="", lang="en"):
    html = f"<html lang={lang}><head>{head}</head><body><h1>Bridge opens after years</h1>{byline}{BODY}</body></html>"
    page = Page(html, "https://paper.example/a")
    chosen = [i for i, text in enumerate(page.blocks.texts) if len(text) > 200]
    return describe(page, chosen).values.get("authors", [])


def json_ld(author):
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", "author": author})}</script>'


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("By Ann Lee", ["Ann Lee"]),
        ("Von Jens Groß und Eva Klein", ["Jens Groß", "Eva Klein"]),
        ("By Ann Lee, Bob Ray and Cy Dow", ["Ann Lee", "Bob Ray", "Cy Dow"]),
        ("Ann Lee, Senior Editor", ["Ann Lee"]),
        ("Ann Lee, MD, PhD", ["Ann Lee"]),
        ("Ann Lee (Brussels) ann.lee@paper.example", ["Ann Lee"]),
        ("记者 张楠", ["张楠"]),
        ("作者：王文、李明", ["王文", "李明"]),
        ("LEONARDO GARCIA", ["LEONARDO GARCIA"]),
        ("Ann Lee June 12, 2024", ["Ann Lee"]),
        ("https://facebook.com/ann.lee", []),
        ("5 min read", []),
    ],
)
def test_a_byline_gives_its_names_only(raw, wanted):
    assert names([raw]) == wanted


def test_control_characters_and_direction_marks_leave_a_name():
    assert names(["Ann\u202e Lee\x07\u200b"]) == ["Ann Lee"]


def test_ten_thousand_authors_become_a_bounded_list():
    found = authors(
        head=json_ld(
            [
                {"@type": "Person", "name": f"Ann {chr(65 + i % 26)}{'abcdefghij'[i % 10] * 3} Lee"}
                for i in range(10_000)
            ]
        )
    )
    assert 1 <= len(found) <= 100


def test_the_declared_persons_are_taken():
    assert authors(head=json_ld([{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bob Ray"}])) == [
        "Ann Lee",
        "Bob Ray",
    ]


def test_authors_by_reference_are_followed():
    graph = {
        "@graph": [{"@type": "Article", "author": {"@id": "#p"}}, {"@type": "Person", "@id": "#p", "name": "Ann Lee"}]
    }
    assert authors(head=f'<script type="application/ld+json">{json.dumps(graph)}</script>') == ["Ann Lee"]


def test_a_person_in_the_byline_is_preferred_to_a_declared_organisation():
    head = json_ld({"@type": "Organization", "name": "Paper News"})
    assert authors('<div class="byline">By <a rel="author" href="/authors/ann">Ann Lee</a></div>', head) == ["Ann Lee"]


def test_an_organisation_signs_where_nobody_else_does():
    assert authors(head=json_ld({"@type": "Organization", "name": "Paper News"})) == ["Paper News"]


def test_who_reviewed_is_no_author():
    assert authors(
        '<div class="author"><span>By</span> <span>Ann Lee</span> <span>Reviewed by Bob Ray</span></div>'
    ) == ["Ann Lee"]


def test_who_comments_is_no_author():
    assert authors('<div class="comments"><span class="author">Bob Ray</span></div>') == []
