"""Web archives: read as far as they are whole, and written so that a kill costs one page at most."""

import gzip
import os
import random
import resource
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import brotli
import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.errors import ArchiveError, StorageError
from newsextract.items import FetchedPage
from newsextract.settings import DOWNLOAD_MAXSIZE
from newsextract.warc.archives import read_archive
from newsextract.warc.reader import SkippedRecords, read_warc_range
from newsextract.warc.writer import WarcWriter
from tests.crawling import warc_record

PAGE = b"<html><body>%d</body></html>"


RECORDS = [warc_record(f"http://example.org/{n}", PAGE % n) for n in range(5)]


def read(path: Path) -> tuple[list[FetchedPage], Counter[str]]:
    skipped: Counter[str] = Counter()
    return list(read_archive(path, skipped)), skipped


def numbers(pages: list[FetchedPage]) -> list[int]:
    return [int(page.url.rpartition("/")[2]) for page in pages]


def test_read_archive_gives_url_time_and_charset_of_warc_pages(tmp_path):
    for name, data in (("a.warc", b"".join(RECORDS)), ("a.warc.gz", b"".join(map(gzip.compress, RECORDS)))):
        (tmp_path / name).write_bytes(data)
        pages, skipped = read(tmp_path / name)
        assert numbers(pages) == [0, 1, 2, 3, 4]
        assert not skipped
        assert pages[1].body == PAGE % 1
        assert (pages[0].encoding, pages[0].fetched_at.isoformat()) == ("utf-8", "2026-01-02T03:04:05+00:00")
    (tmp_path / "b.warc").write_bytes(b"no warc")
    pages, skipped = read(tmp_path)
    assert (numbers(pages), skipped) == ([*range(5)] * 2, {"broken": 1}), "all files of a folder"


LIAR = warc_record("http://example.org/9", PAGE % 9 * 20, length=60)
LONGER_THAN_THE_FILE = [warc_record("http://example.org/9", PAGE % 9, length=length) for length in (10**5, 10**12)]


@pytest.mark.parametrize(
    ("parts", "found", "broken"),
    [
        ([RECORDS[0], RECORDS[1][:140] + b"garbage" * 5, RECORDS[2], RECORDS[3][:20], RECORDS[4]], [0, 2, 4], 2),
        ([RECORDS[0], LIAR, RECORDS[1]], [0, 9, 1], 1),
        *(([*RECORDS[:2], long, *RECORDS[2:]], [0, 1, 2, 3, 4], 1) for long in LONGER_THAN_THE_FILE),
        ([*RECORDS[:4], RECORDS[4][:-30]], [0, 1, 2, 3], 1),
    ],
    ids=["damaged", "shorter", "longer", "huge", "cut off"],
)
def test_read_archive_goes_on_behind_damaged_records_of_a_plain_file(tmp_path, parts, found, broken):
    (tmp_path / "a.warc").write_bytes(b"".join(parts))
    pages, skipped = read(tmp_path / "a.warc")
    assert (numbers(pages), skipped.total()) == (found, broken)


def damage(rng: random.Random, packed: bytes) -> bytes:
    """The bytes of a gzip member, changed so that its checksum does not hold; where and how is left to chance."""
    at = rng.randrange(10, len(packed) - 8)
    return rng.choice(
        (
            packed[:at],
            packed[:at] + bytes([packed[at] ^ 1 << rng.randrange(8)]) + packed[at + 1 :],
            packed[:at] + rng.randbytes(20) + packed[at:],
            packed[:at] + packed[at + 7 :],
            packed[:-8] + bytes(8),  # only the checksum is wrong: the page before it can be read
            bytes(3) + packed[3:],
            b"\x1f\x8b\x08" + rng.randbytes(rng.randrange(1, 400)),  # none of a record
        )
    )


@pytest.mark.parametrize("seed", range(40))
def test_read_warc_counts_a_damaged_gzip_record_once_wherever_slices_cut_the_file(tmp_path, seed):
    rng = random.Random(seed)
    texts = [bytes(rng.choices(b"abcdefgh <p>", k=rng.choice((40, 300, 30_000)))) for _ in range(6)]
    packed = [gzip.compress(warc_record(f"http://example.org/{n}", text)) for n, text in enumerate(texts)]
    number = rng.randrange(1, 6)
    packed[number] = damage(rng, packed[number])
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(packed))
    size, begin = path.stat().st_size, sum(map(len, packed[:number]))
    for inner in ([], [begin], [begin + 1], [begin + len(packed[number])], rng.sample(range(1, size), 3)):
        skipped, cuts = SkippedRecords(), [0, *sorted(inner), size]
        slices = pairwise(cuts)
        pages = [page for start, end in slices for _, page in read_warc_range(path, skipped, start, end)]
        assert numbers(pages) == [n for n in range(6) if n != number]
        assert skipped == {"broken": 1}
        assert [(reason, offset) for reason, offset, _ in skipped.listed] == [("broken", begin)]


def test_read_warc_skips_unwanted_records_unread_and_never_takes_what_one_holds_for_a_record(tmp_path):
    hidden = gzip.compress(warc_record("http://example.org/7", PAGE % 7))
    outer = gzip.compress(warc_record("http://example.org/9", PAGE % 9 + hidden), compresslevel=0)
    assert hidden in outer  # stored, so the search for the next record comes upon it
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join([*map(gzip.compress, RECORDS[:2]), outer, *map(gzip.compress, RECORDS[2:])]))
    asked, skipped = list[str](), SkippedRecords()

    def wanted(url: str, at: datetime) -> bool:
        asked.append(url)
        return url.endswith(("1", "4", "7"))

    pages = [page for _, page in read_warc_range(path, skipped, wanted=wanted)]
    assert (numbers(pages), skipped) == ([1, 4], {})
    assert {url[-1] for url in asked} == {"0", "1", "2", "3", "4", "9"}


def test_read_warc_decodes_bodies_and_ignores_wrong_encoding_headers(tmp_path):
    body = PAGE % 7
    variants = [
        ("Content-Encoding: gzip\r\n", gzip.compress(body)),
        ("Content-Encoding: br\r\n", brotli.compress(body)),
        ("Content-Encoding: gzip\r\n", body),
        ("Transfer-Encoding: chunked\r\n", b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)),
        ("Transfer-Encoding: chunked\r\n", body),
    ]
    data = b"".join(warc_record("http://example.org/7", packed, headers=headers) for headers, packed in variants)
    (tmp_path / "a.warc").write_bytes(data)
    pages, skipped = read(tmp_path / "a.warc")
    assert [page.body for page in pages] == [body] * 5
    assert not skipped


def test_read_warc_counts_skipped_records_by_reason(tmp_path):
    bomb = gzip.compress(b"<html>" + b"\0" * (DOWNLOAD_MAXSIZE + 10))
    (tmp_path / "a.warc").write_bytes(
        warc_record("http://example.org/1", b"gone", status="404 Not Found")
        + warc_record("http://example.org/2", b"%PDF-1.4")
        + warc_record("http://example.org/3", b"")
        + warc_record("urn:x", PAGE % 4)
        + warc_record("http://example.org/5", bomb, headers="Content-Encoding: gzip\r\n")
        + RECORDS[0]
    )
    pages, skipped = read(tmp_path / "a.warc")
    assert numbers(pages) == [0]
    assert skipped == {"http_404": 1, "not_html": 1, "empty": 1, "no_url": 1, "too_large": 1}


def test_read_archive_takes_urls_of_saved_pages_from_their_content(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text("<!-- saved from url=(0025)https://example.org/saved -->\n<html><body>x")
    (tmp_path / "b.htm").write_text("<html><head><link rel=canonical href=https://example.org/canonical>")
    og = gzip.compress(b"<meta property=og:url content=https://example.org/og>")
    (tmp_path / "sub" / "c.html.gz").write_bytes(og)
    (tmp_path / "d.html").write_text("<p>nothing said")
    (tmp_path / "e.html.gz").write_bytes(b"\x1f\x8bno gzip")
    (tmp_path / "style.css").write_text("x")
    pages, skipped = read(tmp_path)
    saved, canonical, og = (f"https://example.org/{name}" for name in ("saved", "canonical", "og"))
    assert [page.url for page in pages] == [saved, canonical, (tmp_path / "d.html").as_uri(), og]
    assert skipped == {"broken": 1}


@pytest.mark.parametrize("content", [None, b"", b"hello world"])
def test_read_archive_names_path_that_is_no_archive(tmp_path, content):
    path = tmp_path / "x.warc.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ArchiveError, match=r"x\.warc\.gz"):
        read(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArchiveError, match="holds no page"):
        read(tmp_path / "empty")


WHEN = datetime(2026, 1, 2, 3, 4, 5, 678901, UTC)
HTML = {"Content-Type": "text/html; charset=gbk", "Content-Encoding": "br", "Content-Length": "3", "ETag": '"x"'}


def kept_page(number: int = 0, body: bytes = b"<html><body>A story", **more: object) -> FetchedPage:
    values = {"url": f"https://example.org/{number}?a=1|2", "body": body, "fetched_at": WHEN, **more}
    return FetchedPage(**values)


def write(archive: WarcWriter, one: FetchedPage) -> None:
    archive.write(one, "GET", [("User-Agent", "test")], HTML.items())


def test_warc_writer_round_trips_pages(tmp_path):
    body = "<html><body>新闻 \r\n\0".encode("gbk") + bytes(range(256))
    more = {"anchor_text": "The pier\nis back: news", "discovered_from": "https://example.org/"}
    drawn = kept_page(2, body="<html><body>新闻".encode(), encoding="utf-8", rendered=True)
    with WarcWriter(tmp_path / "pages") as archive:
        for page in (kept_page(body=body, encoding="gbk", **more), kept_page(1), drawn):
            write(archive, page)
    [first, second, kept], skipped = read(tmp_path / "pages")
    assert (first.url, first.body, first.fetched_at, first.encoding) == (kept_page().url, body, WHEN, "gbk")
    assert (first.anchor_text, first.discovered_from) == ("The pier is back: news", "https://example.org/")
    assert (second.anchor_text, second.discovered_from) == (None, None)
    assert (kept.body, kept.encoding) == (drawn.body, "utf-8"), "rendered pages are kept as UTF-8"
    assert (first.etag, kept.etag, skipped) == ('"x"', None, {})


def test_warc_writer_records_are_standard_and_linked(tmp_path):
    with WarcWriter(tmp_path) as archive:
        write(archive, kept_page(url="https://example.org/ä b"))
    [file] = tmp_path.iterdir()
    with file.open("rb") as stream:
        read_records = ArchiveIterator(stream, parse_http=False, verify_digests=True)
        records = [(one.headers["WARC-Type"], one.headers, one.reader.read()) for one in read_records]
    assert [kind for kind, _, _ in records] == ["warcinfo", "metadata", "request", "response"]
    response = records[3][1]["WARC-Record-ID"]
    assert [headers["WARC-Concurrent-To"] for _, headers, _ in records[1:3]] == [response, response]
    assert {headers["WARC-Target-URI"] for _, headers, _ in records[1:]} == {"https://example.org/%C3%A4%20b"}
    assert records[2][2].startswith(b"GET /%C3%A4%20b HTTP/1.1\r\nHost: example.org\r\nUser-Agent: test\r\n")
    head, _, body = records[3][2].partition(b"\r\n\r\n")
    assert b"Content-Encoding" not in head
    assert b"Content-Length: %d" % len(body) in head


@settings(max_examples=settings().max_examples // 3)
@given(st.text(), st.text())
def test_warc_writer_headers_cannot_forge_records(tmp_path_factory, name, value):
    folder = tmp_path_factory.mktemp("pages")
    with WarcWriter(folder) as archive:
        text = f"{value}\r\n\r\nWARC/1.0\r\n"
        headers = [("Content-Type", "text/html"), (name + "x", text)]
        archive.write(kept_page(anchor_text=text), "GET", [(name, text)], headers)
        write(archive, kept_page(1))
    pages, skipped = read(folder)
    assert [one.url for one in pages] == [kept_page().url, kept_page(1).url]
    assert not skipped


def test_warc_writer_loses_at_most_the_last_page_on_kill(tmp_path):
    with WarcWriter(tmp_path) as archive:
        for number in range(3):
            write(archive, kept_page(number, body=b"<html>" + os.urandom(500)))
    [file] = tmp_path.iterdir()
    whole = file.read_bytes()
    second = whole.rindex(b"\x1f\x8b\x08", 0, len(whole) - 600)
    for cut in range(second, len(whole), 37):
        file.write_bytes(whole[:cut])
        pages, _ = read(tmp_path)
        assert [one.url for one in pages] == [kept_page(0).url, kept_page(1).url], cut


def test_warc_writer_starts_new_file_at_maximum_size(tmp_path):
    with WarcWriter(tmp_path, max_file_bytes=2000) as one, WarcWriter(tmp_path, max_file_bytes=2000) as other:
        for number in range(6):
            write(one, kept_page(number))
            write(other, kept_page(10 + number))
    files = list(tmp_path.iterdir())
    assert len(files) > 4
    assert all(str(os.getpid()) in file.name and file.name.endswith(".warc.gz") for file in files)
    pages, _ = read(tmp_path)
    assert sorted(one.url for one in pages) == sorted(kept_page(n).url for n in [*range(6), *range(10, 16)])


def test_warc_writer_leaves_no_partial_page_on_full_disk(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with WarcWriter(tmp_path) as archive:
        write(archive, kept_page(0))
        [file] = tmp_path.iterdir()
        size = file.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 700, before[1]))
        try:
            with pytest.raises(StorageError, match=f"{tmp_path}: pages can't be kept there"):
                write(archive, kept_page(1, body=b"<html>" + os.urandom(4000)))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert file.stat().st_size == size
        write(archive, kept_page(2))
    assert [one.url for one in read(tmp_path)[0]] == [kept_page(0).url, kept_page(2).url]


def test_pages_on_a_disk_that_was_full_before_leave_no_empty_files(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with WarcWriter(tmp_path) as archive:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        try:
            for number in range(3):
                with pytest.raises(StorageError, match="pages can't be kept there"):
                    write(archive, kept_page(number))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert len([*tmp_path.iterdir()]) == 1
    assert [*tmp_path.iterdir()] == []


def test_warc_writer_refuses_unwritable_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / "no" / "such"):
        with pytest.raises(StorageError, match="pages can't be kept there"):
            WarcWriter(folder)


@pytest.mark.parametrize("size", [300, 3000])
def test_read_warc_range_gives_every_page_once_with_its_metadata(tmp_path, size):
    inner = gzip.compress(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n", mtime=0)
    with WarcWriter(tmp_path) as archive:
        for number in range(40):
            body = b"<html>" + inner * (number % 3) + os.urandom(10 * number)
            write(archive, kept_page(number, body=body, anchor_text=f"Story {number}"))
    [file] = tmp_path.iterdir()
    skipped: Counter[str] = Counter()
    starts = range(0, file.stat().st_size, size)
    found = [one for start in starts for _, one in read_warc_range(file, skipped, start, start + size)]
    assert found == read(tmp_path)[0]
    assert [one.anchor_text for one in found] == [f"Story {number}" for number in range(40)]
    assert not skipped
