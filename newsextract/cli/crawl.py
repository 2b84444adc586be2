"""`newsextract crawl`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from newsextract.cli.options import pair
from newsextract.cli.terminal import results
from newsextract.settings import NEWSEXTRACT_DATABASE_URL


def crawl(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="The sites; without it sites.toml beside scrapy.cfg.")
    ] = None,
    site: Annotated[list[str] | None, typer.Option(metavar="NAME", help="This site, due or not.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All sites, due or not.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only check the file and show when each is due.")] = False,
    parallel: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Sites crawled at a time.")] = 8,
    database: Annotated[str, typer.Option(metavar="URL", help="Where articles and runs are.")] = (
        NEWSEXTRACT_DATABASE_URL
    ),
    setting: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="A setting of the crawls.")
    ] = None,
) -> None:
    """Crawl the sites of a file that are due, each at its own interval."""
    overrides = dict(pair(text, "--set") for text in setting or ())
    if database != NEWSEXTRACT_DATABASE_URL:
        overrides["NEWSEXTRACT_DATABASE_URL"] = database
    if check:
        raise typer.Exit(_show(file, overrides))
    from newsextract.crawl.schedule import crawl_sites

    status = crawl_sites(file, names=site or (), everything=everything, overrides=overrides, parallel=parallel)
    raise typer.Exit(status)


def _show(file: Path | None, overrides: dict[str, str]) -> int:
    """Prints when each site is due; 2 where something in the file is wrong."""
    from newsextract.crawl.schedule import plan

    found = plan(file, overrides)
    table = Table("site", "spider", "interval", "last begun", "due")
    for turn in found.turns:
        last = f"{turn.last:%Y-%m-%d %H:%M}" if turn.last else "never"
        due = "under way" if turn.running else "now" if turn.is_due(found.now) else f"{turn.due:%Y-%m-%d %H:%M}"
        table.add_row(turn.site.name, turn.site.spider, str(turn.interval), last, due)
    results().print(table)
    return 2 if found.file.wrong else 0
