"""What commands print: tables on stdout, messages and progress on stderr. Rich is imported when it is needed.

Consoles take texts as they are: what stands in brackets or between colons is no markup, because names, addresses and
lines of pages are printed.
"""

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

#: Columns of a table in a file or a pipe, where nothing may be cut.
PIPE_WIDTH = 240
#: More rows than these are lines of any length in `print_rows`.
MANY_ROWS = 100
#: No column is made narrower than this.
NARROWEST = 12


def results() -> "Console":
    """The console for tables on stdout; plain text and JSON are printed without it."""
    return _console(None if sys.stdout.isatty() else PIPE_WIDTH)


def messages() -> "Console":
    """The console for progress and messages."""
    return _console(None, stderr=True)


def _console(width: int | None, *, stderr: bool = False) -> "Console":
    from rich.console import Console

    return Console(width=width, stderr=stderr, soft_wrap=stderr, highlight=False, markup=False, emoji=False)


@contextmanager
def progress_bars() -> Iterator[Callable[..., None]]:
    """Bars on stderr that go at the end, none where that isn't a terminal: `update(step, done, total, note)`."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:>8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    console = messages()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bars: dict[str, TaskID] = {}

        def update(step: str, done: int, total: int, note: str = "") -> None:
            if step not in bars:
                bars[step] = progress.add_task(step, note="")
            progress.update(bars[step], completed=done, total=total, note=note)

        yield update


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str], width: int) -> None:
    """Prints rows under their columns on stdout, those of `numbers` to the right; no cell is cut.

    Few rows are at most as wide as the terminal, in a file or a pipe `width` columns, with long cells folded; many are
    lines as long as they come. Rich's tables look alike, but take a tenth of a second to be imported.
    """
    from rich.cells import cell_len

    widths = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    if len(rows) <= MANY_ROWS:
        limit = shutil.get_terminal_size().columns if sys.stdout.isatty() else width
        widths = _narrowed(widths, limit - len(widths) + 1)
    for row in (columns, *rows):
        for line in zip_longest(*map(_folded, row, widths), fillvalue=""):
            cells = []
            for name, cell, size in zip(columns, line, widths, strict=True):
                space = " " * (size - cell_len(cell))
                cells.append(space + cell if name in numbers else cell + space)
            print(" ".join(cells).rstrip())


def _narrowed(widths: Sequence[int], limit: int) -> list[int]:
    """The widths of columns, the widest ones made narrower until all together fit."""
    narrow = list(widths)
    while sum(narrow) > limit and max(narrow) > NARROWEST:
        narrow[narrow.index(max(narrow))] -= 1
    return narrow


def _folded(cell: str, width: int) -> list[str]:
    """The lines of a cell: folded between words where it has ASCII characters only, else anywhere."""
    from rich.cells import cell_len, chop_cells

    if cell_len(cell) <= width:
        return [cell]
    return textwrap.wrap(cell, width, break_on_hyphens=False) if cell.isascii() else chop_cells(cell, width)
