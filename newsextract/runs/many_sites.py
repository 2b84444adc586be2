"""`newsextract crawl sites.toml`: crawls the sites that are due, several at a time, in one process and one database.

The interval of a site moves with the yield of its runs. A site that another process is crawling is left to it; two
processes that begin one at the same moment share its run. `newsextract watch` tells what is wrong with the sites of a
file right now, and notifies services of what is new.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from newsextract.crawl.checks import check_settings, check_storage
from newsextract.index import TOPICS_FILE
from newsextract.runs.crawl_queue import PARALLEL, CrawlQueue
from newsextract.runs.intervals import LAST_RUNS, SchedulePlan, schedule_site
from newsextract.runs.notifications import AlertThread, note_disks, note_topics, notify, services_of
from newsextract.runs.one_crawl import command_settings
from newsextract.runs.retention import prune_after_crawl
from newsextract.runs.spider_loader import SitesSpiderLoader, site_run_arguments
from newsextract.store import Store
from newsextract.store.alerts import KINDS, PastRun, Problem, load_alerts, note_problems, past_runs
from newsextract.store.engine import database_now, parse_database_url
from newsextract.text import counted, say
from newsextract.workers.memory import prepare_for_crawls


def plan(settings: Settings, loader: SitesSpiderLoader | None = None) -> SchedulePlan:
    """What a crawl of the file would do, by the runs of each site; fetches nothing. Raises WrongSetting."""
    loader = loader or SitesSpiderLoader(settings)
    file = loader.usable_file()
    url = str(settings["NEWSEXTRACT_DATABASE_URL"])
    database = parse_database_url(url).path
    now, runs = datetime.now(UTC), dict[str, list[PastRun]]()
    if database is None or database.is_file():
        with Store.open(url, must_exist=True, read_only=True) as store:
            arguments = {name: site_run_arguments(loader, name) for name in file.sites}
            now, runs = store.read(database_now), store.read(past_runs, arguments, LAST_RUNS)
    return SchedulePlan(file, [schedule_site(site, runs.get(name, ()), now) for name, site in file.sites.items()], now)


def crawl_sites(
    path: Path | None,
    *,
    names: Sequence[str] = (),
    everything: bool = False,
    overrides: Mapping[str, object] | None = None,
    parallel: int = PARALLEL,
) -> int:
    """Crawls the sites that are due, those named, or with `everything` all; returns 1 if a crawl failed, else 0.

    An entry that is wrong fails, too. Raises NewsextractError before fetching anything.
    """
    settings = command_settings(overrides or {}, path)
    check_settings(settings)
    loader = SitesSpiderLoader(settings)
    loader.usable_file()
    check_storage(settings)
    current = plan(settings, loader)
    entries_status = 1 if current.file.wrong and not names else 0
    if names:
        chosen = current.file.known(names)
    elif everything:
        chosen = [*current.file.sites]
    else:
        chosen = [schedule.site.name for schedule in current.due()]
    if not chosen:
        say(current.next_due(), err=True)
        return entries_status
    if len(chosen) > 1:
        settings.set("LOGSTATS_LIVE", False, priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    process.spider_loader = loader  # it has the same spiders; a thousand classes are some megabytes
    prepare_for_crawls()
    with closing(AlertThread(settings, services_of(settings, current.file.alerts))) as alerts:
        queue = CrawlQueue(process, chosen, parallel, alerts.crawl_ended)
        queue.run()
    if queue.unfinished:
        say(f"{len(queue.unfinished)} of {len(chosen)} sites continue at the next call", err=True)
    if pruned := None if queue.interrupted else prune_after_crawl(settings, loader, current.schedules, chosen):
        say(pruned.line, err=True)
    return max(entries_status, queue.status)


# ---- watch -----------------------------------------------------------------------------------------------------------

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
    with Store.open(str(settings["NEWSEXTRACT_DATABASE_URL"]), must_exist=True) as store:
        store.write(note_problems, find_overdue(current, since), None, ("overdue",))
        note_disks(store, settings)
        note_topics(store, settings, current.file.path.with_name(TOPICS_FILE.name))
        notified = notify(store, services_of(settings, current.file.alerts))
        wrong = [alert for alert in store.read(load_alerts) if alert.ended_at is None]
    last_run = max((schedule.last for schedule in current.schedules if schedule.last), default=None)
    last = f"last run {last_run:%Y-%m-%d %H:%M} UTC" if last_run else "no run yet"
    clauses = "; ".join(f"{alert.subject}: {KINDS[alert.kind]}" for alert in wrong)
    line = f"{counted(len(current.schedules), 'site')}, {last}: {clauses or 'all is well'}"
    return WatchReport(line, not wrong, notified)


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
