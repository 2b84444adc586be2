"""Reads the HTML pages of WARC files, plain or compressed. A damaged record costs itself, not the rest of the file."""

import io
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, cast

from fastwarc.stream_io import ChunkedReader
from fastwarc.warc import ArchiveIterator, WarcRecordType

from newsextract.compression import decode_content
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.page_codec import with_crawl_values
from newsextract.urls import split_url
from newsextract.warc.gzip_members import GzipMember, begins_record, next_record

#: Bytes of a page, compressed or not; longer ones are skipped.
MAX_PAGE_BYTES = 16 * 1024 * 1024
#: How a WARC file begins: plain, gzip, zstandard, LZ4.
MAGIC = (b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\x5d\x2a\x4d\x18", b"\x04\x22\x4d\x18")
GZIP_MAGIC = MAGIC[1]
#: How a record of a plain file begins, which is searched for after a damaged one.
PLAIN_START = b"WARC/1."
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
#: The metadata fields with what only the crawl knew of a page, as JSON (`page_codec`), and in files of version 1.0 with
#: the XPaths of the elements to ignore.
CRAWL_FIELD, DROP_FIELD = "newsextract-page", "newsextract-drop"


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
    with path.open("rb") as file:
        read_records = _gzip_records if file.read(2) == GZIP_MAGIC else _stream_records
        results = _read_records(read_records(file, start, end), start, ours=ours, wanted=wanted)
        for result in _whole_results(results):
            if isinstance(result.outcome, FetchedPage):
                yield result.offset, result.outcome
            elif result.outcome is not None:
                _count(skipped, result.outcome, result.offset, result.url)


def check_warc(path: WarcFile) -> None:
    """Raises ArchiveError where the file can't be read or does not begin as a WARC."""
    _check_start(path, _read_start(path, 9))


def check_ranges(path: WarcFile) -> None:
    """As `check_warc`; also raises ArchiveError for ARC files and those of one gzip member, which ranges can't read."""
    start = _read_start(path, HEAD_BYTES)
    _check_start(path, start)
    if not start.startswith(GZIP_MAGIC):
        return
    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    with suppress(zlib.error):
        start = member.decompress(start, 4 * HEAD_BYTES)
        _check_arc(path, start)
        head, _, content = start.partition(b"\r\n\r\n")
        length = CONTENT_LENGTH.search(head + b"\r\n")
        if length and content[int(length[1]) :].lstrip(b"\r\n").startswith(b"WARC/"):
            raise ArchiveError(f"{path} is compressed as a whole, not record by record: decompress it first")


def _read_start(path: WarcFile, length: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(length)
    except OSError as error:
        raise ArchiveError(f"{path} can't be read: {error.strerror or error}") from error


def _check_start(path: WarcFile, start: bytes) -> None:
    _check_arc(path, start)
    if not start.startswith(MAGIC):
        raise ArchiveError(f"{path} isn't a WARC file: it starts neither with WARC/ nor with compressed data")


def _check_arc(path: WarcFile, start: bytes) -> None:
    if start.startswith(ARC_START):
        raise ArchiveError(f"{path} is an ARC file, the format before WARC: convert it (warcio recompress)")


@dataclass(slots=True)
class _Damage:
    """Damaged bytes that begin at `offset`; `behind`: or behind the record there, if a page could be read from it."""

    offset: int
    behind: bool = False


class _Result(NamedTuple):
    """What reading a record gave: its page, the reason why it has none, or None where it was not to be read."""

    offset: int
    outcome: FetchedPage | str | None
    url: str = ""


def _read_records(
    records: "Iterator[tuple[int, Any] | _Damage]",
    start: int,
    *,
    ours: bool,
    wanted: Callable[[str, datetime], bool] | None,
) -> "Iterator[_Result | _Damage]":
    """Yields what each response and resource record from `start` on gives, and damage as it comes."""
    metadata: tuple[str, dict[str, str]] = ("", {})
    for entry in records:
        if isinstance(entry, _Damage):
            yield entry
            continue
        offset, record = entry
        url = ""
        try:
            if record.record_type == WarcRecordType.metadata:
                metadata = _metadata_fields(record)
                continue
            if offset < start:
                continue
            url = _url_of(record)
            if wanted is not None and not wanted(url, record.record_date or EPOCH):
                yield _Result(offset, None, url)
                continue
            page = _read_page(record)
        except (OSError, ValueError, RuntimeError):
            page = "broken"
        if isinstance(page, FetchedPage):
            response_id, fields = metadata
            if response_id and response_id == record.record_id:
                page.discovered_from, page.anchor_text = fields.get("via"), fields.get("anchorText")
                page = with_crawl_values(page, _crawl_values(fields, ours=ours))
        yield _Result(offset, page, url)


def _whole_results(results: "Iterator[_Result | _Damage]") -> Iterator[_Result]:
    """Yields each result once what follows shows that its record is whole, else as broken; damage between records, too.

    A record can be read and be damaged all the same: its checksum stands at its end.
    """
    held: _Result | None = None
    for result in results:
        if isinstance(result, _Result):
            if held is not None:
                yield held
            held = result
            continue
        if held is not None and held.offset == result.offset and not (result.behind and _is_page(held)):
            yield held._replace(outcome=held.outcome and "broken")
        else:
            if held is not None:
                yield held
            yield _Result(result.offset, "broken")
        held = None
    if held is not None:
        yield held


def _is_page(result: _Result) -> bool:
    return isinstance(result.outcome, FetchedPage)


def _gzip_records(file: BinaryIO, start: int, end: int | None) -> "Iterator[tuple[int, Any] | _Damage]":
    """Yields the records of the gzip members that begin before `end`, with their offsets, and what is damaged.

    It begins before `start`, where the metadata of a record may stand. Bytes in which no record begins belong to the
    record before them: those behind a record before `start` are left to the range that has that record.
    """
    size = file.seek(0, os.SEEK_END)
    position = next_record(file, max(0, start - METADATA_DISTANCE)) if start else 0
    owner = position or 0
    while position is not None and position < size:
        if begins_record(file, position):
            if end is not None and position >= end:
                return
            owner = position
        member, has_record = GzipMember(file, position), False
        with suppress(OSError, ValueError, RuntimeError):
            for record in ArchiveIterator(cast(BinaryIO, member), parse_http=False):  # it reads, never seeks
                has_record = True
                if record.record_type & READ:
                    yield position, record
        member.read_to_end()
        is_damaged = member.end is None or (member.has_content and not has_record)
        if is_damaged and owner >= start:
            yield _Damage(position)
        position = member.end if member.end is not None else next_record(file, position + 1)


def _stream_records(file: BinaryIO, start: int, end: int | None) -> "Iterator[tuple[int, Any] | _Damage]":
    """As `_gzip_records` for plain files, and for those of formats that are read from the beginning only.

    A record that says it is longer than a plain file is truncated, or hides those behind it, which are searched for.
    """
    size = file.seek(0, os.SEEK_END)
    position = _next_plain_record(file, max(0, start - METADATA_DISTANCE)) if start else 0
    synced, failed = not start, False  # in mid-file, what looks like a record may be page content
    last, lies = position, False  # lies: the last record says that it is longer than the file
    file.seek(0)
    is_plain = file.read(5) == b"WARC/"
    while position >= 0:
        file.seek(position)
        try:
            for record in ArchiveIterator(file, record_types=READ, parse_http=False, stream_detect=True):
                if failed and synced and last >= start and not lies:
                    yield _Damage(last, behind=True)
                synced, failed, last = True, False, record.stream_pos
                if end is not None and last >= end:
                    return
                yield last, record
                lies = is_plain and last + record.content_length > size
        except (OSError, ValueError, RuntimeError):
            failed = True
        position = _next_plain_record(file, max(position, last) + 1) if failed or lies else -1
    if failed and synced and last >= start:
        yield _Damage(last, behind=True)


def _count(skipped: Counter[str], reason: str, offset: int, url: str = "") -> None:
    if isinstance(skipped, SkippedRecords):
        skipped.add(reason, offset, url)
    else:
        skipped[reason] += 1


def _next_plain_record(file: BinaryIO, position: int) -> int:
    """The offset of the next record of a plain file from `position` on; -1 where there is none."""
    file.seek(0)
    if not file.read(5).startswith(b"WARC/"):
        return -1
    file.seek(position)
    overlap = b""
    while chunk := file.read(CHUNK):
        window = overlap + chunk
        index = window.find(PLAIN_START)
        if index >= 0:
            return position - len(overlap) + index
        position += len(chunk)
        overlap = window[-len(PLAIN_START) + 1 :]
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


def _crawl_values(fields: dict[str, str], *, ours: bool) -> dict[str, object]:
    """What a crawl knew of a page; only in files that a crawl of ours wrote are its XPaths trusted."""
    values: dict[str, object] = {}
    with suppress(ValueError):
        values = dict(json.loads(fields.get(CRAWL_FIELD, "{}")))
        values.setdefault("drop", json.loads(fields.get(DROP_FIELD, "[]")))
    return values if ours else {**values, "drop": []}


def _body(record: Any, fields: dict[str, str]) -> bytes:
    expected: int = record.content_length
    body: bytes = record.reader.read(expected)  # with a greater number it would reserve as much memory
    if len(body) < expected:
        raise ValueError("the record ends before its length")
    if "chunked" in fields.get("transfer-encoding", "").lower():
        with suppress(OSError, ValueError):  # archives keep the header of a body that they have de-chunked
            body = ChunkedReader(io.BytesIO(body)).read(2 * MAX_PAGE_BYTES) or body
    return decode_content(body, fields.get("content-encoding", ""), MAX_PAGE_BYTES + 1)
