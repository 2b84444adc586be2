"""`newsextract extract` and `report`: one page from a file (gzipped or not), stdin, or a URL."""

import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from newsextract.cli.options import Extractor, Options, Setting, extractor_options, flag, option, pairs
from newsextract.errors import ExtractionFailed, NewsextractError, PageError, WrongCall
from newsextract.limits import COMMAND_TIMEOUT, run_within
from newsextract.settings import DOWNLOAD_MAXSIZE, NEWSEXTRACT_EXTRACTOR
from newsextract.text import say

if TYPE_CHECKING:
    from newsextract.page import Page


def read_pages(
    source: str, peer: str | None, url: str | None, settings: Mapping[str, Any]
) -> "tuple[Page, Page | None]":
    """The page and its peer, if any; `url`: of a saved page. One child process fetches URLs, with `settings`."""
    from newsextract.page import Page

    fetched = {}
    if urls := [address for address in (source, peer) if address and "://" in address]:
        from newsextract.runs.fetch_one import fetch_pages

        for address, page in zip(urls, fetch_pages(*urls, settings=settings), strict=True):
            fetched[address] = Page(page.body, page.url, encoding=page.encoding)
    own = fetched.get(source) or _read(source, url)
    return own, (fetched.get(peer) or _read(peer)) if peer else None


def _read(source: str, url: str | None = None) -> "Page":
    """The page of a file (gzipped, saved by a browser, or neither) or of stdin; `url`: its URL, if known.

    Raises PageError if it is too large or not HTML.
    """
    from newsextract.discovery.content_type import read_html
    from newsextract.discovery.saved_pages import unpack_saved_page
    from newsextract.page import Page

    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else Path(source).open("rb") as stream:
            body = stream.read(DOWNLOAD_MAXSIZE + 1)
            saved = unpack_saved_page(body)
            body, reason = read_html(body if saved is None else saved.html)
    except (OSError, ValueError) as error:
        hint = "" if source == "-" or Path(source).exists() else "; a URL begins with http:// or https://"
        raise WrongCall(
            f"{source or repr(source)} can't be read: {getattr(error, 'strerror', None) or error}{hint}"
        ) from error
    if reason == "too_large":
        raise PageError(f"{source} is larger than the {DOWNLOAD_MAXSIZE} bytes that a page may have")
    if reason is not None:
        raise PageError(f"{source} isn't an HTML page ({reason})")
    if saved is None:
        return Page(body, url)
    return Page(body, url or saved.url, encoding=saved.charset)


Source = Annotated[str, typer.Argument(metavar="FILE|URL|-", help="The page: a file, a URL, or - for stdin.")]
Peer = Annotated[str | None, option("FILE|URL", "Another page of the same template to compare with.")]
PageUrl = Annotated[str | None, option("URL", "The URL of a saved page.")]


def extract(
    source: Source,
    extractor: Extractor = NEWSEXTRACT_EXTRACTOR,
    option: Options = None,
    peer: Peer = None,
    format: Annotated[
        Literal["text", "markdown", "json"], flag("--format", "Plain text, Markdown, or all fields as JSON.")
    ] = "text",
    url: PageUrl = None,
    timeout: Annotated[float, option("SECONDS", "Time for reading the page.")] = COMMAND_TIMEOUT,
    site: Annotated[str, option("NAME", "Try the selectors and settings of this site of sites.toml.")] = "",
    setting: Setting = None,
) -> None:
    """Print the article of one page. A URL is fetched as in a crawl: robots.txt, limits and address guard apply.

    --set applies to the fetch: --set NEWSEXTRACT_ALLOW_PRIVATE=1 allows pages on your own machine.
    """
    from newsextract.article.extract import article_of, missed_selectors
    from newsextract.extractors import make_extractor

    settings, attributes = _values_of_site(site, pairs(setting))
    options = extractor_options(option) or settings.pop("NEWSEXTRACT_EXTRACTOR_OPTIONS", {})
    extractor = settings.pop("NEWSEXTRACT_EXTRACTOR", extractor) if extractor == NEWSEXTRACT_EXTRACTOR else extractor
    chosen = make_extractor(extractor, options)  # fails before the page is fetched
    page, peer_page = read_pages(source, peer, url, settings)
    page.selectors = attributes.get("selectors", {})
    if "drop" in attributes:
        page.drop(attributes["drop"])
    try:
        article = run_within(timeout, article_of, page, chosen, peer_page)
    except ExtractionFailed as error:
        raise NewsextractError(f"{source} can't be read: {error}") from error
    for key in missed_selectors(article, page.selectors):
        say(f"newsextract: the selector of {key} finds nothing in {source}", err=True)
    if not article.article_body:
        raise NewsextractError(f"{source}: no article text found")
    if format == "json":
        say(json.dumps(article.to_dict(), ensure_ascii=False, indent=2))
    elif format == "markdown":
        try:
            body = article.article_body_markdown
        except ImportError as error:
            raise NewsextractError(str(error)) from error
        say(f"# {article.headline}\n\n{body}" if article.headline else body or "")
    else:
        say(article.article_body or "")
    if not article.is_article:
        say(f"newsextract: {source} doesn't look like an article ({article.not_article_because})", err=True)


def _values_of_site(name: str, overrides: Mapping[str, str]) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The settings of a site of the file of sites ("": none), with others on top, and the attributes of its spider."""
    if not name:
        return dict(overrides), {}
    from newsextract.runs.one_crawl import command_settings
    from newsextract.runs.spider_loader import SitesSpiderLoader

    file = SitesSpiderLoader(command_settings(overrides)).usable_file()
    site = file.sites[file.known([name])[0]]
    return {**site.settings, **overrides}, site.attributes


def report(
    source: Source,
    peer: Peer = None,
    extractor: Extractor = NEWSEXTRACT_EXTRACTOR,
    option: Options = None,
    url: PageUrl = None,
    output: Annotated[Path, option("FILE", "Where it goes; - is stdout.", "--output", "-o")] = Path("report.html"),
    database: Annotated[str | None, option("URL", "Use the page that a crawl into this database kept.")] = None,
    pages: Annotated[Path | None, option("FOLDER", "The folder of kept pages if the database doesn't know it.")] = None,
    setting: Setting = None,
) -> None:
    """Show why each paragraph of a page was kept or dropped, and compare all extractors, in one HTML file."""
    if database is not None and (peer or url):
        raise WrongCall("--database has the page's peer and URL; leave out --peer and --url")
    if database is None and pages is not None:
        raise WrongCall("--pages requires --database")
    if any(_is_same_file(output, page) for page in (source, peer)):
        raise WrongCall(f"the report would overwrite the page {output}; give another --output")
    from newsextract.report import render_report, write_report

    if database is not None:
        from newsextract.archive.stored_pages import read_stored_pages

        page, peer_page, profile = read_stored_pages(database, source, pages)
        peer = peer_page.url if peer_page else None
    else:
        page, peer_page = read_pages(source, peer, url, pairs(setting))
        profile = None
    text = render_report(
        page,
        source,
        extractor=extractor,
        options=extractor_options(option),
        peer=peer_page,
        peer_name=peer,
        site=profile,
    )
    if str(output) == "-":
        sys.stdout.write(text)
        return
    write_report(text, output)
    say(f"written: {output.resolve()}", err=True)


def _is_same_file(output: Path, source: str | None) -> bool:
    try:
        return source is not None and output.samefile(source)
    except (OSError, ValueError):  # one of them doesn't exist, or is a URL
        return False
