"""Rich consoles: results go to stdout, messages and progress to stderr."""

from rich.console import Console

#: Columns of a table in a file or a pipe, where nothing may be cut.
PIPE_WIDTH = 240


def results(width: int = PIPE_WIDTH) -> Console:
    """The console for tables on stdout; plain text and JSON are printed without it. `width`: columns in a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=width)


def messages() -> Console:
    """The console for progress and messages."""
    return Console(stderr=True, highlight=False, soft_wrap=True)
