"""Placeholders: walls and notices in any language are told from articles and their copies by the site's own links."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from newsextract.article.extract import read_article
from newsextract.extractors import make_extractor
from newsextract.page import Page
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.site_profile.placeholders import has_entries, is_placeholder, pages_of_one_text, shows_headline
from tests.site_profile.test_profile import article_html

EXTRACTOR = make_extractor("fusion")
WALLS: dict[str, list[str]] = json.loads((Path(__file__).parent / "walls.json").read_text("utf-8"))
TOWNS = ("Ash", "Birch", "Cedar", "Dale", "Elm", "Fern")
#: Path and link text of a page, and its HTML.
Told = tuple[str, str, str]


@cache
def read(path: str, text: str, html: str) -> ExtractedArticle:
    return read_article(Page(html, f"http://paper.example{path}", anchor_text=text), EXTRACTOR)


def placeholders(pages: Sequence[Told]) -> set[str]:
    """The paths of the pages that show a text in place of theirs."""
    told = [(f"http://paper.example{path}", text) for path, text, _ in pages]
    groups = pages_of_one_text([read(*page).summary for page in pages])
    return {
        pages[number][0]
        for group in groups
        if is_placeholder(headline_of(read(*pages[group[0]])), [told[n] for n in group], len(pages))
        for number in group
    }


def headline_of(page: ExtractedArticle) -> str:
    return (page.headline or "") if shows_headline(page.summary) else ""


def stories(html: Callable[[str, str], str], link_text: str = "Bridges of {}") -> list[Told]:
    paths = {town: f"/2026/11/bridges-of-{town.lower()}.html" for town in TOWNS}
    return [(path, link_text.format(town), html(town, path)) for town, path in paths.items()]


def wall_html(title: str, *lines: str) -> str:
    return f"<title>{title}</title><body><h1>{title}</h1>{''.join(f'<p>{line}</p>' for line in lines)}</body>"


VARIATIONS: dict[str, Callable[[str, str, list[str]], list[str]]] = {
    "same": lambda town, path, lines: lines,
    "incident at the end": lambda town, path, lines: [*lines, f"Ref. {hash(town):x} 2026-11-27"],
    "asked for first": lambda town, path, lines: [f"{path}: {lines[0]}", *lines[1:]],
}


@pytest.mark.parametrize("variation", VARIATIONS)
@pytest.mark.parametrize("name", WALLS)
def test_wall_is_recognised_in_any_language_beside_articles(name, variation):
    title, *lines = WALLS[name]
    articles = stories(lambda town, path: article_html(town))
    walled = stories(lambda town, path: wall_html(title, *VARIATIONS[variation](town, path, lines)))
    assert placeholders(walled) == {path for path, *_ in walled}
    assert placeholders(walled[:3] + articles[3:]) == {path for path, *_ in walled[:3]}
    assert placeholders([*walled, ("/konto", title, wall_html(title, *lines))]) >= {path for path, *_ in walled}


@pytest.mark.parametrize("entry", ["?entry={}", "/{}"])
def test_entries_of_a_live_blog_are_told_from_stories_behind_a_wall(entry):
    path = "/live/the-night-of-the-vote"
    posts = "".join(f"<h2>Count in {town}</h2><p>{town} has counted all of its votes by now.</p>" for town in TOWNS)
    blog = f"<title>The vote</title><article><h1>The vote</h1>{posts}</article>"
    pages = [read(path + entry.format(town.lower()), f"Count in {town}", blog).summary for town in TOWNS]
    [group] = pages_of_one_text(pages)
    assert has_entries([pages[number] for number in group])
    walled = [read(*page).summary for page in stories(lambda town, path: blog, "Count in {}")]
    assert not has_entries(walled), "a front page in place of stories"


@pytest.mark.parametrize("link_text", ["", "Read more"])
def test_wall_is_recognised_though_link_texts_say_nothing(link_text):
    walled = stories(lambda town, path: wall_html(*WALLS["fr consent"]), link_text)
    assert placeholders(walled) == {path for path, *_ in walled}
    assert placeholders(stories(lambda town, path: article_html(town), link_text)) == set()


@pytest.mark.parametrize(
    ("paths", "texts"),
    [
        (("/a-17", "/a-17?print=1", "/amp/a-17", "/a-17;s=8"), ("Bridges of Ash", "Print", "Mobile", "Bridges")),
        (
            ("/old-ash-8", "/bridges-ash-8", "/towns/ash", "/x"),
            ("Bridges of Ash", "Bridges of Ash", "bridges of ash", ""),
        ),
        (
            ("/a-17", "/a-17?from=1", "/a-17?from=2", "/a-17?from=3"),
            ("What the council said", "So it began", "More", "3"),
        ),
        (("/towns/1", "/roads/1", "/county/1"), ("What the council decided",) * 3),
    ],
    ids=["print and AMP", "another slug", "teasers with parameters", "one teaser in three sections"],
)
def test_copies_of_an_article_are_no_placeholders(paths, texts):
    copies = [(path, text, article_html("Ash")) for path, text in zip(paths, texts, strict=True)]
    others = stories(lambda town, path: article_html(town))[1:]
    assert placeholders(copies + others) == set()
