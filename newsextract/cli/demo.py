"""`newsextract demo`."""

from typing import Annotated

import typer


def demo(
    serve: Annotated[bool, typer.Option("--serve", help="Only serve the site, until Ctrl-C.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port on 127.0.0.1.")] = None,
) -> None:
    """Serve the demonstration site on this machine and crawl it into articles.jsonl and newsextract.db here."""
