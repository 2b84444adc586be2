"""`newsextract crawl sites.toml`: crawls the sites that are due, several at a time, in one process and one database.

The interval of a site moves with the yield of its runs. A site that another process is crawling is left to it; two
processes that begin one at the same moment share its run.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from newsextract.crawl.checks import check_settings, check_storage
from newsextract.health.past_runs import PastRun, past_runs
from newsextract.runs.crawl_queue import PARALLEL, CrawlQueue
from newsextract.runs.intervals import LAST_RUNS, SchedulePlan, schedule_site
from newsextract.runs.notifications import AlertThread, services_of
from newsextract.runs.one_crawl import command_settings, settings_in_use, update_known_stories
from newsextract.runs.retention import prune_after_crawl
from newsextract.runs.spider_loader import SitesSpiderLoader, site_run_arguments
from newsextract.store import Store
from newsextract.store.engine import database_now, parse_database_url
from newsextract.text import say
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


def next_dues(current: SchedulePlan) -> dict[str, datetime]:
    """When each site of the file is due again, those that are due now counted as crawled now."""
    chosen = {id(schedule) for schedule in current.due()}
    dues = {one.site.name: current.now + one.interval if id(one) in chosen else one.due for one in current.schedules}
    return {name: due for name, due in dues.items() if due is not None}


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
    with settings_in_use():
        process = AsyncCrawlerProcess(settings)
    process.spider_loader = loader  # it has the same spiders; a thousand classes are some megabytes
    prepare_for_crawls()
    with closing(AlertThread(settings, services_of(settings, current.file.alerts))) as alerts:
        due = {} if names or everything else next_dues(current)
        queue = CrawlQueue(process, chosen, parallel, alerts.crawl_ended, due=due)
        queue.run()
        update_known_stories(settings)  # before the last alerts, which stories may be
    if queue.unfinished:
        say(f"{len(set(queue.unfinished))} of {len(chosen)} sites continue at the next call", err=True)
    if pruned := None if queue.interrupted else prune_after_crawl(settings, loader, current.schedules, chosen):
        say(pruned.line, err=True)
    return max(entries_status, queue.status)
