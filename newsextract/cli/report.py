"""`newsextract report`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.kept import kept_pages
from newsextract.cli.options import extractor_options
from newsextract.cli.pages import read_pages
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_EXTRACTOR


def report(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-", help="The page: a file, an address, or - for stdin.")],
    peer: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="Another page of the same template to compare with.")
    ] = None,
    extractor: Annotated[str, typer.Option("--extractor", "-e", metavar="NAME")] = NEWSEXTRACT_EXTRACTOR,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the extractor.")
    ] = None,
    url: Annotated[str | None, typer.Option(metavar="URL", help="Where the file is from.")] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the report goes; - is stdout.")
    ] = Path("report.html"),
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="The page is the one that a crawl into this database kept.")
    ] = None,
    pages: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the crawl kept it, if the database does not say.")
    ] = None,
) -> None:
    """Why each paragraph of one page was kept or not: evidence, curve, all extractors compared, in one HTML file."""
    if database is not None and (peer or url):
        raise WrongCall("--database knows the page's peer and address; leave out --peer and --url")
    if database is None and pages is not None:
        raise WrongCall("--pages goes with --database")
    if any(_same(output, page) for page in (source, peer)):
        raise WrongCall(f"the report would overwrite its own page {output}; give another --output")
    from newsextract.report import render_report, write_report

    if database is not None:
        page, other, peer = kept_pages(database, source, pages)
    else:
        page, *others = read_pages([source, *([peer] if peer else [])], url)
        other = others[0] if others else None
    text = render_report(
        page, source, extractor=extractor, options=extractor_options(option), peer=other, peer_name=peer
    )
    if str(output) == "-":
        sys.stdout.write(text)
        return
    write_report(text, output)
    print(f"written: {output.resolve()}", file=sys.stderr)


def _same(output: Path, page: str | None) -> bool:
    try:
        return page is not None and output.samefile(page)
    except (OSError, ValueError):  # one of them is no file
        return False
