"""Progress bar of work that is done page by page; shown on terminals only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def progress_bar(console: Console | None, total: int) -> Iterator[Callable[[str], None]]:
    """Gives a function to call after each page, with the name of what is being worked on."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    shown = console is not None and console.is_terminal
    with Progress(*columns, console=console, disable=not shown, transient=True) as progress:
        bar = progress.add_task("pages", total=total)
        yield lambda name: progress.update(bar, advance=1, description=name)
