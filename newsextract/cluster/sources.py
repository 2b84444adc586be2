"""The archive files of a run, wherever they lie: local paths, http(s) read by ranges, and what fsspec knows (s3://…).

A remote file is read forward in blocks of BLOCK bytes, each by one range request. A request that fails in passing
(connection lost, 429, 5xx, a short answer) is repeated with back-off from the byte that came last, so a record is never
read anew or left out. Each reader has one connection.
"""

import io
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager, Retry, Timeout
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from newsextract.addresses import refusal_of
from newsextract.errors import ArchiveError
from newsextract.version import VERSION

#: Bytes of one range request; blocks that a reader keeps.
BLOCK, KEPT_BLOCKS = 4 * 1024 * 1024, 3
#: Requests in a row without a single byte until a file is given up, and for one block in all.
MAX_VAIN, MAX_REQUESTS = 6, 60
#: Seconds before the second request, doubled each time up to the longest wait; a server's Retry-After is bounded, too.
BACKOFF, LONGEST_WAIT = 0.5, 60.0
TIMEOUT = Timeout(connect=20, read=60)
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
USER_AGENT = f"newsextract/{VERSION} (archive reader)"
#: The largest list of paths that is downloaded.
MAX_LIST = 64 * 1024 * 1024
SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.I)
#: fsspec's protocols that connect to the service which the user's own configuration names. Other protocols connect to
#: the host in the address, which the address guard cannot check there.
OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "memory"})
CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


class Source(Protocol):
    """A file that can be opened for reading, as a `Path` can."""

    def open(self, mode: str = "rb") -> BinaryIO: ...


def scheme_of(location: str) -> str:
    """The scheme of a URL in lower case; "" for a local path."""
    match = SCHEME.match(location)
    return match[1].lower() if match else ""


def source_of(location: str, *, allow_private: bool = False) -> "Path | RemoteFile":
    """The file at a path or URL. Raises ArchiveError for a protocol that is unknown or not allowed."""
    scheme = scheme_of(location)
    if not scheme:
        return Path(location)
    if scheme in ("http", "https"):
        return RemoteFile(location, HttpRanges(location, allow_private))
    return RemoteFile(location, FsspecRanges(location, allow_private))


def size_of(source: "Path | RemoteFile") -> int:
    """Bytes of the file. Raises ArchiveError if it is missing."""
    if isinstance(source, RemoteFile):
        return source.size
    try:
        return source.stat().st_size
    except OSError as error:
        raise ArchiveError(f"{source} can't be read: {error.strerror or error}") from error


class Ranges(Protocol):
    """What reads parts of a remote file. Both methods raise ArchiveError; `read` may return fewer bytes than asked.

    `head`: bytes from the file's beginning that `size` brought, if any.
    """

    head: bytes

    def size(self) -> int: ...

    def read(self, start: int, end: int) -> bytes: ...


class RemoteFile:
    """A remote file that can be opened as a local one; `str()` is its URL without credentials."""

    def __init__(self, url: str, ranges: Ranges) -> None:
        self.url, self._ranges = url, ranges
        self._size: int | None = None
        self._blocks: OrderedDict[int, bytes] = OrderedDict()

    def __str__(self) -> str:
        return re.sub(r"//[^/@]*@", "//…@", self.url)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.url.partition("?")[0].rpartition("/")[2]

    @property
    def size(self) -> int:
        if self._size is None:
            self._size = self._ranges.size()
        return self._size

    def open(self, mode: str = "rb") -> BinaryIO:
        """A file object; all of one file share its blocks."""
        size = self.size
        reader = BlockReader(self._ranges.read, size, self._blocks, self._ranges.head)
        return io.BufferedReader(reader, 256 * 1024)


class BlockReader(io.RawIOBase):
    """A read-only file whose blocks are fetched when they are read; the last KEPT_BLOCKS are kept in `blocks`.

    Its first bytes, which say what it is, come from `head`: a slice from the middle needs no more of the first block.
    """

    def __init__(
        self, fetch: Callable[[int, int], bytes], size: int, blocks: OrderedDict[int, bytes], head: bytes
    ) -> None:
        self._fetch, self._size, self._position = fetch, size, 0
        self._blocks, self._head = blocks, head

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = (0, self._position, self._size)[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        if self._position >= self._size:
            return 0
        data = self._head[self._position : self._position + len(buffer)]
        if not data:
            number, begin = divmod(self._position, BLOCK)
            data = self._block(number)[begin : begin + len(buffer)]
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _block(self, number: int) -> bytes:
        if number not in self._blocks:
            start = number * BLOCK
            self._blocks[number] = self._fetch(start, min(start + BLOCK, self._size))
            if len(self._blocks) > KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        self._blocks.move_to_end(number)
        return self._blocks[number]


# ---- http ------------------------------------------------------------------------------------------------------------


class HttpRanges:
    """A file on a web server that answers range requests."""

    def __init__(self, url: str, allow_private: bool) -> None:
        self._url, self._pool = url, pool_manager(allow_private)
        self._total: int | None = None
        self.head = b""

    def size(self) -> int:
        """The length that the answer to a small range names."""
        self.head = self._read(0, 16)
        assert self._total is not None
        return self._total

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end)."""
        return self._read(start, end)

    def _read(self, start: int, end: int) -> bytes:
        received, vain = bytearray(), 0
        for _ in range(MAX_REQUESTS):
            before, wait = len(received), 0.0
            try:
                wait = self._request(start, end, received)
                problem = "the answers are too short"
            except (HTTPError, OSError) as error:
                if isinstance(refused := _refusal(error), AddressRefused):
                    raise ArchiveError(f"{self._url}: {refused}") from error
                problem = str(getattr(error, "reason", None) or error)
                problem = problem.partition("): ")[2] or problem  # without the name of urllib3's object
            if self._total is not None and start + len(received) >= min(end, self._total):
                return bytes(received)
            vain = 0 if len(received) > before else vain + 1
            if vain >= MAX_VAIN:
                break
            if wait or vain:
                time.sleep(min(LONGEST_WAIT, max(wait, BACKOFF * 2**vain / 2)))
        raise ArchiveError(f"{self._url} can't be read from byte {start + len(received)} on: {problem}")

    def _request(self, start: int, end: int, received: bytearray) -> float:
        """Appends what one request brings; returns the seconds that the server asks to wait.

        Raises urllib3's errors for a lost connection, ArchiveError for an answer that will not change.
        """
        begin = start + len(received)
        headers = {"Range": f"bytes={begin}-{end - 1}", "Accept-Encoding": "identity", "User-Agent": USER_AGENT}
        response = self._pool.request("GET", self._url, headers=headers, preload_content=False, timeout=TIMEOUT)
        try:
            if response.status in TEMPORARY:
                return _retry_after(response)
            self._check(response, begin)
            for chunk in response.stream(128 * 1024, decode_content=False):
                received += chunk[: end - start - len(received)]
                if len(received) >= end - start:
                    break
            return 0.0
        finally:
            response.close()

    def _check(self, response: BaseHTTPResponse, begin: int) -> None:
        if response.status == 200:
            raise ArchiveError(f"{self._url}: the server sends no ranges; download the file and name its path")
        if response.status == 416:
            raise ArchiveError(f"{self._url} has no byte {begin}: it is empty, or was longer before")
        if response.status != 206:
            raise ArchiveError(f"{self._url}: the server answers {response.status}")
        match = CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if match is None or int(match[1]) != begin:
            raise ArchiveError(f"{self._url}: the server sends another range than it was asked for")
        if self._total is not None and int(match[3]) != self._total:
            raise ArchiveError(f"{self._url} has changed while it was read")
        self._total = int(match[3])


class AddressRefused(OSError):
    """The address guard refuses the address that a name leads to."""


class GuardedHTTPConnection(HTTPConnection):
    """A connection that is given up before anything is sent, if it leads to an address that is not public."""

    def _new_conn(self) -> Any:
        return _checked(super()._new_conn())


class GuardedHTTPSConnection(HTTPSConnection):
    """As GuardedHTTPConnection, before the TLS handshake."""

    def _new_conn(self) -> Any:
        return _checked(super()._new_conn())


class GuardedHTTPPool(HTTPConnectionPool):
    """A pool of guarded connections."""

    ConnectionCls = GuardedHTTPConnection


class GuardedHTTPSPool(HTTPSConnectionPool):
    """A pool of guarded TLS connections."""

    ConnectionCls = GuardedHTTPSConnection


@cache
def pool_manager(allow_private: bool) -> PoolManager:
    """One connection a host; redirects are followed, and guarded as well; no proxy of the environment is used."""
    manager = PoolManager(maxsize=1, block=True, retries=Retry(total=5, connect=0, read=0, status=0, other=0))
    if not allow_private:
        manager.pool_classes_by_scheme = {"http": GuardedHTTPPool, "https": GuardedHTTPSPool}
    return manager


def _checked(connected: Any) -> Any:
    address = connected.getpeername()[0]
    if reason := refusal_of(address):
        connected.close()
        raise AddressRefused(
            f"{address} {reason}; --allow-private allows addresses of this machine and its network, for archives that "
            "one trusts"
        )
    return connected


def _refusal(error: BaseException | None) -> BaseException | None:
    """The AddressRefused that caused an error, if one did."""
    while error is not None and not isinstance(error, AddressRefused):
        reason = getattr(error, "reason", None)
        error = reason if isinstance(reason, BaseException) else error.__cause__ or error.__context__
    return error


def _retry_after(response: BaseHTTPResponse) -> float:
    value = response.headers.get("Retry-After", "")
    return float(value) if value.isdigit() else BACKOFF


def download(url: str, *, allow_private: bool = False) -> bytes:
    """A small remote file whole. Raises ArchiveError, also for one of over MAX_LIST bytes."""
    source = source_of(url, allow_private=allow_private)
    if size_of(source) > MAX_LIST:
        raise ArchiveError(f"{source} is larger than a list of paths ({MAX_LIST // 1024**2} MiB)")
    with source.open("rb") as file:
        return file.read()


# ---- what fsspec knows -----------------------------------------------------------------------------------------------


class FsspecRanges:
    """A file of a file system that fsspec knows."""

    head = b""

    def __init__(self, url: str, allow_private: bool) -> None:
        scheme = scheme_of(url)
        try:
            import fsspec  # type: ignore[import-untyped]
        except ImportError as error:
            raise ArchiveError(f"{scheme}:// needs fsspec: pip install 'newsextract[remote]'") from error
        if "::" in url or (scheme not in OBJECT_STORES and not allow_private):
            raise ArchiveError(
                f"{url}: the address guard knows http, https and object stores ({', '.join(sorted(OBJECT_STORES))}); "
                "--allow-private reads others, unguarded"
            )
        try:
            self._system, self._path = fsspec.core.url_to_fs(url)
        except (ImportError, ValueError, OSError) as error:
            raise ArchiveError(f"{url} can't be opened: {error}") from error
        self._url = url

    def size(self) -> int:
        """The size that the file system names."""
        return int(self._retried(lambda: self._system.size(self._path)) or 0)

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end)."""
        received: bytes = self._retried(lambda: self._system.cat_file(self._path, start=start, end=end))
        if len(received) != end - start:
            raise ArchiveError(f"{self._url}: {len(received)} bytes came of {end - start} from byte {start} on")
        return received

    def _retried(self, call: Callable[[], Any]) -> Any:
        for attempt in range(MAX_VAIN):
            try:
                return call()
            except FileNotFoundError as error:
                raise ArchiveError(f"{self._url}: there is no such file") from error
            except Exception as error:  # every file system has errors of its own
                if attempt == MAX_VAIN - 1 or isinstance(error, PermissionError | TypeError | ValueError):
                    raise ArchiveError(f"{self._url} can't be read: {error}") from error
                time.sleep(BACKOFF * 2**attempt)
        raise AssertionError
