"""Behind `newsextract history` and `status`: versions of an article, sites and runs in figures."""

import json
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Select, exists, func, or_, select, true

from newsextract.items import Article
from newsextract.reasons import FRAME, UrlState
from newsextract.store import yield_alerts
from newsextract.store.articles import key_hash, key_of
from newsextract.store.schema import (
    article_versions,
    articles,
    runs,
    sites,
    urls,
)
from newsextract.store.url_states import chunked, fingerprint
from newsextract.store.yield_alerts import PastRun, SiteYield
from newsextract.urls import site_of

#: Spiders that are no site of sites.toml.
PROJECT_SPIDERS = frozenset({"site", "feeds", "archive"})
#: Runs among which the last one of each site is looked for.
MAX_RUNS = 2_000


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an article, with the time of its fetch."""

    version: int
    fetched_at: datetime | None
    article: Article


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """A site in figures.

    `states`: URLs by state; `dropped`: URLs that are no articles, by reason; `last`: the last finished run; `warning`:
    a sentence if that run got far fewer articles than earlier ones; `name`: the site's name in sites.toml, if that run
    was of such an entry.
    """

    site: str
    articles: int
    states: dict[str, int]
    dropped: dict[str, int]
    last_fetched: datetime | None
    last: PastRun | None = None
    warning: str | None = None
    name: str | None = None

    @property
    def advice(self) -> str | None:
        """What to set, where at least half of the site's pages are empty frames that scripts fill; else None."""
        frames = self.dropped.get(FRAME, 0)
        pages = self.articles + sum(self.states.get(state, 0) for state in (UrlState.not_article, UrlState.dropped))
        if not frames or 2 * frames < pages:
            return None
        return (
            f'{frames} of {pages} pages are rendered by JavaScript: set render = "auto" for the site in sites.toml, or '
            "NEWSEXTRACT_RENDER=auto (docs/JAVASCRIPT.md)"
        )

    @property
    def last_yield(self) -> SiteYield:
        """What the last run got from the site."""
        return self.last.yields[self.site] if self.last else SiteYield()


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A row of `runs`, with its statistics parsed."""

    id: int
    spider: str
    arguments: str
    started_at: datetime
    finished_at: datetime | None
    reason: str | None
    stats: dict[str, object]

    @property
    def new(self) -> int:
        """New articles: of all of the run if it is finished, else of its last process."""
        yields = yield_alerts.yields_of(self.stats)
        return sum(site.new for site in yields.values()) if yields else self._stat("newsextract/articles/new")

    @property
    def changed(self) -> int:
        """Changed articles, counted as `new`."""
        yields = yield_alerts.yields_of(self.stats)
        return sum(site.changed for site in yields.values()) if yields else self._stat("newsextract/articles/changed")

    def _stat(self, name: str) -> int:
        return int(str(self.stats.get(name, 0)))


def versions(connection: Connection, url: str) -> list[Version]:
    """All versions of the article at a URL, oldest first; empty if there is no such article."""
    query = select(article_versions).where(article_versions.c.article.in_(ids_of(url)))
    columns = (article_versions.c.article, article_versions.c.fetched_at, article_versions.c.version)
    rows = connection.execute(query.order_by(*columns))
    return [Version(row.version, row.fetched_at, Article.from_dict(json.loads(row.document))) for row in rows]


def ids_of(url: str) -> Select[int]:
    """SELECT of the ids of the articles with the URL's key, or that the URL led to."""
    led_to = select(urls.c.article).where(urls.c.fingerprint == fingerprint(url), urls.c.article.is_not(None))
    return select(articles.c.id).where(or_(articles.c.key_hash == key_hash(key_of(url)), articles.c.id.in_(led_to)))


def site_named(url_or_site: str) -> str | None:
    """The site that a site's name or front page stands for; None for the URL of a page."""
    scheme, _, rest = url_or_site.rpartition("://")
    if "/" in rest.rstrip("/") or "?" in rest:
        return None
    return site_of(url_or_site if scheme else f"https://{url_or_site}")


def sites_with_articles(connection: Connection) -> list[str]:
    """The sites that articles are stored of, in alphabetical order."""
    return list(connection.execute(select(articles.c.site).distinct().order_by(articles.c.site)).scalars())


def count_articles_of_site(connection: Connection, url_or_site: str) -> int:
    """The number of articles of the site that a site's name or front page stands for; 0 for the URL of a page."""
    site = site_named(url_or_site)
    query = select(func.count()).select_from(articles).where(articles.c.site == site)
    return 0 if site is None else connection.execute(query).scalar_one()


def site_statuses(connection: Connection, names: Collection[str] = ()) -> list[SiteStatus]:
    """Every site that a URL is known of, or of these only those."""
    of_urls, of_articles, of_sites = (
        column.in_(names) if names else true() for column in (urls.c.site, articles.c.site, sites.c.site)
    )
    by_site: dict[str, dict[str, int]] = {}
    dropped: dict[str, dict[str, int]] = {}
    columns = (urls.c.site, urls.c.state, urls.c.reason)
    counted = select(*columns, func.count()).where(of_urls).group_by(*columns)
    for site, state, reason, number in connection.execute(counted):
        states = by_site.setdefault(site, {})
        states[state] = states.get(state, 0) + number
        if state in (UrlState.not_article, UrlState.dropped, UrlState.refused, UrlState.failed):
            dropped.setdefault(site, {})[reason or state] = number
    present = select(articles.c.site, func.count()).where(articles.c.change_kind != "retracted", of_articles)
    counts: dict[str, int] = dict(connection.execute(present.group_by(articles.c.site)).all())
    last = _last_runs(connection, by_site)
    used = {run.id for run in last.values()}
    spiders: dict[int, str] = {}
    for chunk in chunked(sorted(used)):
        spiders |= dict(connection.execute(select(runs.c.id, runs.c.spider).where(runs.c.id.in_(chunk))).all())
    return [
        SiteStatus(
            row.site,
            counts.get(row.site, 0),
            by_site[row.site],
            dropped.get(row.site, {}),
            row.last_fetched,
            last.get(row.site),
            last[row.site].warnings.get(row.site) if row.site in last else None,
            _name_in_sites_file(spiders.get(last[row.site].id)) if row.site in last else None,
        )
        for row in connection.execute(select(sites).where(of_sites).order_by(sites.c.site))
        if row.site in by_site
    ]


def _last_runs(connection: Connection, wanted: Collection[str]) -> dict[str, PastRun]:
    """The last finished run of each of these sites, of those that have one among the last MAX_RUNS."""
    last: dict[str, PastRun] = {}
    missing = set(wanted)
    with closing(yield_alerts.iterate_past(connection, runs.c.finished_at.is_not(None), MAX_RUNS)) as past:
        for run in past:
            last |= dict.fromkeys(missing & run.yields.keys(), run)
            missing -= run.yields.keys()
            if not missing:
                break
    return last


def _name_in_sites_file(spider: str | None) -> str | None:
    return None if spider in PROJECT_SPIDERS else spider


def sites_of_spider(connection: Connection, spider: str) -> list[str]:
    """The sites of the last finished run of a spider, so those of an entry of sites.toml; empty where there is none."""
    of_spider = (runs.c.spider == spider) & runs.c.finished_at.is_not(None)
    return [site for run in yield_alerts.past(connection, of_spider, 1) for site in run.yields]


def run_statuses(connection: Connection, limit: int, names: Collection[str] = ()) -> list[RunStatus]:
    """The last runs, newest first, or of these sites those that touched a URL of theirs last."""
    query = select(runs).order_by(runs.c.id.desc()).limit(limit)
    if names:
        query = query.where(exists().where(urls.c.run == runs.c.id, urls.c.site.in_(names)))
    rows = connection.execute(query)
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
