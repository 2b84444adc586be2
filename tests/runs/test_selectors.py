"""Selectors of sites.toml: a site whose markup says nothing, in a crawl, in `check`, `extract` and `reextract`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from newsextract import extract
from newsextract.page import Page
from newsextract.store import Store
from tests.crawling import QUICK, STORY, Web, front, newsextract, web
from tests.examples import examples

PATHS = [f"/2026/05/0{n}/the-council-votes-on-pier-{n}.html" for n in range(1, 5)]
SELECTORS = """
[sites.gazette]
url = "{url}/"
selectors = {{ headline = ".k1", authors = ["//b[@class='old']", ".k2"], date = ".k3::attr(data-at)", body = ".k4" }}
"""
FIELDS = ("headline", "authors", "date_published", "article_body")
KEEP = {**QUICK, "NEWSEXTRACT_WORKERS": "1", "NEWSEXTRACT_KEEP_PAGES": "pages"}


def stubborn(place: str, stands: str = "k3") -> str:
    """A page with a headline for searches, a byline without a word and a table of dates."""
    lines = "".join(f"<div>{line}</div>" for line in STORY.format(place=place).splitlines())
    return (
        f"<html lang=en><head><title>Gazette</title><meta property='og:title' content='Pier, vote, cost: {place}'>"
        f"</head><body><h1>Gazette</h1><div class=k1>A vote in {place}</div>"
        "<div class=k2>von Ann Lee &amp; Bo Ray</div>"
        f"<i class={stands} data-at='2026-05-03T09:30:00+02:00'></i><div class=k4>{lines}"
        "<aside class=related><p>Read also what the council of another town said about its piers.</p></aside></div>"
        "<div><p>The Gazette is printed on paper from forests that grow again, every day but Sunday.</p></div>"
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Iterator[tuple[Web, Path, str]]:
    """The site after a crawl of its file; one page is of an older template, without the date."""
    folder = tmp_path_factory.mktemp("selectors")
    with web() as server:
        server["/"] = front(*PATHS)
        for path in PATHS:
            server[path] = stubborn(f"Place {path[-6]}", "k3" if path != PATHS[0] else "k9")
        (folder / "sites.toml").write_text(SELECTORS.format(url=server.url))
        yield server, folder, newsextract(folder, "crawl", "sites.toml", settings=KEEP).stderr


def stored(folder: Path) -> dict[str, dict[str, object]]:
    with Store.open(f"sqlite:///{folder / 'newsextract.db'}", must_exist=True) as store:
        return {row.article.url: row.article.to_dict() for row in store.articles()}


def test_crawl_stores_what_selectors_find_and_counts_where_they_find_nothing(site):
    server, folder, log = site
    articles = stored(folder)
    assert {*articles} == {server.url + path for path in PATHS}
    for path in PATHS[1:]:
        article = articles[server.url + path]
        assert {article["sources"][name] for name in FIELDS} == {"selector"}
        assert (article["headline"], article["authors"]) == (f"A vote in Place {path[-6]}", ["Ann Lee", "Bo Ray"])
        assert article["date_published"] == "2026-05-03T09:30:00+02:00"
        assert article["article_body"] == STORY.format(place=f"Place {path[-6]}")
    older = articles[server.url + PATHS[0]]
    assert (older["sources"]["date_published"], older["sources"]["headline"]) == ("url", "selector")
    assert "the selector of date found nothing in 1 article\n" in log


def test_pages_read_again_keep_what_selectors_found(site):
    _, folder, _ = site
    before = stored(folder)
    assert "0 articles changed" in newsextract(folder, "reextract", "--pages", "pages", "--workers", "0").stderr
    assert stored(folder) == before


def test_check_and_extract_try_selectors(site):
    server, folder, _ = site
    line = newsextract(folder, "sites", "check", settings=QUICK).stdout
    assert "gazette: works: 4 articles" in line and "the selector of date finds nothing in 1 of them" in line
    words = ("extract", server.url + PATHS[0], "--site", "gazette", "--format", "json")
    done = newsextract(folder, *words, settings={"NEWSEXTRACT_ALLOW_PRIVATE": "1"})
    assert json.loads(done.stdout)["sources"]["article_body"] == "selector"
    assert done.stderr.startswith("newsextract: the selector of date finds nothing in http://")
    assert "has no site 'other'; it has gazette" in newsextract(folder, *words[:3], "other", status=2).stderr


def test_changed_selectors_make_a_page_another_one(site):
    _, folder, _ = site
    file = folder / "sites.toml"
    file.write_text(file.read_text().replace('headline = ".k1"', 'headline = "title"'))
    with Store.open(f"sqlite:///{folder / 'newsextract.db'}") as store:
        store.write(lambda connection: connection.exec_driver_sql("UPDATE urls SET next_due = '2026-01-01 00:00:00.0'"))
    newsextract(folder, "crawl", "sites.toml", "--all", settings=KEEP)
    assert {article["headline"] for article in stored(folder).values()} == {"Gazette"}


@pytest.mark.parametrize(
    ("key", "path", "field", "value"),
    [
        *examples(__file__, "selectors"),
        ("body", "//div[@class='k4']/div[1]", "article_body", STORY.format(place="Dale").splitlines()[0]),
        ("body", "//div[@class='k4']", "article_body", STORY.format(place="Dale")),
    ],
)
def test_selector_passes_the_gates_or_gives_way_to_what_is_found_without(key, path, field, value):
    page, alone = (Page(stubborn("Dale"), "https://example.org/dale") for _ in range(2))
    page.selectors = {key: (path,)}
    found = extract(page)
    assert getattr(found, field) == (value or getattr(extract(alone), field))
    assert (found.sources.get(field) == "selector") == (value is not None)
