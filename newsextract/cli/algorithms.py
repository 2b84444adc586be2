"""`newsextract algorithms` and `schema`: the extractors with their scores, and what a line of an export promises."""

import json
from importlib.resources import files

from rich.table import Table

from newsextract.cli.terminal import results

#: File with extractor -> [mean F1, number of corpora]; written by `scripts/bench table`.
FIGURES = "figures.json"


def algorithms() -> None:
    """List the extractors for `--extractor` and NEWSEXTRACT_EXTRACTOR, with their papers and scores."""
    from newsextract.extractors import EXTRACTORS

    figures = json.loads(files("newsextract.extractors").joinpath(FIGURES).read_text("utf-8"))
    table = Table("name", "paper", "needs a peer", "mean F", "sets", box=None, pad_edge=False, header_style="bold")
    for name, extractor in EXTRACTORS.items():
        score, corpora = figures.get(name, (0.0, 0))
        cells = (f"{score:.3f}", str(corpora)) if corpora else ("–", "–")
        table.add_row(name, extractor.paper, "yes" if extractor.needs_peer else "no", *cells)
    results().print(table)


def schema() -> None:
    """Print the fields of an article with types and meanings, as JSON Schema."""
    from newsextract.article_schema import json_schema

    print(json.dumps(json_schema(), indent=2))
