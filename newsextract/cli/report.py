"""`newsextract report`: the evidence report of a file, an address, or the kept page of a stored article."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.options import Setting, extractor_options, settings_of
from newsextract.cli.pages import read_pages
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_EXTRACTOR


def report(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-", help="The page: a file, a URL, or - for stdin.")],
    peer: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="Another page of the same template to compare with.")
    ] = None,
    extractor: Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")] = NEWSEXTRACT_EXTRACTOR,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the extractor.")
    ] = None,
    url: Annotated[str | None, typer.Option(metavar="URL", help="The URL of a saved page.")] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the report goes; - is stdout.")
    ] = Path("report.html"),
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Use the page that a crawl into this database kept.")
    ] = None,
    pages: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The folder of kept pages, if the database doesn't know it.")
    ] = None,
    setting: Setting = None,
) -> None:
    """Show why each paragraph of a page was kept or dropped, and compare all extractors, in one HTML file."""
    if database is not None and (peer or url):
        raise WrongCall("--database knows the page's peer and address; leave out --peer and --url")
    if database is None and pages is not None:
        raise WrongCall("--pages needs --database")
    if any(_is_same_file(output, page) for page in (source, peer)):
        raise WrongCall(f"the report would overwrite its own page {output}; give another --output")
    from newsextract.report import render_report, write_report

    if database is not None:
        from newsextract.cluster.kept_pages import read_stored_pages

        page, peer_page = read_stored_pages(database, source, pages)
        peer = peer_page.url if peer_page else None
    else:
        page, *others = read_pages([source, *([peer] if peer else [])], url, settings_of(setting))
        peer_page = others[0] if others else None
    text = render_report(
        page, source, extractor=extractor, options=extractor_options(option), peer=peer_page, peer_name=peer
    )
    if str(output) == "-":
        sys.stdout.write(text)
        return
    write_report(text, output)
    print(f"written: {output.resolve()}", file=sys.stderr)


def _is_same_file(output: Path, source: str | None) -> bool:
    try:
        return source is not None and output.samefile(source)
    except (OSError, ValueError):  # one of them does not exist, or is an address
        return False
