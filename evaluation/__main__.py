"""`scripts/bench NAME [options]`: scores of extractors on corpora, training, and benchmarks of speed and durability."""

import io
import sys
from typing import NoReturn

import typer

from newsextract.cli.app import add_commands, command_group
from newsextract.cli.commands import Command
from newsextract.errors import NewsextractError, WrongCall

TEXT = "Scores of extractors on corpora, training, and benchmarks of speed and durability (evaluation/)."
COMMANDS = (
    Command("run", "commands:run", "scripts/bench run mine --extractor econ,cetd"),
    Command("compare", "commands:compare", "scripts/bench compare old.json new.json"),
    Command("against", "commands:against", "scripts/bench against mine"),
    Command("gate", "commands:gate", "scripts/bench gate --sample 12"),
    Command("grafts", "grafts:main", "scripts/bench grafts --workers 2"),
    Command("table", "commands:table", "scripts/bench table"),
    Command("metadata", "commands:metadata", "scripts/bench metadata mine"),
    Command("train", "commands:train", "scripts/bench train mine -o weights.json"),
    Command("train-sites", "commands:train_sites", "scripts/bench train-sites saved/one --folds folds -o weights.json"),
    Command("fit", "commands:fit", "scripts/bench fit headline mine -o headline.json"),
    Command("cost", "cost:main", "scripts/bench cost --rounds 1"),
    Command("lists", "lists:main", "scripts/bench lists --urls 50000,200000"),
    Command("stories", "stories:main", "scripts/bench stories FOLDER"),
    Command("fuzz", "fuzz:main", "scripts/bench fuzz --seconds 20"),
    Command("growth", "growth.command:main", "scripts/bench growth --sample 20"),
    Command("crawl", "crawling.crawl_speed:main", "scripts/bench crawl --rounds 1"),
    Command("sites", "crawling.sites:sites", "scripts/bench sites saved/one saved/two.tar.xz"),
    Command("kill", "crawling.kill:main", "scripts/bench kill --kills 10"),
    Command("workers", "crawling.workers:main", "scripts/bench workers --workers 1,2"),
    Command("cluster", "cluster:main", "scripts/bench cluster --pages 895"),
)


def main() -> NoReturn:
    """Runs the command in `sys.argv` and exits with its status: 0, 1 (failed) or 2 (wrong call)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        application(sys.argv[1:2])(prog_name="scripts/bench")
    except NewsextractError as error:
        print(f"scripts/bench: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    sys.exit(0)


def application(first_words: list[str]) -> typer.Typer:
    """The command line. Where a command is called, only that one is imported.

    Raises WrongCall if the first word is neither a command nor a request for help.
    """
    names = [command.name for command in COMMANDS]
    if not set(first_words) <= {*names, "-h", "--help"}:
        raise WrongCall(f"no benchmark {first_words[0]!r}; known are {', '.join(names)}")
    app = command_group(TEXT, "scripts/bench run --help")
    app.callback(help=TEXT)(lambda: None)  # without one, typer takes a single command for the whole program
    called = {*names}.intersection(first_words) or names
    add_commands(app, [command for command in COMMANDS if command.name in called], "evaluation")
    return app


if __name__ == "__main__":
    main()
