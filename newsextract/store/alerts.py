"""What is wrong with sites, crawls and disks: found at the end of a run, noted once when it begins and when it ends.

How many articles each run got from each site (its yields) is counted once, when the run is finished, from the URL
states, so that all workers and restarts of the run are included. It is kept in the run's statistics, and compared with
earlier runs of the same spider and arguments. A redesign, a block or a consent wall shows in two ways: a far smaller
share of the new pages are articles, or there is no new article at all for far longer than ever before. A front page
that has become an empty frame is told at once: no links are found on it.

The table `alerts` has a row for each state from when it is found until its end has been told. A state that ends before
it was told is forgotten. `newsextract.schedule.alerts` tells them.
"""

import json
import math
from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, tuple_, update

from newsextract.reasons import FRAME, UrlState, reason_of
from newsextract.store.engine import RowValues, chunked, database_now
from newsextract.store.leases import FINISHED_EARLY, abandoned_runs, end_run, identity, is_open
from newsextract.store.schema import alerts, articles, changes, runs, urls

#: Keys of the yields and, followed by the site, of the warnings in a run's statistics.
YIELDS = "newsextract/yields"
WARNING = "newsextract/yield_warning/"
#: Earlier runs to compare with: enough for days of nights and weekends where a site is polled every quarter of an hour.
RUNS = 500
#: States of pages that were tried and gave no article; so do pages refused by robots.txt.
NO_ARTICLE = (UrlState.not_article, UrlState.dropped, UrlState.failed)
#: Pages that must have been tried, in the run and before it, for their share of articles to be significant.
TRIED, TRIED_BEFORE = 5, 20
#: Earlier runs that the usual share is computed from: after so many, a permanent change is the usual share.
BASELINE_RUNS = 50
#: A share has dropped if its upper bound (Wilson score interval, so many standard deviations) is below DROP times the
#: usual share; 2.5, so that a night's handful of new tag pages raises no alarm.
DEVIATIONS, DROP = 2.5, 0.5
#: A warning of silence needs so many articles missed at the usual rate, a silence so many times as long as the longest
#: before, and so many earlier runs with new articles.
MISSED, LONGER, RUNS_WITH_NEWS = 10, 2.0, 5
#: Kinds of a site's yield, of which a site has one at a time: it brings nothing any more, refuses the crawl, shows a
#: consent wall or a log-in, is rendered by JavaScript, or looks otherwise than the extractor expects.
YIELD_KINDS = ("silent", "blocked", "closed", "needs_javascript", "redesigned")
#: Kinds that a site's articles show.
SITE_KINDS = (*YIELD_KINDS, "no_dates")
#: Kinds that the end of a crawl shows.
CRAWL_KINDS = ("failed", "blocked")
#: All kinds; the others are a disk that is nearly full, a site that is not crawled as often as it should be, and a
#: topic that is written about far more than usual.
KINDS = (*SITE_KINDS, "failed", "disk", "overdue", "burst")
#: The last articles of a site that are looked at for dates, and how many there must be.
LAST_ARTICLES, MIN_ARTICLES = 30, 10


# ---- yields of runs --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SiteYield:
    """What a run got from a site.

    `new`, `changed`: articles. `articles`: pages tried that were articles; `others`: those that were none, by reason.
    `front_is_frame`: whether a front page was an empty frame.
    """

    new: int = 0
    changed: int = 0
    articles: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    front_is_frame: bool = False

    @property
    def tried(self) -> int:
        """How many pages were tried: those first seen in the run, and known articles."""
        return self.articles + sum(self.others.values())


@dataclass(frozen=True, slots=True)
class PastRun:
    """A row of `runs`, with the yields and warnings of its statistics by site.

    `alive_until`: when its worker's lease of it expires, None once it ended. `stats`: those of its last process, where
    they were asked for.
    """

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
    def new(self) -> int:
        """New articles: of all of the run if it is finished, else of its last process."""
        return self._count("new")

    @property
    def changed(self) -> int:
        """Changed articles, counted as `new`."""
        return self._count("changed")

    def _count(self, kind: str) -> int:
        if self.yields:
            return sum(getattr(site, kind) for site in self.yields.values())
        return int(self.stats.get(f"newsextract/articles/{kind}", 0))


def yields_of_run(connection: Connection, run: int) -> dict[str, SiteYield]:
    """The yields of a run so far, by site."""
    started = select(runs.c.started_at).where(runs.c.id == run).scalar_subquery()
    known = urls.c.article.is_not(None)
    tried = (urls.c.kind == "page") & or_(urls.c.first_seen >= started, known)
    front = (urls.c.kind == "home") & (urls.c.reason == FRAME)
    labels = (known.label("known"), tried.label("tried"), front.label("front"))
    columns = (urls.c.site, urls.c.state, urls.c.reason, *labels)
    query = select(*columns, func.count().label("number")).where(urls.c.run == run)
    counts: dict[str, RowValues] = {}
    for row in connection.execute(query.group_by(*columns)):
        site = counts.setdefault(row.site, {"others": {}})
        if row.front:
            site["front_is_frame"] = True
        if not row.tried:
            continue
        if row.state in NO_ARTICLE or (row.state == UrlState.refused and row.reason == "robots"):
            if reason_of(row.reason).is_tried:
                reason = row.reason or row.state
                site["others"][reason] = site["others"].get(reason, 0) + row.number
        elif row.known and row.state in (UrlState.stored, UrlState.unchanged):
            site["articles"] = site.get("articles", 0) + row.number
    # an article that is new counts as such, whatever else the run changed of it; "new" sorts behind "changed"
    made = select(urls.c.site, articles.c.id, func.max(changes.c.kind).label("kind")).select_from(urls)
    made = made.join(articles, (articles.c.id == urls.c.article) & (articles.c.change_kind != "retracted"))
    made = made.join(changes, (changes.c.article == articles.c.id) & (changes.c.run == run)).where(urls.c.run == run)
    made = made.where(changes.c.kind.in_(("new", "changed")))
    kinds = made.group_by(urls.c.site, articles.c.id).subquery()
    query_made = select(kinds.c.site, kinds.c.kind, func.count().label("number"))
    for row in connection.execute(query_made.group_by(kinds.c.site, kinds.c.kind)):
        counts.setdefault(row.site, {"others": {}})[row.kind] = row.number
    return {site: SiteYield(**values) for site, values in sorted(counts.items())}


def past(
    connection: Connection, which: ColumnElement[bool], limit: int = RUNS, *, with_stats: bool = False
) -> list[PastRun]:
    """The last runs that meet the condition, newest first."""
    return list(iterate_past(connection, which, limit, with_stats=with_stats))


def iterate_past(
    connection: Connection, which: ColumnElement[bool], limit: int, *, with_stats: bool = False
) -> Generator[PastRun, None, None]:
    """What `past` returns, one run after the other; close it if it is not read to its end."""
    with connection.execute(select(runs).where(which).order_by(runs.c.id.desc()).limit(limit)) as rows:
        for row in rows:
            stats = read_stats(row.stats)
            yield PastRun(
                row.id,
                row.started_at,
                row.finished_at,
                row.alive_until if row.reason is None else None,
                yields_of(stats),
                {name.removeprefix(WARNING): str(text) for name, text in stats.items() if name.startswith(WARNING)},
                row.spider,
                row.arguments,
                row.reason,
                stats if with_stats else {},
            )


def past_runs(connection: Connection, spider: str, arguments: Mapping[str, str], limit: int = RUNS) -> list[PastRun]:
    """The last runs of a spider with these arguments and their yields, newest first."""
    return past(connection, runs.c.identity == identity(spider, arguments)[0], limit)


def past_runs_of_all(
    connection: Connection, arguments: Mapping[str, Mapping[str, str]], limit: int = RUNS
) -> dict[str, list[PastRun]]:
    """The last runs of each of many spiders, newest first; `arguments` and the answer are by spider.

    A run that only dead processes of this machine worked on is not alive.
    """
    by_key = {identity(spider, given)[0]: spider for spider, given in arguments.items()}
    abandoned = abandoned_runs(connection, database_now(connection))
    number = func.row_number().over(partition_by=runs.c.identity, order_by=runs.c.id.desc()).label("number")
    last_runs: dict[str, list[PastRun]] = {spider: [] for spider in arguments}
    for chunk in chunked(by_key):
        numbered = select(runs.c.id, runs.c.identity, number).where(runs.c.identity.in_(chunk)).subquery()
        last = select(numbered.c.id, numbered.c.identity).where(numbered.c.number <= limit)
        spiders = {row.id: by_key[row.identity] for row in connection.execute(last)}
        for run in past(connection, runs.c.id.in_(select(last.subquery().c.id)), len(spiders)):
            alive = None if run.id in abandoned else run.alive_until
            last_runs[spiders[run.id]].append(replace(run, alive_until=alive))
    return last_runs


def finish_run(connection: Connection, run: int, reason: str, stats: Mapping[str, object]) -> dict[str, str]:
    """Notes how a crawl of the run ended. The run itself is finished once none of its URLs is open.

    A finished run gets its yields; returns a warning for each site that yielded far less than it used to.
    """
    done = reason in FINISHED_EARLY or (reason == "finished" and not is_open(connection, run))
    now = database_now(connection)
    if not done:
        end_run(connection, run, reason, stats, now, done=False)
        return {}
    yields = yields_of_run(connection, run)
    warnings = detect_drops(yields, now, previous_runs(connection, run))
    end_run(connection, run, reason, {**stats, **as_stats(yields, warnings)}, now, done=True)
    clear_old_stats(connection, run)
    return warnings


def previous_runs(connection: Connection, run: int) -> list[PastRun]:
    """The finished runs of the same spider and arguments before this one, newest first."""
    kind = select(runs.c.identity).where(runs.c.id == run).scalar_subquery()
    return past(connection, (runs.c.identity == kind) & (runs.c.id < run) & runs.c.finished_at.is_not(None))


def clear_old_stats(connection: Connection, run: int) -> None:
    """Deletes the statistics of all but the last `RUNS` runs of the same spider and arguments."""
    kind = select(runs.c.identity).where(runs.c.id == run).scalar_subquery()
    same_kind = (runs.c.identity == kind) & runs.c.finished_at.is_not(None)
    oldest = select(runs.c.id).where(same_kind).order_by(runs.c.id.desc()).offset(RUNS).limit(1).scalar_subquery()
    connection.execute(
        update(runs).where(same_kind & (runs.c.id <= oldest) & runs.c.stats.is_not(None)).values(stats=None)
    )


def as_stats(yields: Mapping[str, SiteYield], warnings: Mapping[str, str]) -> dict[str, object]:
    """The entries of a run's statistics for yields and warnings."""
    yields = {**dict.fromkeys(warnings, SiteYield()), **yields}
    by_key = {f"{WARNING}{site}": sentence for site, sentence in warnings.items()}
    return {YIELDS: {site: asdict(counts) for site, counts in yields.items()}, **by_key}


def yields_of(stats: Mapping[str, Any]) -> dict[str, SiteYield]:
    """The yields in a run's statistics; empty where there are none or they cannot be read."""
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
    """A warning if the share of articles among the pages tried has dropped.

    The first run of all counts only if there are too few others: its section pages were new too.
    """
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
        f"only {current.articles} of {current.tried} pages were articles, {usual:.0%} before; "
        f"{number} failed as {reason}: {cause}?"
    )


def _front_is_frame(current: SiteYield, before: Sequence[tuple[datetime, SiteYield]]) -> str | None:
    """A warning if the front page was a page, brought articles, and is an empty frame now."""
    was_page = any(past.articles and not past.front_is_frame for _, past in before[:BASELINE_RUNS])
    if not current.front_is_frame or current.new or not was_page:
        return None
    return f"no new article; the front page came as {FRAME}: {reason_of(FRAME).cause}?"


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
    daily = counted / (span / timedelta(days=1))
    return f"no new article for {_duration(silence)}, though some {daily:.3g} a day came before: a redesign or a block?"


def _upper_bound(successes: int, trials: int) -> float:
    """The upper end of the Wilson score interval of a share (E. B. Wilson, JASA 22, 1927)."""
    square = DEVIATIONS**2
    centre = successes + square / 2
    spread = DEVIATIONS * math.sqrt(successes * (trials - successes) / trials + square / 4)
    return (centre + spread) / (trials + square)


def _duration(span: timedelta) -> str:
    hours = span / timedelta(hours=1)
    return f"{hours:.0f} hours" if hours < 72 else f"{hours / 24:.0f} days"


def read_stats(stats: str | None) -> dict[str, Any]:
    """A run's statistics (JSON); empty where there are none or they cannot be read."""
    try:
        return dict(json.loads(stats or "{}"))
    except ValueError:
        return {}


# ---- states ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong: what with, one of KINDS, and a sentence without its subject."""

    subject: str
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Alert:
    """A row of `alerts`. `ended_at`: it is well again, which is still to be told."""

    subject: str
    kind: str
    sentence: str
    since: datetime
    notified_at: datetime | None
    ended_at: datetime | None


def note_run(connection: Connection, run: int) -> None:
    """Notes what a finished run shows of its sites."""
    problems, of_sites = problems_of_run(connection, run)
    note_problems(connection, problems, of_sites, SITE_KINDS)


def problems_of_run(connection: Connection, run: int) -> tuple[list[Problem], list[str]]:
    """What a finished run shows of its sites: their problems, and all sites that were looked at."""
    found = past(connection, (runs.c.id == run) & runs.c.finished_at.is_not(None))
    problems = []
    sites = sorted({site for each in found for site in each.yields})
    for each in found:
        for site, current in each.yields.items():
            problems += [_yield_problem(site, current, each.warnings.get(site)), _without_dates(connection, site)]
    return [problem for problem in problems if problem is not None], sites


def _yield_problem(site: str, current: SiteYield, warning: str | None) -> Problem | None:
    """What is wrong with what a run got from a site; None where nothing is. `warning`: beside its earlier runs."""
    reason, number = max(current.others.items(), key=lambda pair: pair[1], default=("", 0))
    if warning is None:
        if current.front_is_frame and not current.tried:
            return Problem(site, reason_of(FRAME).alert, f"the front page came as {FRAME}: {reason_of(FRAME).cause}")
        if current.articles or current.tried < TRIED or not reason_of(reason).cause:
            return None
        tried = f"none of {current.tried} pages was an article"
        warning = f"{tried}; {number} failed as {reason}: {reason_of(reason).cause}?"
    if current.front_is_frame and not current.articles:
        reason = FRAME
    elif sum(current.others.values()) <= current.articles:
        return Problem(site, "silent", warning)
    return Problem(site, reason_of(reason).alert or "redesigned", warning)


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
    return Problem(site, "no_dates", f"{number - dated} of its last {number} articles have no date of publication")


def note_problems(
    connection: Connection,
    problems: Sequence[Problem],
    subjects: Collection[str] | None,
    kinds: Collection[str],
) -> None:
    """Notes the problems of these subjects (None: all) and kinds, and that the others that were there have ended.

    A kind of YIELD_KINDS that another one takes the place of is not told as ended.
    """
    now = database_now(connection)
    query = select(alerts).where(alerts.c.kind.in_([*kinds]))
    if subjects is not None:
        query = query.where(alerts.c.subject.in_([*subjects]))
    rows = {(row.subject, row.kind): row for row in connection.execute(query)}
    present = {(problem.subject, problem.kind): problem.sentence for problem in problems}
    with_yield_problem = {problem.subject for problem in problems if problem.kind in YIELD_KINDS}
    for (subject, kind), sentence in present.items():
        if (subject, kind) in rows:
            connection.execute(update(alerts).where(_is(subject, kind)).values(sentence=sentence, ended_at=None))
        else:
            values = {"subject": subject, "kind": kind, "sentence": sentence, "since": now}
            connection.execute(insert(alerts).values(values))
    for (subject, kind), row in rows.items():
        if (subject, kind) in present:
            continue
        if row.notified_at is None or (kind in YIELD_KINDS and subject in with_yield_problem):
            connection.execute(delete(alerts).where(_is(subject, kind)))
        elif row.ended_at is None:
            connection.execute(update(alerts).where(_is(subject, kind)).values(ended_at=now))


def load_alerts(connection: Connection) -> list[Alert]:
    """All states: those that last, and those whose end is still to be told; oldest first."""
    rows = connection.execute(select(alerts).order_by(alerts.c.since, alerts.c.subject, alerts.c.kind))
    return [Alert(**row._mapping) for row in rows]


def forget_alerts(connection: Connection, subject: str) -> int:
    """Deletes the states of a subject without telling their end; returns how many there were."""
    return connection.execute(delete(alerts).where(alerts.c.subject == subject)).rowcount


def mark_notified(connection: Connection, told: Sequence[Alert]) -> None:
    """Notes that these states, as they were read, have been told."""
    ended = [(alert.subject, alert.kind) for alert in told if alert.ended_at is not None]
    begun = [(alert.subject, alert.kind) for alert in told if alert.ended_at is None]
    key = tuple_(alerts.c.subject, alerts.c.kind)
    if ended:
        connection.execute(delete(alerts).where(key.in_(ended), alerts.c.ended_at.is_not(None)))
    if begun:
        connection.execute(update(alerts).where(key.in_(begun)).values(notified_at=database_now(connection)))


def _is(subject: str, kind: str) -> ColumnElement[bool]:
    return (alerts.c.subject == subject) & (alerts.c.kind == kind)
