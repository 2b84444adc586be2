"""The table of commands, and `main`, which turns errors into one sentence and an exit status."""

import io
import sys
from collections.abc import Callable
from typing import Annotated, NoReturn

import typer
from typer.core import TyperCommand

from newsextract.cli import (
    algorithms,
    browse,
    cluster,
    crawl,
    db,
    demo,
    export,
    extract,
    lookup,
    reextract,
    report,
    schema,
    site,
    sites,
    watch,
)
from newsextract.errors import NewsextractError
from newsextract.version import VERSION

TEXT = """Crawls news sites and keeps clean, dated, deduplicated articles.

A site: newsextract crawl https://example.org/

One page: newsextract extract https://example.org/story

What was crawled: newsextract status, export, browse; why a page is not there: newsextract why URL.

The documentation is the folder docs/ of the source, beginning with docs/index.md.
"""
#: Commands that parse their words in a way of their own.
COMMAND_CLASSES: dict[Callable[..., object], type[TyperCommand]] = {crawl.crawl: crawl.CrawlCommand}
#: Functions of the commands, each with the example in its help.
COMMANDS = (
    (demo.demo, "newsextract demo"),
    (extract.extract, "newsextract extract story.html --format json"),
    (report.report, "newsextract report story.html -o report.html"),
    (export.export, "newsextract export --cursor-file read.txt > new.jsonl"),
    (browse.browse, "newsextract browse"),
    (cluster.cluster, "newsextract cluster warc.paths.gz -o news --workers 8"),
    (reextract.reextract, "newsextract reextract --pages pages --extractor fusion"),
    (crawl.crawl, "newsextract crawl https://example.org/ -a max_pages=100"),
    (lookup.status, "newsextract status"),
    (watch.watch, "newsextract watch"),
    (site.site, "newsextract site https://example.org/"),
    (lookup.history, "newsextract history https://example.org/story"),
    (lookup.why, "newsextract why https://example.org/story"),
    (algorithms.algorithms, "newsextract algorithms"),
    (schema.schema, "newsextract schema > article.schema.json"),
)
DB_COMMANDS = (
    (lookup.forget, "newsextract db forget https://example.org/story"),
    (db.copy, "newsextract db copy sqlite:///news.db postgresql:///news"),
    (db.upgrade, "newsextract db upgrade"),
    (db.check, "newsextract db check"),
    (db.prune, "newsextract db prune --keep 400d"),
    (db.sizes, "newsextract db sizes"),
    (db.duplicates, "newsextract db duplicates"),
)


SITES_COMMANDS = (
    (sites.add, "newsextract sites add https://example.org/"),
    (sites.import_sites, "newsextract sites import feeds.opml"),
    (sites.check, "newsextract sites check"),
)


def main() -> NoReturn:
    """Runs the command of `sys.argv` and ends the process with its status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        command()(prog_name="newsextract")
    except NewsextractError as error:
        print(f"newsextract: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    sys.exit(0)


def command() -> typer.Typer:
    """The command line with all commands."""
    commands = _group(TEXT, "newsextract demo")
    commands.callback(help=TEXT)(_options)
    database = _group("Looks after a database.", "newsextract db check")
    file = _group("Looks after a file of sites.", "newsextract sites check")
    for group, rows in ((commands, COMMANDS), (database, DB_COMMANDS), (file, SITES_COMMANDS)):
        for function, example in rows:
            kind = COMMAND_CLASSES.get(function)
            name = function.__name__.removesuffix("_sites")
            group.command(name, cls=kind, epilog=f"Example: {example}", no_args_is_help=False)(function)
    commands.add_typer(database, name="db")
    commands.add_typer(file, name="sites")
    return commands


def _print_version(wanted: bool) -> None:
    if wanted:
        print(VERSION)
        raise typer.Exit


def _group(text: str, example: str) -> typer.Typer:
    return typer.Typer(
        help=text,
        epilog=f"Example: {example}",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Options before the name of a command; each acts by itself."""
