"""Takes over decisions about stories that were made by hand in a merged database: these articles are one story.

The other database's ids mean nothing here, so a story is what its articles are. Decisions that were made here stay.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Select, select, update

from newsextract.store.engine import rows_in
from newsextract.store.schema import stories, story_articles
from newsextract.stories.by_hand import is_story, record
from newsextract.stories.update import lock, merge_rows

#: For the stories that were decided by hand, their articles.
KeptStories = Mapping[int, Sequence[int]]


@dataclass
class TakenOver:
    """How many of the other database's decisions hold here now, and how many stories were decided otherwise here."""

    held: int = 0
    otherwise: int = 0


def kept_stories(connection: Connection) -> KeptStories:
    """The articles of each story that was decided by hand, by the story's id."""
    kept = defaultdict[int, list[int]](list)
    columns = select(story_articles.c.article, story_articles.c.story).order_by(story_articles.c.article)
    for row in rows_in(connection, columns, story_articles.c.story, connection.scalars(_decided())):
        kept[row.story].append(row.article)
    return dict(sorted(kept.items()))


def _decided() -> Select[int]:
    return select(stories.c.id).where(stories.c.kept, stories.c.merged_into.is_(None))


def take_over(connection: Connection, kept: KeptStories, here: Mapping[int, int]) -> TakenOver:
    """Decides here as the other database did. `here`: the ids here of its articles.

    Articles that are in a story which was decided here stay in it, and the others of their story there join it.
    """
    _, change = lock(connection)
    own = set(connection.scalars(_decided()))
    result, kinds, taken = TakenOver(), dict[int, str](), set[int]()
    columns = select(story_articles.c.article, story_articles.c.story)
    for number, ids in kept.items():
        wanted = {here[one] for one in ids if one in here}
        present = {row.article: row.story for row in rows_in(connection, columns, story_articles.c.article, wanted)}
        decided = Counter(story for story in present.values() if story in own)
        free = {article: story for article, story in present.items() if story not in own}
        if not present:
            continue
        into = max(decided, key=lambda story: decided[story]) if decided else _story_of(connection, here, number, free)
        is_otherwise = len(decided) > 1 or into in taken
        result.otherwise += is_otherwise
        result.held += not is_otherwise
        taken.add(into)
        kinds |= _move(connection, free, into)
        if into not in own and not _is_kept(connection, into):
            kinds.setdefault(into, "grown")
    record(connection, kinds, change)
    connection.execute(update(stories).where(stories.c.id.in_(taken)).values(kept=True))
    return result


def _story_of(connection: Connection, here: Mapping[int, int], number: int, free: Mapping[int, int]) -> int:
    """The story that gets these articles: the one that the same article began, one of theirs alone, or a new one."""
    began, present = here.get(number, 0), Counter(free.values())
    if began in present:
        return began
    if whole := [story for story, count in present.items() if count == len(_articles(connection, story))]:
        return min(whole)
    new = (one for one in (began, *sorted(free)) if one in free and not is_story(connection, one))
    return next(new, None) or max(present, key=lambda story: present[story])


def _move(connection: Connection, free: Mapping[int, int], into: int) -> dict[int, str]:
    """Moves articles into a story; returns what happened to it and to those that they were in."""
    kinds: dict[int, str] = {}
    for story in set(free.values()) - {into}:
        moved = [article for article, present in free.items() if present == story]
        if len(moved) == len(_articles(connection, story)):
            merge_rows(connection, story, into)
            kinds[story] = kinds[into] = "merged"
            continue
        kinds[story] = "split"
        kinds.setdefault(into, "grown")
        connection.execute(update(story_articles).where(story_articles.c.article.in_(moved)).values(story=into))
    return kinds


def _articles(connection: Connection, story: int) -> Collection[int]:
    return connection.scalars(select(story_articles.c.article).where(story_articles.c.story == story)).all()


def _is_kept(connection: Connection, story: int) -> bool:
    return bool(connection.execute(select(stories.c.kept).where(stories.c.id == story)).scalar())
