"""Crawler traps: a site that generates pages without end is bounded; which hosts a rendered page may load from."""

from pathlib import Path

import pytest

from newsextract.crawl.scope import is_first_party
from newsextract.discovery.traps import MAX_BARREN_PAGES
from tests.crawling import STORIES, add_stories, article, crawl, front, web


def test_trap_of_a_long_calendar_is_left_and_the_other_site_is_read(tmp_path: Path) -> None:
    with web() as trap, web("127.0.0.2") as honest:
        for month in range(10 * MAX_BARREN_PAGES):
            trap[f"/calendar/{month}"] = front(*(f"/calendar/{month + later}" for later in range(1, 8)))
        add_stories(honest, len(STORIES))
        trap["/"] = front("/calendar/1", *STORIES)
        for n, path in enumerate(STORIES):
            trap[path] = article(f"Trap {n}", f"Nowhere {n}")
        settings = {"NEWSEXTRACT_EXTRACTOR": "bte"}
        done = crawl(tmp_path, "site", settings=settings, url=f"{trap.url},{honest.url}")
    assert done.status == 0, done.stderr
    assert done.urls == {f"{site.url}{path}" for site in (trap, honest) for path in STORIES}
    months = [path for path in trap.asked if path.startswith("/calendar/")]
    assert MAX_BARREN_PAGES <= len(months) < 3 * MAX_BARREN_PAGES
    assert done.dropped["trap"] > 0
    assert "lead nowhere; skipping the rest" in done.stderr
    assert "crawler traps" in done.stderr


@pytest.mark.parametrize(
    ("url", "page", "hosts", "is_first"),
    [
        ("https://example.org/a.js", "https://example.org/", [], True),
        ("https://static.example.org/a.js", "https://www.example.org/", [], True),
        ("https://api.example.co.uk/a", "https://news.example.co.uk/", [], True),
        ("http://127.0.0.1:81/a", "http://127.0.0.1:81/", [], True),
        ("https://cdn.example.net/a.js", "https://example.org/", ["CDN.example.net"], True),
        ("https://cdn.example.net/a.js", "https://example.org/", ["example.net"], True),
        ("http://127.0.0.1:82/a", "http://127.0.0.1:81/", ["127.0.0.1:82"], True),
        ("https://example.net/a.js", "https://example.org/", [], False),
        ("https://other.co.uk/a", "https://news.example.co.uk/", [], False),
        ("https://a.github.io/a", "https://b.github.io/", [], False),
        ("http://127.0.0.1:82/a", "http://127.0.0.1:81/", [], False),
        ("http://10.0.0.1/", "http://10.0.0.2/", [], False),
        ("https://notexample.net/a.js", "https://example.org/", ["example.net"], False),
        ("http://localhost/", "http://printer/", [], False),
    ],
)
def test_first_party_is_the_page_s_domain_and_the_hosts_that_are_named(
    url: str, page: str, hosts: list[str], is_first: bool
) -> None:
    assert is_first_party(url, page, hosts) == is_first
