import gzip
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import brotli
import pytest

from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.warc.archives import read_archive
from newsextract.warc.reader import MAX_PAGE_BYTES, SkippedRecords, read_warc_range
from tests.crawling import warc_record

PAGE = b"<html><body>%d</body></html>"


RECORDS = [warc_record(f"http://example.org/{n}", PAGE % n) for n in range(5)]


def read(path: Path) -> tuple[list[FetchedPage], Counter[str]]:
    skipped: Counter[str] = Counter()
    return list(read_archive(path, skipped)), skipped


def numbers(pages: list[FetchedPage]) -> list[int]:
    return [int(page.url.rpartition("/")[2]) for page in pages]


def test_read_archive_gives_url_time_and_charset_of_warc_pages(tmp_path: Path) -> None:
    for name, data in (("a.warc", b"".join(RECORDS)), ("a.warc.gz", b"".join(map(gzip.compress, RECORDS)))):
        (tmp_path / name).write_bytes(data)
        pages, skipped = read(tmp_path / name)
        assert numbers(pages) == [0, 1, 2, 3, 4]
        assert not skipped
        assert pages[1].body == PAGE % 1
        assert (pages[0].encoding, pages[0].fetched_at.isoformat()) == ("utf-8", "2026-01-02T03:04:05+00:00")


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
def test_read_archive_goes_on_behind_damaged_records_of_a_plain_file(
    tmp_path: Path, parts: list[bytes], found: list[int], broken: int
) -> None:
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
        )
    )


@pytest.mark.parametrize("seed", range(40))
def test_read_warc_counts_a_damaged_gzip_record_once_wherever_slices_cut_the_file(tmp_path: Path, seed: int) -> None:
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


@pytest.mark.parametrize("seed", range(12))
def test_read_warc_skips_garbage_between_records_and_counts_it_once(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    parts = [gzip.compress(warc_record(f"http://example.org/{n}", PAGE % n + rng.randbytes(500))) for n in range(20)]
    parts.insert(rng.randrange(1, 20), b"\x1f\x8b\x08" + rng.randbytes(rng.randrange(1, 400)))
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(parts))
    pages, skipped = read(path)
    assert (numbers(pages), skipped) == ([*range(20)], {"broken": 1})
    in_slices, step = SkippedRecords(), rng.randrange(300, 3000)
    starts = range(0, path.stat().st_size, step)
    found = [page for start in starts for _, page in read_warc_range(path, in_slices, start, start + step)]
    assert (numbers(found), in_slices) == (numbers(pages), skipped)
    assert [reason for reason, _, _ in in_slices.listed] == ["broken"]


def test_read_warc_decodes_bodies_and_ignores_wrong_encoding_headers(tmp_path: Path) -> None:
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


def test_read_warc_counts_skipped_records_by_reason(tmp_path: Path) -> None:
    bomb = gzip.compress(b"<html>" + b"\0" * (MAX_PAGE_BYTES + 10))
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


def test_read_archive_takes_urls_of_saved_pages_from_their_content(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text("<!-- saved from url=(0025)https://example.org/saved -->\n<html><body>x")
    (tmp_path / "b.htm").write_text("<html><head><link rel=canonical href=https://example.org/canonical>")
    (tmp_path / "sub" / "c.html.gz").write_bytes(
        gzip.compress(b"<meta property=og:url content=https://example.org/og>")
    )
    (tmp_path / "d.html").write_text("<p>nothing said")
    (tmp_path / "e.html.gz").write_bytes(b"\x1f\x8bno gzip")
    (tmp_path / "style.css").write_text("x")
    pages, skipped = read(tmp_path)
    assert [page.url for page in pages] == [
        "https://example.org/saved",
        "https://example.org/canonical",
        (tmp_path / "d.html").as_uri(),
        "https://example.org/og",
    ]
    assert skipped == {"broken": 1}


def test_read_archive_reads_all_warcs_of_folder(tmp_path: Path) -> None:
    (tmp_path / "1.warc").write_bytes(RECORDS[0])
    (tmp_path / "2.warc.gz").write_bytes(gzip.compress(RECORDS[1]))
    (tmp_path / "3.warc").write_bytes(b"no warc")
    pages, skipped = read(tmp_path)
    assert numbers(pages) == [0, 1]
    assert skipped == {"broken": 1}


@pytest.mark.parametrize("content", [None, b"", b"hello world"])
def test_read_archive_names_path_that_is_no_archive(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.warc.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ArchiveError, match=r"x\.warc\.gz"):
        read(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ArchiveError, match="holds no page"):
        read(tmp_path / "empty")
