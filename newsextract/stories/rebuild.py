"""Makes all stories of a database anew, in order of time; a story that has most of an old one keeps its id."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

from newsextract.index.update import index_path
from newsextract.store import Store
from newsextract.store.changes import last_change
from newsextract.store.engine import RowValues, chunked, execute_many
from newsextract.store.histories import read_cursor
from newsextract.store.schema import articles, published_at, stories, story_articles, story_progress
from newsextract.stories.cache import Cache, open_cache
from newsextract.stories.similarity import WINDOW_DAYS
from newsextract.stories.tracker import StoryTracker
from newsextract.stories.update import (
    GROUP,
    Member,
    UpdateResult,
    articles_by_id,
    at_days,
    lock,
    number_of,
    report_of,
    stored_vector,
    write_changes,
)

#: The story of each article, by id, and when it appeared.
Members = dict[int, Member]


def rebuild_stories(store: Store, database: str, index: Path | None = None) -> UpdateResult:
    """Puts all articles into stories again, with the words of all of them known from the start of their group."""
    with open_cache(index_path(database, index), store.name) as cache:
        cache.load()
        with store.database.reading() as connection:
            until = last_change(connection)
            members = _cluster(connection, until, cache)
            cache.end_rebuild(until, read_cursor(connection, until).to_text())
        return store.write(_replace, members, until)


def _cluster(connection: Connection, until: int, cache: Cache) -> Members:
    cache.begin_rebuild()
    tracker, members, merged = StoryTracker(), Members(), dict[int, int]()
    cache.statistics = tracker.statistics
    query = select(articles.c.id).where(articles.c.change <= until, articles.c.change_kind != "retracted")
    ids = connection.scalars(query.order_by(published_at(articles), articles.c.id)).all()
    copies: list[tuple[int, int, float]] = []
    for at in range(0, len(ids), GROUP):
        group = sorted(
            ((report_of(each), each) for each in articles_by_id(connection, ids[at : at + GROUP])),
            key=lambda pair: (pair[0].moment, pair[1].id),
        )
        copies += [(each.id, each.original, report.moment) for report, each in group if each.original is not None]
        plain = [(report, each) for report, each in group if each.original is None]
        tracker.weigh([(report, each.article) for report, each in plain])
        cache.add_rebuilt((each.id, stored_vector(report, each.article)) for report, each in plain)
        tracker.place_all([report for report, _ in plain])
        tracker.settle([report for report, _ in plain])
        _take_over(tracker, members, merged)
        if plain:
            tracker.forget_before(plain[0][0].moment - WINDOW_DAYS)
    for article, member in members.items():
        number = member.story
        while number in merged:
            number = merged[number]
        members[article] = Member(number, member.moment)
    for article, original, moment in copies:
        members[article] = Member(members[original].story if original in members else article, moment)
    return members


def _take_over(tracker: StoryTracker, members: Members, merged: dict[int, int]) -> None:
    """Notes which articles came into another story, and which stories became part of others."""
    for story in tracker.merged:
        merged[number_of(story)] = number_of(story.current)
    tracker.merged.clear()
    for report in tracker.moved.values():
        assert report.story is not None and isinstance(report.id, int)
        members[report.id] = Member(number_of(report.story), report.moment)
        merged.pop(number_of(report.story), None)
    tracker.moved.clear()


def _replace(connection: Connection, members: Members, until: int) -> UpdateResult:
    """Replaces the members of all stories that aren't kept; ids by overlap."""
    _, change = lock(connection)
    old = {
        row.article: row.story for row in connection.execute(select(story_articles.c.article, story_articles.c.story))
    }
    kept = set(connection.scalars(select(stories.c.id).where(stories.c.kept)))
    present = {
        number
        for chunk in chunked(members)
        for number in connection.scalars(select(articles.c.id).where(articles.c.id.in_(chunk)))
    }
    fixed = {article: story for article, story in old.items() if story in kept}
    free = {a: member.story for a, member in members.items() if a in present and a not in fixed}
    names = _names(free, old, set(connection.scalars(select(stories.c.id))) | kept, kept)
    new = {article: names[story] for article, story in free.items()}
    changed = {story for article, story in new.items() if old.get(article) != story}
    changed |= {story for article, story in old.items() if article not in fixed and new.get(article) != story}
    connection.execute(
        delete(story_articles).where(story_articles.c.story.not_in(kept)) if kept else delete(story_articles)
    )
    rows: list[RowValues] = [
        {"article": a, "story": s, "at": at_days(members[a].moment)} for a, s in sorted(new.items())
    ]
    for chunk in chunked(rows):
        execute_many(connection, insert(story_articles), chunk)
    result = UpdateResult(len(members))
    moved: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for article, story in old.items():
        if article in new and new[article] != story:
            moved[story][new[article]] += 1
    living = set(new.values()) | kept
    for story in sorted(changed - living):
        into = moved[story].most_common(1)
        if into:
            chain = (stories.c.id == story) | (stories.c.merged_into == story)
            connection.execute(update(stories).where(chain).values(merged_into=into[0][0]))
    back = stories.c.merged_into.is_not(None)
    for present_ids in chunked(sorted(changed & living)):
        connection.execute(update(stories).where(stories.c.id.in_(present_ids), back).values(merged_into=None))
    kinds = {story: "grown" if story in living else "merged" for story in changed}
    written = write_changes(connection, kinds, change)
    result.stories.update(written.values())
    values = {"change": until, "story_change": change + len(written)}
    connection.execute(update(story_progress).values(values))
    return result


def _names(free: Mapping[int, int], old: Mapping[int, int], taken: set[int], kept: set[int]) -> dict[int, int]:
    """An id for each new story: that of the old one with which it has most articles, each given once; or a new one."""
    overlaps = Counter((old[article], story) for article, story in free.items() if article in old)
    names: dict[int, int] = {}
    given = set(kept)
    for (before, story), _ in sorted(overlaps.items(), key=lambda pair: (-pair[1], pair[0])):
        if story not in names and before not in given:
            names[story] = before
            given.add(before)
    of_story: defaultdict[int, list[int]] = defaultdict(list)
    for article, story in free.items():
        of_story[story].append(article)
    for story, own in sorted(of_story.items()):
        if story not in names:
            candidates = [story, *sorted(own)]
            names[story] = next((c for c in candidates if c not in given and c not in taken), None) or next(
                c for c in candidates if c not in given
            )
            given.add(names[story])
    return names
