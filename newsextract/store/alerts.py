"""What is wrong with sites, crawls and disks: found at the end of a run, recorded when it begins and when it ends.

When a run is finished, its yields (how many articles it got from each site) are counted from the URL states, so all
workers and restarts are included, and compared with earlier runs of the same spider and arguments. A redesign, a block
or a consent wall shows in two ways: far fewer of the new pages are articles, or there is no new article for far longer
than ever before. A front page that has become an empty frame is reported at once: no links are found on it.

The table `alerts` has a row for each problem, from when it is found until the services have been notified of its end
(`newsextract.runs.notifications`). A problem that ends before they were notified of it is deleted.
"""

import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select, tuple_, update

from newsextract.reasons import FRAME, REASONS, UrlState, reason_of
from newsextract.store.engine import database_now, upsert
from newsextract.store.leases import FINISHED_EARLY, PAGE_KINDS, abandoned_runs, as_json, has_urls, identity
from newsextract.store.outcome import OPEN
from newsextract.store.schema import alerts, articles, changes, runs, urls

#: Keys in a run's stats: the yields, and (followed by the site) the warnings, and sentences on refused pages.
YIELDS = "newsextract/yields"
WARNING = "newsextract/yield_warning/"
REFUSED = "newsextract/refused/"
#: Prefix of the stats of lists, by URL, that have new links although their validators are the old ones; how many.
STALE = "newsextract/stale/"
#: Key, followed by the site, of the URL to which the given one redirects.
MOVED = "newsextract/moved/"
#: Earlier runs to compare with: enough for days of nights and weekends if a site is crawled every quarter of an hour.
RUNS = 500
#: States of pages that were tried but are not articles; pages that robots.txt refuses count, too.
NO_ARTICLE = (UrlState.not_article, UrlState.dropped, UrlState.failed)
#: When URLs are due that a later run may still get: they were refused, walled or broken for a while.
MAY_PASS = ("back off", "each run")
#: Pages that must have been tried, in the run and before it, for their share of articles to be significant.
TRIED, TRIED_BEFORE = 5, 20
#: Earlier runs from which the usual share is computed; after this many, a permanent change is the new normal.
BASELINE_RUNS = 50
#: A share has dropped if its upper bound (Wilson score interval, with this many standard deviations) is below DROP
#: times the usual share; 2.5, so that a few new tag pages at night raise no alarm.
DEVIATIONS, DROP = 2.5, 0.5
#: A warning of silence needs this many articles missed at the usual rate, a silence this many times as long as the
#: longest before, and this many earlier runs with new articles.
MISSED, LONGER, RUNS_WITH_NEWS = 10, 2.0, 5
#: Kinds of problems with a site's yield; a site has at most one at a time.
YIELD_KINDS = ("silent", "blocked", "closed", "needs_javascript", "redesigned")
#: Kinds found in a site's articles.
SITE_KINDS = (*YIELD_KINDS, "no_dates", "moved")
#: Kinds found at the end of a crawl.
CRAWL_KINDS = ("failed", "blocked")
KINDS = {
    "silent": "dried up",
    "blocked": "blocked",
    "closed": "behind a wall",
    "needs_javascript": "needs JavaScript",
    "redesigned": "redesigned",
    "no_dates": "without dates",
    "moved": "moved",
    "failed": "failed",
    "disk": "disk nearly full",
    "overdue": "overdue",
    "clock": "crawled with a clock that was wrong",
    "burst": "written about far more than usual",
}
#: How many of a site's last articles are checked for dates, and how many there must be.
LAST_ARTICLES, MIN_ARTICLES = 30, 10


# ---- yields of runs --------------------------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class PastRun:
    """A row of `runs`. `alive_until`: end of its worker's lease, None once it ended; `stats`: of its last process."""

    id: int
    started_at: datetime
    finished_at: datetime | None
    alive_until: datetime | None = None
    yields: Mapping[str, SiteYield] = field(default_factory=dict)
    warnings: Mapping[str, str] = field(default_factory=dict)
    spider: str = ""
    arguments: str = ""
    reason: str | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_refused(self) -> bool:
        """Whether it has nothing new because most of its pages were refused, walled or broken."""
        return not self.count("new") and sum(2 * site.failed - site.fetched for site in self.yields.values()) > 0

    def count(self, kind: str) -> int:
        """Articles that are "new" or "changed": of the whole run if it is finished, otherwise of its last process."""
        if self.yields:
            return sum(getattr(site, kind) for site in self.yields.values())
        return int(self.stats.get(f"newsextract/articles/{kind}", 0))


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
    query = select(*columns, func.count()).where(urls.c.run == run).group_by(*columns)
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
    made = select(urls.c.site, articles.c.id, func.max(changes.c.kind).label("kind")).where(urls.c.run == run)
    made = made.join(articles, (articles.c.id == urls.c.article) & (articles.c.change_kind != "retracted"))
    made = made.join(changes, (changes.c.article == articles.c.id) & (changes.c.run == run))
    kinds = made.where(changes.c.kind.in_(("new", "changed"))).group_by(urls.c.site, articles.c.id).subquery()
    counted = select(kinds.c.site, kinds.c.kind, func.count()).group_by(kinds.c.site, kinds.c.kind)
    for site, kind, number in connection.execute(counted):
        setattr(yields[site], kind, number)
    return dict(sorted(yields.items()))


def past(
    connection: Connection, which: ColumnElement[bool], limit: int = RUNS, *, with_stats: bool = False
) -> Iterator[PastRun]:
    """The last runs that meet the condition, newest first, read as they are iterated over."""
    with connection.execute(select(runs).where(which).order_by(runs.c.id.desc()).limit(limit)) as rows:
        for row in rows:
            stats = json.loads(row.stats or "{}")
            times = (row.started_at, row.finished_at, row.alive_until if row.reason is None else None)
            warnings = {name.removeprefix(WARNING): text for name, text in stats.items() if name.startswith(WARNING)}
            given = (row.spider, row.arguments, row.reason)
            yield PastRun(row.id, *times, yields_of(stats), warnings, *given, stats if with_stats else {})


def past_runs(
    connection: Connection, arguments: Mapping[str, Mapping[str, str]], limit: int = RUNS
) -> dict[str, list[PastRun]]:
    """The last runs of each spider with these arguments, newest first; one whose process is dead is not alive."""
    abandoned = abandoned_runs(connection, database_now(connection))
    return {
        spider: [
            replace(run, alive_until=None) if run.id in abandoned else run
            for run in past(connection, runs.c.identity == identity(spider, given)[0], limit)
        ]
        for spider, given in arguments.items()
    }


def finish_run(connection: Connection, run: int, reason: str, stats: Mapping[str, object]) -> dict[str, str]:
    """Records how a crawl ended; the run is finished once none of its URLs is open. Returns warnings by site.

    A finished run gets its yields. Only the last RUNS runs of a spider with the same arguments keep their stats.
    """
    now, warnings = database_now(connection), dict[str, str]()
    done = reason in FINISHED_EARLY or (reason == "finished" and not has_urls(connection, run, urls.c.state.in_(OPEN)))
    same = runs.c.identity == select(runs.c.identity).where(runs.c.id == run).scalar_subquery()
    same &= runs.c.finished_at.is_not(None)
    if done:
        yields = yields_of_run(connection, run)
        warnings = detect_drops(yields, now, [*past(connection, same & (runs.c.id < run))])
        all_yields = {**dict.fromkeys(warnings, SiteYield()), **yields}
        stats = {**stats, YIELDS: {site: asdict(of_site) for site, of_site in all_yields.items()}}
        stats |= {f"{WARNING}{site}": sentence for site, sentence in warnings.items()}
    ending = {"reason": reason, "stats": as_json(stats), "finished_at": now if done else None}
    connection.execute(update(runs).where(runs.c.id == run, runs.c.finished_at.is_(None)).values(ending))
    oldest = select(runs.c.id).where(same).order_by(runs.c.id.desc()).offset(RUNS).limit(1).scalar_subquery()
    connection.execute(update(runs).where(same, runs.c.id <= oldest, runs.c.stats.is_not(None)).values(stats=None))
    return warnings


def yields_of(stats: Mapping[str, Any]) -> dict[str, SiteYield]:
    """The yields in a run's stats; empty if there are none or they can't be read."""
    try:
        return {site: SiteYield(**counts) for site, counts in stats.get(YIELDS, {}).items()}
    except (TypeError, AttributeError):
        return {}


def detect_drops(yields: Mapping[str, SiteYield], now: datetime, before: Sequence[PastRun]) -> dict[str, str]:
    """A warning for each site whose yield has dropped; `before`: earlier runs of the same kind, newest first."""
    warnings = {}
    for site in {*yields, *(site for run in before for site in run.yields)}:
        current = yields.get(site, SiteYield())
        earlier = [(run.started_at, run.yields[site]) for run in before if site in run.yields]
        tried = [past for _, past in earlier if past.tried]
        sentence = _lower_share(current, tried) or _front_is_frame(current, earlier) or _silence(current, now, earlier)
        if sentence:
            warnings[site] = sentence
    return dict(sorted(warnings.items()))


def _lower_share(current: SiteYield, before: Sequence[SiteYield]) -> str | None:
    """A warning if the share of articles among the tried pages has dropped."""
    later = before[:-1][:BASELINE_RUNS]
    counted = later if sum(past.tried for past in later) >= TRIED_BEFORE else before[:BASELINE_RUNS]
    tried = sum(past.tried for past in counted)
    if current.tried < TRIED or tried < TRIED_BEFORE:
        return None
    usual = sum(past.articles for past in counted) / tried
    if _upper_bound(current.articles, current.tried) >= DROP * usual:
        return None
    reason, number = max(current.others.items(), key=lambda pair: pair[1])
    cause = reason_of(reason).cause or "a redesign"
    return (
        f"only {current.articles} of {current.tried} pages were articles (usually {usual:.0%}); "
        f"{number} with reason {reason}: {cause}?"
    )


def _front_is_frame(current: SiteYield, before: Sequence[tuple[datetime, SiteYield]]) -> str | None:
    """A warning if the front page used to be a page and bring articles, and is now an empty frame."""
    was_page = any(past.articles and not past.front_is_frame for _, past in before[:BASELINE_RUNS])
    if not current.front_is_frame or current.new or not was_page:
        return None
    return f"no new articles; the front page has reason {FRAME}: {reason_of(FRAME).cause}?"


def _silence(current: SiteYield, now: datetime, before: Sequence[tuple[datetime, SiteYield]]) -> str | None:
    """A warning if there was no new article for far longer than ever before."""
    with_news = [at for at, past in before if past.new]
    if current.new or len(with_news) < RUNS_WITH_NEWS:
        return None
    last, first = with_news[0], with_news[-1]
    counted = sum(past.new for at, past in before if at > first)  # without the first run, which got the backlog
    gaps = [later - earlier for later, earlier in pairwise(with_news)]
    silence, span = now - last, last - first
    if span <= timedelta(0) or silence < LONGER * max(gaps) or counted * (silence / span) < MISSED:
        return None
    hours, daily = silence / timedelta(hours=1), counted / (span / timedelta(days=1))
    duration = f"{hours:.0f} hours" if hours < 72 else f"{hours / 24:.0f} days"
    return f"no new articles for {duration}; before, about {daily:.2g} a day: a redesign or a block?"


def _upper_bound(successes: int, trials: int) -> float:
    """The upper end of the Wilson score interval of a share (E. B. Wilson, JASA 22, 1927)."""
    square = DEVIATIONS**2
    centre = successes + square / 2
    spread = DEVIATIONS * math.sqrt(successes * (trials - successes) / trials + square / 4)
    return (centre + spread) / (trials + square)


# ---- states ----------------------------------------------------------------------------------------------------------

KEY = tuple_(alerts.c.subject, alerts.c.kind)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: what has it, one of KINDS, and a sentence without its subject."""

    subject: str
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Alert(Problem):
    """A row of `alerts`. `ended_at`: it is over, but services have not been notified of that."""

    since: datetime
    notified_at: datetime | None
    ended_at: datetime | None


def note_run(connection: Connection, run: int) -> None:
    """Records what a finished run shows about its sites."""
    problems: list[Problem | None] = []
    looked_at: list[str] = []
    of_run = (runs.c.id == run) & runs.c.finished_at.is_not(None)
    for found in past(connection, of_run, with_stats=True):
        moved = {name.removeprefix(MOVED): url for name, url in found.stats.items() if name.startswith(MOVED)}
        problems += [Problem(site, "moved", f"it redirects to {url}: set url to that") for site, url in moved.items()]
        looked_at += moved
        for site, current in found.yields.items():
            if current.tried or current.new or current.changed or current.front_is_frame or site in found.warnings:
                looked_at.append(site)  # a run that tried nothing shows nothing
            problems += [_yield_problem(site, current, found.warnings.get(site)), _without_dates(connection, site)]
    note_problems(connection, [problem for problem in problems if problem], looked_at, SITE_KINDS)


def _yield_problem(site: str, current: SiteYield, warning: str | None) -> Problem | None:
    """What is wrong with a site's yield in a run, or None. `warning`: from the comparison with earlier runs."""
    walled = {reason: number for reason, number in current.others.items() if is_wall(reason)}
    is_walled = 2 * sum(walled.values()) > current.tried
    reason, number = max((walled if is_walled else current.others).items(), key=lambda pair: pair[1], default=("", 0))
    if warning is None:
        if current.front_is_frame and not current.tried:
            return Problem(site, reason_of(FRAME).alert, f"the front page has reason {FRAME}: {reason_of(FRAME).cause}")
        is_empty = not current.articles and current.tried >= TRIED and reason_of(reason).cause
        if not is_walled and not is_empty:
            return None
        number_of = f"only {current.articles} of {current.tried} pages were articles"
        tried = number_of if current.articles else f"none of {current.tried} pages was an article"
        warning = f"{tried}; {number} with reason {reason}: {reason_of(reason).cause}?"
    if current.front_is_frame and not current.articles:
        reason = FRAME
    elif sum(current.others.values()) <= current.articles:
        return Problem(site, "silent", warning)
    return Problem(site, reason_of(reason).alert or "redesigned", warning)


def is_wall(reason: str) -> bool:
    """Whether a reason says that a site refuses its pages, or shows others; robots.txt may rightly exclude most."""
    return reason != "robots" and reason_of(reason).alert in ("blocked", "closed")


def refusals(connection: Connection, which: ColumnElement[bool]) -> dict[str, tuple[int, datetime]]:
    """By site, how many of these URLs are refused or walled for now, and when the first of them is tried again."""
    walls = [reason for reason in REASONS if is_wall(reason)]
    query = select(urls.c.site, func.count(), func.min(urls.c.next_due)).group_by(urls.c.site)
    query = query.where(which, urls.c.reason.in_(walls), urls.c.next_due.is_not(None))
    return {site: (number, due) for site, number, due in connection.execute(query)}


def refused_sentence(number: int, due: datetime) -> str:
    pages = "page is" if number == 1 else "pages are"
    return f"{number} {pages} refused for now, next try {due:%Y-%m-%d %H:%M} UTC"


def _without_dates(connection: Connection, site: str) -> Problem | None:
    last = (
        select(articles.c.date_published)
        .where(articles.c.site == site, articles.c.change_kind.not_in(("deleted", "retracted")))
        .order_by(articles.c.change.desc())
        .limit(LAST_ARTICLES)
        .subquery()
    )
    number, dated = connection.execute(select(func.count(), func.count(last.c.date_published)).select_from(last)).one()
    if number < MIN_ARTICLES or 2 * dated >= number:
        return None
    return Problem(site, "no_dates", f"{number - dated} of its last {number} articles have no publication date")


def note_problems(
    connection: Connection, problems: Sequence[Problem], subjects: Collection[str] | None, kinds: Collection[str]
) -> None:
    """Records the problems of these subjects (None: all) and kinds, and the end of all others.

    Services are not notified of the end of one of YIELD_KINDS if another one replaces it.
    """
    now = database_now(connection)
    rows = [{**asdict(problem), "since": now, "ended_at": None} for problem in problems]
    upsert(connection, alerts, rows, ("sentence", "ended_at"))
    is_over = alerts.c.kind.in_(kinds) & KEY.not_in([(problem.subject, problem.kind) for problem in problems])
    if subjects is not None:
        is_over &= alerts.c.subject.in_(subjects)
    replaced = {problem.subject for problem in problems if problem.kind in YIELD_KINDS}
    is_replaced = alerts.c.kind.in_(YIELD_KINDS) & alerts.c.subject.in_(replaced)
    connection.execute(delete(alerts).where(is_over, or_(alerts.c.notified_at.is_(None), is_replaced)))
    connection.execute(update(alerts).where(is_over, alerts.c.ended_at.is_(None)).values(ended_at=now))


def load_alerts(connection: Connection) -> list[Alert]:
    """All problems, current ones and those whose end services have not been notified of, oldest first."""
    rows = connection.execute(select(alerts).order_by(alerts.c.since, alerts.c.subject, alerts.c.kind))
    return [Alert(**row._mapping) for row in rows]


def delete_alerts(connection: Connection, subject: str) -> int:
    """Deletes the problems of a subject without notifying anyone; returns how many there were."""
    return connection.execute(delete(alerts).where(alerts.c.subject == subject)).rowcount


def mark_notified(connection: Connection, notified: Sequence[Alert]) -> None:
    """Records that services were notified of these problems, as they were read."""
    begun = [(alert.subject, alert.kind) for alert in notified if alert.ended_at is None]
    ended = [(alert.subject, alert.kind) for alert in notified if alert.ended_at is not None]
    connection.execute(delete(alerts).where(KEY.in_(ended), alerts.c.ended_at.is_not(None)))
    connection.execute(update(alerts).where(KEY.in_(begun)).values(notified_at=database_now(connection)))
