"""The commands as one program, and `main`, which turns errors into one sentence and an exit status."""

import gc
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer

from newsextract.cli.commands import COMMANDS, Command, checked_words
from newsextract.errors import NewsextractError, WrongCall, WrongSetting
from newsextract.project import project_settings
from newsextract.text import say
from newsextract.version import VERSION

TEXT = """Crawls news sites and keeps clean, dated, deduplicated articles.

A site: newsextract crawl https://example.org/

One page: newsextract extract https://example.org/story

What was crawled: newsextract status, export, browse; why a page is missing: newsextract why URL.

The documentation is the folder docs/ of the source, beginning with docs/index.md.
"""


def main() -> NoReturn:
    """Runs the command in `sys.argv` and exits with its status."""
    gc.set_threshold(50_000, 20, 20)  # imports create many objects and no garbage: a short command takes a tenth less
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        _run_command()
    except NewsextractError as error:
        say(f"newsextract: {error}", err=True)
        sys.exit(error.exit_status)
    except OverflowError as error:  # SQLite's whole numbers have 64 bits
        say(f"newsextract: a number is too large: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader has closed the pipe
        _drop_output()
        sys.exit(1)
    except OSError as error:  # disk full, too many open files
        what = f"{error.filename} can't be used" if error.filename else "the output can't be written"
        say(f"newsextract: {what}: {error.strerror or error}", err=True)
        _drop_output()
        sys.exit(1)
    sys.exit(0)


def _run_command() -> None:
    if not sys.stdout:  # None if the caller has closed it
        raise WrongCall("standard output is closed; send unwanted results to /dev/null")
    if not sys.stdin:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    with suppress(WrongSetting):  # a command that needs the file reports it
        project_settings()  # its time zone is that of dates on the command line
    try:
        command(sys.argv[1:2])(checked_words(sys.argv[1:]), prog_name="newsextract")
    finally:
        sys.stdout.flush()


def _drop_output() -> None:
    """Discards pending output, which Python would otherwise try to write at exit, failing with a traceback."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def command(first_words: Sequence[str] = ()) -> typer.Typer:
    """The command line: all commands, or only the one that the first word names, so that the others aren't imported."""
    called = {row.name for row in COMMANDS} & {*first_words}
    commands = command_group(TEXT, "newsextract demo")
    commands.callback(help=TEXT)(_options)
    for row in COMMANDS:
        if called and row.name not in called:
            continue
        if row.commands:
            group = command_group(row.help, row.example)
            add_commands(group, row.commands)
            commands.add_typer(group, name=row.name)
        else:
            add_commands(commands, [row])
    return commands


def add_commands(group: typer.Typer, rows: Sequence[Command], package: str = "newsextract.cli") -> None:
    """Imports the functions of these commands from the package, and adds them to a group."""

    def load(target: str) -> Any:
        module, _, name = target.partition(":")
        return getattr(import_module(f"{package}.{module}"), name)

    for row in rows:
        kind = load(row.kind) if row.kind else None
        group.command(row.name, cls=kind, epilog=f"Example: {row.example}", no_args_is_help=False)(load(row.target))


def _print_version(wanted: bool) -> None:
    if wanted:
        say(VERSION)
        raise typer.Exit


def command_group(text: str, example: str) -> typer.Typer:
    """A program or a group of commands, with its help and an example."""
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
    """Options before the command's name; each acts by itself."""
