"""The input of a run: WARC files split into slices, each small enough to be repeated when its worker dies."""

import gzip
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from newsextract.cluster.sources import RemoteFile, download, scheme_of, size_of, source_of
from newsextract.errors import ArchiveError
from newsextract.files import file_exists
from newsextract.settings import NEWSEXTRACT_COMMON_CRAWL
from newsextract.warc.archives import WARC_ENDINGS, warc_files
from newsextract.warc.reader import check_ranges

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
