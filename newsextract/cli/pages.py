"""Reads the pages that a command names: files (gzipped or not), stdin, and URLs."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.errors import PageError, WrongCall
from newsextract.settings import DOWNLOAD_MAXSIZE

if TYPE_CHECKING:
    from newsextract.page import Page


def read_pages(sources: Sequence[str], url: str | None, settings: Mapping[str, str]) -> "list[Page]":
    """The pages in the order of the sources; `url` is the URL of the first where that is a file.

    All URLs are fetched by one child process, with these `settings` of a crawl.
    """
    from newsextract.page import Page

    urls = [source for source in sources if "://" in source]
    fetched = {}
    if urls:
        from newsextract.crawl.fetch_one import fetch_pages

        fetched = dict(zip(urls, fetch_pages(*urls, settings=settings), strict=True))
    pages = []
    for index, source in enumerate(sources):
        if source in fetched:
            page = fetched[source]
            pages.append(Page(page.body, page.url, encoding=page.encoding))
        else:
            pages.append(Page(_read(source), url if index == 0 else None))
    return pages


def _read(source: str) -> bytes:
    """The bytes of a file (gzipped or not) or of stdin, at most DOWNLOAD_MAXSIZE, and HTML; else PageError."""
    from newsextract.discovery.content_type import read_html

    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as stream:
            body, reason = read_html(stream.read(DOWNLOAD_MAXSIZE + 1))
    except (OSError, ValueError) as error:
        hint = "" if source == "-" or Path(source).exists() else "; an address begins with http:// or https://"
        raise WrongCall(
            f"{source or repr(source)} can't be read: {getattr(error, 'strerror', None) or error}{hint}"
        ) from error
    if reason == "too_large":
        raise PageError(f"{source} is larger than the {DOWNLOAD_MAXSIZE} bytes that a page may have")
    if reason is not None:
        raise PageError(f"{source} isn't an HTML page ({reason})")
    return body
