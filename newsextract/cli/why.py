"""`newsextract why`: what became of a URL, and why."""

from typing import Annotated

import typer

from newsextract.cli.options import Database, open_store
from newsextract.errors import NewsextractError
from newsextract.settings import NEWSEXTRACT_DATABASE_URL
from newsextract.text import say

Url = Annotated[str, typer.Argument(metavar="URL", help="The URL, as fetched or canonical.")]
Other = Annotated[str | None, typer.Argument(metavar="[URL]", help="Another article: show what both have in common.")]


def why(url: Url, other: Other = None, database: Database = NEWSEXTRACT_DATABASE_URL) -> None:
    """Show whether a URL was seen, where it was found, when it was fetched, and with what result.

    With two URLs, show which terms put the two articles into one story, or why they aren't in one.
    """
    if other is not None:
        from newsextract.cli.stories import print_comparison

        print_comparison(database, (url, other), None, "table")
        return
    from newsextract.health.refusals import is_wall
    from newsextract.reasons import label_of
    from newsextract.store.frontier import find_url

    with open_store(database) as store:
        row = store.read(find_url, url)
        article = store.article(url)
    if row is None:
        raise NewsextractError(f"{url} is unknown: no page, feed or sitemap that was crawled links to it")
    found_on = row.referrer or "the command line"
    fetched = f"{row.last_fetched:%Y-%m-%d %H:%M:%S} UTC, HTTP {row.status}" if row.last_fetched else "never"
    retracted = "" if article is None or article.is_article else ", retracted: it isn't an article"
    say(f"     state  {row.state}{f': {row.reason} ({label_of(row.reason)})' if row.reason else ''}")
    say(f"first seen  {row.first_seen:%Y-%m-%d %H:%M:%S} UTC on {found_on}")
    say(f" link text  {row.anchor_text or 'none'}")
    say(f"   fetched  {fetched}")
    if row.next_due:
        refused = "refused for now, " if is_wall(row.reason) else ""
        say(f"  next try  {refused}{row.next_due:%Y-%m-%d %H:%M} UTC")
    say(f"   article  {f'{article.headline!r}, version {article.version}{retracted}' if article else 'none'}")
