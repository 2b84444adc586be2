"""The input of a run: WARC files split into slices, each small enough to be repeated when its worker dies."""

import gzip
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from newsextract.discovery.archives import WARC_ENDINGS, warc_files
from newsextract.errors import ArchiveError

#: Compressed bytes of a slice: about a thousand pages, half a minute of work.
SLICE_BYTES = 32 * 1024 * 1024
#: Suffixes of path lists: one path a line, as in those that Common Crawl publishes for each month.
LIST_SUFFIXES = (".paths", ".paths.gz", ".txt", ".txt.gz")


@dataclass(frozen=True, slots=True)
class WarcSlice:
    """The records of a WARC file that begin at the offsets [start, end); `end` None: up to the end of the file."""

    path: str
    start: int
    end: int | None

    @property
    def name(self) -> str:
        """The name of the slice's result files: the same in every run over the same file."""
        path_hash = hashlib.sha256(self.path.encode()).hexdigest()[:8]
        return f"{Path(self.path).name.partition('.')[0]}-{path_hash}-{self.start:012d}"


def split_files(files: Iterable[Path], size: int = SLICE_BYTES) -> Iterator[WarcSlice]:
    """Slices of `size` bytes of gzip files, which have a member for each record; other files are one slice each."""
    for file in files:
        length = file.stat().st_size
        step = size if file.name.endswith(".gz") else max(length, 1)
        for start in range(0, max(length, 1), step):
            yield WarcSlice(str(file), start, start + step if start + step < length else None)


def resolve_files(arguments: Sequence[Path], prefix: Path | None = None) -> list[Path]:
    """The WARC files that a command line names: files, folders of files, or lists of paths.

    Paths in a list are relative to `prefix`, else to the list's own folder. ArchiveError if a file is missing.
    """
    paths: list[Path] = []
    for path in arguments:
        if path.is_dir():
            paths += warc_files(path)
        elif path.name.lower().endswith(LIST_SUFFIXES):
            paths += [(prefix or path.parent) / line for line in _read_list(path)]
        else:
            paths.append(path)
    files = list(dict.fromkeys(path.absolute() for path in paths))
    missing = [path for path in files if not path.is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ArchiveError(f"{missing[0]}{more}: there is no such file")
    if not files:
        raise ArchiveError(f"{', '.join(map(str, arguments))}: no file there ends in {', '.join(WARC_ENDINGS)}")
    return files


def _read_list(path: Path) -> list[str]:
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.name.endswith(".gz") else content).decode()
        return [line.strip() for line in text.splitlines() if line.strip()]
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{path}: the list of files can't be read ({error})") from error
