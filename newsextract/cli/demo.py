"""`newsextract demo`."""

from pathlib import Path
from typing import Annotated

import typer

from newsextract.cli.options import Setting, flag, option, pairs
from newsextract.errors import WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import say


def demo(
    serve: Annotated[bool, flag("--serve", "Only serve the site, until Ctrl-C.")] = False,
    port: Annotated[int | None, option("N", "The port on 127.0.0.1.", min=1, max=65535)] = None,
    days: Annotated[
        int | None, option("N", "Only fill newsextract.db with N days of simulated crawls.", min=1, max=400)
    ] = None,
    setting: Setting = None,
) -> None:
    """Serve a demonstration site on this machine and crawl it into articles.jsonl and newsextract.db here."""
    if days is not None:
        from newsextract.demo.month import simulate
        from newsextract.store import Store

        path = Path(NEWSEXTRACT_DATABASE_URL.removeprefix("sqlite:///")).absolute()
        if path.exists():
            raise WrongCall(f"{path} exists: run simulated crawls in a folder without a database")
        with Store.open(NEWSEXTRACT_DATABASE_URL) as store:
            count = simulate(store, days)
        say(f"{count} articles of {days} simulated days in {path}; `newsextract browse` shows them", err=True)
    elif serve:
        from newsextract.demo.__main__ import main as serve_site

        raise typer.Exit(serve_site(["--port", str(port)] if port else []))
    else:
        from newsextract.runs.one_crawl import crawl_demo

        raise typer.Exit(crawl_demo(port, **pairs(setting)))
