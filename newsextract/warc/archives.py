"""Reads the pages of an archive: a WARC file, a folder of WARC files, or a folder of saved pages."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from newsextract.compression import gunzip
from newsextract.discovery.content_type import non_html_reason
from newsextract.discovery.entries import fetchable_url
from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.page.decode import decode
from newsextract.page.parse import parse
from newsextract.settings import DOWNLOAD_MAXSIZE
from newsextract.urls import split_url
from newsextract.warc.reader import check_warc, read_warc_range

PAGE_ENDINGS = tuple(f".{name}{packed}" for name in ("html", "htm", "xhtml", "xhtm") for packed in ("", ".gz"))
#: The comment that browsers write at the beginning of a page that they save.
SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d+\)(\S+)\s*-->", re.I)
WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")


def read_archive(path: Path, skipped: Counter[str]) -> Iterator[FetchedPage]:
    """All pages of an archive; `skipped` counts others by reason. Raises ArchiveError without any page."""
    check_archive(path)
    warcs = warc_files(path) if path.is_dir() else [path]
    for warc in warcs:
        try:
            for _, page in read_warc_range(warc, skipped):
                yield page
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
    return _files(folder, lambda name: name.lower().endswith(WARC_ENDINGS))


def _files(folder: Path, is_wanted: Callable[[str], object]) -> list[Path]:
    try:
        return sorted(file for file in folder.rglob("*") if is_wanted(file.name) and file.is_file())
    except OSError as error:
        raise ArchiveError(f"{folder} can't be read: {error.strerror or error}") from error


def read_saved_pages(folder: Path, skipped: Counter[str]) -> Iterator[FetchedPage]:
    """Yields the pages below a folder in order of their paths; `skipped` counts other files by reason.

    A page's URL is the one it was saved from, else its canonical URL, else that of the file. Raises ArchiveError where
    the folder can't be read or has no page.
    """
    files = _files(folder, lambda name: name.lower().endswith(PAGE_ENDINGS))
    if not files:
        raise ArchiveError(f"{folder} holds no page: none of its files ends in .html, .htm or .html.gz")
    for file in files:
        page = _read_page(file)
        if isinstance(page, FetchedPage):
            yield page
        else:
            skipped[page] += 1


def _read_page(file: Path) -> FetchedPage | str:
    try:
        with file.open("rb") as stream:
            body = stream.read(DOWNLOAD_MAXSIZE + 1)
        if body.startswith(b"\x1f\x8b"):
            body = gunzip(body, DOWNLOAD_MAXSIZE + 1)
        saved_at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return "broken"
    if len(body) > DOWNLOAD_MAXSIZE:
        return "too_large"
    if reason := non_html_reason(body, "text/html"):
        return reason
    return FetchedPage(url=_original_url(body) or file.resolve().as_uri(), body=body, fetched_at=saved_at)


def _original_url(body: bytes) -> str | None:
    if match := SAVED_FROM.search(body[:4096]):
        url = match[1].decode("utf-8", "replace")
        if split_url(url):
            return url
    root = parse(decode(body)[0])
    for selector, name in (("link[rel=canonical]", "href"), ("meta[property='og:url']", "content")):
        for declared in (element.attr(name) or "" for element in root.node.select(selector)):
            if split_url(declared):
                return fetchable_url(declared, declared)
    return None
