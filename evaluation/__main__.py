"""`scripts/bench NAME`: quality of extractors on corpora, training of weights, speed and durability of crawls."""

import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import typer

from evaluation import command_train, commands
from newsextract.errors import NewsextractError

#: Command, and an example for its help.
COMMANDS = (
    (commands.run, "scripts/bench run corpora/mine --extractor econ,cetd"),
    (commands.compare, "scripts/bench compare before.json after.json"),
    (commands.against, "scripts/bench against corpora/mine --convention auto"),
    (commands.conventions, "scripts/bench conventions corpora/mine"),
    (commands.page, "scripts/bench page corpora/mine/0042 -e econ"),
    (commands.gate, "scripts/bench gate"),
    (commands.table, "scripts/bench table docs"),
    (commands.warc, "scripts/bench warc corpora/mine -o mine.warc.gz"),
    (commands.metadata, "scripts/bench metadata corpora/mine"),
    (commands.fit, "scripts/bench fit headline corpora/mine -o headline.json"),
    (command_train.train, "scripts/bench train corpora/mine -o weights.json"),
)
#: Benchmarks of speed and durability; each is a module of `evaluation.speed` with a `main`.
SPEED = ("cluster", "crawl", "duplicates", "extractors", "kill", "leasing", "minhash", "workers")


def main() -> NoReturn:
    """Runs the command of `sys.argv` and ends the process with its status."""
    try:
        command()(prog_name="scripts/bench")
    except NewsextractError as error:
        print(f"scripts/bench: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    sys.exit(0)


def command() -> typer.Typer:
    """All commands, with Scrapy and the store imported only by those that use them."""
    group = typer.Typer(
        help=__doc__,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for function, example in COMMANDS:
        group.command(epilog=f"Example: {example}")(function)
    present = {path.stem for path in (Path(__file__).parent / "speed").glob("*.py")}
    for name in SPEED:
        if name in present and name in sys.argv[1:2] + ([] if len(sys.argv) > 2 else list(SPEED)):
            module = import_module(f"evaluation.speed.{name}")
            group.command(name)(module.main)
    return group


if __name__ == "__main__":
    main()
