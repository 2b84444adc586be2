"""`newsextract sites add`, `import` and `check`: the entries of a sites.toml."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from newsextract.cli.crawl import urls_or_file
from newsextract.cli.options import Setting, option, pairs
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_SITES
from newsextract.text import say

if TYPE_CHECKING:
    from newsextract.runs.sites_file import Added

File = Annotated[Path, option("FILE.toml", "The file of sites.", "--file", "-f")]


def add(
    urls: Annotated[list[str], typer.Argument(metavar="URL…", help="Front pages, or feeds with --spider feeds.")],
    file: File = Path(NEWSEXTRACT_SITES),
    name: Annotated[str, option("NAME", "The name of the site, if there is only one. [default: from its host]")] = "",
    spider: Annotated[str, option("NAME", "site or feeds.")] = "site",
) -> None:
    """Add sites to a file of sites. Its comments stay; sites that it already has are skipped."""
    from newsextract.files import NAME
    from newsextract.runs.sites_file import NewSite, add_sites

    if name and (len(urls) > 1 or not NAME.fullmatch(name)):
        raise WrongCall("--name is for one URL: letters, digits, '-', '_' and '.', 64 at most")
    _report(add_sites(file, [NewSite(url, spider, name) for url in urls]), file)


def import_sites(
    source: Annotated[Path, typer.Argument(metavar="LIST", help="OPML, CSV with a column url, or a URL a line.")],
    file: File = Path(NEWSEXTRACT_SITES),
) -> None:
    """Add the sites of an OPML file, a CSV file or a plain list to a file of sites. Its comments stay.

    OPML feeds get the spider `feeds`. URLs that the file already has are skipped.
    """
    from newsextract.runs.sites_file import add_sites, read_list

    _report(add_sites(file, read_list(source)), file)


def _report(added: "Added", file: Path) -> None:
    for wrong in added.wrong:
        say(f"skipped: {wrong}", err=True)
    known = f", {added.known} already there" if added.known else ""
    number = len(added.names)
    say(f"{number} site{'' if number == 1 else 's'} added to {file}{known}", err=True)
    if added.wrong:
        raise typer.Exit(1)


def check(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[URL…|FILE.toml]", help="Sites. [default: the file's]")
    ] = None,
    file: File = Path(NEWSEXTRACT_SITES),
    site: Annotated[list[str] | None, option("NAME", "Only this site of the file.")] = None,
    parallel: Annotated[int, option("N", "Sites at a time.", min=1, max=100)] = 8,
    setting: Setting = None,
) -> None:
    """Crawl a few pages of each site and print whether it works, its feeds and sitemaps, and an article, or why not.

    Nothing is stored. Exit status 1 if a site doesn't work.
    """
    from newsextract.runs.site_check import check_sites
    from newsextract.runs.sites_file import NewSite, add_sites

    urls, named = urls_or_file(sources or ())
    file = named or file
    with TemporaryDirectory(prefix="newsextract-") as folder:
        if urls:
            file = Path(folder, "sites.toml")
            if wrong := add_sites(file, [NewSite(url) for url in urls]).wrong:
                raise WrongCall(wrong[0])
        all_work = check_sites(file, names=site or (), overrides=pairs(setting), parallel=parallel, show=say)
    if not all_work:
        raise typer.Exit(1)
