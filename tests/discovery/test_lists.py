"""Feeds and sitemaps: each page once, with its listing, as far as the list is intact."""

import gzip
import json
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.compression import compress
from newsextract.discovery import list_parser, lists
from newsextract.discovery.entries import Entry
from newsextract.discovery.feeds import parse_feed
from newsextract.discovery.lists import (
    MAX_FEED_ENTRIES,
    NOT_A_LIST,
    PARTLY_READ,
    ListContents,
    read_list,
    sitemaps_in_robots_txt,
)
from newsextract.discovery.sitemaps import parse_sitemap
from newsextract.items import Listing

URL = "https://example.org/feed.xml"
RSS = """<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title>
<item><title>The pier &amp; the ferry</title><link>/a?utm_source=rss</link><dc:creator>Jane Roe</dc:creator>
<pubDate>Tue, 05 May 2026 10:00:00 +0200</pubDate>
<description>&lt;p&gt;The old pier &amp;amp; the ferry.&lt;/p&gt;&lt;p&gt;More.&lt;/p&gt;</description></item>
<item><title>&lt;b&gt;Bold&lt;/b&gt; words</title><guid isPermaLink="true">https://example.org/b</guid>
<description>The beginning of it [&amp;#8230;]</description></item>
<item><title>Again</title><link>https://example.org/a</link></item>
<item><title>No page</title><link>mailto:x@example.org</link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><entry><title>Eins</title>
<link rel="alternate" href="https://example.org/eins"/><updated>2026-05-05T08:00:00Z</updated></entry></feed>"""


def feed(*items: str) -> bytes:
    return f"<rss><channel>{''.join(items)}</channel></rss>".encode()


def paths(body: bytes, url: str = URL) -> list[str]:
    """Of the pages that a list names."""
    return [entry.url.removeprefix("https://example.org/") for entry in read_list(body, url).pages]


def test_parse_feed_reads_what_rss_and_atom_say_of_each_page():
    title, date = "The pier & the ferry", datetime(2026, 5, 5, 8, tzinfo=UTC)
    first = Listing("feed", title, date, None, ("Jane Roe",), "The old pier & the ferry.")
    second = Listing("feed", "Bold words", summary="The beginning of it")
    entries = [Entry("https://example.org/a", first), Entry("https://example.org/b", second)]
    assert read_list(RSS.encode(), URL).pages == entries
    [entry] = read_list(ATOM.encode(), URL).pages
    assert (entry.url, entry.title, entry.date) == ("https://example.org/eins", "Eins", date)


@pytest.mark.parametrize(
    "body", [b"", b"<html><body>rss</body></html>", b"\xff\xfe", b"feed.xml", b"<!doctype html><p>A feed"]
)
def test_other_bytes_are_not_a_feed(body):
    assert read_list(body, URL) == ListContents(problem=NOT_A_LIST)


def test_title_and_authors_of_an_entry_are_whole_letters_and_separate_names():
    item = "<item><title>Cafe\u0301 &amp;amp; bar</title><link>/a</link><author>Zoe\u0308 N</author></item>"
    [entry] = read_list(feed(item), URL).pages
    assert (entry.title, entry.listing.authors) == ("Café & bar", ("Zoë N",))
    person = "<author>desk@example.org (Ann Lee and Bo Lind)</author>"
    (entry,) = read_list(feed(f"<item><link>/a</link>{person}</item>"), URL).pages
    assert entry.listing and entry.listing.authors == ("Ann Lee", "Bo Lind")
    (entry,) = read_list(b'{"items": [{"url": "/a", "authors": ["Ann Lee"], "date_published": 1772616600}]}', URL).pages
    assert entry.listing == Listing("feed", "", datetime(2026, 3, 4, 9, 30, tzinfo=UTC), None, ("Ann Lee",))
    body = feed(ITEM.replace("time", "&#55357;&#56832; &#xD83D; &#1;"))
    assert read_list(body, URL).pages[0].title == "Tide & \U0001f600 \ufffd"


def test_feeds_and_sitemaps_are_bounded(monkeypatch):
    items = (f"<item><link>https://example.org/{n}</link></item>" for n in range(MAX_FEED_ENTRIES + 50))
    assert len(paths(feed(*items))) == MAX_FEED_ENTRIES
    assert read_list(b"<rss>" + b" " * 5_000_000, URL).pages == []
    monkeypatch.setattr(lists, "MAX_ENTRIES", 500)
    monkeypatch.setattr(list_parser, "MAX_BYTES", 2_000_000)
    many = "".join(page(str(n)) for n in range(600))
    assert len(read_list(urlset(many), SITEMAP).pages) == 500
    bomb = gzip.compress(urlset(page("a")) + b" " * (list_parser.MAX_BYTES + 1_000_000))
    assert len(bomb) < 10_000
    assert paths(bomb, SITEMAP) == ["a"]


def test_parse_feed_says_nothing_of_a_page_by_an_entry_for_a_comment():
    title, date = "<title>Comment on The pier by Joe</title>", "<pubDate>Tue, 05 May 2026 10:00:00 +0200</pubDate>"
    (entry,) = read_list(feed(f"<item>{title}<link>https://example.org/a#comment-3</link>{date}</item>"), URL).pages
    assert (entry.url, entry.listing, entry.title, entry.date) == ("https://example.org/a", None, "", None)


def test_lists_ignore_the_time_of_a_build_and_a_summary_that_is_the_text():
    text = "The ferry runs again. " * 40
    built = "<pubDate>Tue, 05 May 2026 10:11:12 GMT</pubDate>"
    items = (f"<item><link>/{n}</link>{built}<description>{text}</description></item>" for n in range(3))
    assert [entry.listing for entry in read_list(feed(*items), URL).pages] == [Listing("feed")] * 3
    body = urlset(*[page(path, "<lastmod>2026-05-05T10:11:12Z</lastmod>") for path in "abc"])
    assert [entry.date for entry in read_list(body, SITEMAP).pages] == [None] * 3
    day = urlset(*[page(path, "<lastmod>2026-05-05</lastmod>") for path in "abc"])
    assert all(entry.date for entry in read_list(day, SITEMAP).pages)


@given(st.binary(max_size=300), st.text(max_size=300))
def test_parse_feed_keeps_listings_bounded_and_survives_any_bytes(noise, text):
    names = ("title", "author", "pubDate", "description", "updated")
    fields = "".join(f"<{name}>{escape(text * 20)}</{name}>" for name in names)
    body = f"<rss><channel><item><link>/a</link>{fields}</item>".encode("utf-8", "replace") + noise
    for entry in read_list(body, URL).pages:
        if entry.listing:
            assert max(len(entry.listing.title), len(entry.listing.summary)) <= 500
            assert sum(map(len, entry.listing.authors)) <= 400
            assert Listing.from_dict(json.loads(json.dumps(entry.listing.to_dict()))) == entry.listing


SITEMAP = "https://example.org/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def page(path: str, more: str = "") -> str:
    return f"<url><loc>https://example.org/{path}</loc>{more}</url>"


def urlset(*pages: str) -> bytes:
    return f"<?xml version='1.0'?><urlset {NS}>{''.join(pages)}</urlset>".encode()


def test_parse_sitemap_gives_each_page_once_with_what_is_said_of_it_and_not_of_its_pictures_and_films():
    schemas = "http://www.google.com/schemas"
    news = f"""<news:news xmlns:news='{schemas}/sitemap-news/0.9'><news:title>The pier</news:title>
        <news:publication_date>2026-05-05T10:00:00+02:00</news:publication_date></news:news><lastmod>2020</lastmod>"""
    others = f"""<i:image xmlns:i='{schemas}/sitemap-image/1.1'><i:loc>/x.jpg</i:loc><i:title>A boat</i:title></i:image>
        <v:video xmlns:v='{schemas}/sitemap-video/1.1'><v:title>Waves</v:title>
        <v:publication_date>2020-01-01</v:publication_date></v:video>"""
    body = urlset(
        page("a", "<lastmod>2026-05-05</lastmod>"), page("b?utm_source=x", others), page("a"), page("c", news)
    )
    published = datetime(2026, 5, 5, 8, tzinfo=UTC)
    found = read_list(body, SITEMAP).pages
    assert found == [
        Entry("https://example.org/a", Listing("sitemap", date_modified=datetime(2026, 5, 5, tzinfo=UTC))),
        Entry("https://example.org/b"),
        Entry("https://example.org/c", Listing("sitemap", "The pier", published)),  # "2020" isn't a day
    ]
    assert found[2].date == published


@pytest.mark.parametrize(
    ("body", "pages", "parts"),
    [
        (f"<sitemapindex {NS}><sitemap><loc>/a.xml.gz</loc></sitemap></sitemapindex>".encode(), "", ["/a.xml.gz"]),
        (gzip.compress(urlset(page("a"))), "a", []),
        (b"\xef\xbb\xbfhttps://example.org/a\r\nhttps://example.org/b\rnothing\n", "ab", []),
        (b"<rss><channel><item><link>https://example.org/c</link></item></channel></rss>", "c", []),
        (urlset(page("a"), page("b"), page("c"))[:-20], "ab", []),
        (gzip.compress(urlset(page("a"), page("b"), f"<!--{sha256(b'x').hexdigest()}-->"))[:-40], "ab", []),
        *(
            (body, "", [])
            for body in (b"", b"<html>404</html>", b"\x1f\x8bjunk", b"\0" * 100, b"<", b"<urlset>", b"<?xml?>")
        ),
    ],
)
def test_parse_sitemap_reads_every_form_as_far_as_it_is_whole(body, pages, parts):
    found = read_list(body, SITEMAP)
    assert paths(body, SITEMAP) == [*pages]
    assert [entry.url for entry in found.sitemaps] == [f"https://example.org{path}" for path in parts]


def test_lists_neither_expand_entities_nor_read_files():
    levels = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12))
    bomb = f"<!DOCTYPE rss [<!ENTITY l0 'ha'>{levels}<!ENTITY f SYSTEM 'file:///etc/passwd'>]>"
    body = bomb.encode() + feed("<item><title>&l11;&f;</title><link>/a</link></item>")
    assert [entry.title for entry in read_list(body, URL).pages] == ["&l11;&f;"]
    for entities, name in (("<!ENTITY f SYSTEM 'file:///etc/passwd'>", "f"), (f"<!ENTITY l0 'ha'>{levels}", "l11")):
        body = f"<!DOCTYPE urlset [{entities}]><urlset>{page(f'&{name};')}{page('b')}</urlset>"
        assert paths(body.encode(), SITEMAP) == [f"&{name}", "b"]


def test_sitemaps_in_robots_txt_in_any_case_and_relative():
    robots = b"User-agent: *\rSITEMAP: <https://example.org/a.xml>\n site-map:/b.xml # c\nSitemap:\nSitemap: ftp://x/\n"
    robots += b"sitemap https://example.org/c.xml\nsitemap of this site\n"
    robots += b"Sitemaps = https://example.org/d.xml, https://example.org/e.xml # https://example.org/no.xml\n"
    robots += b"Sitemap-Index: [https://example.org/f.xml]\n# Sitemap: https://example.org/no.xml\n"
    found = sitemaps_in_robots_txt(robots, "https://example.org/robots.txt")
    assert found == [f"https://example.org/{name}.xml" for name in "abcdef"]


ITEM = "<item><title>Tide &amp; time</title><link>https://example.org/a?x=1&amp;y=2</link></item>"
FEED_TEXT = f"<rss version='2.0'><channel><title>c</title>{ITEM}</channel></rss>"
XHTML = "<xhtml:link rel='alternate' hreflang='fr' href='https://example.org/fr/b'/>"
WIDE = f"<?xml version='1.0' encoding='utf-16'?>{FEED_TEXT}"


@pytest.mark.parametrize(
    "body",
    [
        FEED_TEXT.encode(),
        gzip.compress(compress(gzip.compress(FEED_TEXT.encode()))),
        WIDE.encode(),
        WIDE.encode("utf-16"),
        WIDE.encode("utf-16-be"),
        b"<br />\n<b>Warning</b>: no such file in <b>a.php</b> on line <b>3</b><br />\n\n" + FEED_TEXT.encode(),
        b"<!-- " + b"for readers " * 5_000 + b"<rss> -->\n" + FEED_TEXT.encode(),
        FEED_TEXT.replace("&amp;", "&").encode(),
        FEED_TEXT.replace("Tide &amp; time", "Tide <![CDATA[&]]> time").encode(),
        FEED_TEXT.replace("<link>", "<link><!-- 1 --><![CDATA[")
        .replace("&amp;y=2</link>", "&y=2]]>\n</link>")
        .encode(),
        FEED_TEXT.replace("</title><link>", "</titel><link>").encode(),
        FEED_TEXT.replace("<item>", "</b></p><item><media:group><media:title>x</media:title></media:group>").encode(),
        FEED_TEXT.replace("</channel></rss>", "").encode() + b"<item><title>Next</title><link>https://example.org/n",
        f"<?xml version='1.0'?><r:RDF xmlns:r='x' xmlns='y'><channel/>{ITEM}</r:RDF>".encode(),
        b"<a:feed xmlns:a='http://www.w3.org/2005/Atom' xml:base='https://example.org/'><a:entry>"
        b"<a:title>Tide &amp; time</a:title><a:link rel='self' href='s'/><a:link href='a?x=1&y=2'/></a:entry></a:feed>",
        b'{"version": "1.1", "_x": {"items": []}, "items": [{"id": 1, "url": "/a?x=1&y=2", "title": "Tide & time"}]}',
        b'{"items": [{"url": "/a?x=1&y=2", "title": "Tide & time",}, {"url": "/n',
    ],
)
def test_read_list_reads_damaged_and_unusual_feeds_as_far_as_they_are_whole(body):
    contents = read_list(body, URL)
    assert [(entry.url, entry.title) for entry in contents.pages] == [("https://example.org/a?x=1&y=2", "Tide & time")]
    assert contents.is_feed
    assert contents.problem == ("" if body[-1:] in b">}\0" or body[:1] == b"\x1f" else PARTLY_READ)


@pytest.mark.parametrize(
    "body",
    [
        f"<urlset {NS}>{page('a')}{page('b', XHTML)}</urlset>",
        f"<s:urlset>{page('a').replace('<', '<s:').replace('<s:/', '</s:')}{page('b')}</s:urlset>",
        f"<urlset>{page('a', '<image:image><image:loc>/i</image:loc></image:image>')}{page('b')}<url><loc>https://exam",
        f"<urlset xmlns='http://www.google.com/schemas/sitemap-image/1.1'>{page('a')}{page('b')}</urlset>",
        f"<urlset>{page('a', '<news:news><news:title>x')}</url>{page('b')}</urlset>",
        f"<!DOCTYPE urlset><urlset>{page('a')}</urlset>\n<?xml version='1.0'?><urlset>{page('b')}</urlset>",
    ],
)
def test_read_list_reads_damaged_sitemaps_as_far_as_they_are_whole(body):
    assert paths(body.encode(), SITEMAP) == ["a", "b"]


@pytest.mark.parametrize(
    ("written", "language", "wanted"),
    [
        ("2026/03/04 09:30", "", "2026-03-04T09:30:00+00:00"),
        ("2026年3月4日 09:30", "zh-CN", "2026-03-04T09:30:00+08:00"),
        ("Wed, 04 Mar 2026 09:30:00 +0100 (CET)", "", "2026-03-04T09:30:00+01:00"),
        ("Mi, 4. März 2026 09:30:00 +0100", "de", "2026-03-04T09:30:00+01:00"),
        ("March 4, 2026 9:30 PM", "en", "2026-03-04T21:30:00+00:00"),
        ("1772616600.0", "", "2026-03-04T09:30:00+00:00"),
        *((text, "", None) for text in ("2026", "2026/03", "soon", "4 March", "Issue 3 of 4 March 2026")),
    ],
)
def test_date_of_an_entry_counts_only_if_all_of_it_is_understood(written, language, wanted):
    item = f"<item><link>/a</link><pubDate>{written}</pubDate></item>"
    date = read_list(feed(f"<language>{language}</language>", item), URL).pages[0].date
    assert (date and date.isoformat()) == wanted
    undeclared = read_list(f"<rss>{item}</rss>".encode(), URL, language=language).pages[0].date
    assert undeclared == date, "the site's language counts for a feed that declares none"


def test_fragment_that_marks_the_feed_is_no_part_of_a_page():
    def titles(*fragments: str) -> list[str]:
        links = (f"/{number // 10}#{text}" for number, text in enumerate(fragments, 9))
        items = (f"<item><title>T</title><link>{link}</link></item>" for link in links)
        return [entry.title for entry in read_list(feed(*items), URL).pages]

    assert titles("xtor=RSS-3") == titles("rss", "rss")[:1] == ["T"]
    assert titles("comment-3") == [""]
    assert titles("c=1", "c=2", "c=3") == ["T", ""], "two parts of the second page"


@pytest.mark.parametrize(
    "piece", "a &lt; & < <a> <a/> <a=' <!-- <![CDATA[ </a> &#55357; <item> ]]> <?x <a/xml:base='b/'> <a/x='1'/>".split()
)
def test_read_list_takes_linear_time(piece):
    hostile = piece.replace("/xml", " xml").replace("/x=", " x=") * 50_000
    for start in ("<rss><item><author>", "<rss><item><title>", "<urlset>", ""):
        begun = process_time()
        assert paths(f"{start}{hostile}".encode()) == []
        assert process_time() - begun < 5, "half a second at most; where time grows with the square, minutes"


def test_feeds_and_sitemaps_are_read_by_themselves_too():
    sitemap = b"<urlset><url><loc>https://example.org/a</loc></url></urlset>"
    assert [entry.url for entry in parse_feed(feed(ITEM), "https://example.org/")] == ["https://example.org/a?x=1&y=2"]
    assert parse_feed(sitemap, "https://example.org/") == []
    assert [entry.url for entry in parse_sitemap(sitemap, "https://example.org/").pages] == ["https://example.org/a"]
