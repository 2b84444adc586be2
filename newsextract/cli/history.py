"""`newsextract history`: the versions of an article."""

import difflib
from typing import Annotated

import typer

from newsextract.cli.options import Database, open_store
from newsextract.errors import NewsextractError
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import counted, say

Url = Annotated[str, typer.Argument(metavar="URL", help="The URL, as fetched or canonical.")]


def history(url: Url, database: Database = NEWSEXTRACT_DATABASE_URL) -> None:
    """Show the versions of an article, each as a diff from the one before, and when it was deleted or retracted."""
    from newsextract.store.corrections import corrections_at
    from newsextract.store.lookup import deletions, find_versions

    with open_store(database) as store:
        versions, deleted = store.read(find_versions, url), store.read(deletions, url)
        corrected = store.read(corrections_at, url)
    if not versions:
        raise NewsextractError(f"there is no article at {url} in {store.name}")
    before: list[str] = []
    for version in versions:
        lines = [version.headline or "", *version.article_body.splitlines()]
        name = f"version {version.version}, {version.fetched_at:%Y-%m-%d %H:%M} UTC" if version.fetched_at else ""
        if not version.is_article:
            say(f"{name}: retracted, it isn't an article: {version.not_article_because}")
        elif not before:
            say(f"{name}: {counted(len(lines), 'line')}\n{lines[0]}")
        elif lines == before:
            say(f"{name}: headline and text as before")
        else:
            say(*difflib.unified_diff(before, lines, "before", name, lineterm="", n=1))
        for one in corrected.get(version.version, ()):
            say(f"{one.sentence}, {one.at:%Y-%m-%d %H:%M} UTC")
        for at in (at for at, number in deleted if number == version.version):
            say(f"deleted, {at:%Y-%m-%d %H:%M} UTC: its URL was not found any more")
        before = lines
