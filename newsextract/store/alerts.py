"""What is wrong with sites, crawls and disks at present: each state is told once when it begins, and once when it ends.

The table `alerts` has a row for each state from when it is found until its end has been told. A state that ends before
it was told is forgotten. `newsextract.schedule.alerts` tells them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, tuple_, update

from newsextract.reasons import FRAME, reason_of
from newsextract.store.schema import alerts, articles, runs
from newsextract.store.yield_alerts import TRIED, SiteYield, past

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
    told_at: datetime | None
    ended_at: datetime | None


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


def reconcile(
    connection: Connection,
    problems: Sequence[Problem],
    subjects: Collection[str] | None,
    kinds: Collection[str],
    now: datetime,
) -> None:
    """Notes the problems of these subjects (None: all) and kinds, and that the others that were there have ended.

    A kind of YIELD_KINDS that another one takes the place of is not told as ended.
    """
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
        if row.told_at is None or (kind in YIELD_KINDS and subject in with_yield_problem):
            connection.execute(delete(alerts).where(_is(subject, kind)))
        elif row.ended_at is None:
            connection.execute(update(alerts).where(_is(subject, kind)).values(ended_at=now))


def load(connection: Connection) -> list[Alert]:
    """All states: those that last, and those whose end is still to be told; oldest first."""
    rows = connection.execute(select(alerts).order_by(alerts.c.since, alerts.c.subject, alerts.c.kind))
    return [Alert(**row._mapping) for row in rows]


def forget(connection: Connection, subject: str) -> int:
    """Deletes the states of a subject without telling their end; returns how many there were."""
    return connection.execute(delete(alerts).where(alerts.c.subject == subject)).rowcount


def mark_told(connection: Connection, told: Sequence[Alert], now: datetime) -> None:
    """Notes that the states, as they were read, have been told."""
    ended = [(alert.subject, alert.kind) for alert in told if alert.ended_at is not None]
    begun = [(alert.subject, alert.kind) for alert in told if alert.ended_at is None]
    key = tuple_(alerts.c.subject, alerts.c.kind)
    if ended:
        connection.execute(delete(alerts).where(key.in_(ended), alerts.c.ended_at.is_not(None)))
    if begun:
        connection.execute(update(alerts).where(key.in_(begun)).values(told_at=now))


def _is(subject: str, kind: str) -> ColumnElement[bool]:
    return (alerts.c.subject == subject) & (alerts.c.kind == kind)
