"""Whether this machine's clock is or was wrong, by the moments that servers name in responses (RFC 9110, Date)."""

import sys
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, func, select

from newsextract.health.past_runs import past
from newsextract.store.engine import database_now
from newsextract.store.schema import runs

#: How far the clock may be ahead of all servers: a cache answers with the moment at which it got a page.
TOLERANCE = timedelta(days=2)
#: After a longer time without a crawl, nothing shows that the clock is right.
QUIET = timedelta(days=40)
#: More than any database has.
ALL_RUNS = sys.maxsize


def days_ahead(connection: Connection) -> int:
    """By how many days the clock was ahead of all servers in the last run; 0 if it was right, or none said."""
    for run in past(connection, runs.c.finished_at.is_not(None), 1, with_stats=True):
        served = run.counts.served_at
        if isinstance(served, int | float) and run.finished_at is not None:
            ahead = run.finished_at - datetime.fromtimestamp(served, UTC)
            return ahead.days if ahead > TOLERANCE else 0
    return 0


def doubt(connection: Connection) -> str:
    """A clause on why the clock may be ahead now; "" if nothing says so."""
    now = database_now(connection)
    last = connection.execute(select(runs.c.finished_at).order_by(runs.c.id.desc()).limit(1)).scalar()
    if last is not None and last > now + TOLERANCE:  # the clock was put back since
        return ""
    if days := days_ahead(connection):
        return f"this machine's clock was {days} days ahead of the sites' clocks in the last crawl"
    query = select(func.max(runs.c.finished_at)).where(runs.c.finished_at <= now + TOLERANCE)
    last = connection.execute(query).scalar()
    if last is not None and now - last > QUIET:
        return f"the last crawl ended {(now - last).days} days ago by this machine's clock, which may be wrong"
    return ""


def runs_behind(connection: Connection, since: datetime) -> list[int]:
    """The runs after that moment, by the servers' clocks, in which this machine's clock was behind them."""
    found = []
    for run in past(connection, runs.c.finished_at < since, ALL_RUNS, with_stats=True):
        served = run.counts.served_at
        at = None if served is None else datetime.fromtimestamp(served, UTC)
        if at is not None and run.finished_at is not None and at - run.finished_at > TOLERANCE and at >= since:
            found.append(run.id)
    return found
