"""`newsextract demo`."""

from typing import Annotated

import typer

from newsextract.cli.options import pair


def demo(
    serve: Annotated[bool, typer.Option("--serve", help="Only serve the site, until Ctrl-C.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, metavar="N", help="The port on 127.0.0.1.")] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", "-s", metavar="NAME=VALUE", help="A setting of the crawl.")
    ] = None,
) -> None:
    """Serve the demonstration site on this machine and crawl it into articles.jsonl and newsextract.db here."""
    if serve:
        from newsextract.demo.__main__ import main as serve_site

        raise typer.Exit(serve_site(["--port", str(port)] if port else []))
    from newsextract.crawl.demo import crawl_demo

    raise typer.Exit(crawl_demo(port, **dict(pair(text, "--set") for text in setting or ())))
