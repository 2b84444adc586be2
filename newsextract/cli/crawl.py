"""`newsextract crawl`: news sites by their URLs, or the sites of a sites.toml that are due."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from newsextract.cli.options import pair
from newsextract.cli.terminal import results
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL


def crawl(
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[URL…|FILE.toml]", help="URLs of sites, or a file of sites; sites.toml if not given."),
    ] = None,
    argument: Annotated[
        list[str] | None,
        typer.Option("-a", metavar="NAME=VALUE", help="An argument of the spider, such as max_pages=100."),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="A setting, of ours or of Scrapy.")
    ] = None,
    overwrite: Annotated[
        list[str] | None,
        typer.Option("--overwrite-output", "-O", metavar="FILE", help="New and changed articles, in a new FILE.csv …"),
    ] = None,
    append: Annotated[
        list[str] | None, typer.Option("--output", "-o", metavar="FILE", help="The same, at the end of the file.")
    ] = None,
    spider: Annotated[str, typer.Option(metavar="NAME", help="The spider for URLs: site or feeds.")] = "site",
    site: Annotated[list[str] | None, typer.Option(metavar="NAME", help="This site of the file, due or not.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All sites of the file, due or not.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only check the file and show when each is due.")] = False,
    parallel: Annotated[
        int, typer.Option(min=1, max=100, metavar="N", help="Sites of the file crawled at a time.")
    ] = 8,
    database: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Where articles and runs are.", show_default=NEWSEXTRACT_DATABASE_URL),
    ] = None,
    log_level: Annotated[str | None, typer.Option("--loglevel", "-L", metavar="LEVEL", help="DEBUG, INFO …")] = None,
    log_file: Annotated[str | None, typer.Option("--logfile", metavar="FILE", help="The log; stderr if not given.")] = (
        None
    ),
) -> None:
    """Crawl news sites into articles.jsonl and newsextract.db here: URLs, or the sites of a file that are due.

    Scrapy's other options are settings: --nolog is --set LOG_ENABLED=0.
    """
    overrides = dict(pair(text, "--set") for text in setting or ())
    given = {"NEWSEXTRACT_DATABASE_URL": database, "LOG_LEVEL": log_level, "LOG_FILE": log_file}
    overrides |= {name: value for name, value in given.items() if value is not None}
    urls, file = _urls_or_file(sources or ())
    if urls:
        _refuse("URLs", {"--site": site, "--all": everything, "--check": check}, "belongs to a file of sites")
        from newsextract.crawl.run import crawl_urls

        arguments = dict(pair(text, "-a") for text in argument or ())
        if "url" in arguments:
            raise WrongCall("-a url=… does not go with URLs; give all URLs before the options")
        status = crawl_urls(
            urls,
            spider=spider,
            arguments=arguments,
            overrides=overrides,
            append_to=append or (),
            overwrite=overwrite or (),
        )
        raise typer.Exit(status)
    _refuse("a file of sites", {"-a": argument}, "belongs to URLs; an entry of the file has its own arguments")
    _refuse("a file of sites", {"-O": overwrite, "-o": append}, "belongs to URLs; all sites write to articles.jsonl")
    if check:
        raise typer.Exit(_show_plan(file, overrides))
    from newsextract.crawl.schedule import crawl_sites

    status = crawl_sites(file, names=site or (), everything=everything, overrides=overrides, parallel=parallel)
    raise typer.Exit(status)


def _urls_or_file(sources: Sequence[str]) -> tuple[list[str], Path | None]:
    """The URLs, with their schemes, or the file of sites; neither where there are no sources."""
    files = [source for source in sources if source.lower().endswith(".toml") and "://" not in source]
    files = files or [source for source in sources if "://" not in source and Path(source).is_file()]
    if files:
        if len(sources) > 1:
            raise WrongCall(f"{files[0]} is a file of sites; a crawl takes one of these, or URLs")
        return [], Path(files[0])
    urls = []
    for source in sources:
        scheme, sign, _ = source.partition("://")
        if sign and scheme.lower() not in ("http", "https"):
            raise WrongCall(f"{source} is no web address: it must begin with http:// or https://")
        urls.append(source if sign else f"https://{source}")
    return urls, None


def _refuse(sources: str, options: dict[str, object], reason: str) -> None:
    """Raises WrongCall for an option that was given and has no meaning with these sources."""
    for name, value in options.items():
        if value:
            raise WrongCall(f"{name} does not go with {sources}: it {reason}")


def _show_plan(file: Path | None, overrides: dict[str, str]) -> int:
    """Prints when each site is due; 2 where something in the file is wrong."""
    from newsextract.crawl.schedule import plan

    current = plan(file, overrides)
    table = Table("site", "spider", "interval", "last begun", "due")
    for row in current.schedules:
        last = f"{row.last:%Y-%m-%d %H:%M}" if row.last else "never"
        due = "under way" if row.running else "now" if row.is_due(current.now) else f"{row.due:%Y-%m-%d %H:%M}"
        table.add_row(row.site.name, row.site.spider, str(row.interval), last, due)
    results().print(table)
    return 2 if current.file.wrong else 0
