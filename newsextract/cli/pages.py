"""Pages that a command line names: files, packed or not, stdin, and addresses."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.errors import PageError, WrongCall
from newsextract.settings import DOWNLOAD_MAXSIZE

if TYPE_CHECKING:
    from newsextract.page import Page


def read_pages(sources: Sequence[str], url: str | None) -> "list[Page]":
    """The pages in order, `url` being where the first is from if it is a file; all addresses are fetched in one go,
    because a process can crawl only once."""
    from newsextract.page import Page

    addresses = [source for source in sources if "://" in source]
    fetched = {}
    if addresses:
        from newsextract.crawl.fetch_one import fetch

        fetched = dict(zip(addresses, fetch(*addresses), strict=True))
    pages = []
    for place, source in enumerate(sources):
        if source in fetched:
            page = fetched[source]
            pages.append(Page(page.body, page.url, encoding=page.encoding))
        else:
            pages.append(Page(_read(source), url if place == 0 else None))
    return pages


def _read(source: str) -> bytes:
    """The page of a file, packed or not, or of stdin; within the bounds that a crawl has."""
    from newsextract.discovery.content_type import non_html_reason
    from newsextract.discovery.decompress import gunzip

    limit = DOWNLOAD_MAXSIZE + 1
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as stream:
            body = stream.read(limit)
        if body.startswith(b"\x1f\x8b"):
            body = gunzip(body, limit)
    except (OSError, ValueError) as error:
        raise WrongCall(f"{source} can't be read: {getattr(error, 'strerror', None) or error}") from error
    if len(body) == limit:
        raise PageError(f"{source} is larger than the {DOWNLOAD_MAXSIZE} bytes that a page may have")
    if reason := non_html_reason(body, "text/html"):
        raise PageError(f"{source} is no HTML page ({reason})")
    return body
