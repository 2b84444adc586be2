"""`newsextract watch`: what is wrong with the sites of a file right now; notifies services of what is new."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from newsextract.health.alerts import KINDS, Alert, Problem, load_alerts, note_problems
from newsextract.index import TOPICS_FILE
from newsextract.runs.intervals import SchedulePlan
from newsextract.runs.many_sites import plan
from newsextract.runs.notifications import note_disks, note_stories, note_topics, notify, services_of
from newsextract.runs.one_crawl import command_settings, update_known_stories
from newsextract.store import Store
from newsextract.text import counted
from newsextract.urls import site_of

#: How late a run must be to count as overdue: by its interval, and at least this.
MIN_LATENESS = timedelta(minutes=15)


class WatchReport(NamedTuple):
    """The state of the crawls in one line; whether nothing is wrong, and whether a service took the news, if any."""

    line: str
    is_well: bool
    notified: bool


def watch(path: Path | None, overrides: Mapping[str, object]) -> WatchReport:
    """Records overdue sites and nearly full disks, and sends what is new. Raises WrongSetting, DatabaseError."""
    settings = command_settings(overrides, path)
    current = plan(settings)
    since = datetime.fromtimestamp(current.file.path.stat().st_mtime, UTC)
    update_known_stories(settings)
    with Store.open(str(settings["NEWSEXTRACT_DATABASE_URL"]), must_exist=True) as store:
        store.write(
            note_problems, find_overdue(current, since) + find_wrong_clocks(current), None, ("overdue", "clock")
        )
        note_disks(store, settings)
        note_topics(store, settings, current.file.path.with_name(TOPICS_FILE.name))
        note_stories(store, settings)
        notified = notify(store, services_of(settings, current.file.alerts))
        wrong = [alert for alert in store.read(load_alerts) if alert.ended_at is None]
    last_run = max((schedule.last for schedule in current.schedules if schedule.last), default=None)
    last = f"last run {last_run:%Y-%m-%d %H:%M} UTC" if last_run else "no run yet"
    known = {name for one in current.schedules for name in (one.site.name, site_of(one.site.arguments["url"]))}
    clauses = "; ".join(_clause(alert, known, current.file.path.name) for alert in wrong)
    line = f"{counted(len(current.schedules), 'site')}, {last}: {clauses or 'all is well'}"
    return WatchReport(line, not wrong, notified)


def _clause(alert: Alert, known: Collection[str], file: str) -> str:
    """What is wrong; of a crawl that isn't in the file any more, how to end it."""
    clause = f"{alert.subject}: {KINDS[alert.kind]}"
    if alert.kind in ("disk", "burst") or alert.subject in known:
        return clause
    return f"{clause} (not in {file}; newsextract watch --clear-alerts {alert.subject} ends this)"


def find_wrong_clocks(current: SchedulePlan) -> list[Problem]:
    """A problem for each site with a recent run that began in the future; it ends when other runs have followed."""
    return [
        Problem(
            one.site.name,
            "clock",
            f"a run began {one.ahead:%Y-%m-%d %H:%M} UTC, which is in the future: the clock of a machine was wrong. "
            f"The run's times don't count, but its articles have them",
        )
        for one in current.schedules
        if one.ahead is not None
    ]


def find_overdue(current: SchedulePlan, since: datetime) -> list[Problem]:
    """A problem for each overdue site. `since`: when sites that never ran were due."""
    problems = []
    for schedule in current.schedules:
        last, sentence = schedule.last, "never crawled"
        if last is not None:
            sentence = f"last run began {last:%Y-%m-%d %H:%M} UTC; its interval is {schedule.interval}"
        due = schedule.due or (last + schedule.interval if last else since)
        if not schedule.running and current.now - due > max(schedule.interval, MIN_LATENESS):
            problems.append(Problem(schedule.site.name, "overdue", sentence))
    return problems
