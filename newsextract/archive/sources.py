"""The archive files of a run, wherever they are: local paths, and what fsspec reads (https://…, s3://…); their slices.

fsspec reads a remote file in blocks of BLOCK_BYTES, each with one range request. Requests with a temporary failure
(connection lost, 429, 5xx, a short answer) are repeated with back-off, so no record is missed. A slice is a part of a
file that one task reads.
"""

import errno
import hashlib
import re
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

from newsextract.addresses import refusal_of
from newsextract.compression import gunzip
from newsextract.errors import ArchiveError
from newsextract.files import file_exists
from newsextract.limits import BLOCK_BYTES
from newsextract.settings import NEWSEXTRACT_COMMON_CRAWL
from newsextract.version import VERSION
from newsextract.warc.archives import WARC_ENDINGS, warc_files
from newsextract.warc.reader import check_ranges

if TYPE_CHECKING:
    import aiohttp

#: Cached blocks of a file.
KEPT_BLOCKS = 8
#: Failures in a row before a file is given up; seconds before the second request, doubled each time.
MAX_FAILURES = 6
BACKOFF = 0.5
CONNECT_TIMEOUT = 20.0
READ_TIMEOUT = 60.0
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
USER_AGENT = f"newsextract/{VERSION} (archive reader)"
SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.I)
#: fsspec's protocols for services that the user's own configuration names. Other protocols connect to the host in the
#: URL, which the address guard can check only for http and https.
OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "memory"})
#: Part of the message about a URL that the address guard refuses.
PRIVATE = "--allow-private allows addresses of this machine and its network, for archives that you trust"

T = TypeVar("T")


def scheme_of(location: str) -> str:
    """The scheme of a URL in lower case; "" for a local path."""
    match = SCHEME.match(location)
    return match[1].lower() if match else ""


def _parts_of(path: str) -> list[str]:
    """The folders of a path and its last part, with slashes of any system."""
    return path.replace("\\", "/").split("/")


def source_of(location: str, *, allow_private: bool = False) -> "Path | RemoteFile":
    """The file at a path or URL. Raises ArchiveError for a protocol that is unknown or not allowed."""
    return RemoteFile(location, allow_private) if scheme_of(location) else Path(location)


def size_of(source: "Path | RemoteFile") -> int:
    """Bytes of the file. Raises ArchiveError if it is missing."""
    if isinstance(source, RemoteFile):
        return source.size
    try:
        return source.stat().st_size
    except OSError as error:
        raise ArchiveError(f"{source} can't be read: {error.strerror or error}") from error


class RemoteFile:
    """A remote file that can be opened as a local one, more than once; `str()` is its URL without credentials."""

    def __init__(self, url: str, allow_private: bool = False) -> None:
        self.url = url
        self._system, self._path = _file_system(url, allow_private)

    def __str__(self) -> str:
        return re.sub(r"//[^/@]*@", "//…@", self.url)

    @property
    def size(self) -> int:
        return int(self._blocks.size)

    def open(self, mode: str = "rb") -> BinaryIO:
        """A file object; all of one file share its blocks."""
        from fsspec.spec import AbstractBufferedFile  # type: ignore[import-untyped]

        file = AbstractBufferedFile(self._system, self._path, mode, cache_type="none", size=self.size)
        file.cache = self._blocks
        return cast(BinaryIO, file)

    @cached_property
    def _blocks(self) -> Any:
        """fsspec's block cache over an uncached fsspec file, so that each read is a request."""
        from fsspec.caching import BlockCache  # type: ignore[import-untyped]

        file = self._retried(lambda: self._system.open(self._path, "rb", cache_type="none"))
        if getattr(file, "size", None) is None:
            raise ArchiveError(f"{self}: its server doesn't give the length; download it and pass its path")

        def read(start: int, end: int) -> bytes:
            file.seek(start)
            data: bytes = file.read(end - start)
            if len(data) != end - start:
                raise OSError(f"only {len(data)} of {end - start} bytes were received")
            return data

        fetch = lambda start, end: self._retried(lambda: read(start, min(end, file.size)))  # noqa: E731
        return BlockCache(BLOCK_BYTES, fetch, file.size, maxblocks=KEPT_BLOCKS)

    def _retried(self, call: Callable[[], T]) -> T:
        failures = 0
        while True:
            try:
                return call()
            except Exception as error:  # every file system has errors of its own
                failures += 1
                cause = error.__cause__ if isinstance(error, FileNotFoundError) and error.__cause__ else error
                problem = self._final(cause)
                if problem or failures == MAX_FAILURES:
                    reason = str(cause) or type(cause).__name__
                    raise ArchiveError(problem or f"{self} can't be read: {reason}") from error
                time.sleep(BACKOFF * 2 ** (failures - 1))

    def _final(self, error: BaseException) -> str:
        """The message for a permanent error; "" for a temporary one."""
        status, refusal = getattr(error, "status", None), getattr(error, "os_error", error)
        if isinstance(refusal, OSError) and PRIVATE in str(refusal):
            return f"{self}: {refusal.strerror}"
        if isinstance(status, int) and status:
            return "" if status in TEMPORARY else f"{self}: the server answers {status}"
        if isinstance(error, FileNotFoundError):
            return f"{self}: there is no such file"
        if isinstance(error, ValueError) and "range requests" in str(error):
            return f"{self}: the server sends no ranges; download the file and name its path"
        return f"{self} can't be read: {error}" if isinstance(error, PermissionError | TypeError | ValueError) else ""


def _file_system(url: str, allow_private: bool) -> tuple[Any, str]:
    """fsspec's file system of a URL, and the path in it."""
    scheme = scheme_of(url)
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError as error:
        raise ArchiveError(f"{scheme}:// needs fsspec: pip install 'newsextract[remote]'") from error
    is_web = scheme in ("http", "https")
    if "::" in url or not (is_web or scheme in OBJECT_STORES or allow_private):
        raise ArchiveError(
            f"{url}: the address guard supports http, https and object stores ({', '.join(sorted(OBJECT_STORES))}); "
            "--allow-private reads others without the guard"
        )
    try:
        if is_web:
            open_client = partial(_open_client, None if allow_private else _guarded_socket)
            return fsspec.filesystem(scheme, get_client=open_client, encoded=True), url
        system, path = fsspec.core.url_to_fs(url)
        return system, path
    except (ImportError, ValueError, OSError) as error:
        raise ArchiveError(f"{url} can't be opened: {error}") from error


async def _open_client(socket_factory: Any, **_: Any) -> "aiohttp.ClientSession":
    """A session for web requests: no proxies from the environment, at most one connection a host."""
    import aiohttp  # an extra

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT, sock_read=READ_TIMEOUT)
    connector = aiohttp.TCPConnector(limit_per_host=1, socket_factory=socket_factory)
    return aiohttp.ClientSession(connector=connector, timeout=timeout, headers={"User-Agent": USER_AGENT})


def _guarded_socket(address: Any) -> socket.socket:
    """A socket for an address that a name resolves to, also after a redirect. OSError if it isn't public."""
    family, kind, protocol, _, (host, *_) = address
    if reason := refusal_of(host):
        raise OSError(errno.EACCES, f"{host} {reason}; {PRIVATE}")
    return socket.socket(family, kind, protocol)


#: Compressed bytes of a slice: about a thousand pages, half a minute of work.
SLICE_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class WarcSlice:
    """The records of a WARC file (path or URL) that begin at [start, end); `allow_private`: without a guard."""

    path: str
    start: int
    end: int
    allow_private: bool = False

    @property
    def name(self) -> str:
        """The name of the slice's result files: the same in every run over the same file."""
        path_hash = hashlib.sha256(self.path.encode()).hexdigest()[:8]
        return f"{self.file_name.partition('.')[0]}-{path_hash}-{self.start:012d}"

    @property
    def file_name(self) -> str:
        return _parts_of(self.path.partition("?")[0])[-1] if scheme_of(self.path) else Path(self.path).name

    @property
    def source(self) -> Path | RemoteFile:
        return source_of(self.path, allow_private=self.allow_private)

    def open_source(self) -> Path | RemoteFile:
        """The file, opened for reading from `start`. For the first slice, raises ArchiveError if it can't be cut."""
        source = self.source
        if self.start == 0:
            check_ranges(source)
        return source


def split_files(
    files: Iterable[tuple[str, int]], size: int = SLICE_BYTES, *, allow_private: bool = False
) -> Iterator[WarcSlice]:
    """Slices of `size` bytes of gzip files; other files are one slice. `files`: path or URL, and bytes."""
    for path, length in files:
        step = size if path.partition("?")[0].endswith(".gz") else max(length, 1)
        for start in range(0, max(length, 1), step):
            yield WarcSlice(path, start, min(start + step, length), allow_private)


#: Suffixes of path lists: one path a line, as in those that Common Crawl publishes for each month.
LIST_SUFFIXES = (".paths", ".paths.gz", ".txt", ".txt.gz")
#: A month of Common Crawl's news, and the path of its list below the base URL.
CC_NEWS = re.compile(r"cc-news:(\d{4})-(0[1-9]|1[0-2])")
CC_NEWS_LIST = "crawl-data/CC-NEWS/{}/{}/warc.paths.gz"
#: Maximum bytes of a list of paths, compressed and uncompressed.
MAX_LIST_BYTES = 64 * 1024 * 1024
MAX_UNPACKED_BYTES = 256 * 1024 * 1024


def resolve_files(
    arguments: Sequence[str | Path],
    prefix: str | Path | None = None,
    *,
    common_crawl: str = NEWSEXTRACT_COMMON_CRAWL,
    allow_private: bool = False,
) -> list[str]:
    """The WARC files for command-line arguments: files, folders of files, lists of paths, `cc-news:2026-10`.

    Paths in a list are relative to `prefix`, or to the list's own folder; those of Common Crawl to the base URL
    `common_crawl`. Raises ArchiveError if a local file is missing, or a list has one outside of its folder.
    """
    paths: list[str] = []
    for argument in map(str, arguments):
        if month := CC_NEWS.fullmatch(argument):
            base = common_crawl.rstrip("/")
            paths += _listed(f"{base}/{CC_NEWS_LIST.format(*month.groups())}", base, allow_private)
        elif argument.startswith("cc-news:"):
            raise ArchiveError(f"{argument} isn't a month of CC-NEWS, such as cc-news:2026-10")
        else:
            paths += _expanded(argument, prefix, allow_private)
    files = [*dict.fromkeys(paths)]
    missing = [path for path in files if not scheme_of(path) and not file_exists(Path(path))]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ArchiveError(f"{missing[0][:300]}{more}: there is no such file")
    if not files:
        raise ArchiveError(f"{', '.join(map(str, arguments))}: no file in it ends in {', '.join(WARC_ENDINGS)}")
    return files


def sizes_of(files: Iterable[str], *, allow_private: bool = False) -> Iterator[tuple[str, int]]:
    """Each file with its length in bytes. Raises ArchiveError, also for something other than a readable file."""
    for path in files:
        source = source_of(path, allow_private=allow_private)
        if isinstance(source, Path):
            check_ranges(source)
        yield path, size_of(source)


def _expanded(argument: str, prefix: str | Path | None, allow_private: bool) -> list[str]:
    """The files of a folder or a list, or the file itself."""
    location = argument if scheme_of(argument) else str(Path(argument).absolute())
    try:
        if not scheme_of(argument) and Path(argument).is_dir():
            return [str(file.absolute()) for file in warc_files(Path(argument))]
    except OSError as error:
        raise ArchiveError(f"{argument} can't be read: {error.strerror or error}") from error
    path = location.partition("?")[0]
    if not path.lower().endswith(LIST_SUFFIXES):
        return [location]
    base = path.rpartition("/")[0] if prefix is None else str(prefix)
    return _listed(location, base if scheme_of(base) else str(Path(base).absolute()), allow_private)


def _listed(location: str, base: str, allow_private: bool) -> list[str]:
    """The files of a list, below `base`. Raises ArchiveError for any other."""
    source = source_of(location, allow_private=allow_private)
    if size_of(source) > MAX_LIST_BYTES:
        raise ArchiveError(f"{source} is larger than a list of paths ({MAX_LIST_BYTES // 1024**2} MiB)")
    try:
        with source.open("rb") as file:
            content = file.read()
        if location.partition("?")[0].endswith(".gz"):
            content = gunzip(content, MAX_UNPACKED_BYTES + 1)
            if len(content) > MAX_UNPACKED_BYTES:
                raise ValueError("it is too large")
        lines = [line.strip() for line in content.decode().splitlines()]
    except (OSError, ValueError) as error:
        raise ArchiveError(f"{source}: the list of files can't be read ({error})") from error
    for line in lines:
        if scheme_of(line) or line.startswith(("/", "\\")) or ".." in _parts_of(line):
            raise ArchiveError(f"{source} names {line[:200]!r}, which is outside its folder; use relative paths")
    return [f"{base.rstrip('/')}/{line}" for line in lines if line]
