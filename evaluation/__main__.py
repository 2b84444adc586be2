"""`scripts/bench NAME [options]`: scores of extractors on corpora, training, and benchmarks of speed and durability."""

import io
import sys
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple, NoReturn

import typer

from newsextract.errors import NewsextractError, WrongCall


class Command(NamedTuple):
    """A command's name, the function that runs it (MODULE:FUNCTION), its help in one line, and an example."""

    name: str
    target: str
    summary: str
    example: str


COMMANDS = (
    Command("run", "commands:run", "Scores and times of extractors on corpora.", "run mine --extractor econ,cetd"),
    Command("compare", "commands:compare", "Differences of two results, with intervals.", "compare old.json new.json"),
    Command("against", "commands:against", "One extractor against others, with intervals.", "against mine"),
    Command(
        "page", "commands:page", "One page: what is lost of the gold, and what is too much.", "page mine/0042 -e econ"
    ),
    Command("gate", "commands:gate", "Check that no score is below its pinned floor.", "gate --sample 12"),
    Command("table", "commands:table", "Write the pages about extractors from the committed results.", "table"),
    Command("metadata", "commands:metadata", "Scores of headline, date, authors and page type.", "metadata mine"),
    Command("train", "commands:train", "Train the default extractor's weights.", "train mine -o weights.json"),
    Command(
        "train-sites",
        "commands:train_sites",
        "Train the weights of site profiles.",
        "train-sites saved/one saved/two --folds folds -o weights.json",
    ),
    Command("fit", "commands:fit", "Fit the weights of headline or page type.", "fit headline mine -o headline.json"),
    Command("cost", "cost:main", "Check that an article costs no more than its ceiling.", "cost --rounds 1"),
    Command("crawl", "crawling.crawl_speed:main", "Speed of a crawl beside a bare Scrapy spider.", "crawl --rounds 1"),
    Command(
        "sites", "crawling.sites:sites", "Crawls of whole saved sites, scored.", "sites saved/one saved/two.tar.xz"
    ),
    Command("kill", "crawling.kill:main", "Crawls killed at random: nothing lost or doubled.", "kill --kills 10"),
    Command("workers", "crawling.workers:main", "Many crawl workers on one PostgreSQL.", "workers --workers 1,2"),
    Command("cluster", "cluster:main", "Extraction of archives on a Dask cluster.", "cluster --pages 895"),
)


def main() -> NoReturn:
    """Runs the command of `sys.argv` and ends the process with its status: 0, 1 (failed) or 2 (wrong call)."""
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
    """The command line. Only the command that is called is imported: some need Scrapy, PostgreSQL or Dask.

    Raises WrongCall if the first word is neither a command nor a request for help.
    """
    names = [command.name for command in COMMANDS]
    if not set(first_words) <= {*names, "-h", "--help"}:
        raise WrongCall(f"no benchmark {first_words[0]!r}; known are {', '.join(names)}")
    app = typer.Typer(
        help="Scores of extractors on corpora, training, and benchmarks of speed and durability (evaluation/).",
        epilog="Example: scripts/bench run --help",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for command in COMMANDS:
        function = load(command) if command.name in first_words else _not_loaded
        app.command(command.name, help=command.summary, epilog=f"Example: scripts/bench {command.example}")(function)
    return app


def load(command: Command) -> Callable[..., None]:
    """Imports the function of a command."""
    module, _, name = command.target.partition(":")
    function: Callable[..., None] = getattr(import_module(f"evaluation.{module}"), name)
    return function


def _not_loaded() -> None:
    """Stands for a command that is listed but not called."""


if __name__ == "__main__":
    main()
