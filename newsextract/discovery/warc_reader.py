"""Reads the HTML pages of WARC files, plain or compressed. A damaged record costs itself, not the rest of the file."""

import io
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from fastwarc.stream_io import ChunkedReader
from fastwarc.warc import ArchiveIterator, WarcRecordType

from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.decompress import decode_content
from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.urls import split_url

#: Bytes of a page, compressed or not; longer ones are skipped.
MAX_PAGE_BYTES = 16 * 1024 * 1024
#: How a WARC file begins: plain, gzip, zstandard, LZ4.
MAGIC = (b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\x5d\x2a\x4d\x18", b"\x04\x22\x4d\x18")
#: Magic number of the file -> how a record begins, which is searched for after a damaged one.
RECORD_START = {b"WARC/": b"WARC/1.", b"\x1f\x8b": b"\x1f\x8b\x08"}
CHUNK = 1024 * 1024
#: Bytes at a file's beginning that tell what it is.
HEAD_BYTES = 256 * 1024
#: How a file of the format before WARC begins.
ARC_START = b"filedesc:"
CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d{1,18})\s*\r\n", re.I)
#: The time of a record that has none.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
READ = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.metadata
#: Bytes of a metadata record that are read; bytes before a response in which its metadata record may begin.
MAX_METADATA = 64 * 1024
METADATA_DISTANCE = 64 * 1024
#: Skipped records of each reason that are listed.
MAX_LISTED = 5
#: The metadata field with the XPaths of the elements to ignore in a page.
DROP_FIELD = "newsextract-drop"


class SkippedRecords(Counter[str]):
    """Counts skipped records by reason, and lists the first few of each: reason, offset, URL if it has one."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[tuple[str, int, str]] = []

    def add(self, reason: str, offset: int, url: str = "") -> None:
        """Counts one more."""
        self[reason] += 1
        if self[reason] <= MAX_LISTED:
            self.listed.append((reason, offset, url))


def read_warc(path: Path, skipped: Counter[str]) -> Iterator[FetchedPage]:
    """Yields the HTML pages of a WARC file in its order, one in memory at a time.

    `skipped` counts the other records by reason: not_html, empty, http_STATUS, too_large, broken, no_url.
    Raises ArchiveError where the file can't be opened or is no WARC.
    """
    for _, page in read_warc_range(path, skipped):
        yield page


class WarcFile(Protocol):
    """A WARC file: a `Path`, or what can be opened as one (`cluster.sources.RemoteFile`)."""

    def open(self, mode: Literal["rb"]) -> BinaryIO: ...


def read_warc_range(
    path: WarcFile,
    skipped: Counter[str],
    start: int = 0,
    end: int | None = None,
    *,
    ours: bool = False,
    wanted: Callable[[str, datetime], bool] | None = None,
) -> Iterator[tuple[int, FetchedPage]]:
    """As `read_warc`, for the records that begin in the byte range [start, end); each page with its record's offset.

    Adjacent ranges give every page once, wherever they are cut. Only gzip files with one member per record, as is
    usual, can be read from the middle. `ours`: a crawl of newsextract wrote the file, so that the XPaths in it are
    trusted. `wanted`: whether a record of this URL and time is read; others are passed over, uncounted.
    """
    check_warc(path)
    metadata: tuple[str, dict[str, str]] = ("", {})
    for record in _records(path, skipped, start):
        if end is not None and record.stream_pos >= end:
            return
        try:
            if record.record_type == WarcRecordType.metadata:
                metadata = _metadata_fields(record)
                continue
            if record.stream_pos < start:
                continue
            if wanted is not None and not wanted(_url_of(record), record.record_date or EPOCH):
                continue
            page = _read_page(record)
        except (OSError, ValueError, RuntimeError):
            page = "broken"
        if isinstance(page, FetchedPage):
            response_id, fields = metadata
            if response_id and response_id == record.record_id:
                page.discovered_from, page.anchor_text = fields.get("via"), fields.get("anchorText")
                page.drop = tuple(json.loads(fields.get(DROP_FIELD, "[]"))) if ours else ()
            yield record.stream_pos, page
        else:
            _count(skipped, page, record.stream_pos, _url_of(record))


def check_warc(path: WarcFile) -> None:
    """Raises ArchiveError where the file can't be read or does not begin as a WARC."""
    _check_start(path, _read_start(path, 9))


def check_ranges(path: WarcFile) -> None:
    """As `check_warc`; also raises ArchiveError for ARC files and those of one gzip member, which ranges can't read."""
    start = _read_start(path, HEAD_BYTES)
    _check_start(path, start)
    if not start.startswith(b"\x1f\x8b"):
        return
    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    with suppress(zlib.error):
        start = member.decompress(start, 4 * HEAD_BYTES)
        _check_arc(path, start)
        head, _, content = start.partition(b"\r\n\r\n")
        length = CONTENT_LENGTH.search(head + b"\r\n")
        if length and content[int(length[1]) :].lstrip(b"\r\n").startswith(b"WARC/"):
            raise ArchiveError(f"{path} is packed as a whole, not record by record, and can't be cut: unpack it first")


def _read_start(path: WarcFile, length: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(length)
    except OSError as error:
        raise ArchiveError(f"{path} can't be read: {error.strerror or error}") from error


def _check_start(path: WarcFile, start: bytes) -> None:
    _check_arc(path, start)
    if not start.startswith(MAGIC):
        raise ArchiveError(f"{path} is no WARC file: it begins neither with WARC/ nor as a packed one")


def _check_arc(path: WarcFile, start: bytes) -> None:
    if start.startswith(ARC_START):
        raise ArchiveError(f"{path} is an ARC file, the format before WARC: convert it (warcio recompress)")


def _records(path: WarcFile, skipped: Counter[str], start: int) -> Iterator[Any]:
    """Yields response and metadata records; continues after damaged bytes, counted once, with the next readable record.

    A damaged gzip member can look like the end of the file, so more records are searched for where reading ends; and in
    a record that says it is longer than a plain file: it is truncated (its reader counts it), or hides those behind it.
    Damaged bytes belong to the record before them: those behind a record before `start` are not counted here.
    """
    with path.open("rb") as file:
        position = _next_record(file, max(0, start - METADATA_DISTANCE)) if start else 0
        synced, ended, failed = not start, False, False  # in mid-file, what looks like a record may be page content
        last, lies = position, False  # lies: the last record says that it is longer than the file
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        is_plain = file.read(5) == b"WARC/"
        while position >= 0:
            file.seek(position)
            try:
                for record in ArchiveIterator(file, record_types=READ, parse_http=False, stream_detect=True):
                    if (ended or failed) and synced and last >= start and not lies:
                        _count(skipped, "broken", last)
                    synced, ended, failed, last = True, False, False, record.stream_pos
                    yield record
                    lies = is_plain and last + record.content_length > size
                ended = True
            except (OSError, ValueError, RuntimeError):
                failed = True
            failed = failed or (position > last and _is_cut(file, position))
            position = _next_record(file, max(position, last) + 1, gzip_only=not (failed or lies))
        if failed and synced and last >= start:
            _count(skipped, "broken", last)


def _is_cut(file: Any, position: int) -> bool:
    """Whether a gzip member begins here that the end of the file cuts off."""
    file.seek(position)
    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    with suppress(zlib.error):
        while chunk := file.read(CHUNK):
            while chunk:
                member.decompress(chunk, CHUNK)
                if member.eof:
                    return False
                chunk = member.unconsumed_tail
        return True
    return False


def _count(skipped: Counter[str], reason: str, offset: int, url: str = "") -> None:
    if isinstance(skipped, SkippedRecords):
        skipped.add(reason, offset, url)
    else:
        skipped[reason] += 1


def _next_record(file: Any, position: int, *, gzip_only: bool = False) -> int:
    """The offset of the next record from `position` on; -1 where there is none. `gzip_only`: search only gzip files,
    since the start of a plain record may also stand in a page."""
    file.seek(0)
    start = file.read(5)
    mark = next((mark for magic, mark in RECORD_START.items() if start.startswith(magic)), None)
    if mark is None or (gzip_only and mark == RECORD_START[b"WARC/"]):
        return -1
    file.seek(position)
    overlap = b""
    while chunk := file.read(CHUNK):
        window = overlap + chunk
        index = window.find(mark)
        if index >= 0:
            return int(position - len(overlap) + index)
        position += len(chunk)
        overlap = window[-len(mark) + 1 :]
    return -1


def _url_of(record: Any) -> str:
    return (record.headers.get("WARC-Target-URI") or "").strip("<> ")


def _read_page(record: Any) -> FetchedPage | str:
    """The page of a response record, or the reason why it has none."""
    url = _url_of(record)
    if split_url(url) is None:
        return "no_url"
    record.parse_http()
    headers = record.http_headers
    status = headers.status_code if headers is not None else 200
    if status is not None and status != 200:
        return f"http_{status}"
    if record.content_length > 2 * MAX_PAGE_BYTES:
        return "too_large"
    fields = {} if headers is None else {name.lower(): value for name, value in headers.items()}
    content_type = fields.get("content-type") or ("" if headers is not None else record.headers.get("Content-Type"))
    body = _body(record, fields)
    if len(body) > MAX_PAGE_BYTES:
        return "too_large"
    if reason := non_html_reason(body, content_type):
        return reason
    return FetchedPage(
        url=url,
        body=body,
        fetched_at=record.record_date or datetime.now(UTC),
        encoding=declared_charset(content_type),
        etag=fields.get("etag"),
        last_modified=fields.get("last-modified"),
    )


def _metadata_fields(record: Any) -> tuple[str, dict[str, str]]:
    """The ID of the response that a metadata record belongs to, and its fields; it stands before that response."""
    text = record.reader.read(MAX_METADATA).decode("utf-8", "replace")
    pairs = (line.partition(":") for line in text.splitlines())
    return record.headers.get("WARC-Concurrent-To") or "", {name.strip(): value.strip() for name, _, value in pairs}


def _body(record: Any, fields: dict[str, str]) -> bytes:
    expected: int = record.content_length
    body: bytes = record.reader.read(expected)  # with a greater number it would reserve as much memory
    if len(body) < expected:
        raise ValueError("the record ends before its length")
    if "chunked" in fields.get("transfer-encoding", "").lower():
        with suppress(OSError, ValueError):  # archives keep the header of a body that they have de-chunked
            body = ChunkedReader(io.BytesIO(body)).read(2 * MAX_PAGE_BYTES) or body
    return decode_content(body, fields.get("content-encoding", ""), MAX_PAGE_BYTES + 1)
