"""The pages that crawls kept (NEWSEXTRACT_KEEP_PAGES): read in order, or looked up by URL."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.urls import article_key
from newsextract.warc.archives import warc_files
from newsextract.warc.reader import read_warc_range

#: When a file of WarcWriter was begun, from its name; and how long a page may wait before it is written.
FILE_NAME = re.compile(r"newsextract-(\d{14})-")
WAIT = timedelta(minutes=10)


#: The records of a file by the hash of the page's key: when it was fetched, the file, the offset.
Index = dict[int, list[tuple[datetime, Path, int]]]


@dataclass
class KeptPages:
    """WARC files, indexed at the first look-up (250 bytes a page); `skipped`: records that aren't pages."""

    files: list[Path]
    skipped: Counter[str] = field(default_factory=Counter)
    _indexes: dict[Path, Index] = field(default_factory=dict)

    @classmethod
    def open(cls, *folders: Path) -> "KeptPages":
        """Raises ArchiveError if a folder doesn't exist or none has a WARC file."""
        for folder in folders:
            if not folder.is_dir():
                raise ArchiveError(
                    f"{folder} isn't a folder; pages are kept in the one that NEWSEXTRACT_KEEP_PAGES names"
                )
        files = [file for folder in folders for file in warc_files(folder)]
        if not files:
            names = ", ".join(map(str, folders))
            raise ArchiveError(f"{names} has no kept pages: it contains no WARC files")
        return cls(files)

    def __iter__(self) -> Iterator[FetchedPage]:
        """Every page, one in memory at a time."""
        for file in self.files:
            for _, page in _read(file, self.skipped):
                yield page

    def find(self, url: str, fetched_at: datetime | None = None) -> FetchedPage | None:
        """The page of a URL fetched nearest to that time, or the newest; likely files are read first."""
        key, newest = article_key(url), fetched_at or datetime.max.replace(tzinfo=UTC)
        likely = [file for file in self.files if fetched_at is not None and _may_hold(file, fetched_at)]
        for files in (likely, self.files):
            records = [record for file in files for record in self._index(file).get(hash(key), ())]
            for _, file, offset in sorted(records, key=lambda record: abs(record[0] - newest)):
                for _, page in _read(file, Counter(), offset, offset + 1):
                    if article_key(page.url) == key:
                        return page
        return None

    def _index(self, file: Path) -> Index:
        if file not in self._indexes:
            index = self._indexes[file] = {}
            for offset, page in _read(file, Counter()):
                index.setdefault(hash(article_key(page.url)), []).append((page.fetched_at, file, offset))
        return self._indexes[file]


def _read(
    file: Path, skipped: Counter[str], start: int = 0, end: int | None = None
) -> Iterator[tuple[int, FetchedPage]]:
    """The pages of a file with their offsets; none of a broken one."""
    try:
        yield from read_warc_range(file, skipped, start, end, ours=True)
    except ArchiveError:
        skipped["broken"] += 1


def _may_hold(file: Path, fetched_at: datetime) -> bool:
    """Whether a file may have a page fetched at a time, by its name, if that tells, and its last change."""
    begun = FILE_NAME.match(file.name)
    try:
        written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
        began = datetime.strptime(begun[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC) if begun else None
    except (OSError, ValueError, OverflowError):
        return True
    return began is None or began - WAIT <= fetched_at <= written + WAIT
