"""Which commands there are, and the one place where an error becomes a sentence and an exit status."""

import io
import sys
from typing import Annotated, NoReturn

import typer

from newsextract.cli import (
    algorithms,
    bench,
    browse,
    cluster,
    crawl,
    db,
    demo,
    export,
    extract,
    ledger,
    reextract,
    report,
    train,
)
from newsextract.errors import NewsextractError
from newsextract.version import VERSION

TEXT = "Crawls news sites and keeps clean, dated, deduplicated articles."
#: Command, and an example for its help.
COMMANDS = (
    (demo.demo, "newsextract demo"),
    (extract.extract, "newsextract extract story.html --format json"),
    (report.report, "newsextract report story.html -o report.html"),
    (export.export, "newsextract export --cursor-file read.txt > new.jsonl"),
    (browse.browse, "newsextract browse"),
    (cluster.cluster, "newsextract cluster warc.paths.gz -o news --workers 8"),
    (reextract.reextract, "newsextract reextract --pages pages --extractor fusion"),
    (crawl.crawl, "newsextract crawl sites.toml"),
    (ledger.status, "newsextract status"),
    (ledger.history, "newsextract history https://example.org/story"),
    (ledger.why, "newsextract why https://example.org/story"),
    (algorithms.algorithms, "newsextract algorithms"),
)
DB_COMMANDS = (
    (ledger.forget, "newsextract db forget https://example.org/story"),
    (db.copy, "newsextract db copy sqlite:///news.db postgresql:///news"),
    (db.upgrade, "newsextract db upgrade"),
    (db.check, "newsextract db check"),
    (db.sizes, "newsextract db sizes"),
    (db.duplicates, "newsextract db duplicates"),
)
BENCH_COMMANDS = (
    (bench.run, "newsextract bench run corpora/mine --extractor econ,cetd"),
    (bench.compare, "newsextract bench compare before.json after.json"),
    (bench.against, "newsextract bench against corpora/mine --convention auto"),
    (bench.conventions, "newsextract bench conventions corpora/mine"),
    (bench.page, "newsextract bench page corpora/mine/0042 -e econ"),
    (bench.gate, "newsextract bench gate"),
    (bench.table, "newsextract bench table docs"),
    (bench.warc, "newsextract bench warc corpora/mine -o mine.warc.gz"),
    (bench.metadata, "newsextract bench metadata corpora/mine"),
    (bench.fit, "newsextract bench fit headline corpora/mine -o headline.json"),
    (train.train, "newsextract bench train corpora/mine -o weights.json"),
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
    """The whole command line."""
    whole = _group(TEXT, "newsextract demo")
    whole.callback(help=TEXT)(_options)
    measures = _group("Measures extractors on pages whose right text is known.", "newsextract bench run corpora/mine")
    database = _group("Looks after a database.", "newsextract db check")
    for group, rows in ((whole, COMMANDS), (measures, BENCH_COMMANDS), (database, DB_COMMANDS)):
        for function, example in rows:
            group.command(epilog=f"Example: {example}", no_args_is_help=False)(function)
    whole.add_typer(measures, name="bench")
    whole.add_typer(database, name="db")
    return whole


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
    """What stands before a command's name; each option acts by itself."""
