"""The archive files of a run, wherever they lie: local paths, and what fsspec reads (https://…, s3://…); their slices.

A remote file is read forward in blocks of BLOCK bytes, each by one range request. A request that fails in passing
(connection lost, 429, 5xx, a short answer) is repeated with back-off, so a record is never left out. A slice is a part
of a file that one task reads.
"""

import errno
import gzip
import hashlib
import io
import re
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeVar

from newsextract.addresses import refusal_of
from newsextract.errors import ArchiveError
from newsextract.files import file_exists
from newsextract.settings import NEWSEXTRACT_COMMON_CRAWL
from newsextract.version import VERSION
from newsextract.warc.archives import WARC_ENDINGS, warc_files
from newsextract.warc.reader import check_ranges

if TYPE_CHECKING:
    import aiohttp

#: Bytes of one range request; blocks that a reader keeps.
BLOCK, KEPT_BLOCKS = 1024 * 1024, 8
#: Failures in a row until a file is given up; seconds before the second request, doubled each time.
MAX_FAILURES, BACKOFF = 6, 0.5
CONNECT_TIMEOUT, READ_TIMEOUT = 20.0, 60.0
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
USER_AGENT = f"newsextract/{VERSION} (archive reader)"
#: The largest list of paths that is downloaded.
MAX_LIST = 64 * 1024 * 1024
SCHEME = re.compile(r"([a-z][a-z0-9+.-]+)://", re.I)
#: fsspec's protocols that connect to the service which the user's own configuration names. Other protocols connect to
#: the host in the address, which the address guard can check for http and https only.
OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "memory"})

T = TypeVar("T")


class Source(Protocol):
    """A file that can be opened for reading, as a `Path` can."""

    def open(self, mode: str = "rb") -> BinaryIO: ...


def scheme_of(location: str) -> str:
    """The scheme of a URL in lower case; "" for a local path."""
    match = SCHEME.match(location)
    return match[1].lower() if match else ""


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


def download(url: str, *, allow_private: bool = False) -> bytes:
    """A small remote file whole. Raises ArchiveError, also for one of over MAX_LIST bytes."""
    source = source_of(url, allow_private=allow_private)
    if size_of(source) > MAX_LIST:
        raise ArchiveError(f"{source} is larger than a list of paths ({MAX_LIST // 1024**2} MiB)")
    with source.open("rb") as file:
        return file.read()


class RemoteFile:
    """A remote file that can be opened as a local one; `str()` is its URL without credentials."""

    def __init__(self, url: str, allow_private: bool = False) -> None:
        self.url = url
        self._system, self._path = _file_system(url, allow_private)
        self._file: Any = None
        self._blocks: OrderedDict[int, bytes] = OrderedDict()

    def __str__(self) -> str:
        return re.sub(r"//[^/@]*@", "//…@", self.url)

    @property
    def size(self) -> int:
        return int(self._opened().size)

    def open(self, mode: str = "rb") -> BinaryIO:
        """A file object; all of one file share its blocks."""
        return io.BufferedReader(_BlockReader(self), 256 * 1024)

    def block(self, number: int) -> bytes:
        """A block of BLOCK bytes; the last KEPT_BLOCKS are kept."""
        if number not in self._blocks:
            start = number * BLOCK
            self._blocks[number] = self.read(start, min(start + BLOCK, self.size))
            if len(self._blocks) > KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        self._blocks.move_to_end(number)
        return self._blocks[number]

    def read(self, start: int, end: int) -> bytes:
        """The bytes [start, end). Raises ArchiveError."""
        file, received = self._opened(), b""

        def go_on() -> bytes:
            file.seek(start + len(received))
            part: bytes = file.read(end - start - len(received))
            if not part:
                raise OSError(f"nothing was received from byte {start + len(received)} on")
            return part

        while len(received) < end - start:
            received += self._retried(go_on)
        return received

    def _opened(self) -> Any:
        """The file of fsspec: uncached, so that a read is a request."""
        if self._file is None:
            self._file = self._retried(lambda: self._system.open(self._path, "rb", cache_type="none"))
            if getattr(self._file, "size", None) is None:
                raise ArchiveError(f"{self}: its server doesn't give the length; download it and pass its path")
        return self._file

    def _retried(self, call: Callable[[], T]) -> T:
        for failures in range(1, MAX_FAILURES + 1):
            try:
                return call()
            except Exception as error:  # every file system has errors of its own
                cause = error.__cause__ if isinstance(error, FileNotFoundError) and error.__cause__ else error
                problem = self._final(cause)
                if problem or failures == MAX_FAILURES:
                    reason = str(cause) or type(cause).__name__
                    raise ArchiveError(problem or f"{self} can't be read: {reason}") from error
                time.sleep(BACKOFF * 2 ** (failures - 1))
        raise AssertionError

    def _final(self, error: BaseException) -> str:
        """What to say of an error that stays; "" for one that may pass."""
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


class _BlockReader(io.RawIOBase):
    """A position in a remote file, whose blocks are fetched when they are read."""

    def __init__(self, source: RemoteFile) -> None:
        self._source, self._position = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = (0, self._position, self._source.size)[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        if self._position >= self._source.size:
            return 0
        number, begin = divmod(self._position, BLOCK)
        data = self._source.block(number)[begin : begin + len(buffer)]
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


#: In what is said of an address that the address guard refuses.
PRIVATE = "--allow-private allows addresses of this machine and its network, for archives that one trusts"


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
            f"{url}: the address guard knows http, https and object stores ({', '.join(sorted(OBJECT_STORES))}); "
            "--allow-private reads others, unguarded"
        )
    try:
        if is_web:
            client = _open_client if allow_private else _guarded_client
            return fsspec.filesystem(scheme, get_client=client, encoded=True), url
        system, path = fsspec.core.url_to_fs(url)
        return system, path
    except (ImportError, ValueError, OSError) as error:
        raise ArchiveError(f"{url} can't be opened: {error}") from error


async def _open_client(**options: Any) -> "aiohttp.ClientSession":
    return _client(socket_factory=None)


async def _guarded_client(**options: Any) -> "aiohttp.ClientSession":
    return _client(socket_factory=_guarded_socket)


def _client(socket_factory: Any) -> "aiohttp.ClientSession":
    """A session of web requests: no proxy of the environment, no more than one connection a host."""
    import aiohttp

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT, sock_read=READ_TIMEOUT)
    connector = aiohttp.TCPConnector(limit_per_host=1, socket_factory=socket_factory)
    return aiohttp.ClientSession(connector=connector, timeout=timeout, headers={"User-Agent": USER_AGENT})


def _guarded_socket(address: Any) -> socket.socket:
    """A socket for an address that a name leads to, also by a redirect; OSError for one that is not public."""
    family, kind, protocol, _, (host, *_) = address
    if reason := refusal_of(host):
        raise OSError(errno.EACCES, f"{host} {reason}; {PRIVATE}")
    return socket.socket(family, kind, protocol)


#: Compressed bytes of a slice: about a thousand pages, half a minute of work.
SLICE_BYTES = 32 * 1024 * 1024
#: Suffixes of path lists: one path a line, as in those that Common Crawl publishes for each month.
LIST_SUFFIXES = (".paths", ".paths.gz", ".txt", ".txt.gz")
#: A month of Common Crawl's news, and where its list of paths lies below the base address.
CC_NEWS = re.compile(r"cc-news:(\d{4})-(0[1-9]|1[0-2])")
CC_NEWS_LIST = "crawl-data/CC-NEWS/{year}/{month}/warc.paths.gz"
#: Bytes of an unpacked list.
MAX_LIST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class WarcSlice:
    """The records of a WARC file that begin at the offsets [start, end).

    `path`: a local path or a URL; `allow_private`: whether the address guard is off.
    """

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
        """The name of the file."""
        return re.split(r"[/\\]", self.path.partition("?")[0])[-1] if scheme_of(self.path) else Path(self.path).name

    @property
    def source(self) -> Path | RemoteFile:
        """The file."""
        return source_of(self.path, allow_private=self.allow_private)

    def open_source(self) -> Path | RemoteFile:
        """The file, to be read from `start` on. The first slice of a file raises ArchiveError if it can't be cut."""
        source = self.source
        if self.start == 0:
            check_ranges(source)
        return source


def split_files(
    files: Iterable[tuple[str, int]], size: int = SLICE_BYTES, *, allow_private: bool = False
) -> Iterator[WarcSlice]:
    """Slices of `size` bytes of gzip files, which have a member for each record; other files are one slice each.

    `files`: path or URL, and bytes.
    """
    for path, length in files:
        step = size if path.partition("?")[0].endswith(".gz") else max(length, 1)
        for start in range(0, max(length, 1), step):
            yield WarcSlice(path, start, min(start + step, length), allow_private)


def resolve_files(
    arguments: Sequence[str | Path],
    prefix: str | Path | None = None,
    *,
    common_crawl: str = NEWSEXTRACT_COMMON_CRAWL,
    allow_private: bool = False,
) -> list[str]:
    """The WARC files that a command line names: files, folders of files, lists of paths, `cc-news:2026-10`.

    Paths in a list are relative to `prefix`, else to the list's own folder; those of Common Crawl to the base address
    `common_crawl`. Raises ArchiveError if a local file is missing, or a list names one outside of its folder.
    """
    paths: list[str] = []
    for argument in map(str, arguments):
        month = CC_NEWS.fullmatch(argument)
        if month is not None:
            base = common_crawl.rstrip("/") + "/"
            url = base + CC_NEWS_LIST.format(year=month[1], month=month[2])
            paths += _listed(url, download(url, allow_private=allow_private), base)
        elif argument.startswith("cc-news:"):
            raise ArchiveError(f"{argument} isn't a month of CC-NEWS, such as cc-news:2026-10")
        elif scheme_of(argument):
            paths += _expand_url(argument, prefix, allow_private)
        else:
            paths += _expand_path(Path(argument), prefix)
    files = [*dict.fromkeys(paths)]
    missing = [path for path in files if not scheme_of(path) and not file_exists(Path(path))]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ArchiveError(f"{missing[0][:300]}{more}: there is no such file")
    if not files:
        raise ArchiveError(f"{', '.join(map(str, arguments))}: no file there ends in {', '.join(WARC_ENDINGS)}")
    return files


def sizes_of(files: Iterable[str], *, allow_private: bool = False) -> Iterator[tuple[str, int]]:
    """Each file with its length in bytes. Raises ArchiveError, also for a local file that is none to read."""
    for path in files:
        source = source_of(path, allow_private=allow_private)
        if isinstance(source, Path):
            check_ranges(source)
        yield path, size_of(source)


def _expand_url(url: str, prefix: str | Path | None, allow_private: bool) -> list[str]:
    if not url.partition("?")[0].lower().endswith(LIST_SUFFIXES):
        return [url]
    base = url.partition("?")[0].rpartition("/")[0] if prefix is None else str(prefix)
    return _listed(url, download(url, allow_private=allow_private), base.rstrip("/") + "/")


def _expand_path(path: Path, prefix: str | Path | None) -> list[str]:
    try:
        if path.is_dir():
            return [str(file.absolute()) for file in warc_files(path)]
    except OSError as error:
        raise ArchiveError(f"{path} can't be read: {error.strerror or error}") from error
    if not path.name.lower().endswith(LIST_SUFFIXES):
        return [str(path.absolute())]
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ArchiveError(f"{path}: the list of files can't be read ({error.strerror or error})") from error
    base = str(prefix if prefix is not None else path.parent)
    return _listed(str(path), content, base if scheme_of(base) else f"{Path(base).absolute()}/")


def _listed(name: str, content: bytes, base: str) -> list[str]:
    """The files of a list, below `base`. Raises ArchiveError for one that is not below it."""
    try:
        text = (_unpacked(content) if name.partition("?")[0].endswith(".gz") else content).decode()
    except (OSError, EOFError, ValueError) as error:
        raise ArchiveError(f"{name}: the list of files can't be read ({error})") from error
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        if scheme_of(line) or line.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", line):
            raise ArchiveError(f"{name} names {line[:200]!r}, which is not below its folder; lists name relative paths")
    return [base.rstrip("/") + "/" + line for line in lines]


def _unpacked(content: bytes) -> bytes:
    with gzip.open(io.BytesIO(content)) as file:
        text = file.read(MAX_LIST_BYTES + 1)
    if len(text) > MAX_LIST_BYTES:
        raise ValueError("it is too large")
    return text
