"""Pages out of WARC files, plain or packed. What is broken costs its own records, not the rest of the file."""

import io
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastwarc.stream_io import ChunkedReader
from fastwarc.warc import ArchiveIterator, WarcRecordType

from newsextract.discovery.content import charset_of, not_html_because
from newsextract.discovery.decompress import unpack
from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.urls import split_url

#: A page's bytes, packed or not; longer ones are skipped.
MAX_PAGE = 16 * 1024 * 1024
#: How a WARC file begins: plain, gzip, zstandard, LZ4.
MAGIC = (b"WARC/", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\x5d\x2a\x4d\x18", b"\x04\x22\x4d\x18")
#: How a record begins, looked for after a broken one.
RECORD = {b"WARC/": b"WARC/1.", b"\x1f\x8b": b"\x1f\x8b\x08"}
CHUNK = 1024 * 1024
READ = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.metadata
#: Bytes of a metadata record that are read; bytes before a page's record in which what led to it may stand.
MAX_METADATA = 64 * 1024
LED_BY = 64 * 1024
#: How many skipped records of each reason are named.
NAMED = 5
#: The metadata field with the XPaths of what counts for nothing in a page.
DROP = "newsextract-drop"


class NamedSkips(Counter[str]):
    """Counts what is no page by reason, and names the first few of each: reason, offset, address if it has one."""

    def __init__(self) -> None:
        super().__init__()
        self.named: list[tuple[str, int, str]] = []

    def name(self, reason: str, offset: int, url: str = "") -> None:
        """Counts one more."""
        self[reason] += 1
        if self[reason] <= NAMED:
            self.named.append((reason, offset, url))


def warc_pages(path: Path, skipped: Counter[str]) -> Iterator[FetchedPage]:
    """The HTML pages that a WARC file holds, in its order, one in memory at a time.

    `skipped` counts what is no page by reason: not_html, empty, http_STATUS, too_large, broken.
    Raises ArchiveError where the file can't be opened or is no WARC.
    """
    for _, page in placed_pages(path, skipped):
        yield page


def placed_pages(
    path: Path, skipped: Counter[str], start: int = 0, end: int | None = None, *, ours: bool = False
) -> Iterator[tuple[int, FetchedPage]]:
    """As `warc_pages`, each page with the offset of its record: those whose records begin in [start, end).

    Stretches that join without gap or overlap give every page once, wherever they are cut. Only gzip files whose
    records are packed one by one, as is the rule, can be read from their middle. `ours`: a crawl wrote the file, so
    the XPaths in it are ones that its user gave.
    """
    check_warc(path)
    led: tuple[str, dict[str, str]] = ("", {})
    for record in _records(path, skipped, start):
        if end is not None and record.stream_pos >= end:
            return
        try:
            if record.record_type == WarcRecordType.metadata:
                led = _led(record)
                continue
            if record.stream_pos < start:
                continue
            found = _page(record)
        except (OSError, ValueError, RuntimeError):
            found = "broken"
        if isinstance(found, FetchedPage):
            if led[0] and led[0] == record.record_id:
                found.discovered_from, found.anchor_text = led[1].get("via"), led[1].get("anchorText")
                found.drop = tuple(json.loads(led[1].get(DROP, "[]"))) if ours else ()
            yield record.stream_pos, found
        else:
            _count(skipped, found, record.stream_pos, record.headers.get("WARC-Target-URI") or "")


def check_warc(path: Path) -> None:
    """Raises ArchiveError where the file can't be read or does not begin as a WARC."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise ArchiveError(f"{path} can't be read: {error.strerror or error}") from error
    if not start.startswith(MAGIC):
        raise ArchiveError(f"{path} is no WARC file: it begins neither with WARC/ nor as a packed one")


def _records(path: Path, skipped: Counter[str], start: int) -> Iterator[Any]:
    """Responses and what led to them; after a broken stretch, counted once, from the next record that can be read.

    A broken gzip member may look like the end of the file, so where reading ends more records are looked for. A stretch
    belongs to the record before it: who reads from `start` on leaves those of earlier records to others.
    """
    with path.open("rb") as file:
        position = _next_record(file, max(0, start - LED_BY)) if start else 0
        known, ended, failed = not start, False, False  # in a file's middle what looks like a record may be none
        last = position
        while position >= 0:
            file.seek(position)
            try:
                for record in ArchiveIterator(file, record_types=READ, stream_detect=True):
                    if (ended or failed) and known and last >= start:
                        _count(skipped, "broken", last)
                    known, ended, failed, last = True, False, False, record.stream_pos
                    yield record
                ended = True
            except (OSError, ValueError, RuntimeError):
                failed = True
            position = _next_record(file, max(position, last) + 1, packed=not failed)
        if failed and known and last >= start:
            _count(skipped, "broken", last)


def _count(skipped: Counter[str], reason: str, offset: int, url: str = "") -> None:
    if isinstance(skipped, NamedSkips):
        skipped.name(reason, offset, url)
    else:
        skipped[reason] += 1


def _next_record(file: Any, position: int, *, packed: bool = False) -> int:
    """Where the next record after `position` begins; -1 where none does. `packed`: only in gzip files, whose marks
    do not stand in a page's own text."""
    file.seek(0)
    start = file.read(5)
    mark = next((mark for magic, mark in RECORD.items() if start.startswith(magic)), None)
    if mark is None or (packed and mark == RECORD[b"WARC/"]):
        return -1
    file.seek(position)
    kept = b""
    while chunk := file.read(CHUNK):
        window = kept + chunk
        place = window.find(mark)
        if place >= 0:
            return int(position - len(kept) + place)
        position += len(chunk)
        kept = window[-len(mark) + 1 :]
    return -1


def _page(record: Any) -> FetchedPage | str:
    """The page of a record, or the reason why it is none."""
    url = (record.headers.get("WARC-Target-URI") or "").strip("<> ")
    if split_url(url) is None:
        return "no_url"
    headers = record.http_headers
    status = headers.status_code if headers is not None else 200
    if status is not None and status != 200:
        return f"http_{status}"
    if record.content_length > 2 * MAX_PAGE:
        return "too_large"
    fields = {} if headers is None else {name.lower(): value for name, value in headers.items()}
    content_type = fields.get("content-type") or ("" if headers is not None else record.headers.get("Content-Type"))
    body = _body(record, fields)
    if len(body) > MAX_PAGE:
        return "too_large"
    if reason := not_html_because(body, content_type):
        return reason
    return FetchedPage(
        url=url,
        body=body,
        fetched_at=record.record_date or datetime.now(UTC),
        encoding=charset_of(content_type),
        etag=fields.get("etag"),
        last_modified=fields.get("last-modified"),
    )


def _led(record: Any) -> tuple[str, dict[str, str]]:
    """Which response a metadata record belongs to, and its fields; `keeping` writes it before that response."""
    text = record.reader.read(MAX_METADATA).decode("utf-8", "replace")
    pairs = (line.partition(":") for line in text.splitlines())
    return record.headers.get("WARC-Concurrent-To") or "", {name.strip(): value.strip() for name, _, value in pairs}


def _body(record: Any, fields: dict[str, str]) -> bytes:
    expected: int = record.content_length
    body: bytes = record.reader.read(2 * MAX_PAGE)
    if len(body) < expected:
        raise ValueError("the record ends before its length")
    if "chunked" in fields.get("transfer-encoding", "").lower():
        with suppress(OSError, ValueError):  # archives keep the header of a body that they have joined
            body = ChunkedReader(io.BytesIO(body)).read(2 * MAX_PAGE) or body
    return unpack(body, fields.get("content-encoding", ""), MAX_PAGE + 1)
