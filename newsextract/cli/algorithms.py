"""`newsextract algorithms` and `schema`: the extractors with their scores, and the fields of an exported article."""

import json

from newsextract.cli.terminal import print_table
from newsextract.files import package_data
from newsextract.text import say


def algorithms() -> None:
    """List the extractors for `--extractor` and NEWSEXTRACT_EXTRACTOR, with their papers and scores."""
    from newsextract.extractors import EXTRACTORS

    # extractor -> mean F1 and number of corpora, written by `scripts/bench table`
    figures = package_data("newsextract.extractors", "figures.json")
    rows = []
    for name, extractor in EXTRACTORS.items():
        score, corpora = figures.get(name, (0.0, 0))
        cells = (f"{score:.3f}", corpora) if corpora else ("–", "–")
        rows.append((name, extractor.paper, "yes" if extractor.needs_peer else "no", *cells))
    print_table(("name", "paper", "needs a peer", "mean F", "sets"), rows)


def schema() -> None:
    """Print the fields of an article with types and meanings, as JSON Schema."""
    from newsextract.article.schema import json_schema

    say(json.dumps(json_schema(), indent=2))
