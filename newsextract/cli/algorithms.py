"""`newsextract algorithms`."""

import json
from importlib.resources import files

from rich.table import Table

from newsextract.cli.terminal import results

#: Extractor -> [mean F, number of sets]: what docs/ALGORITHMS.md has, written by `scripts/bench table`.
FIGURES = "figures.json"


def algorithms() -> None:
    """The extractors that `--extractor` and NEWSEXTRACT_EXTRACTOR know, with their papers and what they reach here."""
    from newsextract.extractors import EXTRACTORS

    figures = json.loads(files("newsextract.extractors").joinpath(FIGURES).read_text("utf-8"))
    table = Table("name", "paper", "needs a peer", "mean F", "sets", box=None, pad_edge=False, header_style="bold")
    for name, extractor in EXTRACTORS.items():
        figure, sets = figures.get(name, (0.0, 0))
        known = (f"{figure:.3f}", str(sets)) if sets else ("–", "–")
        table.add_row(name, extractor.paper, "yes" if extractor.needs_peer else "no", *known)
    results().print(table)
