"""What a run got from each site, counted from the states of its URLs, so that all workers and restarts are included."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, or_, select

from newsextract.health.counts import CrawlCounts
from newsextract.reasons import FRAME, UrlState, reason_of
from newsextract.store.leases import PAGE_KINDS, touched
from newsextract.store.outcome import OPEN
from newsextract.store.schema import articles, changes, runs, urls

#: States of pages that were tried but are not articles; pages that robots.txt refuses count, too.
NO_ARTICLE = (UrlState.not_article, UrlState.dropped, UrlState.failed)
#: When URLs are due that a later run may still get: they were refused, walled or broken for a while.
MAY_PASS = ("back off", "each run")


@dataclass(slots=True)
class SiteYield:
    """What a run got from a site.

    `new`, `changed`: articles. `articles`: tried pages that are articles; `others`: those that aren't, by reason.
    `front_is_frame`: whether a front page was an empty frame. `fetched`: all pages; `failed`: those that were refused,
    walled or broken, also again.
    """

    new: int = 0
    changed: int = 0
    articles: int = 0
    others: dict[str, int] = field(default_factory=dict)
    front_is_frame: bool = False
    fetched: int = 0
    failed: int = 0

    @property
    def tried(self) -> int:
        """The number of tried pages: those first seen in the run, and known articles."""
        return self.articles + sum(self.others.values())


def yields_of_run(connection: Connection, run: int) -> dict[str, SiteYield]:
    """The yields of a run so far, by site."""
    started = select(runs.c.started_at).where(runs.c.id == run).scalar_subquery()
    known = urls.c.article.is_not(None)
    # a front page counts if a wall stands in its place (`Reason.is_tried`)
    tried = (urls.c.kind == "home") | ((urls.c.kind == "page") & or_(urls.c.first_seen >= started, known))
    frame = (urls.c.kind == "home") & (urls.c.reason == FRAME)
    is_page = urls.c.kind.in_(PAGE_KINDS) & urls.c.state.not_in(OPEN)
    labels = (known.label("known"), tried.label("tried"), frame.label("frame"), is_page.label("page"))
    columns = (urls.c.site, urls.c.state, urls.c.reason, *labels)
    query = select(*columns, func.count()).where(*touched(run)).group_by(*columns)
    yields: defaultdict[str, SiteYield] = defaultdict(SiteYield)
    for site, state, reason, is_known, is_tried, is_frame, is_fetched, number in connection.execute(query):
        of_site = yields[site]
        of_site.front_is_frame |= bool(is_frame)
        if is_fetched:
            of_site.fetched += number
            of_site.failed += number if state in NO_ARTICLE and reason_of(reason).due in MAY_PASS else 0
        if is_tried and (state in NO_ARTICLE or (state == UrlState.refused and reason == "robots")):
            if reason_of(reason).is_tried and not is_frame:
                of_site.others[reason or state] = of_site.others.get(reason or state, 0) + number
        elif is_tried and is_known and state in (UrlState.stored, UrlState.unchanged):
            of_site.articles += number
    # a new article counts as such, whatever else the run changed in it; "new" sorts after "changed"
    made = select(urls.c.site, articles.c.id, func.max(changes.c.kind).label("kind")).where(*touched(run))
    made = made.join(articles, (articles.c.id == urls.c.article) & (articles.c.change_kind != "retracted"))
    made = made.join(changes, (changes.c.article == articles.c.id) & (changes.c.run == run))
    kinds = made.where(changes.c.kind.in_(("new", "changed"))).group_by(urls.c.site, articles.c.id).subquery()
    counted = select(kinds.c.site, kinds.c.kind, func.count()).group_by(kinds.c.site, kinds.c.kind)
    for site, kind, number in connection.execute(counted):
        setattr(yields[site], kind, number)
    return dict(sorted(yields.items()))


def yields_of(stats: Mapping[str, Any]) -> dict[str, SiteYield]:
    """The yields in a run's stats; empty if there are none or they can't be read."""
    try:
        return {site: SiteYield(**counts) for site, counts in CrawlCounts.of_run(stats).yields.items()}
    except (TypeError, AttributeError):
        return {}
