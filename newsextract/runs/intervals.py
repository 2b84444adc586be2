"""When each site of a file is crawled: the interval adapts to how much its runs bring."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from newsextract.crawl.abort import HANDED_ON
from newsextract.health.past_runs import PastRun
from newsextract.runs.config import Site, SitesFile

#: How many of a site's last runs determine its interval.
LAST_RUNS = 20
#: A run without new articles multiplies the interval by this factor; one with MANY_NEW or more divides it. So a site is
#: crawled about as often as it has one to four new articles.
STEP = 1.5
MANY_NEW = 5
#: The part of an interval by which a call may come early: a run starts seconds after its call, so the next call of a
#: daily schedule comes seconds before the interval is over.
TOLERANCE = 0.1
#: How far in the future a moment may lie: another machine's clock may be ahead a little. What lies further ahead was
#: written while a clock was wrong, and never counts.
CLOCK_TOLERANCE = timedelta(minutes=10)


@dataclass(frozen=True)
class SiteSchedule:
    """When a site is crawled. `due`: None means now. `running`: a process is working on its run; `had_turn`: it made
    room for other sites. `ahead`: when the last of its runs began whose beginning lies in the future.
    """

    site: Site
    interval: timedelta
    last: datetime | None = None
    due: datetime | None = None
    running: bool = False
    had_turn: bool = False
    ahead: datetime | None = None

    def is_due(self, now: datetime) -> bool:
        """Whether the site should be crawled now, or by a schedule that calls slightly before the interval is over."""
        return not self.running and (self.due is None or self.due - self.interval * TOLERANCE <= now)


@dataclass(frozen=True)
class SchedulePlan:
    """A file of sites, and when each is due as of `now`."""

    file: SitesFile
    schedules: Sequence[SiteSchedule]
    now: datetime

    def due(self) -> list[SiteSchedule]:
        """The sites that are due, longest waiting first; those that have had a turn come last."""
        waiting = [schedule for schedule in self.schedules if schedule.is_due(self.now)]
        return sorted(waiting, key=lambda one: (one.had_turn, one.due is not None, one.due or self.now))

    def next_due(self) -> str:
        """A sentence on when the next site is due, for a call that has nothing to crawl."""
        running = [schedule.site.name for schedule in self.schedules if schedule.running]
        clauses = [f"{', '.join(running)}: already running"] if running else []
        coming = [(schedule.due, schedule.site.name) for schedule in self.schedules if schedule.due]
        if coming:
            due, name = min(coming)
            clauses.append(f"next: {name} at {due:%Y-%m-%d %H:%M} UTC")
        return f"Nothing is due; {'; '.join(clauses) or 'the file has no sites'}."


def schedule_site(site: Site, runs: Sequence[PastRun], now: datetime) -> SiteSchedule:
    """When a site is due after these runs (newest first): at once if the last one was interrupted.

    Runs that begin in the future don't count.
    """
    interval, latest = current_interval(site, runs), now + CLOCK_TOLERANCE
    ahead = max((run.started_at for run in runs if run.started_at > latest), default=None)
    last = next((run for run in runs if run.started_at <= latest), None)
    if last is None:
        return SiteSchedule(site, interval, ahead=ahead)
    if last.finished_at is None:
        running = last.alive_until is not None and now < last.alive_until <= latest
        had_turn = not running and last.reason == HANDED_ON
        return SiteSchedule(site, interval, last.started_at, running=running, had_turn=had_turn, ahead=ahead)
    return SiteSchedule(site, interval, last.started_at, last.started_at + interval, ahead=ahead)


def current_interval(site: Site, runs: Sequence[PastRun]) -> timedelta:
    """The site's interval after these runs (newest first).

    Runs that were refused say nothing about the site's news; nor does the first of the others, with its old articles.
    """
    interval = site.interval
    telling = [run for run in runs if run.finished_at is not None and run.yields and not run.is_refused]
    for run in reversed(telling[:-1]):
        new = run.count("new")
        factor = STEP if new == 0 else 1 / STEP if new >= MANY_NEW else 1.0
        interval = min(site.longest, max(site.shortest, interval * factor))
    return interval
