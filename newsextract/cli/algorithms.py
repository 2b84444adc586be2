"""`newsextract algorithms`."""

from rich.table import Table

from newsextract.cli.terminal import results


def algorithms() -> None:
    """The extractors that `--extractor` and NEWSEXTRACT_EXTRACTOR know, with their papers."""
    from newsextract.algorithms import EXTRACTORS

    table = Table("name", "paper", "needs a peer", box=None, pad_edge=False, header_style="bold")
    for name, extractor in EXTRACTORS.items():
        table.add_row(name, extractor.paper, "yes" if extractor.needs_peer else "no")
    results().print(table)
