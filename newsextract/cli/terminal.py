"""Rich consoles: results go to stdout, messages and progress to stderr."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

#: Columns of a table in a file or a pipe, where nothing may be cut.
PIPE_WIDTH = 240
#: Rows from which on `print_rows` prints no table.
MANY_ROWS = 100


def results(width: int = PIPE_WIDTH) -> Console:
    """The console for tables on stdout; plain text and JSON are printed without it. `width`: columns in a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=width)


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str], width: int) -> None:
    """Prints rows under their columns on stdout, those of `numbers` to the right; no cell is cut.

    Few rows are a table of at most `width` columns, with cells folded; many are lines as long as they come, because
    rich takes milliseconds for each row.
    """
    if len(rows) <= MANY_ROWS:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in columns:
            table.add_column(name, overflow="fold", justify="right" if name in numbers else "left")
        for row in rows:
            table.add_row(*row)
        results(width).print(table)
        return
    widths = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        cells = []
        for name, cell, size in zip(columns, row, widths, strict=True):
            space = " " * (size - cell_len(cell))
            cells.append(space + cell if name in numbers else cell + space)
        print(" ".join(cells).rstrip())


def messages() -> Console:
    """The console for progress and messages."""
    return Console(stderr=True, highlight=False, soft_wrap=True)
