"""Writes WARC files: single records, and fetched pages so that `reader` returns them as they were.

A page is three records, each a gzip member: `metadata` (referrer and anchor text), `request`, `response`. The response
comes last, so that after a kill every complete response has its metadata before it. Each process writes its own files,
under unique names, and starts a new one at a maximum size; bytes are never changed after writing.
"""

import json
import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from io import BytesIO, FileIO
from pathlib import Path
from string import punctuation
from time import monotonic
from typing import BinaryIO
from urllib.parse import quote, urlsplit, urlunsplit
from uuid import UUID, uuid4

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from newsextract.errors import StorageError
from newsextract.items import FetchedPage
from newsextract.page_codec import crawl_values
from newsextract.version import VERSION
from newsextract.warc.reader import CRAWL_FIELD

#: Bytes after which a new file is started: small enough to be copied and read in parallel.
MAX_FILE_BYTES = 256 * 1024 * 1024
#: Seconds between two fsyncs, the most that a power cut may cost. A kill loses nothing that was written.
SYNC_INTERVAL = 2.0
#: Characters that are not percent-encoded in a URL: all visible ones of ASCII.
URL_CHARACTERS = punctuation
#: Headers that describe the body as sent, not as stored.
TRANSFER_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
#: The records of a page: record type, media type.
METADATA = WarcRecordType.metadata, "application/warc-fields"
REQUEST = WarcRecordType.request, "application/http; msgtype=request"
RESPONSE = WarcRecordType.response, "application/http; msgtype=response"

Headers = Iterable[tuple[str, str]]


class WarcWriter(AbstractContextManager["WarcWriter"]):
    """Writes the pages of one process into the WARC files of a folder. Not thread-safe."""

    def __init__(self, folder: str | Path, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        """Creates the folder if it is missing; raises StorageError if no file can be written there."""
        self.folder, self._max_file_bytes = Path(folder).expanduser().resolve(), max_file_bytes
        self._file: FileIO | None = None
        self._synced = 0.0
        try:
            self.folder.mkdir(exist_ok=True)
            probe = self.folder / f".{uuid4().hex}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise self._failure(error) from error

    def write(self, page: FetchedPage, method: str, request_headers: Headers, response_headers: Headers) -> None:
        """Adds a page with the headers of its request and response; after a StorageError the file is unchanged."""
        response_id, records = uuid4(), BytesIO()
        _write_page_record(records, METADATA, page, response_id, _metadata(page))
        _write_page_record(records, REQUEST, page, response_id, _http(_request_line(page.url, method), request_headers))
        _write_page_record(records, RESPONSE, page, response_id, _response(page, response_headers))
        try:
            self._append(records.getbuffer())
        except OSError as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Closes the current file after an fsync."""
        if self._file is not None:
            file, self._file = self._file, None
            with file:
                os.fsync(file.fileno())
                if not file.tell():  # the disk was full
                    Path(file.name).unlink()

    def __exit__(self, *error: object) -> None:
        self.close()

    def _append(self, records: memoryview) -> None:
        if self._file is None:
            self._file = self._new_file()
        end = self._file.tell()
        try:
            rest = records if end else memoryview(_information(Path(self._file.name)) + records)
            while rest:  # a nearly full disk accepts a part
                rest = rest[self._file.write(rest) :]
            if monotonic() - self._synced > SYNC_INTERVAL:
                os.fsync(self._file.fileno())
                self._synced = monotonic()
        except OSError:
            self._file.truncate(end)  # no part of a page stays on a full disk
            self._file.seek(end)
            raise
        if self._file.tell() >= self._max_file_bytes:
            self.close()

    def _new_file(self) -> FileIO:
        now = f"{datetime.now(UTC):%Y%m%d%H%M%S}"
        path = self.folder / f"newsextract-{now}-{os.getpid()}-{uuid4().hex[:12]}.warc.gz"
        return FileIO(path, "xb")  # unbuffered: what is written survives the process

    def _failure(self, error: OSError) -> StorageError:
        return StorageError(f"{self.folder}: pages can't be kept there ({error.strerror or error})")


def _information(path: Path) -> bytes:
    """The first record of a file."""
    fields = (("software", f"newsextract {VERSION}"), ("format", "WARC File Format 1.1"))
    headers = (
        ("WARC-Date", f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"),
        ("WARC-Filename", path.name),
        ("Content-Type", "application/warc-fields"),
    )
    content, record = "".join(f"{name}: {value}\r\n" for name, value in fields).encode(), BytesIO()
    write_record(record, WarcRecordType.warcinfo, uuid4(), headers, content)
    return record.getvalue()


def write_record(
    stream: BinaryIO | FileIO,
    record_type: WarcRecordType,
    record_id: UUID,
    headers: Headers,
    content: bytes,
    *,
    compressed: bool = True,
) -> None:
    """Writes one WARC record; `compressed`: as a gzip member of its own, so that readers can seek and recover."""
    record = WarcRecord()
    record.init_headers(record_type, record_urn=f"uuid:{record_id}".encode())
    for name, value in headers:
        record.headers[name] = value
    record.set_bytes_content(content)
    if not compressed:
        record.write(stream, checksum_data=True)
        return
    member = BytesIO()
    compressor = GzipWriter(member, compression_level=6)
    record.write(compressor, checksum_data=True)
    compressor.finish()
    stream.write(member.getvalue())


def _write_page_record(
    stream: BytesIO, kind: tuple[WarcRecordType, str], page: FetchedPage, response_id: UUID, content: bytes
) -> None:
    """Writes one of the records of a page; those before the response refer to it by `response_id`."""
    record_type, media_type = kind
    headers = [
        ("WARC-Target-URI", quote(page.url, safe=URL_CHARACTERS)),
        ("WARC-Date", f"{page.fetched_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"),
        ("Content-Type", media_type),
    ]
    if kind is not RESPONSE:
        headers.append(("WARC-Concurrent-To", f"<urn:uuid:{response_id}>"))
    write_record(stream, record_type, response_id if kind is RESPONSE else uuid4(), headers, content)


def _metadata(page: FetchedPage) -> bytes:
    """Referrer, anchor text, and what else only the crawl knows, in the form that `reader` expects."""
    values = crawl_values(page)
    fields = [("via", page.discovered_from), ("anchorText", page.anchor_text)]
    fields += [(CRAWL_FIELD, json.dumps(values))] if values else []
    return "".join(f"{name}: {_line(value)}\r\n" for name, value in fields if value).encode("utf-8", "replace")


def _request_line(url: str, method: str) -> str:
    parts = urlsplit(url)
    path = quote(urlunsplit(("", "", parts.path or "/", parts.query, "")), safe=URL_CHARACTERS)
    return f"{method} {path} HTTP/1.1\r\nHost: {_line(parts.netloc)}"


def _response(page: FetchedPage, headers: Headers) -> bytes:
    """Status line, headers, and the body decoded, so without transfer headers; UTF-8 if it was rendered."""
    left_out = TRANSFER_HEADERS | {"content-type", "etag", "last-modified"} if page.rendered else TRANSFER_HEADERS
    kept = [(name, value) for name, value in headers if name.lower() not in left_out]
    kept += [("Content-Type", "text/html; charset=utf-8")] if page.rendered else []
    return _http(f"HTTP/1.1 {page.status} ", [*kept, ("Content-Length", str(len(page.body)))]) + page.body


def _http(first_line: str, headers: Headers) -> bytes:
    lines = [first_line, *(f"{_line(name)}: {_line(value)}" for name, value in headers)]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("utf-8", "replace")


def _line(text: str) -> str:
    """The text on one line, so that it can't end a header."""
    return " ".join(text.split())
