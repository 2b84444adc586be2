"""`newsextract extract`."""

import json
import sys
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from newsextract.cli.options import pair
from newsextract.errors import NewsextractError, PageError, WrongCall
from newsextract.settings import DOWNLOAD_MAXSIZE, NEWSEXTRACT_EXTRACTOR

if TYPE_CHECKING:
    from newsextract.page import Page


class Format(StrEnum):
    """What is printed: the article's text, or all of it as JSON."""

    text = "text"
    json = "json"


def extract(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-", help="The page: a file, an address, or - for stdin.")],
    extractor: Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")] = NEWSEXTRACT_EXTRACTOR,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the extractor.")
    ] = None,
    peer: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="Another page of the same template to compare with.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="The text, or all of the article.")] = Format.text,
    url: Annotated[str | None, typer.Option(metavar="URL", help="Where the file is from.")] = None,
) -> None:
    """The article of one page. An address is fetched as a crawl would: robots.txt, limits and address guard hold."""
    import newsextract

    pages = _pages([source, *([peer] if peer else [])], url)
    options = {name: _value(value) for name, value in (pair(text, "--option") for text in option or ())}
    article = newsextract.extract(pages[0], extractor=extractor, options=options, peer=pages[1] if peer else None)
    if not article.article_body:
        raise NewsextractError(f"{source}: no article text found")
    print(
        json.dumps(article.to_dict(), ensure_ascii=False, indent=2) if format is Format.json else article.article_body
    )
    if not article.is_article:
        print(f"newsextract: {source} looks like no article ({article.not_article_because})", file=sys.stderr)


def _pages(sources: list[str], url: str | None) -> "list[Page]":
    """The pages in order; all addresses are fetched in one go, because a process can crawl only once."""
    from newsextract.page import Page

    addresses = [source for source in sources if "://" in source]
    fetched = {}
    if addresses:
        from newsextract.crawl.onepage import fetch

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
    from newsextract.discovery.content import not_html_because
    from newsextract.discovery.unpack import ungzip

    limit = DOWNLOAD_MAXSIZE + 1
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as stream:
            body = stream.read(limit)
        if body.startswith(b"\x1f\x8b"):
            body = ungzip(body, limit)
    except (OSError, ValueError) as error:
        raise WrongCall(f"{source} can't be read: {getattr(error, 'strerror', None) or error}") from error
    if len(body) == limit:
        raise PageError(f"{source} is larger than the {DOWNLOAD_MAXSIZE} bytes that a page may have")
    if reason := not_html_because(body, "text/html"):
        raise PageError(f"{source} is no HTML page ({reason})")
    return body


def _value(text: str) -> Any:
    """A number, true, false, null or other JSON as that, everything else as the text it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
