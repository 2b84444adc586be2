"""`newsextract crawl`: news sites by their URLs, or the sites of a sites.toml that are due."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from newsextract.cli.options import DatabaseSetting, Setting, flag, option, pairs
from newsextract.cli.terminal import print_table
from newsextract.errors import WrongCall, WrongSetting
from newsextract.text import say
from newsextract.workers.start import start_ahead

#: Why --urls takes no other sources.
ONE_LIST = "names all that is crawled"


class CrawlCommand(TyperCommand):
    """`newsextract crawl`, with a hint for spider arguments that are given as options (--max-pages 10)."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {name for parameter in self.params for name in parameter.opts}
        for word, following in zip(args, [*args[1:], ""], strict=False):
            option, _, value = word.partition("=")
            if word.startswith("--") and option not in known and (name := _spider_argument(option)):
                value = value or following
                raise WrongCall(f"{option} is an argument of the spider: use -a {name}={shlex.quote(value)}")
        return super().parse_args(ctx, args)


def _spider_argument(option: str) -> str | None:
    """The spider argument that an option such as `--max-pages` means, or None."""
    from newsextract.spiders.site import SiteSpider

    name = option.lstrip("-").replace("-", "_")
    return name if name != "url" and name in {argument.name for argument in SiteSpider.arguments} else None


def crawl(
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[URL…|FILE.toml]", help="URLs of sites, or a file of sites. [default: sites.toml]"),
    ] = None,
    argument: Annotated[list[str] | None, option("NAME=VALUE", "An argument of the crawl, as above.", "-a")] = None,
    setting: Setting = None,
    overwrite: Annotated[
        list[str] | None,
        option("FILE", "Replace this file by the new and changed articles.", "--overwrite-output", "-O"),
    ] = None,
    append: Annotated[
        list[str] | None, option("FILE", "Append new and changed articles to this file.", "--output", "-o")
    ] = None,
    spider: Annotated[str, option("NAME", "The spider for URLs: site or feeds.")] = "site",
    urls_from: Annotated[
        str | None, option("FILE|-", "Fetch the article of each URL of this list, on any site.", "--urls")
    ] = None,
    column: Annotated[
        str | None, option("NAME", "The list is a table (CSV, TSV, JSON lines): the column with its URLs.")
    ] = None,
    site: Annotated[list[str] | None, option("NAME", "Crawl this site of the file, due or not.")] = None,
    everything: Annotated[bool, flag("--all", "Crawl all sites of the file, due or not.")] = False,
    check: Annotated[bool, flag("--check", "Only check the file and show when each site is due.")] = False,
    parallel: Annotated[int, option("N", "How many sites of the file to crawl at a time.", min=1, max=100)] = 8,
    database: DatabaseSetting = None,
    log_level: Annotated[str | None, option("LEVEL", "DEBUG, INFO, WARNING or ERROR.", "--loglevel", "-L")] = None,
    log_file: Annotated[str | None, option("FILE", "Where the log goes. [default: stderr]", "--logfile")] = None,
) -> None:
    """Crawl news sites into articles.jsonl and newsextract.db here: URLs, or the sites of a file that are due.

    -a max_pages=200: stop after this many pages.

    -a since=2026-01-31: skip older articles.

    -a allow=PATTERN, -a deny=PATTERN: regular expressions, searched in each URL.

    -a max_depth=2: follow links this many steps from the front page.

    -a subdomains=1: also crawl the site's subdomains.

    With --urls: only these pages, no links. stdout gets each URL that gave no article, a tab, and why.

    Scrapy's other options are settings: --nolog is --set LOG_ENABLED=0. For one page: newsextract extract URL.
    """
    overrides = pairs(setting)
    given = {"NEWSEXTRACT_DATABASE_URL": database, "LOG_LEVEL": log_level, "LOG_FILE": log_file}
    overrides |= {name: value for name, value in given.items() if value is not None}
    if urls_from is not None:
        _refuse("--urls", {"URLs and a file": sources, "--site": site, "--all": everything, "--check": check}, ONE_LIST)
        from newsextract.runs.list_crawl import crawl_list

        feeds = {"append_to": append or (), "overwrite": overwrite or ()}
        raise typer.Exit(crawl_list(urls_from, column or "", pairs(argument, "-a"), overrides, **feeds))
    _refuse("other sources than --urls", {"--column": column}, "names a column of that list")
    urls, file = urls_or_file(sources or ())
    if urls:
        _refuse("URLs", {"--site": site, "--all": everything, "--check": check}, "needs a file of sites")
        if overrides.get("NEWSEXTRACT_WORKERS") != "0":
            start_ahead()  # in parallel with importing Scrapy, which takes as long
        from newsextract.runs.one_crawl import crawl_urls

        arguments = pairs(argument, "-a")
        if "url" in arguments:
            raise WrongCall("-a url=… can't be combined with URLs; list all URLs before the options")
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
    from newsextract.runs.many_sites import crawl_sites

    status = crawl_sites(file, names=site or (), everything=everything, overrides=overrides, parallel=parallel)
    raise typer.Exit(status)


def urls_or_file(sources: Sequence[str]) -> tuple[list[str], Path | None]:
    """The URLs, with schemes, or the file of sites; neither if there are no sources."""
    files = [source for source in sources if source.lower().endswith(".toml") and "://" not in source]
    files = files or [source for source in sources if "://" not in source and Path(source).is_file()]
    if files:
        if len(sources) > 1:
            raise WrongCall(f"{files[0]} is a file of sites: give one such file, or URLs")
        return [], Path(files[0])
    for source in sources:
        scheme, sign, _ = source.partition("://")
        if sign and scheme.lower() not in ("http", "https"):
            raise WrongCall(f"{source} isn't a web address: it must begin with http:// or https://")
    from newsextract.spiders.arguments import with_scheme

    try:
        return [with_scheme(source) for source in sources], None
    except ValueError as error:
        raise WrongCall(str(error)) from error


def _refuse(sources: str, options: dict[str, object], reason: str) -> None:
    """Raises WrongCall if an option was given that has no meaning for these sources."""
    for name, value in options.items():
        if value:
            raise WrongCall(f"{name} can't be combined with {sources}: it {reason}")


def _show_plan(file: Path | None, overrides: dict[str, str]) -> int:
    """Prints when each site is due. Returns 2 if the file has errors."""
    from newsextract.runs.many_sites import plan
    from newsextract.runs.notifications import parse_services
    from newsextract.runs.one_crawl import command_settings

    current = plan(command_settings(overrides, file))
    rows = []
    for row in current.schedules:
        last = f"{row.last:%Y-%m-%d %H:%M}" if row.last else "never"
        due = "under way" if row.running else "now" if row.is_due(current.now) else f"{row.due:%Y-%m-%d %H:%M}"
        rows.append((row.site.name, row.site.spider, row.interval, last, due))
    print_table(("site", "spider", "interval", "last started", "due"), rows, boxed=True)
    try:
        parse_services(current.file.alerts, thoroughly=True)
    except WrongSetting as error:
        say(f"newsextract: {current.file.path}: {error}", err=True)
        return 2
    return 2 if current.file.wrong else 0
