"""Pages saved as files in a folder: .html, .htm, .xhtml, each also packed as .gz."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from newsextract.discovery.content import not_html_because
from newsextract.discovery.decompress import ungzip
from newsextract.discovery.entries import absolute
from newsextract.discovery.warc import MAX_PAGE
from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.page.decode import to_utf8
from newsextract.page.parse import parse
from newsextract.urls import split_url

PAGE_FILE = re.compile(r"\.x?html?(?:\.gz)?$", re.I)
#: What browsers write at the head of a page that they save.
SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d+\)(\S+)\s*-->", re.I)


def saved_pages(folder: Path, skipped: Counter[str]) -> Iterator[FetchedPage]:
    """The pages below a folder in order of their names; raises ArchiveError where it can't be read or has none.

    A page's URL is the one it was saved from, else its canonical one, else that of the file.
    """
    try:
        files = sorted(file for file in folder.rglob("*") if PAGE_FILE.search(file.name) and file.is_file())
    except OSError as error:
        raise ArchiveError(f"{folder} can't be read: {error.strerror or error}") from error
    if not files:
        raise ArchiveError(f"{folder} holds no page: none of its files ends in .html, .htm or .html.gz")
    for file in files:
        found = _page(file)
        if isinstance(found, FetchedPage):
            yield found
        else:
            skipped[found] += 1


def _page(file: Path) -> FetchedPage | str:
    try:
        with file.open("rb") as stream:
            body = stream.read(MAX_PAGE + 1)
        if body.startswith(b"\x1f\x8b"):
            body = ungzip(body, MAX_PAGE + 1)
        saved_at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except (OSError, ValueError, OverflowError):
        return "broken"
    if len(body) > MAX_PAGE:
        return "too_large"
    if reason := not_html_because(body, "text/html"):
        return reason
    return FetchedPage(url=_url(body) or file.resolve().as_uri(), body=body, fetched_at=saved_at)


def _url(body: bytes) -> str | None:
    if found := SAVED_FROM.search(body[:4096]):
        url = found[1].decode("utf-8", "replace")
        if split_url(url):
            return url
    root = parse(to_utf8(body)[0])
    for path in ("link[@rel='canonical']/@href", "meta[@property='og:url']/@content"):
        for declared in _values(root, path):
            if split_url(declared):
                return absolute(declared, declared)
    return None


def _values(root: Any, path: str) -> list[str]:
    return [] if root is None else [str(value) for value in root.xpath(f".//{path}")]
