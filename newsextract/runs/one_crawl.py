"""One crawl from its checks to its exit status, for `scrapy crawl`, `newsextract crawl URL` and `newsextract demo`."""

import asyncio
import logging
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcessBase
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings
from scrapy.utils.conf import feed_process_params_from_cli

from newsextract.crawl.checks import check_settings, check_storage, written_files
from newsextract.crawl.log import silence_routine_log_lines
from newsextract.crawl.summary import exit_status, summary
from newsextract.errors import NewsextractError, WrongCall, WrongSetting
from newsextract.project import project_settings
from newsextract.runs.notifications import STORY_ALERTS, AlertThread, services_of
from newsextract.runs.spider_loader import check_spider
from newsextract.settings import NEWSEXTRACT_SITES
from newsextract.store import Store
from newsextract.text import say
from newsextract.workers.pool import WorkerPool

logger = logging.getLogger(__name__)

#: The JSON lines file of the `newsextract` commands, in the current folder; `scrapy crawl` writes none by default.
JSON_LINES = "articles.jsonl"
#: The port of the demonstration site; if it is in use, one of the ports after it.
PORT = 8765
PORTS_TRIED = 20
#: The site is on this machine: the address check is off, for this process only, and no pauses are needed.
DEMO_SETTINGS: dict[str, object] = {
    "NEWSEXTRACT_ALLOW_PRIVATE": True,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "RETRY_TIMES": 1,
}


def command_settings(overrides: Mapping[str, object], sites: Path | None = None) -> Settings:
    """The settings of a crawl by a `newsextract` command: our settings, articles.jsonl, the project, the overrides.

    `sites`: the file of sites; None for the one that NEWSEXTRACT_SITES names.
    """
    if sites is not None:
        overrides = {"NEWSEXTRACT_SITES": str(sites.expanduser().resolve()), **overrides}
    settings = Settings()
    settings.setmodule("newsextract.settings", priority="project")
    settings.set("NEWSEXTRACT_JSONL", JSON_LINES, priority="project")
    file = Path(str(overrides.get("NEWSEXTRACT_SITES", NEWSEXTRACT_SITES)))
    settings.setdict(project_settings(file), priority="project")
    for name, value in overrides.items():
        try:
            settings.set(name, value, priority="cmdline")
        except ValueError as error:  # Scrapy reads dictionaries, such as FEEDS, as JSON
            raise WrongSetting(f"{name} is {value!r}; it must be a JSON object ({error})") from error
    level, levels = settings["LOG_LEVEL"], logging.getLevelNamesMapping()
    if level not in levels and not isinstance(level, int):  # Scrapy reads it before all checks
        raise WrongSetting(f"LOG_LEVEL is {level!r}; it must be one of {', '.join(levels)}")
    silence_routine_log_lines(settings)
    return settings


def crawl_urls(
    urls: Sequence[str],
    *,
    spider: str = "site",
    arguments: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
    append_to: Sequence[str] = (),
    overwrite: Sequence[str] = (),
) -> int:
    """Crawls URLs; 0 or 1. `append_to`, `overwrite`: feeds, as -o and -O. Raises NewsextractError before fetching."""
    values = {**(arguments or {}), "url": ",".join(urls)}
    return crawl_with(spider, values, overrides or {}, append_to=append_to, overwrite=overwrite)


def crawl_with(
    spider: str,
    arguments: Mapping[str, str],
    overrides: Mapping[str, object],
    *,
    append_to: Sequence[str] = (),
    overwrite: Sequence[str] = (),
) -> int:
    """As `crawl_urls`, for a spider with all its arguments."""
    settings = command_settings(overrides)
    if append_to or overwrite:
        try:
            feeds = feed_process_params_from_cli(settings, [*append_to], overwrite_output=[*overwrite])
        except UsageError as error:
            raise WrongCall(str(error)) from error
        settings.set("FEEDS", feeds, priority="cmdline")
    written_files(settings)  # before the log is opened in the database's place
    with settings_in_use():
        process = AsyncCrawlerProcess(settings)
    return run_crawl(process, spider, {**arguments})


def crawl_demo(port: int | None = None, **overrides: object) -> int:
    """Crawls the demonstration site (at `port`) into the current folder; returns 0 or 1. Raises NewsextractError."""
    from newsextract.demo import serve_in_process  # imported here, because it loads the site's texts

    ports = range(PORT, PORT + PORTS_TRIED) if port is None else (port,)
    with serve_in_process(ports) as url:
        say(f"The demonstration site is at {url}/ until the crawl ends.", err=True)
        return crawl_urls([f"{url}/"], overrides=DEMO_SETTINGS | overrides)


def run_crawl(process: CrawlerProcessBase, spider: str, arguments: dict[str, str]) -> int:
    """Crawls, prints the summary on stderr and returns 0 or 1. Raises NewsextractError before anything is fetched."""
    check_settings(process.settings)
    check_spider(process.spider_loader, spider, arguments)
    check_storage(process.settings)
    crawler: Any = process.create_crawler(spider)
    task: object = process.crawl(crawler, **arguments)
    with closing(AlertThread(process.settings, services_of(process.settings))) as alerts:
        start(process)
        if process.bootstrap_failed:
            with settings_in_use():
                if isinstance(task, asyncio.Task):
                    task.result()  # raises why
            return 1
        alerts.crawl_ended(spider, crawler)
        update_known_stories(process.settings)  # before the last alerts, which stories may be
    say(summary(crawler), err=True)
    return exit_status(crawler)


def update_known_stories(settings: BaseSettings) -> None:
    """Brings the stories of the database up to date, if it has any or they are alerts; a failure is only logged."""
    from newsextract.stories.update import has_stories, update_stories  # imports numpy

    database = str(settings["NEWSEXTRACT_DATABASE_URL"])
    try:
        with Store.open(database, must_exist=True) as store:
            if store.read(has_stories) or any(settings[name] for name in STORY_ALERTS):
                update_stories(store, database)
    except NewsextractError as error:
        logger.warning("The stories are not up to date: %s", error)


@contextmanager
def settings_in_use() -> Iterator[None]:
    """Turns what Scrapy raises for a setting that it can't use into a WrongSetting."""
    try:
        yield
    except (AttributeError, ImportError, LookupError, NameError, TypeError, ValueError) as error:
        raise WrongSetting(f"the crawl can't start with these settings: {error}") from error


def start(process: CrawlerProcessBase) -> None:
    """Runs the crawls of a process; ends worker processes that survived one stopped by force."""
    try:
        with settings_in_use():
            process.start()
    finally:
        WorkerPool.end_all()
        for worker in multiprocessing.active_children():
            worker.kill()
