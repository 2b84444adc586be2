"""`newsextract schema`: what a line of an export promises."""

import json
from typing import Annotated

import typer

from newsextract.errors import WrongCall

FORMATS = ("json", "markdown")

Format = Annotated[str, typer.Option("--format", metavar="NAME", help=f"One of {', '.join(FORMATS)}.")]


def schema(form: Format = "json") -> None:
    """Print the fields of an article with types and meanings, as JSON Schema or Markdown."""
    from newsextract.article_schema import json_schema, schema_page

    if form not in FORMATS:
        raise WrongCall(f"--format {form!r} isn't one of {', '.join(FORMATS)}")
    print(json.dumps(json_schema(), indent=2) if form == "json" else schema_page(), end="\n" if form == "json" else "")
