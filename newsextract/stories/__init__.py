"""Stories: the articles of one event across sites.

`StoryTracker` needs no database; `update` keeps the stories of a crawl's database, `read` reads them, `by_hand` changes
them. The module itself can be called, as `newsextract.stories(database)`, and then gives the stories of a database.
"""

import sys
import typing
from collections.abc import Sequence
from datetime import date, timedelta
from types import ModuleType

from newsextract.stories.tracker import Story, StoryTracker

if typing.TYPE_CHECKING:
    from newsextract.stories.read import Order, StoredStory

__all__ = ["Story", "StoryTracker", "stories"]


def stories(
    database: str,
    *,
    since: date | None = None,
    until: date | None = None,
    sites: Sequence[str] = (),
    languages: Sequence[str] = (),
    min_sites: int = 1,
    by: "Order" = "sites",
    limit: int | None = None,
) -> "list[StoredStory]":
    """The stories of a crawl that had an article from one day to another; they are brought up to date first.

    `database`: its URL, or an SQLite file. Raises WrongCall for an invalid option, DatabaseError for an unusable
    database.
    """
    from newsextract.days import beginning_of
    from newsextract.store import Store  # loads SQLAlchemy: StoryTracker needs no database
    from newsextract.stories.read import list_stories
    from newsextract.stories.update import update_stories

    first, after = since and beginning_of(since), until and beginning_of(until + timedelta(days=1))
    with Store.open(database, must_exist=True) as store:
        update_stories(store, database)
        filters = {"since": first, "until": after, "sites": sites, "languages": languages}
        return store.read(list_stories, **filters, min_sites=min_sites, by=by, limit=limit)  # type: ignore[arg-type]


class _Callable(ModuleType):
    """This module, which has the name of its function."""

    __call__ = staticmethod(stories)


sys.modules[__name__].__class__ = _Callable
#: `newsextract.stories` is the module, however it was imported.
globals()["stories"] = sys.modules[__name__]
