"""Notes in the database what the ends of crawls show, and tells it to the alert services, in a thread of its own."""

import logging
import queue
import shutil
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from newsextract.crawl.abort import FATAL
from newsextract.crawl.stats import DROPPED, RUN
from newsextract.crawl.summary import exit_status
from newsextract.errors import NewsextractError, WrongSetting
from newsextract.index.search import open_current
from newsextract.index.topics import TOPICS_FILE, read_topics, topic_status
from newsextract.reasons import reason_of
from newsextract.schedule.alerts import parse_services, tell
from newsextract.schedule.alerts.notify import SEND_TIMEOUT
from newsextract.spiders.base import NewsSpider
from newsextract.store import Store
from newsextract.store.alerts import CRAWL_KINDS, Problem, note_problems, note_run
from newsextract.store.engine import parse_database_url
from newsextract.store.lookup import PROJECT_SPIDERS
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: Seconds between two messages of one process.
TELL_INTERVAL = 60.0
#: Seconds for which further crawls may end that are noted with one.
GATHER_TIME = 1.0
#: A disk is nearly full with less than MIN_FREE bytes free, or with less than MIN_SHARE of it unless that is PLENTY.
MIN_FREE, MIN_SHARE, PLENTY = 2**30, 0.05, 20 * 2**30


@dataclass(frozen=True)
class CrawlEnd:
    """How a crawl ended: what it was of, its run, and what went wrong; no reference to the crawl."""

    subject: str
    run: int | None
    failure: Problem | None
    interrupted: bool = False


def end_of(name: str, crawler: Crawler) -> CrawlEnd:
    """The end of a crawl by the spider of that name."""
    spider = crawler.spider
    if spider is None:
        return CrawlEnd(name, None, Problem(name, "failed", "the crawl could not begin, see its log"))
    urls = spider.values.get("url") if isinstance(spider, NewsSpider) else None
    subject = (site_of(urls[0]) if urls else "") or name if name in PROJECT_SPIDERS else name
    stats = crawler.stats.get_stats()
    failure = failure_of(subject, stats) if exit_status(crawler) else None
    return CrawlEnd(subject, stats.get(RUN), failure, stats.get("finish_reason") == "shutdown")


def failure_of(subject: str, stats: Mapping[str, Any]) -> Problem:
    """What went wrong in a crawl with exit status 1."""
    not_begun = stats.get("newsextract/start_failed") or [f"it ended as {stats.get('finish_reason', 'unknown')}"]
    dropped = {name.removeprefix(DROPPED): count for name, count in stats.items() if name.startswith(DROPPED)}
    reason = max(dropped, key=lambda name: dropped[name], default="")
    if not stats.get(FATAL) and reason_of(reason).alert == "blocked":
        return Problem(subject, "blocked", str(not_begun[0]))
    return Problem(subject, "failed", str(stats.get(FATAL) or not_begun[0]))


def services_of(settings: BaseSettings, in_file: object = ()) -> list[str]:
    """The alert services of NEWSEXTRACT_ALERTS and of `alerts` in sites.toml; where one of the two is wrong that is
    printed on stderr, and the crawl goes on without it."""
    services: list[str] = []
    for value in (settings["NEWSEXTRACT_ALERTS"] or (), in_file):
        try:
            services += parse_services(value)
        except WrongSetting as error:
            print(f"newsextract: {error}; the crawl continues without them", file=sys.stderr)
    return list(dict.fromkeys(services))


def folders_of(settings: BaseSettings) -> list[Path]:
    """The folders that a crawl writes to."""
    path = parse_database_url(str(settings["NEWSEXTRACT_DATABASE_URL"])).path
    files = [path, settings["NEWSEXTRACT_JSONL"]]
    folders = [Path(file).expanduser().resolve().parent for file in files if file]
    pages = settings["NEWSEXTRACT_KEEP_PAGES"]
    return [*folders, *([Path(pages).expanduser().resolve()] if pages else [])]


def find_full_disks(folders: Iterable[Path], min_free: int = MIN_FREE) -> list[Problem]:
    """A problem for each of the folders whose disk is nearly full; one for each disk."""
    problems: dict[int, Problem] = {}
    for folder in folders:
        try:
            usage, device = shutil.disk_usage(folder), folder.stat().st_dev
        except OSError:  # it is not there yet
            continue
        if usage.free < min_free or usage.free < min(PLENTY, MIN_SHARE * usage.total):
            free = f"{usage.free / 1e9:.1f} of {usage.total / 1e9:.0f} GB are free"
            problems.setdefault(device, Problem(str(folder), "disk", f"{free} on the disk of {folder}"))
    return list(problems.values())


def note_disks(store: Store, settings: BaseSettings) -> None:
    """Notes which disks of a crawl are nearly full, and which are not any more. Raises DatabaseError."""
    folders = folders_of(settings)
    store.write(note_problems, find_full_disks(folders), [str(folder) for folder in folders], ("disk",))


def note_topics(store: Store, settings: BaseSettings, path: Path) -> None:
    """Notes which topics of a file burst, and which do not any more; without the file, nothing.

    Raises WrongSetting for a file that is wrong, DatabaseError.
    """
    if not path.exists():
        return
    topics, today = read_topics(path), datetime.now(UTC).date()
    with open_current(str(settings["NEWSEXTRACT_DATABASE_URL"])) as (index, _):
        bursts = {topic.name: topic_status(index, topic, today).burst for topic in topics}
    problems = [Problem(f"topic {name}", "burst", burst.sentence) for name, burst in bursts.items() if burst]
    store.write(note_problems, problems, None, ("burst",))


class AlertThread:
    """Takes the ends of crawls; a failure of the database or of a service is logged, and costs the crawls nothing."""

    def __init__(self, settings: BaseSettings, services: list[str]) -> None:
        self.settings, self.services = settings, services
        self._ends: queue.SimpleQueue[CrawlEnd | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="newsextract-alerts", daemon=True)
        self._thread.start()

    def crawl_ended(self, name: str, crawler: Crawler) -> None:
        """Notes the end of a crawl by the spider of that name, and tells soon."""
        self._ends.put(end_of(name, crawler))

    def close(self) -> None:
        """Tells what is left; a service that does not answer is waited for SEND_TIMEOUT seconds at most.

        After a crawl that was told to stop nothing is told, so that the process ends in time.
        """
        self._ends.put(None)
        self._thread.join(2 * SEND_TIMEOUT)

    def _run(self) -> None:
        told, is_open, stopping = monotonic(), True, False
        while is_open:
            ends, is_open = self._next_ends()
            stopping = stopping or any(end.interrupted for end in ends)
            is_due = not stopping and (not is_open or monotonic() - told >= TELL_INTERVAL)
            if not ends and not is_due:
                continue
            try:
                with Store.open(str(self.settings["NEWSEXTRACT_DATABASE_URL"]), must_exist=True) as store:
                    for end in ends:
                        note_end(store, end)
                    if is_due:
                        told = monotonic()
                        note_disks(store, self.settings)
                        note_topics(store, self.settings, TOPICS_FILE)
                        tell(store, self.services)
            except (NewsextractError, OSError) as error:
                logger.warning("Alerts could not be recorded or sent: %s", error)

    def _next_ends(self) -> tuple[list[CrawlEnd], bool]:
        """Waits a while for ends of crawls; those that there are, and whether more may come."""
        ends = []
        with suppress(queue.Empty):
            end = self._ends.get(timeout=TELL_INTERVAL)
            while end is not None:
                ends.append(end)
                end = self._ends.get(timeout=GATHER_TIME)
            return ends, False
        return ends, True


def note_end(store: Store, end: CrawlEnd) -> None:
    """Notes what the end of a crawl shows of it and of its sites. Raises DatabaseError."""
    if end.run is not None:
        store.write(note_run, end.run)
    if not end.interrupted:
        store.write(note_problems, [end.failure] if end.failure else [], [end.subject], CRAWL_KINDS)
