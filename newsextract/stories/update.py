"""Keeps the stories of a crawl's database: each changed article is put into its story once.

Articles are taken in groups, in the order of their change numbers, each group in one transaction under a lock: one
process at a time, and after a crash the next one begins with the same group. The id of a story is that of the article
that began it. A story that became part of another one keeps its row with `merged_into`; one without an article for
WINDOW_DAYS is closed. Decisions made by hand (`kept`) are never undone.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, bindparam, delete, func, insert, select, text, update

from newsextract.index.update import index_path
from newsextract.items import Article
from newsextract.store import Store
from newsextract.store.changes import last_change
from newsextract.store.engine import database_now, execute_many, rows_in, take_lock
from newsextract.store.histories import change_of, read_cursor
from newsextract.store.schema import (
    article_versions,
    articles,
    current_articles,
    removals,
    stories,
    story_articles,
    story_progress,
)
from newsextract.stories.cache import Cache, StoredVector, open_cache
from newsextract.stories.similarity import WINDOW_DAYS
from newsextract.stories.statistics import Statistics
from newsextract.stories.terms import main_language
from newsextract.stories.tracker import Report, Story, StoryTracker, days_since_1970, moment_of
from newsextract.stories.window import BUCKET_DAYS

#: Articles put into stories in one transaction.
GROUP = 500
#: The figures of a story without articles.
NO_ARTICLES = {"articles": 0, "copies": 0, "sites": 0}
#: A second in days: moments closer than this are the same one.
SECOND = timedelta(seconds=1) / timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class UpdateResult:
    """How many articles were put into stories, and how many stories changed, by kind of change."""

    articles: int = 0
    stories: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ArticleChange:
    """An article in its current state, as a story needs it."""

    id: int
    change: int
    is_gone: bool
    original: int | None
    article: Article


def update_stories(store: Store, database: str, index: Path | None = None, *, limit: int | None = None) -> UpdateResult:
    """Puts what has changed since the last call into stories; at most `limit` articles. Raises DatabaseError."""
    result = UpdateResult()
    if store.read(_is_current):
        return result
    with open_cache(index_path(database, index), store.name) as cache:
        updater = _Updater(store, cache, result)
        while (limit is None or result.articles < limit) and store.write(updater.next_group):
            pass
        store.write(updater.close)
    return result


def load_statistics(store: Store, database: str, index: Path | None = None) -> Statistics:
    """What is known of the words of the articles in stories; they are counted again if the index has nothing."""
    with open_cache(index_path(database, index), store.name) as cache:
        cache.load()
        if cache.until < 0:
            with store.database.reading() as connection:
                progress = connection.execute(select(story_progress.c.change)).scalar()
                _count_words(connection, cache, 0, progress or 0)
        return cache.statistics


def _count_words(connection: Connection, cache: Cache, at: int, after: int) -> None:
    """Counts the words of the articles between two change numbers, and stores the statistics."""
    tracker = StoryTracker()
    tracker.statistics = cache.statistics
    while group := [*_changed_after(connection, at, after)]:
        tracker.weigh([(report_of(each), each.article) for each in group if not each.is_gone and each.original is None])
        at = group[-1].change
    cache.save(-1, after, read_cursor(connection, after).to_text(), ())


def has_stories(connection: Connection) -> bool:
    """Whether stories were ever made in this database."""
    return connection.execute(select(story_progress.c.change)).first() is not None


def _is_current(connection: Connection) -> bool:
    """Whether all changes are in, and no story is to be closed."""
    progress = connection.execute(select(story_progress.c.change)).scalar()
    quiet = progress is not None and progress >= last_change(connection)
    return quiet and connection.execute(_to_close(connection).limit(1)).first() is None


def _to_close(connection: Connection) -> Select[int]:
    before = database_now(connection) - timedelta(WINDOW_DAYS)
    is_open = stories.c.merged_into.is_(None) & stories.c.closed.is_(False)
    return select(stories.c.id).where(is_open, stories.c.last_at < before).order_by(stories.c.id)


def lock(connection: Connection) -> tuple[int, int]:
    """Waits for other updates; returns the last change of an article and of a story."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        connection.execute(text("SET LOCAL lock_timeout = 0"))
    take_lock(connection, "stories")
    row = connection.execute(select(story_progress.c.change, story_progress.c.story_change)).first()
    if row is None:
        connection.execute(insert(story_progress).values(id=1, change=0, story_change=0))
        return 0, 0
    return row.change, row.story_change


class Member(NamedTuple):
    """What the database has of an article in a story; `moment` as in `Report`."""

    story: int
    moment: float


class _Updater:
    """The stories of the last weeks in memory, for one call of `update_stories`."""

    def __init__(self, store: Store, cache: Cache, result: UpdateResult) -> None:
        self._store, self._cache, self._result = store, cache, result
        #: The state of the database that the memory agrees with; None: none.
        self._state: tuple[int, int] | None = None
        self._connection: Connection | None = None
        self._tracker = StoryTracker()
        self._stories: dict[int, Story] = {}

    def next_group(self, connection: Connection) -> bool:
        """Puts the next articles into stories; False if there are none."""
        after, story_change = lock(connection)
        if after >= last_change(connection):
            return False
        self._connection = connection
        if self._state != (after, story_change):
            self._begin(connection, after)
        self._state = None  # until this group is done: the transaction may be tried again
        until = self._cache.until if self._cache.since == after else None
        group = [*_changed_after(connection, after, until)]
        last = until if until is not None else group[-1].change if group else last_change(connection)
        self._result.articles += len(group)
        self._place(group, after, last)
        story_change = self._write(connection, group, after, story_change)
        connection.execute(update(story_progress).values(change=last, story_change=story_change))
        self._state = last, story_change
        return True

    def _begin(self, connection: Connection, after: int) -> None:
        """Starts with nothing in memory; counts the words of earlier articles that the index doesn't have."""
        self._cache.load()
        self._stories = {}
        self._tracker = StoryTracker(load=self._load)
        at, is_counted = min(self._cache.until, after), after in (self._cache.since, self._cache.until)
        if at >= 0 and (is_counted or at < after) and change_of(connection, self._cache.cursor) is not None:
            self._tracker.statistics = self._cache.statistics
        else:
            self._cache.statistics = self._tracker.statistics
            self._cache.since = self._cache.until = -1
            at = 0
        if at < after:
            _count_words(connection, self._cache, at, after)

    def _weigh(self, given: Sequence[tuple[Report, Article]]) -> list[tuple[int, StoredVector]]:
        self._tracker.weigh(given)
        return [(_number(report), stored_vector(report, article)) for report, article in given]

    def _load(self, bucket: int) -> Iterator[Report]:
        """The articles of some days that are in stories, with their vectors."""
        assert self._connection is not None
        first, last = (EPOCH + timedelta(days=BUCKET_DAYS * number) for number in (bucket, bucket + 1))
        columns = (story_articles.c.article, story_articles.c.story, story_articles.c.at, articles.c.site)
        query = select(*columns, articles.c.language, stories.c.kept)
        query = query.join(articles, articles.c.id == story_articles.c.article)
        query = query.join(stories, stories.c.id == story_articles.c.story)
        query = query.where(story_articles.c.at >= first, story_articles.c.at < last, articles.c.duplicate_of.is_(None))
        rows = self._connection.execute(query.order_by(story_articles.c.article)).all()
        vectors = {article: stored.vector for article, stored in self._cache.vectors([row.article for row in rows])}
        missing = [row.article for row in rows if row.article not in vectors]
        for each in articles_by_id(self._connection, missing):
            vectors[each.id] = self._vector(report_of(each), each.article).vector
        for row in rows:
            if row.article not in vectors or self._tracker.known(row.article) is not None:
                continue
            story = self._story(row.story, row.kept)
            language = main_language(row.language)
            report = Report(row.article, row.site, days_since_1970(row.at), language, vectors[row.article], story=story)
            report.sequence = row.article
            story.add(report)
            yield report

    def _story(self, number: int, is_kept: bool) -> Story:
        story = self._stories.get(number)
        if story is None or story.merged_into is not None:
            story = self._stories[number] = Story(number, number, is_kept=is_kept)
        return story

    def _vector(self, report: Report, article: Article) -> StoredVector:
        """The vector of an article that was counted before."""
        self._tracker.weigh([(report, article)], count=False)
        return stored_vector(report, article)

    def _place(self, group: Sequence[ArticleChange], after: int, last: int) -> None:
        """Weighs the articles of a group and puts them into stories, in order of time."""
        given = [(report_of(each), each) for each in group if not each.is_gone and each.original is None]
        plain = sorted(given, key=lambda pair: _order(pair[0]))
        if plain:
            self._tracker.forget_before(plain[0][0].moment - 2 * WINDOW_DAYS)
            self._stories = {number: story for number, story in self._stories.items() if story.reports}
        is_new = self._give_vectors(plain, after, last)
        tracker, known = self._tracker, self._known([each.id for each in group])
        for each in group:
            if each.id in known:
                tracker.load(known[each.id].moment)
            if (each.is_gone or each.original is not None) and (before := tracker.known(each.id)) is not None:
                tracker.remove(before)
        tracker.place_all([report for report, each in plain if each.id not in known and tracker.known(each.id) is None])
        for report, each in plain:
            before = tracker.known(each.id)
            if before is report:
                continue
            if before is None:  # it was a copy
                tracker.compare_again(report, self._story_of(known[each.id].story))
            elif each.id in is_new or abs(report.moment - before.moment) > SECOND:
                story = before.story
                assert story is not None
                tracker.remove(before)
                tracker.compare_again(report, story)
        tracker.settle([report for report, each in plain if each.id in is_new])

    def _give_vectors(self, plain: Sequence[tuple[Report, ArticleChange]], after: int, last: int) -> set[int]:
        """Gives reports their vectors; returns the articles whose text is new. Counts the words of these once."""
        assert self._connection is not None
        stored = dict(self._cache.vectors([each.id for _, each in plain]))
        is_counted = self._cache.since == after and self._cache.until == last
        fresh = []
        for report, each in plain:
            known = stored.get(each.id)
            if not is_counted and known is not None and known.text_hash == (each.article.content_hash or ""):
                report.vector, report.language = known.vector, main_language(each.article.language)
            else:
                fresh.append((report, each.article))
        if is_counted:
            for report, article in fresh:
                self._vector(report, article)
        else:
            self._cache.save(after, last, read_cursor(self._connection, last).to_text(), self._weigh(fresh))
        return {_number(report) for report, _ in fresh}

    def _story_of(self, number: int) -> Story:
        assert self._connection is not None
        kept = self._connection.execute(select(stories.c.kept).where(stories.c.id == number)).scalar()
        return self._story(number, bool(kept))

    def _known(self, ids: Collection[int]) -> dict[int, Member]:
        """The stories that these articles are in, by article."""
        assert self._connection is not None
        query = select(story_articles.c.article, story_articles.c.story, story_articles.c.at)
        rows = rows_in(self._connection, query, story_articles.c.article, ids)
        return {row.article: Member(row.story, days_since_1970(row.at)) for row in rows}

    def _write(self, connection: Connection, group: Sequence[ArticleChange], after: int, story_change: int) -> int:
        """Stores the members of the stories that changed, and a change for each; returns the last change number."""
        kinds: dict[int, str] = {}
        for merged in self._tracker.merged:
            into = number_of(merged.current)
            merge_rows(connection, number_of(merged), into)
            kinds[number_of(merged)] = kinds[into] = "merged"
        self._tracker.merged.clear()
        rows = self._rows(connection, group)
        gone = [each.id for each in group if each.is_gone]
        before = self._known([*rows, *gone])
        for article, member in before.items():
            if article not in rows:
                kinds.setdefault(member.story, "grown")
            elif rows[article].story != member.story:
                kinds.setdefault(member.story, "split")
        for article, member in rows.items():
            old = before.get(article)
            if old is None or old.story != member.story or abs(old.moment - member.moment) > SECOND:
                kinds.setdefault(member.story, "grown")
        connection.execute(delete(story_articles).where(story_articles.c.article.in_([*rows, *gone])))
        values = [{"article": a, "story": m.story, "at": at_days(m.moment)} for a, m in sorted(rows.items())]
        execute_many(connection, insert(story_articles), values)
        left = {before[a].story: member.story for a, member in rows.items() if a in before}
        merge_empty(connection, {old: new for old, new in left.items() if old != new}, kinds)
        kinds.update((story, kinds.get(story, "grown")) for story in _of_removed(connection, after))
        for story in kinds:
            self._stories.setdefault(story, self._in_memory(story))
        changed = write_changes(connection, kinds, story_change)
        self._result.stories.update(changed.values())
        return story_change + len(changed)

    def _rows(self, connection: Connection, group: Sequence[ArticleChange]) -> dict[int, Member]:
        """The members that are to be stored: articles that came into a story, those of the group, and their copies."""
        tracker = self._tracker
        known = (tracker.known(each.id) for each in group if each.original is None)
        reports = {_number(each): each for each in (*tracker.moved.values(), *filter(None, known))}
        tracker.moved.clear()
        present = set(connection.scalars(select(articles.c.id).where(articles.c.id.in_(reports))))
        rows = {
            number: Member(number_of(report.story), report.moment)
            for number, report in reports.items()
            if number in present and report.story is not None
        }
        copies = [
            (each.id, each.original, report_of(each).moment) for each in group if each.original and not each.is_gone
        ]
        of_moved = select(story_articles.c.article, articles.c.duplicate_of, story_articles.c.at)
        of_moved = of_moved.join(articles, articles.c.id == story_articles.c.article)
        in_group = {article for article, _, _ in copies}
        copies += [
            (row.article, row.duplicate_of, days_since_1970(row.at))
            for row in rows_in(connection, of_moved, articles.c.duplicate_of, rows)
            if row.article not in in_group
        ]
        members = self._known([number for article, original, _ in copies for number in (article, original)])
        for article, original, at in copies:
            found = rows.get(original) or members.get(original) or members.get(article) or Member(article, at)
            rows[article] = Member(found.story, at)
        return rows

    def _in_memory(self, number: int) -> Story:
        report = self._tracker.known(number)
        story = report.story if report is not None else None
        return story if story is not None and story.id == number else Story(number, number)

    def close(self, connection: Connection) -> None:
        """Closes the stories that have had no article for some weeks."""
        _, story_change = lock(connection)
        old = connection.scalars(_to_close(connection)).all()
        rows = [{"which": story, "number": story_change + at} for at, story in enumerate(old, 1)]
        closing = update(stories).where(stories.c.id == bindparam("which"))
        execute_many(connection, closing.values(closed=True, change_kind="closed", change=bindparam("number")), rows)
        connection.execute(update(story_progress).values(story_change=story_change + len(rows)))
        self._result.stories["closed"] += len(rows)


def merge_rows(connection: Connection, story: int, into: int) -> None:
    """Moves the articles of a story, and the stories that became part of it, into another one."""
    connection.execute(update(story_articles).where(story_articles.c.story == story).values(story=into))
    chain = (stories.c.merged_into == story) | (stories.c.id == story)
    connection.execute(update(stories).where(chain).values(merged_into=into))


def merge_empty(connection: Connection, into: Mapping[int, int], kinds: dict[int, str]) -> None:
    """Makes each of these stories that has no articles left part of the one that the last of them is in."""
    filled = {row.story for row in rows_in(connection, select(story_articles.c.story), story_articles.c.story, into)}
    for story in set(into) - filled:
        merge_rows(connection, story, into[story])
        kinds[story] = "merged"


def _of_removed(connection: Connection, after: int) -> list[int]:
    """The stories that articles were removed from, if there were any after this change."""
    if connection.execute(select(removals.c.change).where(removals.c.change > after).limit(1)).first() is None:
        return []
    members = func.count(story_articles.c.article)
    query = select(stories.c.id).outerjoin(story_articles, story_articles.c.story == stories.c.id)
    query = query.group_by(stories.c.id, stories.c.articles, stories.c.copies)
    return [*connection.scalars(query.having(members != stories.c.articles + stories.c.copies))]


def write_changes(connection: Connection, kinds: Mapping[int, str], story_change: int) -> dict[int, str]:
    """Brings the rows of these stories up to date with their members, and gives each the next change number.

    `kinds`: what happened to each. Returns the same, "new" for those that had no row.
    """
    of_story = _figures(connection, kinds)
    known = {row.id: row for row in rows_in(connection, select(stories), stories.c.id, kinds)}
    cutoff = database_now(connection) - timedelta(WINDOW_DAYS)
    changed: dict[int, str] = {}
    for story in sorted(kinds):
        figures, old = of_story.get(story), known.get(story)
        if figures is None and old is None:
            continue
        changed[story] = kind = "new" if old is None else kinds[story]
        values = {
            "change": story_change + len(changed),
            "change_kind": kind,
            **(figures or NO_ARTICLES),
        }
        values["closed"] = figures is None or figures["last_at"] < cutoff
        if figures is not None:
            values["merged_into"] = None
        if old is None:
            connection.execute(insert(stories).values(id=story, kept=False, **values))
        else:
            connection.execute(update(stories).where(stories.c.id == story).values(values))
    return changed


def _figures(connection: Connection, ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """First report, times and counts of stories, by id; none for those without articles."""
    columns = (story_articles.c.story, story_articles.c.article, story_articles.c.at, articles.c.site)
    query = select(*columns, articles.c.duplicate_of).join(articles, articles.c.id == story_articles.c.article)
    members: defaultdict[int, list[Any]] = defaultdict(list)
    for row in rows_in(connection, query, story_articles.c.story, ids):
        members[row.story].append(row)
    figures = {}
    for story, rows in members.items():
        own = [row for row in rows if row.duplicate_of is None] or rows
        first = min(own, key=lambda row: (row.at, row.article))
        figures[story] = {
            "first_report": first.article,
            "first_at": min(row.at for row in rows),
            "last_at": max(row.at for row in rows),
            "articles": len(own),
            "copies": len(rows) - len(own),
            "sites": len({row.site for row in rows}),
        }
    return figures


# ---- articles --------------------------------------------------------------------------------------------------------

COLUMNS = (articles.c.id, articles.c.change, articles.c.change_kind, articles.c.duplicate_of)


def _changed_after(connection: Connection, after: int, until: int | None) -> Iterator[ArticleChange]:
    """The next articles by change number: GROUP of them, or all up to `until` (which was once the end of a group)."""
    query = current_articles(*COLUMNS, article_versions.c.document).where(articles.c.change > after)
    query = query.order_by(articles.c.change).limit(GROUP)
    yield from map(
        _article_change, connection.execute(query if until is None else query.where(articles.c.change <= until))
    )


def articles_by_id(connection: Connection, ids: Sequence[int]) -> Iterator[ArticleChange]:
    query = current_articles(*COLUMNS, article_versions.c.document)
    yield from map(_article_change, rows_in(connection, query, articles.c.id, ids))


def _article_change(row: Any) -> ArticleChange:
    article = Article.from_dict(json.loads(row.document))
    return ArticleChange(row.id, row.change, row.change_kind == "retracted", row.duplicate_of, article)


def report_of(each: ArticleChange) -> Report:
    return Report(each.id, each.article.site, moment_of(each.article))


def stored_vector(report: Report, article: Article) -> StoredVector:
    return StoredVector(article.content_hash or "", report.vector)


def _order(report: Report) -> tuple[float, int]:
    return report.moment, _number(report)


def _number(report: Report) -> int:
    assert isinstance(report.id, int)
    return report.id


def number_of(story: Story) -> int:
    assert isinstance(story.id, int)
    return story.id


def moment(report: Report) -> datetime:
    return at_days(report.moment)


def at_days(days: float) -> datetime:
    """The moment so many days after 1970."""
    return EPOCH + timedelta(days=days)
