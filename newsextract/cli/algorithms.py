"""`newsextract algorithms`."""

from rich.table import Table

from newsextract.cli.terminal import results


def algorithms() -> None:
    """The extractors that `--extractor` and NEWSEXTRACT_EXTRACTOR know, with their papers and what they reach here."""
    from newsextract.algorithms import EXTRACTORS
    from newsextract.bench.table import measured

    figures = measured()
    table = Table("name", "paper", "needs a peer", "mean F", "sets", box=None, pad_edge=False, header_style="bold")
    for name, extractor in EXTRACTORS.items():
        figure, sets = figures.get(name, (0.0, 0))
        known = (f"{figure:.3f}", str(sets)) if sets else ("–", "–")
        table.add_row(name, extractor.paper, "yes" if extractor.needs_peer else "no", *known)
    results().print(table)
