"""Tables on stdout, progress on stderr. Rich is imported only when it is needed.

Rich's markup is off, because names, URLs and lines of pages may contain brackets and colons.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from newsextract.text import printable

if TYPE_CHECKING:
    from rich.console import Console

#: Width of a table in a file or pipe, where nothing may be cut.
PIPE_WIDTH = 240


def results(width: int = PIPE_WIDTH) -> "Console":
    """The console for tables on stdout, `width` columns wide in a file or pipe."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else width, highlight=False, markup=False, emoji=False)


@contextmanager
def progress_bars() -> Iterator[Callable[..., None]]:
    """Progress bars on stderr that disappear at the end; none outside a terminal: `update(step, done, total, note)`."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:>8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bars: dict[str, TaskID] = {}

        def update(step: str, done: int, total: int, note: str = "") -> None:
            if step not in bars:
                bars[step] = progress.add_task(step, note="")
            progress.update(bars[step], completed=done, total=total, note=note)

        yield update


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    numbers: Collection[str] = (),
    width: int = PIPE_WIDTH,
    *,
    boxed: bool = False,
) -> None:
    """Prints a table on stdout. Long cells are folded; columns in `numbers` are right-aligned."""
    from rich.table import Table

    table = Table() if boxed else Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(printable(str(cell)) for cell in row))
    results(width).print(table)
