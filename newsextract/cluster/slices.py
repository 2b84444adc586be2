"""What a run works on: WARC files cut into slices, each small enough to be done again where a worker died over it."""

import gzip
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from newsextract.discovery.archives import WARC_ENDINGS, warc_files
from newsextract.errors import ArchiveError

#: Packed bytes of a slice: about a thousand pages, half a minute's work.
SLICE = 32 * 1024 * 1024
#: Lists of files end so; each line is a path, as in the lists that Common Crawl publishes for a month.
LISTS = (".paths", ".paths.gz", ".txt", ".txt.gz")


@dataclass(frozen=True, slots=True)
class Slice:
    """The records of a file that begin in [start, end); `end` None: to its end."""

    path: str
    start: int
    end: int | None

    @property
    def name(self) -> str:
        """What the slice's results are called: the same in every run over the same file."""
        place = hashlib.sha256(self.path.encode()).hexdigest()[:8]
        return f"{Path(self.path).name.partition('.')[0]}-{place}-{self.start:012d}"


def slices_of(files: Iterable[Path], size: int = SLICE) -> Iterator[Slice]:
    """Every file, cut where it can be: gzip files with a member for each record, as is the rule."""
    for file in files:
        length = file.stat().st_size
        step = size if file.name.endswith(".gz") else max(length, 1)
        for start in range(0, max(length, 1), step):
            yield Slice(str(file), start, start + step if start + step < length else None)


def files_of(given: Sequence[Path], prefix: Path | None = None) -> list[Path]:
    """The WARC files that are named: themselves, folders of them, or lists of their paths.

    Paths in a list are relative to `prefix`, else to the list's own folder. ArchiveError for what is not there.
    """
    found: list[Path] = []
    for path in given:
        if path.is_dir():
            found += warc_files(path)
        elif path.name.lower().endswith(LISTS):
            found += [(prefix or path.parent) / line for line in _lines(path)]
        else:
            found.append(path)
    files = list(dict.fromkeys(path.absolute() for path in found))
    missing = [path for path in files if not path.is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ArchiveError(f"{missing[0]}{more}: there is no such file")
    if not files:
        raise ArchiveError(f"{', '.join(map(str, given))}: no file there ends in {', '.join(WARC_ENDINGS)}")
    return files


def _lines(path: Path) -> list[str]:
    try:
        packed = path.read_bytes()
        text = (gzip.decompress(packed) if path.name.endswith(".gz") else packed).decode()
        return [line.strip() for line in text.splitlines() if line.strip()]
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{path}: the list of files can't be read ({error})") from error
