"""Reads stories from a crawl's database: lists of them, one with its articles, changes since a cursor."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Select, exists, false, func, or_, select

from newsextract.days import day_of
from newsextract.errors import WrongCall
from newsextract.store.engine import database_now, rows_in
from newsextract.store.schema import articles, originals, stories, story_articles
from newsextract.urls import named_site

Order = Literal["sites", "articles", "growth", "date"]
#: Hours whose articles count as the growth of a story.
GROWTH_HOURS = 24


@dataclass(frozen=True, slots=True)
class StoryArticle:
    """An article of a story. `rank`: 1 for the first report, by time; `copy_of`: URL of its original."""

    id: int
    url: str
    site: str
    headline: str | None
    at: datetime
    stored_at: datetime
    rank: int
    copy_of: str | None = None


@dataclass(frozen=True, slots=True)
class StoredStory:
    """A story of the database. `headline`, `url` and `site`: those of its first report. `articles`: without copies."""

    id: int
    headline: str | None
    url: str
    site: str
    language: str | None
    first_at: datetime
    last_at: datetime
    articles: int
    copies: int
    sites: int
    merged_into: int | None
    kept: bool
    closed: bool
    change: int
    change_kind: str

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


FIRST = (articles.c.headline, articles.c.url, articles.c.site, articles.c.language)


def _query() -> Select[Any]:
    own = [column for column in stories.c if column.name not in ("first_report",)]
    return select(*own, *FIRST).outerjoin(articles, articles.c.id == stories.c.first_report)


def _story(row: Any) -> StoredStory:
    values = {name: row._mapping[name] for name in StoredStory.__dataclass_fields__}
    return StoredStory(**{**values, "url": row.url or "", "site": row.site or ""})


def list_stories(
    connection: Connection,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    sites: Sequence[str] = (),
    languages: Sequence[str] = (),
    min_sites: int = 1,
    by: Order = "sites",
    limit: int | None = None,
) -> list[StoredStory]:
    """Stories that had an article from `since` until before `until`, those of most sites (or by `by`) first."""
    if by not in get_args(Order):
        raise WrongCall(f"`by` is {by!r}; use {', '.join(get_args(Order))}")
    member = articles.join(story_articles, story_articles.c.article == articles.c.id)
    of_story = story_articles.c.story == stories.c.id
    query = _query().where(stories.c.merged_into.is_(None), stories.c.articles > 0, stories.c.sites >= min_sites)
    if since is not None:
        query = query.where(stories.c.last_at >= since)
    if until is not None:
        query = query.where(stories.c.first_at < until)
    if since is not None and until is not None:
        within = (story_articles.c.at >= since) & (story_articles.c.at < until)
        query = query.where(exists(select(1).select_from(story_articles).where(of_story, within)))
    if sites:
        named = articles.alias("named")
        on_site = story_articles.join(named, named.c.id == story_articles.c.article)
        wanted = named.c.site.in_([named_site(site) for site in sites])
        query = query.where(exists(select(1).select_from(on_site).where(of_story, wanted)))
    if languages:
        query = query.where(or_(*(func.lower(articles.c.language).like(f"{code.lower()}%") for code in languages)))
    growth = (
        select(func.count()).select_from(member).where(of_story, story_articles.c.at > _growth_begins(since, until))
    )
    order = {
        "sites": (stories.c.sites.desc(), stories.c.articles.desc()),
        "articles": (stories.c.articles.desc(),),
        "growth": (growth.scalar_subquery().desc(),) if by == "growth" else (),
        "date": (),
    }
    query = query.order_by(*order[by], stories.c.last_at.desc(), stories.c.id)
    return [_story(row) for row in connection.execute(query if limit is None else query.limit(limit))]


def _growth_begins(since: datetime | None, until: datetime | None) -> datetime:
    return (until or datetime.now(UTC)) - timedelta(hours=GROWTH_HOURS)


def read_story(connection: Connection, story: int) -> StoredStory:
    """The story with this id."""
    return _story(connection.execute(_query().where(stories.c.id == story)).one())


def story_changes(connection: Connection, since: int = 0) -> Iterator[StoredStory]:
    """The stories that changed after this number, each once, in order; `change` of the last one is the next cursor."""
    for row in connection.execute(_query().where(stories.c.change > since).order_by(stories.c.change)):
        yield _story(row)


def articles_of(connection: Connection, story: int) -> list[StoryArticle]:
    """The articles of a story in order of time, copies among them."""
    columns = (articles.c.id, articles.c.url, articles.c.site, articles.c.headline, articles.c.first_seen_at)
    query = select(*columns, story_articles.c.at, originals.c.url.label("copy_of"))
    query = query.join(story_articles, story_articles.c.article == articles.c.id)
    query = query.outerjoin(originals, originals.c.id == articles.c.duplicate_of)
    query = query.where(story_articles.c.story == story).order_by(story_articles.c.at, articles.c.id)
    return [
        StoryArticle(row.id, row.url, row.site, row.headline, row.at, row.first_seen_at or row.at, rank, row.copy_of)
        for rank, row in enumerate(connection.execute(query), 1)
    ]


def last_day(connection: Connection) -> date | None:
    """The day of the last article that is in a story; None if there are no stories."""
    last = connection.execute(select(func.max(stories.c.last_at)).where(stories.c.merged_into.is_(None))).scalar()
    return None if last is None else day_of(last)


def silent_sites(connection: Connection, story: StoredStory) -> list[str]:
    """The sites that had articles in the story's language while it went on, and none of them in it."""
    during = (story_articles.c.at >= story.first_at) & (story_articles.c.at <= story.last_at)
    query = select(articles.c.site).join(story_articles, story_articles.c.article == articles.c.id).distinct()
    language = articles.c.language == story.language if story.language else articles.c.language.is_(None)
    active = set(connection.scalars(query.where(during, language)))
    return sorted(active - set(connection.scalars(query.where(story_articles.c.story == story.id))))


def wide_stories(
    connection: Connection, min_sites: int | None, min_per_hour: int | None
) -> list[tuple[StoredStory, int]]:
    """The open stories with an article in the last GROWTH_HOURS that so many sites report, or that had so many articles
    in the last hour; each with the number of these."""
    now = database_now(connection)
    recent = story_articles.c.story == stories.c.id, story_articles.c.at > now - timedelta(hours=1)
    last_hour = select(func.count()).select_from(story_articles).where(*recent).scalar_subquery()
    wanted = []
    if min_sites is not None:
        wanted.append(stories.c.sites >= min_sites)
    if min_per_hour is not None:
        wanted.append(last_hour >= min_per_hour)
    query = _query().add_columns(last_hour.label("last_hour")).where(or_(false(), *wanted))
    query = query.where(stories.c.merged_into.is_(None), stories.c.last_at > now - timedelta(hours=GROWTH_HOURS))
    return [(_story(row), row.last_hour) for row in connection.execute(query.order_by(stories.c.id))]


def stories_with(connection: Connection, ids: Sequence[int]) -> list[tuple[StoredStory, int]]:
    """The stories that these articles are in, each with how many of them it has; those with most first."""
    columns = select(story_articles.c.article, story_articles.c.story)
    numbers = Counter(row.story for row in rows_in(connection, columns, story_articles.c.article, ids))
    found = [_story(row) for row in rows_in(connection, _query(), stories.c.id, numbers)]
    found.sort(key=lambda story: (-numbers[story.id], -story.sites, story.id))
    return [(story, numbers[story.id]) for story in found]
