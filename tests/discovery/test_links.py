import pytest

from newsextract.discovery.links import MAX_LINKS, parse_links

URL = "https://example.org/news/index.html"


def links(html: str, url: str = URL) -> list[str]:
    return [link.url for link in parse_links(html.encode(), url).links]


def test_links_are_resolved_against_the_base_that_the_page_declares() -> None:
    assert links("<base href='/archive/'><a href=story.html>x</a>") == ["https://example.org/archive/story.html"]
    assert links("<a href=story.html>x</a>") == ["https://example.org/news/story.html"]
    assert links("<base href='mailto:x'><a href=a>x</a>") == ["https://example.org/news/a"]


def test_only_http_pages_are_links() -> None:
    html = "".join(
        f"<a href='{href}'>x</a>"
        for href in (
            "mailto:a@b.c",
            "javascript:void(0)",
            "tel:1",
            "ftp://example.org/x",
            "data:text/html,x",
            "",
            "#top",
        )
    )
    assert links(html) == ["https://example.org/news/index.html"], "a fragment is the page itself, which is known"
    assert links("<a href=/a.pdf>x</a><a href=/b.JPG?w=1>x</a><a href=/c.zip>x</a>") == []
    assert links("<a href='http://[::1'>x</a><a href='https://example.org:99999/'>x</a>") == []


def test_tracking_is_stripped_so_that_one_story_is_one_link() -> None:
    assert links(
        "<a href='/a?utm_source=x'>x</a><a href='/a?fbclid=1#c'>x</a><a href='/a?id=7&utm_medium=y'>x</a>"
    ) == [
        "https://example.org/a",
        "https://example.org/a?id=7",
    ]


def test_links_come_in_document_order_each_with_its_longest_text() -> None:
    found = parse_links(
        b"<a href=/b><img alt='A boat'></a><a href=/a>Read more</a><a href=/b>The ferry is late</a>", URL
    )
    assert [(link.url[-2:], link.anchor_text) for link in found.links] == [
        ("/b", "The ferry is late"),
        ("/a", "Read more"),
    ]
    (picture,) = parse_links(b"<a href=/b><img alt='A boat'></a>", URL).links
    assert picture.anchor_text == "A boat"


def test_links_marked_nofollow_are_followed_and_map_areas_too() -> None:
    html = "<a rel=nofollow href=/a>x</a><map><area href=/b></map>"
    assert links(html) == ["https://example.org/a", "https://example.org/b"]


def test_feeds_that_the_head_names_are_found_but_not_those_of_comments() -> None:
    html = b"""<link rel=alternate type=application/rss+xml href=/feed>
        <link rel="alternate" type="application/atom+xml; charset=utf-8" href="/atom.xml">
        <link rel=alternate type=application/rss+xml href=/comments/feed>
        <link rel=alternate hreflang=de href=/de/> <link rel=stylesheet href=/x.css>"""
    found = parse_links(html, URL)
    assert found.feeds == ["https://example.org/feed", "https://example.org/atom.xml"]
    assert found.links == []


def test_text_of_links_is_read_in_the_encoding_that_the_page_is_in() -> None:
    body = "<meta charset=gb2312><a href=/a>港口投票</a>".encode("gb18030")
    assert parse_links(body, URL).links[0].anchor_text == "港口投票"
    assert parse_links("<a href=/a>Älv</a>".encode("latin-1"), URL, "iso-8859-1").links[0].anchor_text == "Älv"


@pytest.mark.parametrize(
    "body", [b"", b" ", b"\0\0", b"<!-- -->", b"%PDF-1.4 \xff\xfe", b"<a", b"<a href=", b"\xff\xfe<"]
)
def test_bytes_that_are_no_page_have_no_links(body: bytes) -> None:
    assert parse_links(body, URL).links == []


def test_a_page_of_endless_links_is_read_up_to_a_bound() -> None:
    assert len(links("".join(f"<a href=/{n}>x</a>" for n in range(MAX_LINKS + 500)))) == MAX_LINKS
    assert links("<a href=/before>x</a>" + "<div>" * 50_000) == ["https://example.org/before"]
    assert links(f"<a href='/{'x' * 5000}'>x</a>") == []
