"""What each run brought of each site, and whether that is less than the site used to bring.

Counted once, when a run is finished, from what the ledger holds: so all workers and restarts of a run are in it. Kept
with the run's statistics; a run is compared with earlier ones of its kind (same spider, same arguments). A redesign, a
block or a consent wall shows in two ways: of the pages that were new, far fewer turn out to be articles; or nothing new
comes at all for far longer than ever before.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, or_, select, update

from newsextract.store.outcome import UrlState
from newsextract.store.schema import articles, changes, runs, urls

#: Under which names a run's statistics hold the yields, and the warnings.
YIELDS = "newsextract/yields"
WARNING = "newsextract/yield_warning/"
#: Runs looked back at: enough for days of nights and weekends where a site is polled every quarter of an hour.
RUNS = 500
#: States in which a page that was tried came to nothing; pages refused by robots.txt are among them, others are ours.
NOTHING = (UrlState.not_article, UrlState.dropped, UrlState.failed)
#: Pages that are articles all the same, that the crawl itself left out, or that nobody takes for one.
NOT_COUNTED = ("before_since", "unchanged", "forgotten", "front")
#: Pages that must have been tried, in the run and before it, for their share of articles to say something.
TRIED, TRIED_BEFORE = 5, 20
#: Runs with such pages that make up what is usual: a site that changes for good is taken as it is after a while.
SHARED = 50
#: Standard deviations: a share is fallen if even its upper bound (Wilson) is under half of what it was. So many, that a
#: night's handful of new tag pages is no alarm.
DEVIATIONS, FALLEN = 2.5, 0.5
#: New articles that a silence must have swallowed, and how often it must be as long as the longest before.
MISSED, LONGER, RUNS_WITH_NEWS = 10, 2.0, 5
#: What a reason points to.
SIGNS = {
    "consent": "a consent wall",
    "login": "a log-in",
    "paywall_stub": "a paywall",
    "no_javascript": "pages made by JavaScript",
    "robots": "a block by robots.txt",
    "http_401": "a block",
    "http_403": "a block",
    "http_429": "a block",
    "http_503": "a block",
}


@dataclass(frozen=True, slots=True)
class SiteYield:
    """What a run brought of a site: new and changed articles; pages tried that were articles, and others by reason."""

    new: int = 0
    changed: int = 0
    articles: int = 0
    others: Mapping[str, int] = field(default_factory=dict)

    @property
    def tried(self) -> int:
        """Pages that were new to the ledger, or articles before."""
        return self.articles + sum(self.others.values())


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run and what it brought, by site; `alive_until`: until when somebody works on it, if nobody has ended it."""

    id: int
    started_at: datetime
    finished_at: datetime | None
    alive_until: datetime | None = None
    yields: Mapping[str, SiteYield] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)

    @property
    def new(self) -> int:
        """New articles of all its sites."""
        return sum(one.new for one in self.yields.values())


def of_run(connection: Connection, run: int) -> dict[str, SiteYield]:
    """What a run brought by now, by site."""
    started = select(runs.c.started_at).where(runs.c.id == run).scalar_subquery()
    known = urls.c.article.is_not(None)
    tried = (urls.c.callback == "parse_page") & or_(urls.c.first_seen >= started, known)
    columns = (urls.c.site, urls.c.state, urls.c.reason, known.label("known"), tried.label("tried"))
    query = select(*columns, func.count().label("number")).where(urls.c.run == run)
    found: dict[str, dict[str, Any]] = {}
    for row in connection.execute(query.group_by(*columns)):
        site = found.setdefault(row.site, {"others": {}})
        if not row.tried:
            continue
        if row.state in NOTHING or (row.state == UrlState.refused and row.reason == "robots"):
            if row.reason not in NOT_COUNTED:
                reason = row.reason or row.state
                site["others"][reason] = site["others"].get(reason, 0) + row.number
        elif row.known and row.state in (UrlState.stored, UrlState.unchanged):
            site["articles"] = site.get("articles", 0) + row.number
    made = select(urls.c.site, changes.c.kind, func.count(articles.c.id.distinct()).label("number"))
    made = made.select_from(urls).join(articles, articles.c.id == urls.c.article)
    made = made.join(changes, (changes.c.change == articles.c.change) & (changes.c.run == run)).where(urls.c.run == run)
    for row in connection.execute(made.group_by(urls.c.site, changes.c.kind)):
        if row.kind in ("new", "changed"):
            found.setdefault(row.site, {"others": {}})[row.kind] = row.number
    return {site: SiteYield(**values) for site, values in sorted(found.items())}


def past(connection: Connection, which: ColumnElement[bool], limit: int = RUNS) -> list[PastRun]:
    """The last runs among those, newest first."""
    alive = case((runs.c.reason.is_(None), runs.c.alive_until))
    columns = (runs.c.id, runs.c.started_at, runs.c.finished_at, alive.label("alive"), runs.c.stats)
    rows = connection.execute(select(*columns).where(which).order_by(runs.c.id.desc()).limit(limit))
    return [PastRun(row.id, row.started_at, row.finished_at, row.alive, *_told(row.stats)) for row in rows]


def previous_runs(connection: Connection, run: int) -> list[PastRun]:
    """The finished runs of the same spider with the same arguments before this one, newest first."""
    kind = select(runs.c.identity).where(runs.c.id == run).scalar_subquery()
    return past(connection, (runs.c.identity == kind) & (runs.c.id < run) & runs.c.finished_at.is_not(None))


def forget_older(connection: Connection, run: int) -> None:
    """Empties the statistics of runs of its kind that nobody looks back at, so that schedules do not fill the
    database; the run itself says which URLs are of its kind."""
    kind = select(runs.c.identity).where(runs.c.id == run).scalar_subquery()
    mine = (runs.c.identity == kind) & runs.c.finished_at.is_not(None)
    oldest = select(runs.c.id).where(mine).order_by(runs.c.id.desc()).offset(RUNS).limit(1).scalar_subquery()
    connection.execute(update(runs).where(mine & (runs.c.id <= oldest) & runs.c.stats.is_not(None)).values(stats=None))


def figures(found: Mapping[str, SiteYield], warnings: Mapping[str, str]) -> dict[str, object]:
    """What goes into a run's statistics."""
    all_ = {**dict.fromkeys(warnings, SiteYield()), **found}
    said = {f"{WARNING}{site}": sentence for site, sentence in warnings.items()}
    return {YIELDS: {site: asdict(one) for site, one in all_.items()}, **said}


def read(stats: Mapping[str, Any]) -> dict[str, SiteYield]:
    """The yields among a run's statistics; none where there are none that can be read."""
    try:
        return {site: SiteYield(**one) for site, one in stats.get(YIELDS, {}).items()}
    except (TypeError, AttributeError):
        return {}


def detect_drops(found: Mapping[str, SiteYield], now: datetime, before: Sequence[PastRun]) -> dict[str, str]:
    """A sentence for each site whose yield has fallen; `before`: earlier runs of the kind, newest first."""
    told = {}
    for site in {*found, *(site for run in before for site in run.yields)}:
        one = found.get(site, SiteYield())
        earlier = [(run.started_at, run.yields[site]) for run in before if site in run.yields]
        if sentence := _fewer_articles(one, [past for _, past in earlier if past.tried]) or _silence(one, now, earlier):
            told[site] = sentence
    return dict(sorted(told.items()))


def _fewer_articles(one: SiteYield, before: Sequence[SiteYield]) -> str | None:
    """Whether the share of articles among the pages tried has fallen; the first run of all, with its lists, if need."""
    later = before[:-1][:SHARED]
    counted = later if sum(past.tried for past in later) >= TRIED_BEFORE else before[:SHARED]
    tried = sum(past.tried for past in counted)
    if one.tried < TRIED or tried < TRIED_BEFORE:
        return None
    usual = sum(past.articles for past in counted) / tried
    if _upper_bound(one.articles, one.tried) >= FALLEN * usual:
        return None
    reason, number = max(one.others.items(), key=lambda pair: pair[1])
    sign = SIGNS.get(reason, "a redesign")
    return (
        f"only {one.articles} of {one.tried} pages were articles, {usual:.0%} before; "
        f"{number} came to nothing as {reason}: {sign}?"
    )


def _silence(one: SiteYield, now: datetime, before: Sequence[tuple[datetime, SiteYield]]) -> str | None:
    """Whether nothing new has come for far longer than ever before."""
    with_news = [at for at, past in before if past.new]
    if one.new or len(with_news) < RUNS_WITH_NEWS:
        return None
    last, first = with_news[0], with_news[-1]
    counted = sum(past.new for at, past in before if at > first)  # less the first, which brought the backlog
    gaps = [later - earlier for later, earlier in pairwise(with_news)]
    silence, span = now - last, last - first
    if span <= timedelta(0) or silence < LONGER * max(gaps) or counted * (silence / span) < MISSED:
        return None
    daily = counted / (span / timedelta(days=1))
    return f"no new article for {_long(silence)}, though some {daily:.3g} a day came before: a redesign or a block?"


def _upper_bound(good: int, all_: int) -> float:
    """The upper end of Wilson's interval for a share."""
    square = DEVIATIONS**2
    centre = good + square / 2
    spread = DEVIATIONS * math.sqrt(good * (all_ - good) / all_ + square / 4)
    return (centre + spread) / (all_ + square)


def _long(span: timedelta) -> str:
    hours = span / timedelta(hours=1)
    return f"{hours:.0f} hours" if hours < 72 else f"{hours / 24:.0f} days"


def _told(stats: str | None) -> tuple[dict[str, SiteYield], dict[str, str]]:
    """Yields and warnings of a run's statistics, empty where it has none, or none that can be read."""
    try:
        values = json.loads(stats or "{}")
    except ValueError:
        return {}, {}
    said = {name.removeprefix(WARNING): str(text) for name, text in values.items() if name.startswith(WARNING)}
    return read(values), said
