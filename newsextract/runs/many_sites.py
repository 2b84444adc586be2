"""`newsextract crawl sites.toml`: crawls the sites that are due, several at a time, in one process and one database.

A slow site doesn't hold up the others. The interval of a site moves with the yield of its runs. A site that another
process is crawling is left to it; two processes that begin one at the same moment share its run.

`newsextract watch` tells what is wrong with the sites of a file right now, and notifies services of what is new.
`newsextract sites check` crawls a few pages of each into a temporary database.
"""

import asyncio
import gc
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from newsextract.crawl.abort import FATAL, NO_WORKERS
from newsextract.crawl.checks import check_settings, check_storage
from newsextract.crawl.engine import is_only_scraping
from newsextract.crawl.summary import MISSED, RUN, exit_status, read_stats, summary
from newsextract.index import TOPICS_FILE
from newsextract.reasons import FRAME, PARTLY_READ, label_of, reason_of
from newsextract.runs.intervals import LAST_RUNS, SchedulePlan, schedule_site
from newsextract.runs.notifications import AlertThread, note_disks, note_topics, notify, services_of
from newsextract.runs.one_crawl import command_settings, start
from newsextract.runs.retention import prune_after_crawl
from newsextract.runs.spider_loader import SitesSpiderLoader, site_run_arguments
from newsextract.store import Store
from newsextract.store.alerts import KINDS, PastRun, Problem, load_alerts, note_problems, past_runs
from newsextract.store.engine import database_now, parse_database_url
from newsextract.store.frontier import urls_of_run
from newsextract.text import counted, say
from newsextract.workers.memory import prepare_for_crawls, return_free_memory

#: Sites crawled at a time: each crawl spends most of its time in its own pauses.
PARALLEL = 8
#: Seconds without an answer after which a crawl no longer counts as active; how many crawls, as a multiple of the
#: active ones, may then be open; seconds between two checks.
STALLED_AFTER, MAX_OPEN, CHECK_INTERVAL = 8.0, 3, 1.0
#: Seconds between two collections of the garbage of finished crawls.
COLLECT_INTERVAL = 10.0


class OpenCrawl:
    """A crawl that has begun, and the event-loop time of its last answer."""

    def __init__(self, name: str, crawler: Crawler, now: float) -> None:
        self.name, self.crawler, self.last_answer = name, crawler, now
        crawler.signals.connect(self._response_received, signal=signals.response_received)

    def is_stalled(self, now: float) -> bool:
        """Whether its site has not answered for a while. A crawl that extracts pages waits for this machine instead."""
        if is_only_scraping(self.crawler):
            self.last_answer = now
        return now - self.last_answer > STALLED_AFTER

    def _response_received(self) -> None:
        self.last_answer = asyncio.get_running_loop().time()


class CrawlQueue:
    """The crawls of one process. `status`: that of the worst crawl. `interrupted`: told to stop.

    `parallel` crawls are active at a time; while a site doesn't answer, others may start, up to MAX_OPEN times as many.
    `on_end(name, crawler)` is called after each. `arguments`: for all spiders. `quiet`: print no summaries.
    """

    def __init__(
        self,
        process: AsyncCrawlerProcess,
        names: Iterable[str],
        parallel: int,
        on_end: Callable[[str, Crawler], None],
        arguments: Mapping[str, str] | None = None,
        *,
        quiet: bool = False,
    ) -> None:
        self.process, self.waiting, self.status = process, deque(names), 0
        self.parallel, self.on_end = parallel, on_end
        self.arguments, self.quiet = arguments or {}, quiet
        self.interrupted = False
        #: Sites whose crawl did not finish because no worker process can be started.
        self.unfinished: list[str] = []
        self.open: set[OpenCrawl] = set()
        self.loop = asyncio.get_event_loop()
        self._next_collection = 0.0

    def run(self) -> None:
        """Runs all crawls; each one that ends or stalls lets the next one start."""
        self._check()
        start(self.process)

    def _check(self) -> None:
        self._fill()
        if self.waiting:
            self.loop.call_later(CHECK_INTERVAL, self._check)

    def _fill(self) -> None:
        now = self.loop.time()
        while (
            self.waiting
            and len(self.open) < MAX_OPEN * self.parallel
            and sum(not crawl.is_stalled(now) for crawl in self.open) < self.parallel
        ):
            self._start(self.waiting.popleft(), now)

    def _start(self, name: str, now: float) -> None:
        try:
            crawler = self.process.create_crawler(name)
        except KeyError:  # the file has changed since it was read
            self.status = 1
            say(f"{name}: its entry is missing or invalid; see above", err=True)
            return
        crawl = OpenCrawl(name, crawler, now)
        self.open.add(crawl)
        self.process.crawl(crawler, **self.arguments).add_done_callback(partial(self._ended, crawl))

    def _stop(self, name: str, reason: str) -> None:
        """Starts no more crawls, because none could read a page; says so once."""
        self.unfinished += [name, *self.waiting]
        self.waiting.clear()
        if not self.interrupted:
            self.interrupted = True
            say(f"The crawl stops: {reason}", err=True)

    def _ended(self, crawl: OpenCrawl, task: object) -> None:
        self.open.discard(crawl)
        name, crawler = crawl.name, crawl.crawler
        self.on_end(name, crawler)
        if crawler.spider is None:
            self.status = 1
            say(f"{name}: the crawl could not start; see the log", err=True)
        else:
            self.status = max(self.status, exit_status(crawler))
            reason = crawler.stats.get_value("finish_reason")
            if reason == NO_WORKERS:
                self._stop(name, crawler.stats.get_value(FATAL))
            elif not self.quiet:
                say(f"{name}: {summary(crawler)}", err=True)
            if reason == "shutdown":
                self.interrupted = True
                self.waiting.clear()
        self._fill()
        self.loop.call_soon(self._collect)  # when nothing on the stack refers to the crawl any more

    def _collect(self) -> None:
        """Collects the garbage of finished crawls, every COLLECT_INTERVAL, because it pauses all other crawls."""
        if self.loop.time() >= self._next_collection:
            self._next_collection = self.loop.time() + COLLECT_INTERVAL
            gc.collect()
            return_free_memory()


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


# ---- check -----------------------------------------------------------------------------------------------------------

#: Pages fetched from each site.
MAX_PAGES = 8


def check_sites(
    path: Path,
    *,
    names: Sequence[str],
    overrides: Mapping[str, object],
    parallel: int,
    show: Callable[[str], None],
) -> bool:
    """Crawls a few pages of these sites (all by default); returns whether all work. Raises NewsextractError before.

    `show` gets a line on each site.
    """
    with TemporaryDirectory(prefix="newsextract-") as folder:
        url = f"sqlite:///{folder}/check.db"
        own = {"NEWSEXTRACT_DATABASE_URL": url, "NEWSEXTRACT_JSONL": None, "NEWSEXTRACT_KEEP_PAGES": None}
        quiet = {"LOG_LEVEL": "CRITICAL", "LOGSTATS_LIVE": False}
        settings = command_settings({**quiet, **overrides, **own}, path)
        check_settings(settings)
        sites = SitesSpiderLoader(settings).usable_file()
        chosen = sites.known(names) or [*sites.sites]
        check_storage(settings)
        working = []
        with Store.open(url) as store:

            def ended(name: str, crawler: Crawler) -> None:
                works, line = _result(store, crawler.stats.get_stats() if crawler.spider is not None else {})
                working.append(works)
                show(f"{name}: {line}")

            process = AsyncCrawlerProcess(settings)
            CrawlQueue(process, chosen, parallel, ended, {"max_pages": str(MAX_PAGES)}, quiet=True).run()
        return all(working)


def _result(store: Store, stats: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the crawl of a site shows that it works, and what it shows, by its stats and the rows of its run."""
    rows = store.read(urls_of_run, stats[RUN]) if stats.get(RUN) is not None else []
    kinds = Counter(row.kind for row in rows if row.reason in ("list", PARTLY_READ))
    lists = f"feeds: {kinds['feed']}, sitemaps: {kinds['sitemap']}"
    found = [article for row in rows if row.article is not None and (article := store.article(row.url)) is not None]
    articles = list({article.url: article for article in found if article.is_article}.values())
    reasons = Counter(read_stats(stats).dropped)
    if not articles:
        return False, f"doesn't work: {_problem(stats, reasons)} ({lists})"
    best = max(articles, key=lambda article: (article.confidence or 0.0, article.date_published is not None))
    pages = counted(len(articles) + reasons.total(), "page")
    clauses = [f"{counted(len(articles), 'article')} of {pages}", lists]
    clauses += [] if any(article.date_published for article in articles) else ["no article has a date"]
    clauses += [f"{reasons['robots']} not allowed by robots.txt"] if reasons["robots"] else []
    missed = {key.removeprefix(MISSED): number for key, number in stats.items() if key.startswith(MISSED)}
    clauses += [f"the selector of {key} finds nothing in {number} of them" for key, number in missed.items()]
    date = f"{best.date_published:%Y-%m-%d}" if best.date_published else "no date"
    confidence = "" if best.confidence is None else f", confidence {best.confidence:.2f}"
    return True, f"works: {'; '.join(clauses)}; {best.headline or best.url!r} ({date}{confidence})"


def _problem(stats: Mapping[str, Any], reasons: Counter[str]) -> str:
    """Why there were no articles, as a clause."""
    if reason := stats.get("newsextract/fatal") or next(iter(stats.get("newsextract/start_failed", ())), ""):
        return str(reason)
    if reasons[FRAME]:
        return 'its pages are rendered by JavaScript: set render = "auto" (docs/JAVASCRIPT.md)'
    telling = Counter({reason: count for reason, count in reasons.items() if not reason_of(reason).is_list})
    if telling:
        return f"no articles: {', '.join(f'{count} {label_of(reason)}' for reason, count in telling.most_common(3))}"
    return f"none of {reasons.total()} pages is an article or links to one" if reasons else "no page could be fetched"
