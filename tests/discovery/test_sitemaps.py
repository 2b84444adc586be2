import gzip
from datetime import UTC, datetime

import pytest

from newsextract.discovery import sitemaps
from newsextract.discovery.entries import Entry
from newsextract.discovery.sitemaps import parse_sitemap, sitemaps_in_robots_txt
from newsextract.items import Listing

URL = "https://example.org/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def page(path: str, more: str = "") -> str:
    return f"<url><loc>https://example.org/{path}</loc>{more}</url>"


def urlset(*pages: str) -> bytes:
    return f"<?xml version='1.0'?><urlset {NS}>{''.join(pages)}</urlset>".encode()


def test_parse_sitemap_gives_each_page_once_with_what_is_said_of_it_and_not_of_its_pictures_and_films() -> None:
    news = (
        "<news:news xmlns:news='http://www.google.com/schemas/sitemap-news/0.9'><news:title>The pier</news:title>"
        "<news:publication_date>2026-05-05T10:00:00+02:00</news:publication_date></news:news><lastmod>2020</lastmod>"
    )
    image = (
        "<i:image xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><i:loc>/x.jpg</i:loc>"
        "<i:title>A boat</i:title></i:image>"
    )
    film = (
        "<v:video xmlns:v='http://www.google.com/schemas/sitemap-video/1.1'><v:title>Waves</v:title>"
        "<v:publication_date>2020-01-01</v:publication_date></v:video>"
    )
    body = urlset(
        page("a", "<lastmod>2026-05-05</lastmod>"), page("b?utm_source=x", image + film), page("a"), page("c", news)
    )
    published, changed = datetime(2026, 5, 5, 8, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)
    found = parse_sitemap(body, URL).pages
    assert found == [
        Entry("https://example.org/a", Listing("sitemap", date_modified=datetime(2026, 5, 5, tzinfo=UTC))),
        Entry("https://example.org/b"),
        Entry("https://example.org/c", Listing("sitemap", "The pier", published, changed)),
    ]
    assert found[2].date == published


def test_parse_sitemap_ignores_the_time_of_a_build() -> None:
    body = urlset(*[page(path, "<lastmod>2026-05-05T10:11:12Z</lastmod>") for path in "abc"])
    assert [entry.date for entry in parse_sitemap(body, URL).pages] == [None] * 3
    day = urlset(*[page(path, "<lastmod>2026-05-05</lastmod>") for path in "abc"])
    assert all(entry.date for entry in parse_sitemap(day, URL).pages)


@pytest.mark.parametrize(
    ("body", "pages", "parts"),
    [
        (
            f"<sitemapindex {NS}><sitemap><loc>/part.xml.gz</loc></sitemap></sitemapindex>".encode(),
            "",
            ["/part.xml.gz"],
        ),
        (gzip.compress(urlset(page("a"))), "a", []),
        (b"\xef\xbb\xbfhttps://example.org/a\r\nhttps://example.org/b\nnothing\n", "ab", []),
        (b"<rss><channel><item><link>https://example.org/c</link></item></channel></rss>", "c", []),
        (urlset(page("a"), page("b"), page("c"))[:-60], "ab", []),
        (gzip.compress(urlset(page("a"), page("b"), page("c")))[:-20], "a", []),
        *(
            (body, "", [])
            for body in (b"", b"<html>404</html>", b"\x1f\x8bjunk", b"\0" * 100, b"<", b"<urlset>", b"<?xml?>")
        ),
    ],
)
def test_parse_sitemap_reads_every_form_as_far_as_it_is_whole(body: bytes, pages: str, parts: list[str]) -> None:
    found = parse_sitemap(body, URL)
    assert [entry.url for entry in found.pages] == [f"https://example.org/{path}" for path in pages]
    assert [entry.url for entry in found.sitemaps] == [f"https://example.org{path}" for path in parts]


def test_parse_sitemap_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemaps, "MAX_ENTRIES", 500)
    monkeypatch.setattr(sitemaps, "MAX_BYTES", 2_000_000)
    many = "".join(page(str(n)) for n in range(600))
    assert len(parse_sitemap(urlset(many), URL).pages) == 500
    bomb = gzip.compress(urlset(page("a")) + b" " * (sitemaps.MAX_BYTES + 1_000_000))
    assert len(bomb) < 10_000
    assert [entry.url for entry in parse_sitemap(bomb, URL).pages] == ["https://example.org/a"]


def test_parse_sitemap_neither_expands_entities_nor_reads_files() -> None:
    def pages(entities: str, loc: str) -> list[str]:
        body = (
            f"<!DOCTYPE urlset [{entities}]><urlset><url><loc>https://example.org/{loc}</loc></url>{page('b')}</urlset>"
        )
        return [entry.url for entry in parse_sitemap(body.encode(), URL).pages]

    assert pages("<!ENTITY f SYSTEM 'file:///etc/passwd'>", "&f;") == ["https://example.org/", "https://example.org/b"]
    levels = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12))
    assert pages(f"<!ENTITY l0 'ha'>{levels}", "&l11;") == [], "the parser stops at the expansion"


def test_sitemaps_in_robots_txt_in_any_case_and_relative() -> None:
    robots = b"User-agent: *\nDisallow: /x\nSITEMAP: https://example.org/a.xml\n sitemap:/b.xml # c\nSitemap:\nSitemap: ftp://x/\n"
    found = sitemaps_in_robots_txt(robots, "https://example.org/robots.txt")
    assert found == ["https://example.org/a.xml", "https://example.org/b.xml"]
