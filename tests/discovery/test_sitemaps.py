import gzip
from datetime import UTC, datetime

import pytest

from newsextract.discovery import sitemaps
from newsextract.discovery.entries import Entry
from newsextract.discovery.sitemaps import parse_sitemap, sitemaps_in_robots_txt
from newsextract.metadata.date_parser import parse_w3c_datetime

URL = "https://example.org/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def page(path: str, more: str = "") -> str:
    return f"<url><loc>https://example.org/{path}</loc>{more}</url>"


def urlset(*pages: str) -> bytes:
    return f"<?xml version='1.0'?><urlset {NS}>{''.join(pages)}</urlset>".encode()


def test_pages_of_a_sitemap_come_with_the_day_they_changed() -> None:
    body = urlset(page("a", "<lastmod>2026-05-05</lastmod>"), page("b?utm_source=x"), page("a"))
    found = parse_sitemap(body, URL)
    assert found.pages == [
        Entry("https://example.org/a", "", datetime(2026, 5, 5, tzinfo=UTC)),
        Entry("https://example.org/b"),
    ]


def test_a_news_sitemap_gives_title_and_date_of_publication() -> None:
    news = (
        "<news:news xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'><news:title>The pier</news:title>"
        "<news:publication_date>2026-05-05T10:00:00+02:00</news:publication_date></news:news><lastmod>2020</lastmod>"
    )
    (entry,) = parse_sitemap(urlset(page("a", news)), URL).pages
    assert (entry.title, entry.date) == ("The pier", datetime(2026, 5, 5, 8, tzinfo=UTC))


def test_an_index_names_its_parts_and_packed_ones_are_unpacked() -> None:
    index = f"<sitemapindex {NS}><sitemap><loc>/part.xml.gz</loc></sitemap></sitemapindex>".encode()
    assert [entry.url for entry in parse_sitemap(index, URL).sitemaps] == ["https://example.org/part.xml.gz"]
    packed = gzip.compress(urlset(page("a")))
    assert [entry.url for entry in parse_sitemap(packed, URL).pages] == ["https://example.org/a"]


def test_a_sitemap_of_lines_and_one_that_is_a_feed_are_read_too() -> None:
    lines = b"\xef\xbb\xbfhttps://example.org/a\r\nhttps://example.org/b\nnothing\n"
    assert [entry.url for entry in parse_sitemap(lines, URL).pages] == [
        "https://example.org/a",
        "https://example.org/b",
    ]
    feed = b"<rss><channel><item><link>https://example.org/c</link></item></channel></rss>"
    assert [entry.url for entry in parse_sitemap(feed, URL).pages] == ["https://example.org/c"]


def test_a_sitemap_cut_in_the_middle_gives_what_was_there() -> None:
    body = urlset(page("a"), page("b"), page("c"))
    assert len(parse_sitemap(body[: body.index(b"/c<")], URL).pages) >= 2
    packed = gzip.compress(body)
    parse_sitemap(packed[: len(packed) // 2], URL)


@pytest.mark.parametrize(
    "body", [b"", b"<html>404</html>", b"\x1f\x8bjunk", b"\0" * 100, b"<", b"<urlset>", b"<?xml?>"]
)
def test_what_is_no_sitemap_names_nothing(body: bytes) -> None:
    found = parse_sitemap(body, URL)
    assert (found.pages, found.sitemaps) == ([], [])


def test_packed_bombs_and_endless_lists_are_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemaps, "MAX_ENTRIES", 500)
    many = "".join(page(str(n)) for n in range(600))
    assert len(parse_sitemap(urlset(many), URL).pages) == 500
    bomb = gzip.compress(urlset(page("a")) + b" " * (sitemaps.MAX_BYTES + 1_000_000))
    assert len(bomb) < 100_000
    assert [entry.url for entry in parse_sitemap(bomb, URL).pages] == ["https://example.org/a"]


def test_entities_are_not_expanded_and_no_file_is_read() -> None:
    levels = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12))
    doctype = f"<!DOCTYPE urlset [<!ENTITY l0 'ha'>{levels}<!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
    body = doctype.encode() + f"<urlset><url><loc>https://example.org/&f;&l11;</loc></url>{page('b')}</urlset>".encode()
    found = parse_sitemap(body, URL).pages
    assert all(len(entry.url) < 100 and "root" not in entry.url for entry in found)


def test_robots_txt_names_sitemaps_in_any_case_and_relative_ones_too() -> None:
    robots = b"User-agent: *\nDisallow: /x\nSITEMAP: https://example.org/a.xml\n sitemap:/b.xml # c\nSitemap:\nSitemap: ftp://x/\n"
    assert sitemaps_in_robots_txt(robots, "https://example.org/robots.txt") == [
        "https://example.org/a.xml",
        "https://example.org/b.xml",
    ]


@pytest.mark.parametrize("text", ["", None, "yesterday", "2026-13-01", "99999", "0000"])
def test_dates_that_are_none_are_not_guessed(text: str | None) -> None:
    assert parse_w3c_datetime(text) is None
