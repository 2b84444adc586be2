"""Reads the pages of an archive: a WARC file, a folder of WARC files, or a folder of saved pages."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.warc.reader import check_warc, read_warc
from newsextract.warc.saved_pages import read_saved_pages

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")


def read_archive(path: Path, skipped: Counter[str]) -> Iterator[FetchedPage]:
    """Yields all pages of the archive, one in memory at a time; `skipped` counts records and files without a page, by
    reason.

    Raises ArchiveError for a path without any.
    """
    check_archive(path)
    if not path.is_dir():
        yield from read_warc(path, skipped)
        return
    warcs = warc_files(path)
    for warc in warcs:
        try:
            yield from read_warc(warc, skipped)
        except ArchiveError:
            skipped["broken"] += 1
    if not warcs:
        yield from read_saved_pages(path, skipped)


def check_archive(path: Path) -> None:
    """Raises ArchiveError for a path that is missing or no archive."""
    if not path.exists():
        raise ArchiveError(f"{path} does not exist; the archive is a WARC file or a folder of saved pages")
    if not path.is_dir():
        check_warc(path)


def warc_files(folder: Path) -> list[Path]:
    """The WARC files below a folder, in order of their paths."""
    try:
        return sorted(file for file in folder.rglob("*") if file.name.lower().endswith(WARC_ENDINGS) and file.is_file())
    except OSError as error:
        raise ArchiveError(f"{folder} can't be read: {error.strerror or error}") from error
