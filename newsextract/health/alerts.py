"""The table `alerts`: a row for each problem, from when it is found until services were notified of its end.

`newsextract.runs.notifications` notifies them. A problem that ends before they were notified of it is deleted.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, or_, select, tuple_, update

from newsextract.store.engine import database_now, upsert
from newsextract.store.schema import alerts

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
    "story": "reported widely",
}

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
