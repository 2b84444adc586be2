"""What people ask of the store about one URL or site: its versions, its way, and that all of it be forgotten."""

import json
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Select, delete, func, or_, select, update

from newsextract.items import Article
from newsextract.store import duplicates, yield_alerts
from newsextract.store.articles import key_hash, key_of
from newsextract.store.outcome import OPEN, UrlState
from newsextract.store.schema import article_versions, articles, changes, jsonl_files, peers, runs, sites, urls
from newsextract.store.url_states import chunked, fingerprint
from newsextract.store.yield_alerts import PastRun, SiteYield
from newsextract.urls import site_of

#: Runs in which a status looks for the last one of each site.
LOOKED_THROUGH = 2_000


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an article, and when it was fetched."""

    version: int
    fetched_at: datetime | None
    article: Article


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """A site in figures: URLs by state and reason, articles, what waits; its last finished run and what that brought.

    `warning`: that it brought far less than the site used to, in a sentence.
    """

    site: str
    articles: int
    states: dict[str, int]
    dropped: dict[str, int]
    last_fetched: datetime | None
    oldest_due: datetime | None
    last: PastRun | None = None
    warning: str | None = None

    @property
    def brought(self) -> SiteYield:
        """What the last run brought of it."""
        return self.last.yields[self.site] if self.last else SiteYield()


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run: which, from when to when, how it ended and its statistics."""

    id: int
    spider: str
    arguments: str
    started_at: datetime
    finished_at: datetime | None
    reason: str | None
    stats: dict[str, object]

    def brought(self, kind: str) -> int:
        """How many articles were new, or changed: in the whole run if it is finished, else by its last process."""
        found = yield_alerts.read(self.stats)
        if found:
            return sum(getattr(one, kind) for one in found.values())
        return int(str(self.stats.get(f"newsextract/articles/{kind}", 0)))


def versions(connection: Connection, url: str) -> list[Version]:
    """All versions of the article at a URL, oldest first; none where there is no such article."""
    query = select(article_versions).where(article_versions.c.article.in_(_articles(url)))
    rows = connection.execute(query.order_by(article_versions.c.article, article_versions.c.version))
    return [Version(row.version, row.fetched_at, Article.from_dict(json.loads(row.document))) for row in rows]


def _articles(url: str) -> Select[int]:
    led_to = select(urls.c.article).where(urls.c.fingerprint == fingerprint(url), urls.c.article.is_not(None))
    return select(articles.c.id).where(or_(articles.c.key_hash == key_hash(key_of(url)), articles.c.id.in_(led_to)))


def forget(connection: Connection, url_or_site: str, now: datetime) -> tuple[int, int]:
    """Removes the articles of a URL, or of a whole site, and all pages kept of it; returns articles and URLs.

    The URLs stay as ones that are not to be fetched; copies of what is forgotten stay too, the first of them as the
    original. Files of JSON lines are written again without the articles by the next crawl that has them.
    """
    if "/" in url_or_site.partition("://")[2].rstrip("/") or "?" in url_or_site:
        which: ColumnElement[bool] = articles.c.id.in_(_articles(url_or_site))
        where = or_(urls.c.fingerprint == fingerprint(url_or_site), urls.c.article.in_(_articles(url_or_site)))
        kept = peers.c.url == url_or_site
    else:
        site = site_of(url_or_site if "://" in url_or_site else f"https://{url_or_site}")
        which, where, kept = articles.c.site == site, urls.c.site == site, peers.c.site == site
    ids = list(connection.execute(select(articles.c.id).where(which)).scalars())
    duplicates.release(connection, set(ids), now)
    refused = {"state": UrlState.refused, "reason": "forgotten", "next_due": None, "article": None, "etag": None}
    refused |= {"page_hash": None, "anchor_text": None, "lease_owner": None, "lease_until": None}
    count = connection.execute(update(urls).where(where).values(refused)).rowcount
    connection.execute(delete(peers).where(kept))
    for table, column in ((changes, "article"), (article_versions, "article"), (articles, "id")):
        for some in chunked(ids):
            connection.execute(delete(table).where(table.c[column].in_(some)))
    if ids:
        connection.execute(update(jsonl_files).values(change=-1))
    return len(ids), count


def site_statuses(connection: Connection) -> list[SiteStatus]:
    """Every site that was ever fetched from."""
    told: dict[str, dict[str, int]] = {}
    dropped: dict[str, dict[str, int]] = {}
    counted = select(urls.c.site, urls.c.state, urls.c.reason, func.count()).group_by(
        urls.c.site, urls.c.state, urls.c.reason
    )
    for site, state, reason, number in connection.execute(counted):
        states = told.setdefault(site, {})
        states[state] = states.get(state, 0) + number
        if state in (UrlState.not_article, UrlState.dropped, UrlState.refused, UrlState.failed):
            dropped.setdefault(site, {})[reason or state] = number
    owned: dict[str, int] = dict(
        connection.execute(select(articles.c.site, func.count()).group_by(articles.c.site)).all()
    )
    waiting = select(urls.c.site, func.min(urls.c.next_due)).where(urls.c.state.not_in(OPEN)).group_by(urls.c.site)
    due: dict[str, datetime] = dict(connection.execute(waiting).all())
    last: dict[str, PastRun] = {}
    for run in yield_alerts.past(connection, runs.c.finished_at.is_not(None), LOOKED_THROUGH):
        for site in run.yields:
            last.setdefault(site, run)
    return [
        SiteStatus(
            row.site,
            owned.get(row.site, 0),
            told[row.site],
            dropped.get(row.site, {}),
            row.last_fetched,
            due.get(row.site),
            last.get(row.site),
            last[row.site].warnings.get(row.site) if row.site in last else None,
        )
        for row in connection.execute(select(sites).order_by(sites.c.site))
        if row.site in told
    ]


def run_statuses(connection: Connection, limit: int) -> list[RunStatus]:
    """The last runs, newest first."""
    rows = connection.execute(select(runs).order_by(runs.c.id.desc()).limit(limit))
    return [
        RunStatus(
            row.id,
            row.spider,
            row.arguments,
            row.started_at,
            row.finished_at,
            row.reason,
            json.loads(row.stats or "{}"),
        )
        for row in rows
    ]
