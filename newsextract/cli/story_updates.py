"""Brings the stories of a database up to date, for the commands that read them."""

from pathlib import Path

from newsextract.cli.options import open_store
from newsextract.text import counted, say


def bring_up_to_date(database: str, index: Path | None = None, *, rebuild: bool = False) -> None:
    """Brings the stories of a database up to date, and says on stderr what has changed."""
    from newsextract.stories.rebuild import rebuild_stories
    from newsextract.stories.update import update_stories

    with open_store(database, read_only=False) as store:
        result = rebuild_stories(store, database, index) if rebuild else update_stories(store, database, index)
    if result.articles:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(result.stories.items()) if number)
        say(f"{counted(result.articles, 'article')} put into stories{f': {kinds}' if kinds else ''}", err=True)
