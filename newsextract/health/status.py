"""Figures on sites and runs, and the pages that gave no article."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, exists, false, func, select, true

from newsextract.health.chosen_sites import sites_named
from newsextract.health.past_runs import PastRun, past
from newsextract.health.refusals import refusals, refused_sentence
from newsextract.health.yields import SiteYield
from newsextract.reasons import FRAME, GONE_KINDS, LIST, UrlState
from newsextract.store.leases import PAGE_KINDS
from newsextract.store.schema import articles, runs, sites, urls

#: What a URL is that led to the article of another URL.
DUPLICATE = "duplicate"
#: Spiders that aren't sites of sites.toml.
PROJECT_SPIDERS = frozenset({"site", "feeds", "archive", "pages"})
#: Runs among which each site's last one is searched.
MAX_RUNS = 2_000
#: What ends a URL without an article; and the URLs of pages, not of lists.
WITHOUT_ARTICLE = (UrlState.not_article, UrlState.dropped, UrlState.refused, UrlState.failed)
IS_PAGE = urls.c.kind.in_(PAGE_KINDS) & (urls.c.reason != LIST)


def urls_without_article(connection: Connection, names: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Every page that gave no article, with its state, reason and HTTP status; `names`: as for `sites_named`."""
    chosen = sites_named(connection, names)
    query = select(urls.c.url, urls.c.site, urls.c.state, urls.c.reason, urls.c.status, urls.c.last_fetched)
    is_as_before = (urls.c.state == UrlState.unchanged) & (urls.c.reason != "") & urls.c.article.is_(None)
    query = query.where(IS_PAGE, urls.c.state.in_(WITHOUT_ARTICLE) | is_as_before)
    query = query.where(urls.c.site.in_(chosen) if chosen else true())
    rows = connection.execute(query.order_by(urls.c.site, urls.c.url)).mappings()
    return [{**row, "last_fetched": row["last_fetched"] and row["last_fetched"].isoformat()} for row in rows]


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """A site's URLs by what they are: states, DUPLICATE for other URLs of articles and their further pages, LIST for
    feeds, sitemaps and robots.txt. Those that were unchanged when they were fetched last count again, as `unchanged`.

    `articles`: present ones, of which `copies` are marked as copies of others; `dropped`: URLs that aren't articles, by
    reason; `last`: the last finished run; `refused`: a sentence if pages are refused for now.
    """

    site: str
    articles: int
    copies: int
    states: dict[str, int]
    dropped: dict[str, int]
    last_fetched: datetime | None
    last: PastRun | None = None
    refused: str = ""

    @property
    def warning(self) -> str | None:
        """A sentence if the last run got far fewer articles than earlier ones."""
        return self.last.warnings.get(self.site) if self.last else None

    @property
    def name(self) -> str | None:
        """The site's name in sites.toml, if its last run was of such an entry."""
        return self.last.spider if self.last and self.last.spider not in PROJECT_SPIDERS else None

    @property
    def advice(self) -> str | None:
        """What to set if at least half of the site's pages are empty frames filled by scripts; else None."""
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
        return self.last.yields[self.site] if self.last else SiteYield()


def site_statuses(connection: Connection, names: Collection[str] = ()) -> list[SiteStatus]:
    """Every site with a known URL, or only these."""

    def wanted(column: ColumnElement[str]) -> ColumnElement[bool]:
        return column.in_(names) if names else true()

    states: defaultdict[str, Counter[str]] = defaultdict(Counter)
    dropped: defaultdict[str, Counter[str]] = defaultdict(Counter)
    is_own = func.coalesce(articles.c.url == urls.c.url, false())
    lacks = urls.c.article.is_(None).label("lacks")
    columns = (urls.c.site, IS_PAGE.label("page"), urls.c.state, urls.c.reason, lacks, is_own.label("own"))
    counted = select(*columns, func.count()).outerjoin(articles, articles.c.id == urls.c.article)
    for site, is_page, state, reason, is_none, own, number in connection.execute(
        counted.where(wanted(urls.c.site)).group_by(*columns)
    ):
        if not is_page:
            states[site][LIST] += number
            continue
        if state == UrlState.unchanged and (reason or not is_none):  # said of the last fetch; the page is what it was
            states[site][state] += number
            state = UrlState.not_article if is_none else UrlState.stored
        if state == UrlState.stored and not is_none and not own:
            state = DUPLICATE
        states[site][state] += number
        if state in WITHOUT_ARTICLE:
            dropped[site][reason or state] += number
    present = articles.c.change_kind.not_in(GONE_KINDS) & wanted(articles.c.site)
    counts = select(articles.c.site, func.count(), func.count(articles.c.duplicate_of)).where(present)
    stored = {site: (number, copies) for site, number, copies in connection.execute(counts.group_by(articles.c.site))}
    last = _last_runs(connection, states)
    refused = {site: refused_sentence(*given) for site, given in refusals(connection, wanted(urls.c.site)).items()}
    known = select(sites.c.site, sites.c.last_fetched).where(wanted(sites.c.site)).order_by(sites.c.site)
    statuses = []
    for site, fetched in connection.execute(known):
        if site in states:
            number, copies = stored.get(site, (0, 0))
            of_runs = (fetched, last.get(site), refused.get(site, ""))
            statuses.append(SiteStatus(site, number, copies, states[site], dropped[site], *of_runs))
    return statuses


def _last_runs(connection: Connection, wanted: Collection[str]) -> dict[str, PastRun]:
    """The last finished run of each of these sites, among the last MAX_RUNS."""
    last: dict[str, PastRun] = {}
    missing = set(wanted)
    for run in past(connection, runs.c.finished_at.is_not(None), MAX_RUNS):
        last |= dict.fromkeys(missing & run.yields.keys(), run)
        missing -= run.yields.keys()
        if not missing:
            break
    return last


def read_status(
    connection: Connection, last: int = 10, names: Collection[str] = ()
) -> tuple[list[SiteStatus], list[PastRun]]:
    """Figures on every site, and the last runs, newest first; or on those of these sites or spiders of sites.toml."""
    chosen = sites_named(connection, names)
    touched = exists().where(urls.c.run == runs.c.id, urls.c.site.in_(chosen)) if chosen else true()
    return site_statuses(connection, chosen), [*past(connection, touched, last, with_stats=True)]
