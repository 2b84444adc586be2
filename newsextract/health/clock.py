"""Whether this machine's clock is ahead, by the moments that servers name in their responses (RFC 9110, Date)."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from newsextract.health.past_runs import past
from newsextract.store.schema import runs

#: How far the clock may be ahead of all servers: a cache answers with the moment at which it got a page.
TOLERANCE = timedelta(days=2)


def days_ahead(connection: Connection) -> int:
    """By how many days the clock was ahead of all servers in the last run; 0 if it was right, or none said."""
    for run in past(connection, runs.c.finished_at.is_not(None), 1, with_stats=True):
        served = run.counts.served_at
        if isinstance(served, int | float) and run.finished_at is not None:
            ahead = run.finished_at - datetime.fromtimestamp(served, UTC)
            return ahead.days if ahead > TOLERANCE else 0
    return 0
