"""Keeps the stories of a crawl's database: each changed article is put into its story once.

Articles are taken in groups, in the order of their change numbers, each group in one transaction under a lock: one
process at a time, and after a crash the next one begins with the same group. The id of a story is that of the article
that began it. A story that became part of another one keeps its row with `merged_into`; one without an article for
CLOSED_DAYS is closed. Decisions made by hand (`kept`) are never undone.
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
from newsextract.store.engine import database_now, execute_many, rows_in
from newsextract.store.schema import (
    article_versions,
    articles,
    current_articles,
    stories,
    story_articles,
    story_progress,
)
from newsextract.stories.cache import Cache, StoredVector, open_cache
from newsextract.stories.tracker import (
    SECONDS_PER_DAY,
    WINDOW_DAYS,
    Report,
    Story,
    StoryTracker,
    moment_of,
)
from newsextract.stories.window import BUCKET_DAYS

#: Articles put into stories in one transaction.
GROUP = 500
#: Days without an article after which a story is closed.
CLOSED_DAYS = 20
#: PostgreSQL's advisory lock of an update ("stories" as a number).
STORIES_LOCK = 0x73746F72696573
#: The figures of a story without articles.
NO_ARTICLES = {"articles": 0, "copies": 0, "sites": 0}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class UpdateResult:
    """How many articles were put into stories, and how many stories changed, by kind of change."""

    articles: int = 0
    stories: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class StoredArticle:
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


def has_stories(connection: Connection) -> bool:
    """Whether stories were ever made in this database."""
    return connection.execute(select(story_progress.c.change)).first() is not None


def _is_current(connection: Connection) -> bool:
    """Whether all changes are in, and no story is to be closed."""
    progress = connection.execute(select(story_progress.c.change)).scalar()
    quiet = progress is not None and progress >= last_change(connection)
    return quiet and connection.execute(_to_close(connection).limit(1)).first() is None


def _to_close(connection: Connection) -> Select[int]:
    before = database_now(connection) - timedelta(CLOSED_DAYS)
    is_open = stories.c.merged_into.is_(None) & stories.c.closed.is_(False)
    return select(stories.c.id).where(is_open, stories.c.last_at < before).order_by(stories.c.id)


def lock(connection: Connection) -> tuple[int, int]:
    """Waits for other updates; returns the last change of an article and of a story."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        connection.execute(text("SET LOCAL lock_timeout = 0"))
        connection.execute(select(func.pg_advisory_xact_lock(STORIES_LOCK)))
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
        story_change = self._write(connection, group, story_change)
        connection.execute(update(story_progress).values(change=last, story_change=story_change))
        self._state = last, story_change
        return True

    def _begin(self, connection: Connection, after: int) -> None:
        """Starts with nothing in memory; counts the words of all earlier articles again if they aren't in the index."""
        self._cache.load()
        self._stories = {}
        self._tracker = StoryTracker(load=self._load)
        if after in (self._cache.since, self._cache.until):
            self._tracker.statistics = self._cache.statistics
            return
        self._cache.statistics = self._tracker.statistics
        at = 0
        while after and (group := [*_changed_after(connection, at, after)]):
            self._weigh([(report_of(each), each.article) for each in group if not each.is_gone])
            at = group[-1].change
        self._cache.save(-1, after, ())

    def _weigh(self, given: Sequence[tuple[Report, Article]]) -> list[tuple[int, StoredVector]]:
        self._tracker.weigh(given)
        return [(_number(report), stored_vector(report, article)) for report, article in given]

    def _load(self, bucket: int) -> Iterator[Report]:
        """The articles of some days that are in stories, with their vectors."""
        assert self._connection is not None
        first, last = (EPOCH + timedelta(days=BUCKET_DAYS * number) for number in (bucket, bucket + 1))
        columns = (story_articles.c.article, story_articles.c.story, story_articles.c.at, articles.c.site)
        query = select(*columns, stories.c.kept).join(articles, articles.c.id == story_articles.c.article)
        query = query.join(stories, stories.c.id == story_articles.c.story)
        query = query.where(story_articles.c.at >= first, story_articles.c.at < last, articles.c.duplicate_of.is_(None))
        rows = self._connection.execute(query.order_by(story_articles.c.article)).all()
        vectors = dict(self._cache.vectors([row.article for row in rows]))
        missing = [row.article for row in rows if row.article not in vectors]
        for each in articles_by_id(self._connection, missing):
            report = report_of(each)
            vectors[each.id] = self._tracker_vector(report, each.article)
        for row in rows:
            if row.article not in vectors or self._tracker.known(row.article) is not None:
                continue
            stored = vectors[row.article]
            story = self._stories.get(row.story) or Story(row.story, row.story, is_kept=row.kept)
            self._stories[row.story] = story
            report = Report(row.article, row.site, days_of(row.at), stored.vector, stored.has_headline, story=story)
            story.reports.append(report)
            yield report

    def _tracker_vector(self, report: Report, article: Article) -> StoredVector:
        """The vector of an article that was counted before."""
        self._tracker.weigh([(report, article)], count=False)
        return stored_vector(report, article)

    def _place(self, group: Sequence[StoredArticle], after: int, last: int) -> None:
        """Weighs the articles of a group and puts them into stories, in order of time."""
        tracker = self._tracker
        given = sorted(
            ((report_of(each), each) for each in group if not each.is_gone), key=lambda pair: _order(pair[0])
        )
        plain = [(report, each) for report, each in given if each.original is None]
        stored = dict(self._cache.vectors([each.id for _, each in plain]))
        is_new = {
            each.id: each.id not in stored or stored[each.id].text_hash != each.article.content_hash
            for _, each in plain
        }
        is_counted = self._cache.since == after and self._cache.until == last
        fresh = [(report, each.article) for report, each in plain if is_new[each.id]]
        if is_counted:
            vectors = [(_number(report), self._tracker_vector(report, article)) for report, article in fresh]
        else:
            vectors = self._weigh(fresh)
            self._cache.save(after, last, vectors)
        for report, each in plain:
            if not is_new[each.id]:
                report.vector, report.has_headline = stored[each.id].vector, stored[each.id].has_headline
        known = self._known([each.id for each in group])
        for each in group:
            if each.id in known:
                tracker.load(known[each.id].moment)
            before = tracker.known(each.id)
            if before is not None and (each.is_gone or each.original is not None):
                tracker.remove(before)
        for report, each in plain:
            before = tracker.known(each.id)
            if before is not None and (is_new[each.id] or is_counted):
                tracker.compare_again(before, report)
            elif before is None and each.id not in known:
                tracker.place(report)
        if plain:
            tracker.forget_before(min(report.moment for report, _ in plain) - 2 * WINDOW_DAYS)

    def _known(self, ids: Sequence[int]) -> dict[int, Member]:
        """The stories that these articles are in, by article."""
        assert self._connection is not None
        query = select(story_articles.c.article, story_articles.c.story, story_articles.c.at)
        rows = rows_in(self._connection, query, story_articles.c.article, ids)
        return {row.article: Member(row.story, days_of(row.at)) for row in rows}

    def _write(self, connection: Connection, group: Sequence[StoredArticle], story_change: int) -> int:
        """Stores the members of a group's stories, and a change for each story; returns the last change number."""
        kinds: dict[int, str] = {}
        before = self._known([each.id for each in group])
        for merged in self._tracker.merged:
            if merged.id in self._stories:
                into = _id(merged.current)
                merge_rows(connection, _id(merged), into)
                kinds[_id(merged)] = kinds[into] = "merged"
        self._tracker.merged.clear()
        rows = dict[int, tuple[int, Report]]()
        gone = [each.id for each in group if each.is_gone and each.id in before]
        of_original = self._known([each.original for each in group if each.original is not None])
        for each in group:
            report = self._tracker.known(each.id)
            if report is not None and report.story is not None and each.original is None:
                rows[each.id] = _id(report.story.current), report
        for each in group:
            if each.original is not None and not each.is_gone:
                alone = before[each.id].story if each.id in before else each.id
                story = of_original[each.original].story if each.original in of_original else alone
                rows[each.id] = rows[each.original][0] if each.original in rows else story, report_of(each)
        for article, (story, _) in rows.items():
            if article not in before or before[article].story != story:
                if article in before:
                    kinds.setdefault(before[article].story, "split")
                kinds.setdefault(story, "grown")
        for article in gone:
            kinds.setdefault(before[article].story, "grown")
        connection.execute(delete(story_articles).where(story_articles.c.article.in_([*rows, *gone])))
        values = [{"article": a, "story": s, "at": moment(r)} for a, (s, r) in sorted(rows.items())]
        execute_many(connection, insert(story_articles), values)
        for kept in kinds:
            if kept not in self._stories:
                self._stories[kept] = self._story_in_memory(kept)
        changed = write_changes(connection, kinds, story_change)
        self._result.stories.update(changed.values())
        return story_change + len(changed)

    def _story_in_memory(self, number: int) -> Story:
        report = self._tracker.known(number)
        story = report.story.current if report is not None and report.story is not None else None
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


def write_changes(connection: Connection, kinds: Mapping[int, str], story_change: int) -> dict[int, str]:
    """Brings the rows of these stories up to date with their members, and gives each the next change number.

    `kinds`: what happened to each. Returns the same, "new" for those that had no row.
    """
    of_story = _figures(connection, kinds)
    known = {row.id: row for row in rows_in(connection, select(stories), stories.c.id, kinds)}
    cutoff = database_now(connection) - timedelta(CLOSED_DAYS)
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
        values["closed"] = bool(figures and figures["last_at"] < cutoff)
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


def _changed_after(connection: Connection, after: int, until: int | None) -> Iterator[StoredArticle]:
    """The next articles by change number: GROUP of them, or all up to `until` (which was once the end of a group)."""
    query = current_articles(*COLUMNS, article_versions.c.document).where(articles.c.change > after)
    query = query.order_by(articles.c.change).limit(GROUP)
    yield from map(
        _stored_article, connection.execute(query if until is None else query.where(articles.c.change <= until))
    )


def articles_by_id(connection: Connection, ids: Sequence[int]) -> Iterator[StoredArticle]:
    query = current_articles(*COLUMNS, article_versions.c.document)
    yield from map(_stored_article, rows_in(connection, query, articles.c.id, ids))


def _stored_article(row: Any) -> StoredArticle:
    article = Article.from_dict(json.loads(row.document))
    return StoredArticle(row.id, row.change, row.change_kind == "retracted", row.duplicate_of, article)


def report_of(each: StoredArticle) -> Report:
    return Report(each.id, each.article.site, moment_of(each.article))


def stored_vector(report: Report, article: Article) -> StoredVector:
    return StoredVector(article.content_hash or "", report.has_headline, report.vector)


def _order(report: Report) -> tuple[float, int]:
    return report.moment, _number(report)


def _number(report: Report) -> int:
    assert isinstance(report.id, int)
    return report.id


def _id(story: Story) -> int:
    assert isinstance(story.id, int)
    return story.id


def moment(report: Report) -> datetime:
    return EPOCH + timedelta(days=report.moment)


def days_of(at: datetime) -> float:
    return at.timestamp() / SECONDS_PER_DAY
