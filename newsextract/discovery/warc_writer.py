"""Pages as they are fetched, written to WARC files from which `warc_pages` gives them back as they were.

Each page is three records, each packed by itself: `metadata` (what led to the page), `request`, `response`. The
response comes last, so that whatever is torn by a kill, a response that is there has its metadata before it. A process
writes files of its own, under names that nobody else can have, and begins a new one when the last has grown enough;
what was written before is never touched again.
"""

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from io import BytesIO, FileIO
from pathlib import Path
from string import punctuation
from time import monotonic
from types import TracebackType
from urllib.parse import quote, urlsplit, urlunsplit
from uuid import uuid4

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from newsextract.discovery.warc import DROP
from newsextract.errors import StorageError
from newsextract.items import FetchedPage
from newsextract.version import VERSION

#: Bytes after which a file is full: enough pages to be worth a file, few enough to be copied and read in parallel.
FULL = 256 * 1024 * 1024
#: Seconds between two syncs to the disk: what a power cut may cost. A kill costs nothing that was written.
SYNC = 2.0
#: All of ASCII that is visible stands in a URL as it is.
URL_CHARACTERS = punctuation
#: Headers of the body as it was sent.
OF_THE_WIRE = frozenset({"content-encoding", "content-length", "transfer-encoding"})
#: The records of a page: kind, media type.
METADATA = WarcRecordType.metadata, "application/warc-fields"
REQUEST = WarcRecordType.request, "application/http; msgtype=request"
RESPONSE = WarcRecordType.response, "application/http; msgtype=response"

Headers = Iterable[tuple[str, str]]


class PageArchive:
    """Writes the pages of one process into a folder. Not safe for threads: one call at a time."""

    def __init__(self, folder: str | Path, full: int = FULL) -> None:
        """StorageError where nothing can be written there; the folder itself is made if it is missing."""
        self.folder, self._full = Path(folder).expanduser().resolve(), full
        self._file: FileIO | None = None
        self._synced = 0.0
        try:
            self.folder.mkdir(exist_ok=True)
            probe = self.folder / f".{uuid4().hex}"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise self._failure(error) from error

    def write(self, page: FetchedPage, method: str, asked: Headers, answered: Headers) -> None:
        """Adds the page, with the headers of its request and of its response; StorageError leaves the file whole."""
        name = f"uuid:{uuid4()}"
        packed = b"".join(
            [
                _record(METADATA, page, name, _metadata(page)),
                _record(REQUEST, page, name, _http(_request_line(page.url, method), asked)),
                _record(RESPONSE, page, name, _response(page, answered)),
            ]
        )
        try:
            self._append(packed)
        except OSError as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Ends the present file, which is then on the disk."""
        if self._file is not None:
            file, self._file = self._file, None
            with file:
                os.fsync(file.fileno())

    def __enter__(self) -> "PageArchive":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _append(self, packed: bytes) -> None:
        if self._file is None:
            self._file = self._new_file()
        end = self._file.tell()
        try:
            rest = memoryview(packed)
            while rest:  # a disk that fills up takes a part
                rest = rest[self._file.write(rest) :]
            if monotonic() - self._synced > SYNC:
                os.fsync(self._file.fileno())
                self._synced = monotonic()
        except OSError:
            self._file.truncate(end)  # a full disk leaves no half of a page
            self._file.seek(end)
            raise
        if end + len(packed) >= self._full:
            self.close()

    def _new_file(self) -> FileIO:
        now = f"{datetime.now(UTC):%Y%m%d%H%M%S}"
        path = self.folder / f"newsextract-{now}-{os.getpid()}-{uuid4().hex[:12]}.warc.gz"
        file = FileIO(path, "xb")  # unbuffered: what is written outlives the process
        fields = (("software", f"newsextract {VERSION}"), ("format", "WARC File Format 1.1"))
        record = WarcRecord()
        record.init_headers(WarcRecordType.warcinfo, record_urn=f"uuid:{uuid4()}".encode())
        record.headers["WARC-Date"] = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        record.headers["WARC-Filename"] = path.name
        record.headers["Content-Type"] = "application/warc-fields"
        record.set_bytes_content("".join(f"{name}: {value}\r\n" for name, value in fields).encode())
        file.write(_packed(record))
        return file

    def _failure(self, error: OSError) -> StorageError:
        return StorageError(f"{self.folder}: pages can't be kept there ({error.strerror or error})")


def _record(kind: tuple[WarcRecordType, str], page: FetchedPage, name: str, content: bytes) -> bytes:
    """One record, packed. `name` is that of the page's response, to which the other records say that they belong."""
    record = WarcRecord()
    record_type, media_type = kind
    record.init_headers(record_type, record_urn=(name if kind is RESPONSE else f"uuid:{uuid4()}").encode())
    record.headers["WARC-Target-URI"] = quote(page.url, safe=URL_CHARACTERS)
    record.headers["WARC-Date"] = f"{page.fetched_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    record.headers["Content-Type"] = media_type
    if kind is not RESPONSE:
        record.headers["WARC-Concurrent-To"] = f"<urn:{name}>"
    record.set_bytes_content(content)
    return _packed(record)


def _packed(record: WarcRecord) -> bytes:
    packed = BytesIO()
    member = GzipWriter(packed, compression_level=6)
    record.write(member, checksum_data=True)
    member.finish()
    return packed.getvalue()


def _metadata(page: FetchedPage) -> bytes:
    """What led to the page and what of it counts for nothing, as `placed_pages` reads it back."""
    fields = [("via", page.discovered_from), ("anchorText", page.anchor_text)]
    fields += [(DROP, json.dumps(page.drop))] if page.drop else []
    return "".join(f"{name}: {_line(value)}\r\n" for name, value in fields if value).encode("utf-8", "replace")


def _request_line(url: str, method: str) -> str:
    parts = urlsplit(url)
    path = quote(urlunsplit(("", "", parts.path or "/", parts.query, "")), safe=URL_CHARACTERS)
    return f"{method} {path} HTTP/1.1\r\nHost: {_line(parts.netloc)}"


def _response(page: FetchedPage, headers: Headers) -> bytes:
    """Status line, headers, body; the body is unpacked, so what told of its packing and length is told anew."""
    kept = [(name, value) for name, value in headers if name.lower() not in OF_THE_WIRE]
    return _http(f"HTTP/1.1 {page.status} ", [*kept, ("Content-Length", str(len(page.body)))]) + page.body


def _http(first_line: str, headers: Headers) -> bytes:
    lines = [first_line, *(f"{_line(name)}: {_line(value)}" for name, value in headers)]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("utf-8", "replace")


def _line(text: str) -> str:
    """The text with nothing in it that could end its line."""
    return " ".join(text.split())
