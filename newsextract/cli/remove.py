"""`newsextract db remove`: articles and sites that go for good."""

import sys
from typing import Annotated

import typer

from newsextract.cli.options import Database, open_store
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, say


def remove(
    url: Annotated[str, typer.Argument(metavar="URL|SITE", help="The URL of an article, or the name of a site.")],
    database: Database = NEWSEXTRACT_DATABASE_URL,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask before removing a whole site.")] = False,
) -> None:
    """Remove an article or a whole site for good. It is not fetched again. For a whole site it asks first."""
    from newsextract.health.chosen_sites import sites_named
    from newsextract.store.admin import remove_articles
    from newsextract.store.lookup import count_articles_of_site

    with open_store(database, read_only=False) as store:
        names = store.read(sites_named, [url]) if "/" not in url else (url,)
        if not yes and (count := sum(store.read(count_articles_of_site, name) for name in names)):
            loss = f"{counted(count, 'article')} of {url} and all their versions would go for good from {store.name}"
            if not sys.stdin.isatty():
                raise WrongCall(f"{loss}; --yes does it")
            typer.confirm(f"{loss}. Remove them?", abort=True, err=True)
        removed = [store.write(remove_articles, name) for name in names]
        articles, urls = map(sum, zip(*removed, strict=True))
    if not articles and not urls:
        raise NewsextractError(f"{url} is not in {store.name}")
    say(f"articles removed: {articles}; URLs: {urls}", err=True)
