"""The two streams: results on stdout, everything said about them on stderr."""

from rich.console import Console

#: Columns of a table that goes to a file or a pipe, where nothing may be cut.
WIDE = 240


def results() -> Console:
    """For tables on stdout; what is only text or JSON is printed as it is."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=WIDE)


def messages() -> Console:
    """For progress and remarks."""
    return Console(stderr=True, highlight=False, soft_wrap=True)
