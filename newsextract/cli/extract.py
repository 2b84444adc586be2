"""`newsextract extract`."""

import json
import sys
from enum import StrEnum
from typing import Annotated

import typer

from newsextract.cli.options import Setting, extractor_options, settings_of
from newsextract.cli.pages import read_pages
from newsextract.errors import NewsextractError
from newsextract.items import Article
from newsextract.settings import NEWSEXTRACT_EXTRACTOR


class Format(StrEnum):
    """What is printed: the text of the article, alone or as Markdown below the headline, or all its fields as JSON."""

    text = "text"
    markdown = "markdown"
    json = "json"


def extract(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-", help="The page: a file, a URL, or - for stdin.")],
    extractor: Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")] = NEWSEXTRACT_EXTRACTOR,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the extractor.")
    ] = None,
    peer: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="Another page of the same template to compare with.")
    ] = None,
    format: Annotated[
        Format, typer.Option("--format", "-f", help="Plain text, Markdown, or all fields as JSON.")
    ] = Format.text,
    url: Annotated[str | None, typer.Option(metavar="URL", help="The URL of a saved page.")] = None,
    setting: Setting = None,
) -> None:
    """Print the article of one page. A URL is fetched as in a crawl: robots.txt, limits and address guard apply.

    --set applies to the fetch: --set NEWSEXTRACT_ALLOW_PRIVATE=1 allows pages on your own machine.
    """
    from newsextract.article import article_of
    from newsextract.extractors import make_extractor

    chosen = make_extractor(extractor, extractor_options(option))  # before the page is read, perhaps from afar
    page, *others = read_pages([source, *([peer] if peer else [])], url, settings_of(setting))
    article = article_of(page, chosen, others[0] if others else None)
    if not article.article_body:
        raise NewsextractError(f"{source}: no article text found")
    print(_printed(article, format))
    if not article.is_article:
        print(f"newsextract: {source} looks like no article ({article.not_article_because})", file=sys.stderr)


def _printed(article: Article, format: Format) -> str:
    if format is Format.json:
        return json.dumps(article.to_dict(), ensure_ascii=False, indent=2)
    if format is Format.markdown:
        heading = f"# {article.headline}\n\n" if article.headline else ""
        try:
            return f"{heading}{article.article_body_markdown}"
        except ImportError as error:
            raise NewsextractError(str(error)) from error
    return article.article_body
