"""Links and feeds that a page has."""

import pytest

from newsextract.discovery import links as links_module
from newsextract.discovery.links import parse_links

URL = "https://example.org/news/index.html"
SITE = "https://example.org"


def links(html: str | bytes) -> list[str]:
    body = html.encode() if isinstance(html, str) else html
    return [link.url.removeprefix(SITE) for link in parse_links(body, URL).links]


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        ("<base href='/archive/'><a href=story.html>x</a>", ["/archive/story.html"]),
        ("<a href=story.html>x</a>", ["/news/story.html"]),
        ("<base href='mailto:x'><a href=a>x</a>", ["/news/a"]),
        ("<a href='mailto:a@b.c'>x</a><a href='javascript:void(0)'>x</a><a href='tel:1'>x</a>", []),
        ("<a href='ftp://example.org/x'>x</a><a href='data:text/html,x'>x</a>", []),
        ("<a href=''>x</a><a href='#top'>x</a>", ["/news/index.html"]),  # the page itself, which is known
        ("<a href=/a.pdf>x</a><a href=/b.JPG?w=1>x</a><a href=/c.zip>x</a>", []),
        ("<a href='http://[::1'>x</a><a href='https://example.org:99999/'>x</a>", []),
        (
            "<a href='/a?utm_source=x'>x</a><a href='/a?fbclid=1#c'>x</a><a href='/a?id=7&utm_medium=y'>x</a>",
            ["/a", "/a?id=7"],
        ),
        ("<a rel=nofollow href=/a>x</a><map><area href=/b></map>", ["/a", "/b"]),
        *(
            (body, [])
            for body in (b"", b" ", b"\0\0", b"<!-- -->", b"%PDF-1.4 \xff\xfe", b"<a", b"<a href=", b"\xff\xfe<")
        ),
    ],
)
def test_parse_links_gives_absolute_urls_of_pages_each_once(html: str | bytes, urls: list[str]) -> None:
    assert links(html) == urls


def test_parse_links_in_document_order_with_longest_anchor_text() -> None:
    html = b"<a href=/b><img alt='A boat'></a><a href=/a>Read more</a><a href=/b>The ferry is late</a>"
    found = [(link.url[-2:], link.anchor_text) for link in parse_links(html, URL).links]
    assert found == [("/b", "The ferry is late"), ("/a", "Read more")]
    (picture,) = parse_links(b"<a href=/b><img alt='A boat'></a>", URL).links
    assert picture.anchor_text == "A boat"


def test_parse_links_finds_feeds_but_not_those_of_comments() -> None:
    html = b"""<link rel=alternate type=application/rss+xml href=/feed>
        <link rel="alternate" type="application/atom+xml; charset=utf-8" href="/atom.xml">
        <link rel=alternate type=application/rss+xml href=/comments/feed>
        <link rel=alternate hreflang=de href=/de/> <link rel=stylesheet href=/x.css>"""
    found = parse_links(html, URL)
    assert found.feeds == ["https://example.org/feed", "https://example.org/atom.xml"]
    assert found.links == []


def test_parse_links_decodes_anchor_text() -> None:
    body = "<meta charset=gb2312><a href=/a>港口投票</a>".encode("gb18030")
    assert parse_links(body, URL).links[0].anchor_text == "港口投票"
    assert parse_links("<a href=/a>Älv</a>".encode("latin-1"), URL, "iso-8859-1").links[0].anchor_text == "Älv"


def test_parse_links_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links_module, "MAX_LINKS", 300)
    assert len(links("".join(f"<a href=/{n}>x</a>" for n in range(350)))) == 300
    assert links("<a href=/before>x</a>" + "<div>" * 12_500) == ["/before"]
    assert links(f"<a href='/{'x' * 5000}'>x</a>") == []
