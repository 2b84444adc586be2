import gzip
import os
import resource
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.errors import StorageError
from newsextract.items import FetchedPage
from newsextract.warc.archives import read_archive
from newsextract.warc.reader import read_warc_range
from newsextract.warc.writer import WarcWriter

WHEN = datetime(2026, 1, 2, 3, 4, 5, 678901, UTC)
HTML = {"Content-Type": "text/html; charset=gbk", "Content-Encoding": "br", "Content-Length": "3", "ETag": '"x"'}


def page(number: int = 0, body: bytes = b"<html><body>A story", **more: object) -> FetchedPage:
    values = {"url": f"https://example.org/{number}?a=1|2", "body": body, "fetched_at": WHEN, **more}
    return FetchedPage(**values)  # type: ignore[arg-type]


def write(archive: WarcWriter, one: FetchedPage) -> None:
    archive.write(one, "GET", [("User-Agent", "test")], HTML.items())


def read(folder: Path) -> tuple[list[FetchedPage], Counter[str]]:
    skipped: Counter[str] = Counter()
    return list(read_archive(folder, skipped)), skipped


def test_warc_writer_round_trips_pages(tmp_path):
    body = "<html><body>新闻 \r\n\0".encode("gbk") + bytes(range(256))
    kept = page(
        body=body, anchor_text="The pier\nis back: news", discovered_from="https://example.org/", encoding="gbk"
    )
    with WarcWriter(tmp_path / "pages") as archive:
        write(archive, kept)
        write(archive, page(1))
    [first, second], skipped = read(tmp_path / "pages")
    assert (first.url, first.body, first.fetched_at, first.encoding) == (kept.url, body, WHEN, "gbk")
    assert (first.anchor_text, first.discovered_from, first.etag) == (
        "The pier is back: news",
        kept.discovered_from,
        '"x"',
    )
    assert (second.anchor_text, second.discovered_from) == (None, None)
    assert not skipped


def test_warc_writer_keeps_drawn_pages_as_utf8(tmp_path):
    drawn = page(body="<html><body>新闻".encode(), encoding="utf-8", rendered=True)
    with WarcWriter(tmp_path / "pages") as archive:
        write(archive, drawn)
    [kept], _ = read(tmp_path / "pages")
    assert (kept.body, kept.encoding, kept.etag) == (drawn.body, "utf-8", None)


def test_warc_writer_records_are_standard_and_linked(tmp_path):
    with WarcWriter(tmp_path) as archive:
        write(archive, page(url="https://example.org/ä b"))
    [file] = tmp_path.iterdir()
    with file.open("rb") as stream:
        records = [
            (r.headers["WARC-Type"], r.headers, r.reader.read())
            for r in ArchiveIterator(stream, parse_http=False, verify_digests=True)
        ]
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
        archive.write(
            page(anchor_text=text), "GET", [(name, text)], [("Content-Type", "text/html"), (name + "x", text)]
        )
        write(archive, page(1))
    pages, skipped = read(folder)
    assert [one.url for one in pages] == [page().url, page(1).url]
    assert not skipped


def test_warc_writer_loses_at_most_the_last_page_on_kill(tmp_path):
    with WarcWriter(tmp_path) as archive:
        for number in range(3):
            write(archive, page(number, body=b"<html>" + os.urandom(500)))
    [file] = tmp_path.iterdir()
    whole = file.read_bytes()
    second = whole.rindex(b"\x1f\x8b\x08", 0, len(whole) - 600)
    for cut in range(second, len(whole), 37):
        file.write_bytes(whole[:cut])
        pages, _ = read(tmp_path)
        assert [one.url for one in pages] == [page(0).url, page(1).url], cut


def test_warc_writer_starts_new_file_at_maximum_size(tmp_path):
    with WarcWriter(tmp_path, max_file_bytes=2000) as one, WarcWriter(tmp_path, max_file_bytes=2000) as other:
        for number in range(6):
            write(one, page(number))
            write(other, page(10 + number))
    files = list(tmp_path.iterdir())
    assert len(files) > 4
    assert all(str(os.getpid()) in file.name and file.name.endswith(".warc.gz") for file in files)
    pages, _ = read(tmp_path)
    assert sorted(one.url for one in pages) == sorted(page(n).url for n in [*range(6), *range(10, 16)])


def test_warc_writer_leaves_no_partial_page_on_full_disk(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with WarcWriter(tmp_path) as archive:
        write(archive, page(0))
        [file] = tmp_path.iterdir()
        size = file.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 700, before[1]))
        try:
            with pytest.raises(StorageError, match=f"{tmp_path}: pages can't be kept there"):
                write(archive, page(1, body=b"<html>" + os.urandom(4000)))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert file.stat().st_size == size
        write(archive, page(2))
    assert [one.url for one in read(tmp_path)[0]] == [page(0).url, page(2).url]


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
            write(archive, page(number, body=body, anchor_text=f"Story {number}"))
    [file] = tmp_path.iterdir()
    skipped: Counter[str] = Counter()
    starts = range(0, file.stat().st_size, size)
    found = [one for start in starts for _, one in read_warc_range(file, skipped, start, start + size)]
    assert found == read(tmp_path)[0]
    assert [one.anchor_text for one in found] == [f"Story {number}" for number in range(40)]
    assert not skipped
