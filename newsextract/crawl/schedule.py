"""`newsextract crawl sites.toml`: crawls the sites that are due, several at a time, in one process and one database.

The interval of a site moves with the yield of its runs. A site that another process is crawling is left to it; two
processes that begin one at the same moment share its run.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from newsextract.crawl.checks import check_settings, check_storage
from newsextract.crawl.config import WHOLE_FILE, Site, SitesFile
from newsextract.crawl.run import command_settings, end_workers
from newsextract.crawl.spider_loader import SitesSpiderLoader
from newsextract.crawl.summary import exit_status, summary
from newsextract.errors import WrongCall, WrongSetting
from newsextract.spiders.base import NewsSpider, arguments_as_text
from newsextract.store import Store
from newsextract.store.engine import parse_database_url
from newsextract.store.yield_alerts import PastRun

#: The last runs of a site, by which its interval moves.
LAST_RUNS = 20
#: A run without new articles makes the interval longer by this factor, one with MANY_NEW or more as much shorter: so a
#: site comes to be crawled about as often as it has one to four new articles.
STEP, MANY_NEW = 1.5, 5
#: Sites crawled at a time: each of them waits most of its time for its own pauses.
PARALLEL = 8


# ---- when a site is due ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SiteSchedule:
    """When a site is crawled: `due` is None for at once; `running` while a process works on its run."""

    site: Site
    interval: timedelta
    last: datetime | None = None
    due: datetime | None = None
    running: bool = False

    def is_due(self, now: datetime) -> bool:
        """Whether the site is to be crawled now."""
        return not self.running and (self.due is None or self.due <= now)


@dataclass(frozen=True)
class SchedulePlan:
    """A file of sites, and when each of them is due, as of `now`."""

    file: SitesFile
    schedules: Sequence[SiteSchedule]
    now: datetime

    def due(self) -> list[SiteSchedule]:
        """The sites that are due, the one that has waited longest first."""
        waiting = [schedule for schedule in self.schedules if schedule.is_due(self.now)]
        return sorted(waiting, key=lambda schedule: (schedule.due is not None, schedule.due or self.now))

    def next_due(self) -> str:
        """When the next site is due, in a sentence for a call with nothing to crawl."""
        running = [schedule.site.name for schedule in self.schedules if schedule.running]
        clauses = [f"{', '.join(running)}: under way already"] if running else []
        coming = [(schedule.due, schedule.site.name) for schedule in self.schedules if schedule.due]
        if coming:
            due, name = min(coming)
            clauses.append(f"next is {name} at {due:%Y-%m-%d %H:%M} UTC")
        return f"Nothing is due; {'; '.join(clauses) or 'the file has no sites'}."


def schedule_site(site: Site, runs: Sequence[PastRun], now: datetime) -> SiteSchedule:
    """When a site is due after these runs, newest first: at once where the last one was left in the middle."""
    interval = current_interval(site, runs)
    if not runs:
        return SiteSchedule(site, interval)
    last = runs[0]
    if last.finished_at is None:
        running = last.alive_until is not None and last.alive_until > now
        return SiteSchedule(site, interval, last.started_at, running=running)
    return SiteSchedule(site, interval, last.started_at, last.started_at + interval)


def current_interval(site: Site, runs: Sequence[PastRun]) -> timedelta:
    """The site's interval after these runs, newest first. The very first, which brings old articles, does not count."""
    interval = site.interval
    for run in reversed(runs[:-1]):
        if run.finished_at is None or not run.yields:
            continue
        factor = STEP if run.new == 0 else 1 / STEP if run.new >= MANY_NEW else 1.0
        interval = min(site.longest, max(site.shortest, interval * factor))
    return interval


# ---- the plan --------------------------------------------------------------------------------------------------------


def plan(path: Path | None, overrides: Mapping[str, object]) -> SchedulePlan:
    """What a crawl of the file would do; nothing is fetched or written. Raises WrongSetting where it can't be used."""
    settings = _settings(path, overrides)
    return _plan(SitesSpiderLoader(settings), settings)


def _settings(path: Path | None, overrides: Mapping[str, object]) -> Settings:
    file = {"NEWSEXTRACT_SITES": str(path.expanduser().resolve())} if path else {}
    return command_settings({**file, **overrides})


def _plan(
    loader: SitesSpiderLoader, settings: Settings, check: Callable[[Settings], None] | None = None
) -> SchedulePlan:
    """Reads the runs of each site. A database that does not exist has none; `check` may create it."""
    file = loader.file
    if file is None:
        raise WrongSetting(f"There is no {settings['NEWSEXTRACT_SITES']}; docs/SCHEDULE.md shows what one says")
    if WHOLE_FILE in file.wrong:
        raise WrongSetting(f"{file.path} can't be used, as said above")
    if check is not None:
        check(settings)
    url = str(settings["NEWSEXTRACT_DATABASE_URL"])
    database = parse_database_url(url).path
    if database is not None and not database.is_file():
        now = datetime.now(UTC)
        return SchedulePlan(file, [schedule_site(site, [], now) for site in file.sites.values()], now)
    with Store.open(url, must_exist=True, read_only=True) as store:
        now = store.now()
        schedules = []
        for name, site in file.sites.items():
            spider = loader.load(name)
            assert issubclass(spider, NewsSpider)
            runs = store.past_runs(name, arguments_as_text(spider.parse_arguments({})), LAST_RUNS)
            schedules.append(schedule_site(site, runs, now))
        return SchedulePlan(file, schedules, now)


# ---- the crawls ------------------------------------------------------------------------------------------------------


def crawl_sites(
    path: Path | None,
    *,
    names: Sequence[str] = (),
    everything: bool = False,
    overrides: Mapping[str, object] | None = None,
    parallel: int = PARALLEL,
) -> int:
    """Crawls the sites that are due, or those named, or with `everything` all; at most `parallel` at a time.

    0 if all went well, 1 if a crawl failed or an entry of the file is wrong. Raises NewsextractError before anything
    is fetched.
    """
    settings = _settings(path, overrides or {})
    check_settings(settings)
    current = _plan(SitesSpiderLoader(settings), settings, check_storage)
    entries_status = 1 if current.file.wrong and not names else 0
    if names:
        chosen = _known_names(current.file, names)
    elif everything:
        chosen = [*current.file.sites]
    else:
        chosen = [schedule.site.name for schedule in current.due()]
    if not chosen:
        print(current.next_due(), file=sys.stderr)
        return entries_status
    if len(chosen) > 1:
        settings.set("LOGSTATS_LIVE", False, priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    queue = CrawlQueue(process, chosen)
    queue.start(parallel)
    try:
        process.start()
    finally:
        end_workers()
    return max(entries_status, queue.status)


def _known_names(file: SitesFile, names: Sequence[str]) -> list[str]:
    """The names, each once; raises WrongCall for one that is no site of the file."""
    for name in names:
        if name in file.wrong:
            raise WrongCall(f"The site {name!r} can't be crawled: its entry is wrong, as said above")
        if name not in file.sites:
            raise WrongCall(f"{file.path} has no site {name!r}; it has {', '.join(file.sites) or 'none'}")
    return [*dict.fromkeys(names)]


class CrawlQueue:
    """Crawls of one process, a number of them at a time; `status` is that of the worst."""

    def __init__(self, process: AsyncCrawlerProcess, names: Iterable[str]) -> None:
        self.process, self.waiting, self.status = process, deque(names), 0

    def start(self, parallel: int) -> None:
        """Starts the first crawls; each that ends starts the next one."""
        for _ in range(parallel):
            self._start_next()

    def _start_next(self) -> None:
        while self.waiting:
            name = self.waiting.popleft()
            try:
                crawler = self.process.create_crawler(name)
            except KeyError:  # the file has changed since it was read
                self.status = 1
                print(f"{name}: its entry is gone, or wrong, as said above", file=sys.stderr)
                continue
            self.process.crawl(crawler).add_done_callback(partial(self._ended, name, crawler))
            return

    def _ended(self, name: str, crawler: Crawler, task: object) -> None:
        if crawler.spider is None:
            self.status = 1
            print(f"{name}: the crawl could not begin, see the log", file=sys.stderr)
        else:
            self.status = max(self.status, exit_status(crawler))
            print(f"{name}: {summary(crawler)}", file=sys.stderr)
            if crawler.stats.get_value("finish_reason") == "shutdown":
                self.waiting.clear()
        self._start_next()
