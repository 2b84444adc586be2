"""How often a site of sites.toml is crawled: its interval, moved by what its runs brought, and when it is due."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from newsextract.crawl.config import Site
from newsextract.store.yield_alerts import PastRun

#: A run that brought nothing new makes the interval longer by half, one that brought so many new articles as much
#: shorter: so a site comes to be asked about as often as it has one to four new ones.
STEP, MANY = 1.5, 5


@dataclass(frozen=True)
class Turn:
    """When it is a site's turn: `due` is None for at once; `running` while somebody works on its run."""

    site: Site
    interval: timedelta
    last: datetime | None = None
    due: datetime | None = None
    running: bool = False

    def is_due(self, now: datetime) -> bool:
        """Whether the site is to be crawled now."""
        return not self.running and (self.due is None or self.due <= now)


def interval(site: Site, runs: Sequence[PastRun]) -> timedelta:
    """The site's interval after these runs, newest first; the first of all, which brings the past, does not count."""
    span = site.interval
    for run in reversed(runs[:-1]):
        if run.finished_at is None or not run.yields:
            continue
        factor = STEP if run.new == 0 else 1 / STEP if run.new >= MANY else 1.0
        span = min(site.longest, max(site.shortest, span * factor))
    return span


def turn(site: Site, runs: Sequence[PastRun], now: datetime) -> Turn:
    """The site's turn, by its last run: one that was left in the middle goes on at once."""
    span = interval(site, runs)
    if not runs:
        return Turn(site, span)
    last = runs[0]
    if last.finished_at is None:
        running = last.alive_until is not None and last.alive_until > now
        return Turn(site, span, last.started_at, running=running)
    return Turn(site, span, last.started_at, last.started_at + span)
