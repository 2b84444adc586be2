"""Alerts: problems that a crawl finds are recorded in the database and sent through the user's services.

apprise sends mail, Slack, JSON and more; everything that begins or ends goes into one message. Service addresses
contain passwords, so no message, log or database gets one.
"""

import logging
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from newsextract.crawl.checks import written_files
from newsextract.crawl.summary import exit_status, has_site_alert, read_totals
from newsextract.days import today
from newsextract.errors import NewsextractError, WrongSetting
from newsextract.health.alerts import CRAWL_KINDS, KINDS, Alert, Problem, load_alerts, mark_notified, note_problems
from newsextract.health.counts import CrawlCounts
from newsextract.health.findings import note_run
from newsextract.health.status import PROJECT_SPIDERS
from newsextract.index import TOPICS_FILE
from newsextract.reasons import reason_of
from newsextract.spiders.base import NewsSpider
from newsextract.store import Store
from newsextract.text import MAX_LISTED, counted, say
from newsextract.urls import site_of

logger = logging.getLogger(__name__)


# ---- sending ---------------------------------------------------------------------------------------------------------

#: Seconds for all services together, each in its own process. A slower one is ended and gets the message next time.
SEND_TIMEOUT = 60.0
#: A service address that is kept in an environment variable.
ENVIRONMENT = "env:"
SCHEME = re.compile(r"[a-z][a-z0-9]{0,31}://", re.I)
RIGHT = 'the address of a service, such as "mailto://USER:PASSWORD@example.org", or "env:NAME"'


def notify(store: Store, services: Sequence[str], timeout: float = SEND_TIMEOUT) -> bool:
    """Sends what is new, logging failures by scheme; False if no service accepted it. Raises DatabaseError."""
    news = [alert for alert in store.read(load_alerts) if alert.notified_at is None or alert.ended_at is not None]
    if not news or not services:
        return True
    title, body = message_of(news)
    with ThreadPoolExecutor(len(services)) as threads:
        taken = [*threads.map(lambda service: send(service, title, body, timeout), services)]
    for service, was_taken in zip(services, taken, strict=True):
        if not was_taken:
            logger.warning("Alert service %s:// rejected a message", scheme_of(service))
    if any(taken):
        store.write(mark_notified, news)
    return any(taken)


def message_of(news: Sequence[Alert]) -> tuple[str, str]:
    """Title and text of a message about problems that begin or end."""
    begun = [alert for alert in news if alert.ended_at is None]
    ended = [alert for alert in news if alert.ended_at is not None]
    counts = [counted(len(begun), "problem")] * bool(begun) + [f"{len(ended)} recovered"] * bool(ended)
    title = ", ".join(counts)
    if len(news) == 1:
        title = f"{news[0].subject}: {'recovered' if ended else KINDS[news[0].kind]}"
    lines = [_describe(alert) for alert in (*begun, *ended)]
    if (more := len(lines) - MAX_LISTED) > 0:
        lines[MAX_LISTED:] = [f"and {more} more: newsextract watch"]
    return f"newsextract: {title}", "\n".join(lines)


def _describe(alert: Alert) -> str:
    """A problem as one line."""
    label = KINDS[alert.kind]
    if alert.ended_at is None:
        return f"{alert.subject}: {label}: {alert.sentence}"
    again = "as usual again" if alert.kind == "burst" else "recovered"
    return f"{alert.subject}: {again}; had been {label} since {alert.since:%Y-%m-%d %H:%M} UTC"


def send(service: str, title: str, body: str, timeout: float) -> bool:
    """Sends a message by a child process, which can be ended and logs nothing here; whether it was accepted in time."""
    command = [sys.executable, "-P", "-c", "from apprise.cli import main; main()", "--title", title]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "APPRISE_URLS": service}
    quiet = subprocess.DEVNULL
    try:
        subprocess.run(
            command, input=body.encode(), stdout=quiet, stderr=quiet, env=environment, timeout=timeout, check=True
        )
    except subprocess.SubprocessError:
        return False
    return True


def parse_services(value: object, *, thoroughly: bool = False) -> list[str]:
    """The service addresses in a list or a comma-separated text. Raises WrongSetting.

    Messages name addresses by position and scheme. `thoroughly`: also check with apprise, which takes half a second.
    """
    if isinstance(value, str):
        value = [part for part in re.split(r"(?<![,\s])[,\s]+(?=[a-z][a-z0-9]*:)", value.strip(), flags=re.I) if part]
    if not isinstance(value, Sequence) or not all(isinstance(address, str) for address in value):
        raise WrongSetting(f"alerts must be a list; each {RIGHT}")
    if value and find_spec("apprise") is None:
        raise WrongSetting("alerts need apprise: pip install 'newsextract[alerts]'")
    services = []
    for number, given in enumerate(value, 1):
        address = given.strip()
        variable = address.removeprefix(ENVIRONMENT)
        if variable != address and variable.isidentifier():
            address = os.environ.get(variable, "").strip()
            if not address:
                raise WrongSetting(f"alerts, number {number}: the environment variable {variable} is not set")
        if not SCHEME.match(address):
            raise WrongSetting(f"alerts, number {number}: must be {RIGHT}")
        if thoroughly:
            import apprise  # imported here, because it is an extra and slow to import

            if apprise.Apprise.instantiate(address, suppress_exceptions=True) is None:
                raise WrongSetting(
                    f"alerts, number {number}: apprise can't use this {scheme_of(address)}:// address; "
                    "https://appriseit.com/services/ lists what each service needs"
                )
        services.append(address)
    return services


def scheme_of(address: str) -> str:
    """The scheme of an address: the only part that may be shown."""
    return address.partition("://")[0].lower()


# ---- ends of crawls --------------------------------------------------------------------------------------------------

#: Seconds between two messages of one process.
MESSAGE_INTERVAL = 60.0
#: A disk is nearly full if less than MIN_FREE bytes are free, or less than MIN_SHARE of it unless that is PLENTY.
MIN_FREE = 2**30
MIN_SHARE = 0.05
PLENTY = 20 * 2**30


def subject_of(name: str, crawler: Crawler) -> str:
    """What a crawl by this spider is recorded under: a site of sites.toml, or the site of its URL."""
    spider = crawler.spider
    urls = spider.values.get("url") if isinstance(spider, NewsSpider) and name in PROJECT_SPIDERS else None
    return (site_of(urls[0]) if urls else "") or name


def failure_of(subject: str, counts: CrawlCounts) -> Problem:
    """What went wrong in a crawl with exit status 1; `counts` are empty if the crawl could not start."""
    reason, has_begun = next(iter(read_totals(counts).dropped), ""), bool(counts.stats.get_stats())
    sentence = f"finish reason {counts.finish_reason}" if has_begun else "the crawl could not begin, see its log"
    [sentence, *_] = counts.start_failed or [sentence]
    kind = "" if counts.fatal else reason_of(reason).alert
    return Problem(subject, kind if kind in CRAWL_KINDS else "failed", counts.fatal or sentence)


def services_of(settings: BaseSettings, in_file: object = ()) -> list[str]:
    """The alert services of NEWSEXTRACT_ALERTS and sites.toml; errors go to stderr, and the crawl continues."""
    services: list[str] = []
    for value in (settings["NEWSEXTRACT_ALERTS"] or (), in_file):
        try:
            services += parse_services(value)
        except WrongSetting as error:
            say(f"newsextract: {error}; the crawl continues without them", err=True)
    return list(dict.fromkeys(services))


def folders_of(settings: BaseSettings) -> list[Path]:
    """The folders that a crawl writes to."""
    folders = [file.parent for file in written_files(settings)]
    pages = settings["NEWSEXTRACT_KEEP_PAGES"]
    return [*folders, *([Path(pages).expanduser().resolve()] if pages else [])]


def find_full_disks(folders: Iterable[Path], min_free: int = MIN_FREE) -> list[Problem]:
    """One problem for each nearly full disk among these folders."""
    problems: dict[int, Problem] = {}
    for folder in folders:
        try:
            usage, device = shutil.disk_usage(folder), folder.stat().st_dev
        except OSError:  # doesn't exist yet
            continue
        if usage.free < min_free or usage.free < min(PLENTY, MIN_SHARE * usage.total):
            free = f"{usage.free / 1e9:.1f} of {usage.total / 1e9:.0f} GB are free"
            problems.setdefault(device, Problem(str(folder), "disk", f"{free} on the disk of {folder}"))
    return list(problems.values())


def note_disks(store: Store, settings: BaseSettings) -> None:
    """Records which disks of a crawl are nearly full, and which no longer are. Raises DatabaseError."""
    folders = folders_of(settings)
    store.write(note_problems, find_full_disks(folders), [str(folder) for folder in folders], ("disk",))


def note_topics(store: Store, settings: BaseSettings, path: Path) -> None:
    """Records which topics of the file, if there is one, burst. Raises WrongSetting or DatabaseError."""
    if not path.exists():
        return
    from newsextract.index.search import open_current  # imported here, because few crawls have topics
    from newsextract.index.topics import read_topics, topic_status

    topics = read_topics(path)
    with open_current(str(settings["NEWSEXTRACT_DATABASE_URL"])) as (index, _):
        bursts = {topic.name: topic_status(index, topic, today()).burst for topic in topics}
    problems = [Problem(f"topic {name}", "burst", burst.sentence) for name, burst in bursts.items() if burst]
    store.write(note_problems, problems, None, ("burst",))


#: The settings that make stories alerts.
STORY_ALERTS = ("NEWSEXTRACT_STORY_SITES", "NEWSEXTRACT_STORY_ARTICLES_PER_HOUR")


def note_stories(store: Store, settings: BaseSettings) -> None:
    """Records which stories many sites report, as NEWSEXTRACT_STORY_SITES and NEWSEXTRACT_STORY_ARTICLES_PER_HOUR say.

    Raises WrongSetting or DatabaseError.
    """
    min_sites, per_hour = (_number(settings, name) for name in STORY_ALERTS)
    problems = []
    if min_sites is not None or per_hour is not None:
        from newsextract.stories.read import wide_stories  # imported here, because few crawls have stories

        for story, last_hour in store.read(wide_stories, min_sites, per_hour):
            size = f"{counted(story.sites, 'site')}, {counted(story.articles, 'article')}"
            sentence = f"{size}, {last_hour} in the last hour: {story.headline or story.url}"
            problems.append(Problem(f"story {story.id}", "story", sentence))
    store.write(note_problems, problems, None, ("story",))


def _number(settings: BaseSettings, name: str) -> int | None:
    value = settings[name]
    if value in (None, ""):
        return None
    if not f"{value}".isdecimal() or not int(value):
        raise WrongSetting(f"{name} is {value!r}; use a whole number from 1, or None")
    return int(value)


class AlertThread:
    """Records the ends of crawls in a thread. Failures of the database or a service are logged, and crawls continue."""

    def __init__(self, settings: BaseSettings, services: list[str]) -> None:
        self.settings, self.services = settings, services
        self._next_message = monotonic() + MESSAGE_INTERVAL
        self._thread = ThreadPoolExecutor(1, "newsextract-alerts")

    def crawl_ended(self, name: str, crawler: Crawler) -> None:
        """Records the end of a crawl by this spider; sends what is new every MESSAGE_INTERVAL."""
        subject, has_begun = subject_of(name, crawler), crawler.spider is not None
        counts = CrawlCounts.of_run(crawler.stats.get_stats() if has_begun else {})
        is_failure = not has_begun or (exit_status(crawler) and not has_site_alert(counts))  # `note_run` tells of those
        failures = [failure_of(subject, counts)] if is_failure else []
        self._thread.submit(self._note, subject, failures, counts.run, counts.finish_reason == "shutdown")

    def close(self) -> None:
        """Sends the rest, for at most SEND_TIMEOUT seconds; nothing after a crawl that was told to stop."""
        wait([self._thread.submit(self._note, None, [], None, False)], 2 * SEND_TIMEOUT)
        self._thread.shutdown(wait=False)

    def _note(self, subject: str | None, failures: Sequence[Problem], run: int | None, is_interrupted: bool) -> None:
        """Records what the end of a crawl shows about its sites; None at the end of the queue."""
        if is_interrupted:
            self._next_message = math.inf
        is_last = subject is None and self._next_message < math.inf
        try:
            with Store.open(str(self.settings["NEWSEXTRACT_DATABASE_URL"]), must_exist=True) as store:
                if subject is not None and not is_interrupted:
                    store.write(note_problems, failures, [subject], CRAWL_KINDS)
                if run is not None:  # after it, because the subject may be a site that is blocked
                    store.write(note_run, run)
                if is_last or monotonic() >= self._next_message:
                    self._next_message = monotonic() + MESSAGE_INTERVAL
                    note_disks(store, self.settings)
                    note_topics(store, self.settings, TOPICS_FILE)
                    note_stories(store, self.settings)
                    notify(store, self.services)
        except (NewsextractError, OSError) as error:
            logger.warning("Alerts could not be recorded or sent: %s", error)
