"""`newsextract db remove`: articles, sites and names of authors that go for good."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from newsextract.cli.options import Database, open_store, option
from newsextract.errors import NewsextractError, WrongCall
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, say

if TYPE_CHECKING:
    from newsextract.store import Store


def remove(
    url: Annotated[
        str,
        typer.Argument(metavar="URL|SITE", help="The URL of an article, or the name of a site.", show_default=False),
    ] = "",
    author: Annotated[str, option("NAME", "Instead, take an author's name out of all articles.")] = "",
    database: Database = NEWSEXTRACT_DATABASE_URL,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask before removing a whole site.")] = False,
) -> None:
    """Remove an article, a whole site or an author's name for good.

    An article's URL is not fetched again. For a whole site it asks first. Articles by an author stay, without the name.
    """
    if bool(url) == bool(author):
        raise WrongCall("give either the URL of an article, the name of a site, or --author NAME")
    if author:
        _take_name_out(author, database)
    else:
        _remove(url, database, yes=yes)


def _take_name_out(author: str, database: str) -> None:
    from newsextract.store.names import take_name_out

    with open_store(database, read_only=False) as store:
        taken, name = store.write(take_name_out, author), store.name
        _update_index(store, database)
    if not taken.articles and not taken.urls:
        say(f"no article in {name} is by {author}; none will have that name", err=True)
        return
    numbers = f"{counted(taken.articles, 'article')} ({counted(taken.versions, 'version')}); URLs: {taken.urls}"
    say(f"the name was taken out of {numbers}", err=True)


def _remove(url: str, database: str, *, yes: bool) -> None:
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
        _update_index(store, database)
    if not articles and not urls:
        raise NewsextractError(f"{url} is not in {store.name}")
    say(f"articles removed: {articles}; URLs: {urls}", err=True)


def _update_index(store: "Store", database: str) -> None:
    """Takes what was removed out of the index of `search` and `browse`, too, if there is one."""
    from newsextract.index.update import index_path, update_index

    if (index := index_path(database)).exists():
        update_index(store, database, index)
