"""Reads the HTML pages of WARC files, plain or compressed.

Archives usually have a gzip member for each record. Then damage affects only one record: a member is decompressed
completely, and its record read only if the checksum at its end is right. In plain files reading continues at what looks
like the next record. Other files are read by fastwarc up to the first damage.
"""

import io
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, BinaryIO, Literal, Protocol

from fastwarc.stream_io import ChunkedReader
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from newsextract.compression import decode_content
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.limits import BLOCK_BYTES, CHUNK_BYTES
from newsextract.page_codec import with_crawl_values
from newsextract.settings import DOWNLOAD_MAXSIZE
from newsextract.text import MAX_LISTED
from newsextract.urls import split_url

#: How a WARC file begins: plain, gzip, zstandard, LZ4.
MAGIC = (b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\x5d\x2a\x4d\x18", b"\x04\x22\x4d\x18")
#: How a record begins, when the next one is searched in a plain file, and how a gzip member does (RFC 1952).
RECORD_START = b"WARC/"
PLAIN_START = b"WARC/1."
MEMBER_START = b"\x1f\x8b\x08"
#: How a file of the format before WARC begins.
ARC_START = b"filedesc:"
CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d{1,18})\s*\r\n", re.I)
SEPARATOR = b"\r\n\r\n"
#: Bytes at a file's beginning that identify it, and of a gzip member that show how its content begins.
HEAD_BYTES = 256 * 1024
PEEK_BYTES = 4096
#: Decompressed bytes of a member that are kept: a record with a page is shorter.
MAX_MEMBER_BYTES = 3 * DOWNLOAD_MAXSIZE
#: The time of a record without one.
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
READ = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.metadata
#: Bytes of a metadata record that are read, and before a response in which it may begin; records before the response
#: (our own files have that of the request between the two).
MAX_METADATA = 64 * 1024
RECORDS_BEFORE = 3
#: The metadata fields with what only the crawl knew of a page, as JSON (`page_codec`), and in files of version 1.0 with
#: the XPaths of the elements to ignore.
CRAWL_FIELD = "newsextract-page"
DROP_FIELD = "newsextract-drop"


class SkippedRecords(Counter[str]):
    """Counts skipped records by reason, and lists the first few of each: reason, offset, URL if it has one."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[tuple[str, int, str]] = []

    def add(self, reason: str, offset: int, url: str = "") -> None:
        self[reason] += 1
        if self[reason] <= MAX_LISTED:
            self.listed.append((reason, offset, url))


class WarcFile(Protocol):
    """A WARC file: a `Path`, or something that opens like one (`archive.sources.RemoteFile`)."""

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
    """Yields the HTML pages whose records begin in the byte range [start, end), each with its record's offset.

    Adjacent ranges of a gzip file with a member for each record give every page once, wherever they are cut. In other
    files `start` must be the offset of a record. `skipped` counts other records by reason: not_html, empty,
    http_STATUS, too_large, broken, no_url. `ours`: a crawl of newsextract wrote the file, so its XPaths are trusted.
    `wanted`: whether to read a record of this URL and time; others are skipped, uncounted. Raises ArchiveError if the
    file can't be read or isn't a WARC.
    """
    head = _read_head(path, PEEK_BYTES if start else HEAD_BYTES)
    metadata: tuple[str, dict[str, str]] = ("", {})
    counted = -1

    def is_read(offset: int, record: WarcRecord) -> bool:
        if record.record_type == WarcRecordType.metadata:
            return True
        return offset >= start and (wanted is None or wanted(_url_of(record), record.record_date or EPOCH))

    with path.open("rb") as file:
        if head.startswith(MEMBER_START) and not _is_packed_whole(head):
            records = _gzip_records(file, start, end, is_read, is_filtered=wanted is not None)
        else:
            records = _stream_records(file, start, end)
        for offset, record in records:
            url = ""
            try:
                if record is None:
                    page: FetchedPage | str = "broken"
                elif record.record_type == WarcRecordType.metadata:
                    metadata = _metadata_fields(record)
                    continue
                else:
                    if not is_read(offset, record):
                        continue
                    url = _url_of(record)
                    page = _read_page(record)
            except (OSError, ValueError, RuntimeError):
                page = "broken"
            if isinstance(page, FetchedPage):
                response_id, fields = metadata
                if response_id and response_id == record.record_id:
                    found = replace(page, discovered_from=fields.get("via"), anchor_text=fields.get("anchorText"))
                    page = with_crawl_values(found, _crawl_values(fields, ours=ours))
                yield offset, page
            elif record is not None or offset != counted:  # damage after a record without a page belongs to that record
                counted = offset
                if isinstance(skipped, SkippedRecords):
                    skipped.add(page, offset, url)
                else:
                    skipped[page] += 1


def check_warc(path: WarcFile) -> None:
    """Raises ArchiveError if the file can't be read or doesn't begin like a WARC."""
    _read_head(path, PEEK_BYTES)


def check_ranges(path: WarcFile) -> None:
    """Like `check_warc`; also raises ArchiveError for a single gzip member, which can't be read from the middle."""
    if _is_packed_whole(_read_head(path, HEAD_BYTES)):
        raise ArchiveError(f"{path} is compressed as a whole, not record by record: decompress it first")


def _read_head(path: WarcFile, length: int) -> bytes:
    """The first bytes of a file. Raises ArchiveError if it can't be read or isn't a WARC."""
    try:
        with path.open("rb") as file:
            head = file.read(length)
    except OSError as error:
        raise ArchiveError(f"{path} can't be read: {error.strerror or error}") from error
    if ARC_START in (head[: len(ARC_START)], _unpacked(head)[: len(ARC_START)]):
        raise ArchiveError(f"{path} is an ARC file, the format before WARC: convert it (warcio recompress)")
    if not head.startswith(MAGIC):
        raise ArchiveError(f"{path} isn't a WARC file: it starts neither with WARC/ nor with compressed data")
    return head


def _is_packed_whole(head: bytes) -> bool:
    """Whether a gzip file with these first bytes has a second record in its first member."""
    header, _, content = _unpacked(head).partition(SEPARATOR)
    length = CONTENT_LENGTH.search(header + b"\r\n")
    return length is not None and content[int(length[1]) :].lstrip(b"\r\n").startswith(RECORD_START)


def _unpacked(head: bytes, length: int = 4 * HEAD_BYTES) -> bytes:
    """The first bytes of the first member of a gzip file; empty for other files."""
    with suppress(zlib.error):
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, length)
    return b""


def _gzip_records(
    file: BinaryIO, start: int, end: int | None, is_read: Callable[[int, WarcRecord], bool], *, is_filtered: bool
) -> Iterator[tuple[int, Any]]:
    """Yields the records of the gzip members that begin before `end`, with their offsets; None for a damaged one.

    Begins before `start`, where the metadata of a record may be. Bytes in which no record begins belong to the record
    before them: those after a record before `start` are left to the range of that record. Records that `is_read`
    refuses by their headers are left out, mostly without being decompressed; `is_filtered`: also some from `start` on.
    """
    size = file.seek(0, os.SEEK_END)
    position = _first_record(file, start)
    begun = position or 0
    while position is not None and position < size:
        may_refuse = position < start or (is_filtered and (end is None or position < end))
        refused = _refused_size(file, position, is_read) if may_refuse else 0
        if refused and (following := _member_end(file, position, refused)):
            begun, position = position, following
            continue
        content, behind = _read_member(file, position)
        if is_record := content.startswith(RECORD_START):
            if end is not None and position >= end:
                return
            begun = position
        is_damaged = behind is None or bool(not is_record and content.strip())
        if not is_damaged:
            try:
                for record in () if refused else _records_in(content):
                    yield position, record
            except (OSError, ValueError, RuntimeError):
                is_damaged = True
        if is_damaged and begun >= start:
            yield position, None
        position = behind if behind is not None else _find_record(file, MEMBER_START, position + 1)


def _records_in(content: bytes | bytearray) -> Iterator[WarcRecord]:
    return ArchiveIterator(io.BytesIO(content), record_types=READ, parse_http=False)


def _refused_size(file: BinaryIO, position: int, is_read: Callable[[int, WarcRecord], bool]) -> int:
    """The decompressed size of the gzip member at a position if `is_read` refuses its record; else 0."""
    file.seek(position)
    content = _unpacked(file.read(PEEK_BYTES), PEEK_BYTES)
    header, separator, _ = content.partition(SEPARATOR)
    length = CONTENT_LENGTH.search(header + SEPARATOR)
    if not separator or length is None or not content.startswith(RECORD_START):
        return 0
    with suppress(OSError, ValueError, RuntimeError):
        if not any(is_read(position, record) for record in _records_in(content)):
            return len(header) + int(length[1]) + 2 * len(SEPARATOR)
    return 0


def _member_end(file: BinaryIO, position: int, size: int) -> int | None:
    """Where the next record begins, if that is where the gzip member at a position ends: such a member ends with its
    decompressed size, so a member within another one, or garbage between two, is noticed."""
    following = _find_record(file, MEMBER_START, position + 1)
    if following is None:
        return None
    file.seek(following - 4)
    return following if file.read(4) == (size % 2**32).to_bytes(4, "little") else None


def _read_member(file: BinaryIO, position: int) -> tuple[bytearray, int | None]:
    """The content of the gzip member at a position, and the offset after it; None if the member is damaged."""
    file.seek(position)
    member, content = zlib.decompressobj(zlib.MAX_WBITS | 16), bytearray()
    with suppress(zlib.error):
        while not member.eof and (packed := member.unconsumed_tail or file.read(CHUNK_BYTES)):
            data = member.decompress(packed, BLOCK_BYTES)
            if len(content) < MAX_MEMBER_BYTES:
                content += data
    return content, file.tell() - len(member.unused_data) if member.eof else None


def _first_record(file: BinaryIO, start: int) -> int | None:
    """Where reading begins: RECORDS_BEFORE records before `start`, or as many as there are; None without any record."""
    if not start:
        return 0
    base = max(0, start - MAX_METADATA)
    file.seek(base)
    last = len(MEMBER_START) - 1  # a record may begin just before `start`
    window, found = file.read(start - base + last), start
    for _ in range(RECORDS_BEFORE):
        index = window.rfind(MEMBER_START, 0, found - base + last)
        while index >= 0 and not _begins_record(file, base + index):
            index = window.rfind(MEMBER_START, 0, index + last)
        if index < 0:
            break
        found = base + index
    return _find_record(file, MEMBER_START, found)


def _find_record(file: BinaryIO, start: bytes, position: int) -> int | None:
    """The offset of the first record from `position` on that begins with `start`, or None."""
    overlap = b""
    while True:
        file.seek(position)
        chunk = file.read(CHUNK_BYTES)
        if not chunk:
            return None
        window, base = overlap + chunk, position - len(overlap)
        index = window.find(start)
        while index >= 0:
            if start != MEMBER_START or _begins_record(file, base + index):
                return base + index
            index = window.find(start, index + 1)
        position += len(chunk)
        overlap = window[1 - len(start) :]


def _begins_record(file: BinaryIO, position: int) -> bool:
    """Whether a gzip member (complete or not) begins there whose content begins like a WARC record."""
    file.seek(position)
    return _unpacked(file.read(PEEK_BYTES), len(RECORD_START)) == RECORD_START


def _stream_records(file: BinaryIO, start: int, end: int | None) -> Iterator[tuple[int, Any]]:
    """Like `_gzip_records` for other files: from the record at `start`, in a plain one beyond damaged records."""
    is_plain, size = file.read(len(RECORD_START)) == RECORD_START, file.seek(0, os.SEEK_END)
    position: int | None = start
    last = start
    while position is not None:
        file.seek(position)
        try:
            for record in ArchiveIterator(file, record_types=READ, parse_http=False):
                last = record.stream_pos
                if end is not None and last >= end:
                    return
                if is_plain and last + record.content_length > size:
                    raise ValueError("the record is longer than the file")
                yield last, record
            return
        except (OSError, ValueError, RuntimeError):
            yield last, None
        last = max(last, position)
        position = _find_record(file, PLAIN_START, last + 1) if is_plain else None


def _url_of(record: WarcRecord) -> str:
    return (record.headers.get("WARC-Target-URI") or "").strip("<> ")


def _read_page(record: WarcRecord) -> FetchedPage | str:
    """The page of a response record, or the reason why there is none."""
    url = _url_of(record)
    if split_url(url) is None:
        return "no_url"
    record.parse_http()
    headers = record.http_headers
    status = headers.status_code if headers is not None else 200
    if status is not None and status != 200:
        return f"http_{status}"
    if record.content_length > 2 * DOWNLOAD_MAXSIZE:
        return "too_large"
    fields = {} if headers is None else {name.lower(): value for name, value in headers.items()}
    content_type = fields.get("content-type") or ("" if headers is not None else record.headers.get("Content-Type"))
    body = _body(record, fields)
    if len(body) > DOWNLOAD_MAXSIZE:
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


def _metadata_fields(record: WarcRecord) -> tuple[str, dict[str, str]]:
    """The ID of the response that a metadata record belongs to, and its fields; it precedes that response."""
    text = record.reader.read(MAX_METADATA).decode("utf-8", "replace")
    pairs = (line.partition(":") for line in text.splitlines())
    return record.headers.get("WARC-Concurrent-To") or "", {name.strip(): value.strip() for name, _, value in pairs}


def _crawl_values(fields: dict[str, str], *, ours: bool) -> dict[str, object]:
    """What a crawl knew about a page; XPaths are trusted only in files of our own crawls."""
    values: dict[str, object] = {}
    with suppress(ValueError):
        values = dict(json.loads(fields.get(CRAWL_FIELD, "{}")))
        values.setdefault("drop", json.loads(fields.get(DROP_FIELD, "[]")))
    return values if ours else {**values, "drop": [], "selectors": {}}


def _body(record: WarcRecord, fields: dict[str, str]) -> bytes:
    expected: int = record.content_length
    body: bytes = record.reader.read(expected)  # with a greater number it would reserve as much memory
    if len(body) < expected:
        raise ValueError("the record ends before its length")
    if "chunked" in fields.get("transfer-encoding", "").lower():
        with suppress(OSError, ValueError):  # archives keep the header of a body that they have de-chunked
            body = ChunkedReader(io.BytesIO(body)).read(2 * DOWNLOAD_MAXSIZE) or body
    return decode_content(body, fields.get("content-encoding", ""), DOWNLOAD_MAXSIZE + 1)
