"""Links of a page, its type, parts of articles, and addresses without end."""

import pytest

from newsextract.discovery import links as links_module
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.links import PageLinks, parse_links
from newsextract.discovery.multipart import first_part, next_part, split_part_number
from newsextract.discovery.traps import MAX_BARREN_PAGES, MAX_HOSTS, TrapDetector
from newsextract.items import Link
from tests.examples import examples

URL = "https://example.org/news/index.html"
SITE = "https://example.org"


def links(html: str | bytes) -> list[str]:
    body = html.encode() if isinstance(html, str) else html
    return [link.url.removeprefix(SITE) for link in parse_links(body, URL).links]


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        *examples(__file__, "links"),
        *((body, []) for body in (b"", b"\0\0", b"<!-- -->", b"%PDF-1.4 \xff\xfe", b"<a", b"<a href=", b"\xff\xfe<")),
    ],
)
def test_parse_links_gives_absolute_urls_of_pages_each_once(html, urls):
    assert links(html) == urls


def test_parse_links_in_document_order_with_longest_anchor_text_decoded():
    html = b"<a href=/b>Late</a><a href=/a>Read more</a><a href=/b>The ferry is late</a><a href=/c><img alt='A boat'>"
    found = [(link.url[-2:], link.anchor_text) for link in parse_links(html, URL).links]
    assert found == [("/b", "The ferry is late"), ("/a", "Read more"), ("/c", "A boat")]
    body = "<meta charset=gb2312><a href=/a>港口投票</a>".encode("gb18030")
    assert parse_links(body, URL).links[0].anchor_text == "港口投票"
    assert parse_links("<a href=/a>Älv</a>".encode("latin-1"), URL, "iso-8859-1").links[0].anchor_text == "Älv"


def test_parse_links_finds_feeds_but_not_those_of_comments():
    html = b"""<link rel=alternate type=application/rss+xml href=/feed>
        <link rel="alternate" type="application/atom+xml; charset=utf-8" href="/atom.xml">
        <link rel=alternate type=application/rss+xml href=/comments/feed>
        <link rel=alternate hreflang=de href=/de/> <link rel=stylesheet href=/x.css>"""
    found = parse_links(html, URL)
    assert found.feeds == ["https://example.org/feed", "https://example.org/atom.xml"]
    assert found.links == []


@pytest.mark.parametrize(
    ("link", "is_feed"),
    [
        *(
            (f"rel=alternate type={kind}", True)
            for kind in ("text/xml", "application/feed+json", "'Application/XML; a=b'")
        ),
        *((f"rel=alternate type=application/json{more}", False) for more in ("", "+oembed")),
        ("rel=feed", True),
        *(
            (f"rel=alternate type=application/rss+xml title='{title}'", is_feed)
            for title, is_feed in (
                ("News and comment", True),
                ("Kommentar", True),
                ("Comment is free: all", True),
                ("Comments on: The pier", False),
                ("Commentaires sur : Le pont", False),
                ("Kommentare zu: Die Brücke", False),
                ("The Gazette » Comments Feed", False),
            )
        ),
    ],
)
@pytest.mark.parametrize("href", ["/all", "feed:https://example.org/all", "feed://example.org/all"])
def test_head_names_feeds_by_relation_and_type_and_those_of_comments_by_title(link, is_feed, href):
    assert parse_links(f"<link {link} href={href}>".encode(), URL).feeds == ["https://example.org/all"] * is_feed


def test_parse_links_is_bounded(monkeypatch):
    monkeypatch.setattr(links_module, "MAX_ELEMENTS", 300)
    assert len(links("".join(f"<a href=/{n}>x</a>" for n in range(350)))) == 300
    assert links("<a href=/before>x</a>" + "<div>" * 12_500) == ["/before"]
    assert links(f"<a href='/{'x' * 5000}'>x</a>") == []


HTML = b"<!doctype html><html><body>x</body></html>"
BEFORE = (b"<!---->", b"<!-- a -->\n", b" ", b"<?xml a?>", b"<?xml a?><!---->")


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (HTML, "text/html; charset=utf-8", None),
        (HTML, "application/xhtml+xml", None),
        (HTML, "TEXT/HTML", None),
        (b"just words", "text/html", None),
        (HTML, None, None),
        (b"\xef\xbb\xbf <?xml version='1.0'?>\n<html>", "text/plain", None),
        (b"<!-- a --><HTML>", "application/octet-stream", None),
        (b"%PDF-1.7 ...", "text/html", "not_html"),
        (b"\x89PNG\r\n", "text/html", "not_html"),
        (b"PK\x03\x04", "text/html", "not_html"),
        (b"SQLite format 3\x00<p>", "text/html", "not_html"),
        (b"plain text", "text/plain", "not_html"),
        (HTML, "application/json", "not_html"),
        (b"<rss></rss>", "application/xml", "not_html"),
        (b"", "text/html", "empty"),
        (b" \n\t ", "text/html", "empty"),
        *((piece * 20 + b"<html>", "text/plain", None) for piece in BEFORE),
        *((piece * 200 + b"x", "text/plain", "not_html") for piece in (*BEFORE, b"\xef\xbb\xbf")),
    ],
)
def test_non_html_reason_by_bytes_and_content_type(body, content_type, reason):
    assert non_html_reason(body, content_type) == reason


def test_declared_charset_of_content_type():
    types = ("text/html; charset=GB2312", "text/html;charset='utf-8'", "text/html", None)
    assert [*map(declared_charset, types)] == ["GB2312", "utf-8", None, None]


def found(*paths: str, following: str | None = None) -> PageLinks:
    return PageLinks([Link(SITE + path) for path in paths], next=following and SITE + following)


@pytest.mark.parametrize(("first", "second", "third"), examples(__file__, "parts"))
def test_next_and_first_part_by_number_in_url(first, second, third):
    links = found("/", "/other/2", first, second, third)
    assert next_part(links, SITE + first, 2) == SITE + second
    assert next_part(links, SITE + first, 3) == SITE + third
    assert next_part(links, SITE + first, 4) is None
    links.links[2].anchor_text = "1"
    assert first_part(links, SITE + second) == SITE + first


def test_next_part_by_rel_next_is_not_the_next_story():
    """Many a publishing system says rel=next of the article that was published after this one."""
    assert next_part(found("/x", following="/story?page=2"), f"{SITE}/story", 2) == f"{SITE}/story?page=2"
    links = found("/another-story", "/story-extended/2", "/2", following="/another-story")
    assert next_part(links, f"{SITE}/story", 2) is None


def test_next_part_ignores_numbers_of_dates_and_stories():
    assert next_part(found("/2026/05/13"), f"{SITE}/2026/05/12", 2) is None
    assert next_part(found("/news/813.html"), f"{SITE}/news/812.html", 2) is None
    assert first_part(found("/", "/2026"), f"{SITE}/2026/05") is None
    assert first_part(found("/news", "/news/11", "/news/13"), f"{SITE}/news/12") is None
    assert split_part_number(f"{SITE}/story-20260505.html") == (f"{SITE}/story-20260505.html", 1)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/news/2026/05/the-pier-is-open.html", None),
        ("/a/b/a/b/a/b/story", None),
        ("/a/b/a/b/a/b/a/b/story", "path"),
        ("/" + "/".join(map(str, range(21))), "path"),
        ("/search?q=pier&page=2&sort=date", None),
        ("/shop?" + "&".join(f"filter{n}=1" for n in range(13)), "query"),
        ("//[broken", None),
    ],
)
def test_trap_detector_recognizes_growing_paths_and_queries(path, reason):
    assert TrapDetector().trap_reason(SITE + path) == reason


def test_trap_detector_keeps_archive_with_some_articles():
    traps = TrapDetector()
    for page in range(10 * MAX_BARREN_PAGES):
        url = f"{SITE}/archive?page={page}"
        assert traps.trap_reason(url) is None
        traps.record_page(url, is_useful=page % (MAX_BARREN_PAGES - 1) == 0)


def test_trap_detector_bounds_hosts():
    traps = TrapDetector()
    assert {traps.trap_reason(f"https://{n}.example.org/") for n in range(MAX_HOSTS)} == {None}
    assert traps.trap_reason("https://one-more.example.org/") == "hosts"
    assert traps.trap_reason("https://7.example.org/story") is None


def test_feeds_that_are_only_linked_to_are_candidates():
    hrefs = (
        "/rss /news/feed/ /export/rss.xml /atom.json /latest.atom /comments/feed /sitemap.xml https://b.example/rss.xml"
    )
    found = parse_links("".join(f"<a href={href}>RSS</a>" for href in hrefs.split()).encode(), URL)
    assert found.feeds == [] and found.links == []
    paths = ("/rss", "/news/feed/", "/export/rss.xml", "/atom.json", "/latest.atom")
    assert found.linked_feeds == [f"https://example.org{path}" for path in paths]
