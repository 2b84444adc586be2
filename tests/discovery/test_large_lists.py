"""Long lists: the newest entries first, whatever the order, and what was taken before is passed over."""

from datetime import date, timedelta

import pytest

from newsextract.discovery import lists
from newsextract.discovery.entries import Entry
from newsextract.discovery.list_memory import LARGE, RANKED, read_new_entries, unpack_batch
from newsextract.discovery.lists import ListContents
from newsextract.discovery.newest_first import newest_first, period_of_list, sort_sitemaps

HOME = "https://example.org/"


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("map-2026-11-28.xml", "2026-11-29"),
        ("map_20261128.xml.gz", "2026-11-29"),
        ("maps/2026/11.xml", "2026-12-01"),
        ("map.xml?yyyy=2026&mm=11&dd=3", "2026-11-04"),
        ("maps/28-11-2026", "2026-11-29"),
        ("map-2026-w48.xml", "2026-11-30"),
        ("map-nov-2026.xml", "2026-12-01"),
        ("maps/f%C3%A9vrier-2026.xml", "2026-03-01"),
        ("maps/2026/agosto.xml", "2026-09-01"),
        ("28112026.xml", "2026-11-29"),
        ("posts-2026.xml", "2027-01-01"),
        ("map-2026.xml", "2027-01-01"),
        ("map-12.xml", None),
        ("map-20261341.xml", None),
    ],
)
def test_period_of_list_is_read_from_its_url(path, end):
    found = period_of_list(HOME + path)
    assert (found and f"{found:%Y-%m-%d}") == end


@pytest.mark.parametrize("form", ["{day:%Y-%m-%d}", "{day:%Y%m%d}", "{n}", "{day:%Y/%m/%d}"])
def test_sort_sitemaps_puts_the_newest_first_by_date_or_number_of_the_url(form):
    urls = [f"{HOME}map-{form.format(day=date(2026, 1, 1) + timedelta(n), n=n)}.xml" for n in range(230)]
    assert [one.url for one in sort_sitemaps(map(Entry, urls))] == urls[::-1]


def test_newest_first_of_lists_in_any_order():
    days = [f"{HOME}{date(2026, 1, 1) + timedelta(n):%Y/%m/%d}/a-story" for n in range(40)]
    assert [one.url for one in newest_first([*map(Entry, days)])] == days[::-1]
    numbered = [f"{HOME}story-{n}" for n in range(40)]
    assert [one.url for one in newest_first([*map(Entry, numbered)])] == numbered[::-1]
    assert [one.url for one in newest_first([*map(Entry, numbered[::-1])])] == numbered[::-1]
    mixed = [one for pair in zip(numbered[:20], numbered[:19:-1], strict=True) for one in pair]
    assert [one.url for one in newest_first([*map(Entry, mixed)])] == numbered[::-1]
    unknown = [f"{HOME}{name}" for name in ("c", "a", "b")]
    assert [one.url for one in newest_first([*map(Entry, unknown)])] == unknown


def urlset(numbers: range, lastmod: str = "2026-05-05") -> bytes:
    entries = "".join(f"<url>\n<loc>{HOME}story-{n}</loc><lastmod>{lastmod}</lastmod></url>" for n in numbers)
    return (
        f"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</urlset>".encode()
    )


def feed(numbers: range) -> bytes:
    items = "".join(f"<item><title>Story {n}</title><link>{HOME}story-{n}</link></item>" for n in numbers)
    return f"<rss version='2.0'><channel><image><url>{HOME}logo</url></image>{items}</channel></rss>".encode()


def lines(numbers: range) -> bytes:
    return "".join(f"{HOME}story-{n}\n" for n in numbers).encode()


def found_in(contents: ListContents) -> list[int]:
    batches = map(unpack_batch, contents.batches)
    found = [*(page.url for page in contents.pages), *(url for batch in batches for url in batch.urls)]
    return [int(url.rpartition("-")[2]) for url in found]


@pytest.mark.parametrize("make", [urlset, feed, lines])
def test_entries_of_an_earlier_read_are_passed_over(make):
    number = lists.MAX_FEED_ENTRIES if make is feed else RANKED + 300
    many = read_new_entries(make(range(number + 1 if make is feed else number)), f"{HOME}map")
    assert set(found_in(many)) >= set(range(1, number)) and many.memory and not many.problem
    again = read_new_entries(make(range(number + 2)), f"{HOME}map", known=many.memory)
    assert sorted({*found_in(many), *found_in(again)}) == [*range(number + 2)]
    assert len(found_in(again)) <= 2 and again.passed_over >= number
    assert again.memory and len(again.memory) == 8 * (number + 2)
    assert read_new_entries(make(range(number + 2)), f"{HOME}map", known=again.memory).pages == []


PLACES = (
    "https://example.org/{n}", "https://example.org/{n}?id={n}&amp;x=1", "https://example.org/{n}?id={n}", "/{n}",
    "https://EXAMPLE.org/{n}", "https://example.org/%D0%B0-{n}", "https://example.org/ä-{n}", "https://example.org/#{n}",
    "https://example.org/one", " https://example.org/{n}\n", "<![CDATA[https://example.org/{n}]]>", "ftp://x/{n}", "",
    "https://example.org/a/../{n}", "https://example.org/{n}?utm_source=x", "https://other.example/{n}",
)  # fmt: skip
REMARKS = (
    "", "<lastmod>2026-11-20</lastmod>", "<lastmod> 2026-11-20T10:00:00+02:00 </lastmod>", "<lastmod/>",
    "<lastmod>yesterday</lastmod>", "<lastmod>20 Nov 2026</lastmod>", "<changefreq>daily</changefreq>",
    "<priority>0.8</priority><lastmod>2025-01-01</lastmod>", "<image><loc>https://example.org/i.jpg</loc></image>",
    "<lastmod>2026-11-2<!-- -->1</lastmod>", "<lastmod>2026-11-20</lastmod><priority>1</priority>",
)  # fmt: skip


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("<url>", "</url>"),
        ("<url >", "</url>"),
        ("<URL>", "</URL>"),
        ("<!-- <url>", "</url> -->"),
        ("\n<url>\n", "</url>"),
    ],
)
def test_entries_without_a_parser_are_those_of_the_parser(begin, end, monkeypatch):
    monkeypatch.setattr("newsextract.discovery.list_memory.LARGE", 0)
    monkeypatch.setattr("newsextract.discovery.list_memory.RANKED", 10_000)
    pairs = enumerate((place, remark) for place in PLACES for remark in REMARKS)
    entries = "".join(f"{begin}<loc>{place.format(n=n)}</loc>{remark}{end}" for n, (place, remark) in pairs)
    body = f"<urlset><url><loc>{HOME}</loc></url>{entries}<url><loc>{HOME}last</loc></url></urlset>".encode()
    expected = lists.read_list(body, f"{HOME}map").pages
    found = read_new_entries(body, f"{HOME}map").pages
    assert {(one.url, one.listing) for one in found} == {(one.url, one.listing) for one in expected}
    assert len(found) == len(expected)


def test_changed_entry_of_a_large_list_is_read_again():
    first = read_new_entries(urlset(range(LARGE + 5)), f"{HOME}map")
    body = urlset(range(LARGE + 5)).replace(b"story-7</loc><lastmod>2026-05-05", b"story-7</loc><lastmod>2026-05-06")
    assert found_in(read_new_entries(body, f"{HOME}map", known=first.memory)) == [7]


def test_entries_beyond_the_limit_are_counted_and_taken_by_later_reads():
    known, taken = None, list[int]()
    for left in (2000, 1000, 0, 0):
        contents = read_new_entries(feed(range(3000)), f"{HOME}rss", known=known)
        assert contents.left == left
        known, taken = contents.memory, [*taken, *found_in(contents)]
    assert taken == [*range(2999, -1, -1)], "newest first, each once"


def test_damaged_large_list_is_read_without_memory_and_in_linear_time():
    body = b"<urlset>" + b"<url><loc>" * 200_000
    assert read_new_entries(body, f"{HOME}map").memory == b""
