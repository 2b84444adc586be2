"""Decisions about stories that a person makes: merge, split, keep. No update and no rebuild undoes them."""

from collections.abc import Sequence

from sqlalchemy import Connection, select, update

from newsextract.errors import NewsextractError, WrongCall
from newsextract.store.engine import rows_in
from newsextract.store.lookup import ids_of
from newsextract.store.schema import stories, story_articles, story_progress
from newsextract.stories.update import lock, merge_rows, write_changes

#: Digits of an id.
MAX_DIGITS = 18


def find_story(connection: Connection, name: str) -> int:
    """The current story with this id, or of the article at this URL. Raises NewsextractError if there is none."""
    if name.isascii() and name.isdigit() and len(name) <= MAX_DIGITS:
        row = connection.execute(select(stories.c.id, stories.c.merged_into).where(stories.c.id == int(name))).first()
        if row is None:
            raise NewsextractError(f"there is no story {name}; newsextract stories lists them")
        return int(row.merged_into or row.id)
    query = select(story_articles.c.story).where(story_articles.c.article.in_(ids_of(name)))
    story = connection.execute(query).scalar()
    if story is None:
        raise NewsextractError(f"{name} is in no story; newsextract stories updates them")
    return int(story)


def keep(connection: Connection, story: int) -> None:
    """Keeps a story as it is: it is never merged by itself, and a rebuild leaves its articles in it."""
    _, change = lock(connection)
    connection.execute(update(stories).where(stories.c.id == story).values(kept=True))
    record(connection, {story: "grown"}, change)


def merge(connection: Connection, names: Sequence[int]) -> int:
    """Makes one story of several and keeps it; returns its id, that of the oldest."""
    _, change = lock(connection)
    into, *others = sorted(set(names))
    if not others:
        raise WrongCall("these are one story already; name another one to merge it with")
    for story in others:
        merge_rows(connection, story, into)
    connection.execute(update(stories).where(stories.c.id == into).values(kept=True))
    record(connection, dict.fromkeys((into, *others), "merged"), change)
    return into


def split(connection: Connection, urls: Sequence[str]) -> int:
    """Makes a story of some articles of one, with their copies, and keeps both; returns the id of the new one."""
    _, change = lock(connection)
    ids = {number for url in urls for number in connection.scalars(ids_of(url))}
    columns = select(story_articles.c.article, story_articles.c.story)
    rows = [*rows_in(connection, columns, story_articles.c.article, ids)]
    of_stories = {row.story for row in rows}
    if len(of_stories) != 1:
        raise WrongCall("name articles of one story by their URLs; newsextract stories show ID lists them")
    [story] = of_stories
    size = len(connection.scalars(select(story_articles.c.article).where(story_articles.c.story == story)).all())
    free = [row.article for row in rows if row.article != story]
    if not free or len(rows) == size:
        raise WrongCall(f"the article that began story {story} stays in it, and another one must be named to leave it")
    new: int | None = next((each for each in sorted(free) if not is_story(connection, each)), None)
    if new is None:
        raise WrongCall("each of these articles once began a story that was merged; name one more article")
    moved = story_articles.c.article.in_(free)
    connection.execute(update(story_articles).where(moved).values(story=new))
    record(connection, {story: "split", new: "new"}, change)
    connection.execute(update(stories).where(stories.c.id.in_([story, new])).values(kept=True))
    return new


def is_story(connection: Connection, number: int) -> bool:
    """Whether the article with this id began a story, perhaps one that is part of another one now."""
    return connection.execute(select(stories.c.id).where(stories.c.id == number)).first() is not None


def record(connection: Connection, kinds: dict[int, str], change: int) -> None:
    """Records what happened to stories, after the last change of one."""
    changed = write_changes(connection, kinds, change)
    connection.execute(update(story_progress).values(story_change=change + len(changed)))
