"""`newsextract crawl`: the sites of sites.toml that are due, a few at a time, in one process and one database.

A site that another process is at is left to it; two processes that begin one at the same moment share its run.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings

from newsextract.crawl.checks import check_settings, check_storage
from newsextract.crawl.config import WHOLE, SitesFile
from newsextract.crawl.demo import project_settings
from newsextract.crawl.interval import Turn, turn
from newsextract.crawl.run import end_workers
from newsextract.crawl.spider_loader import SiteLoader
from newsextract.crawl.summary import exit_status, summary
from newsextract.errors import WrongCall, WrongSetting
from newsextract.spiders.base import said
from newsextract.store import Store
from newsextract.store.engine import address

#: Runs by which a site's interval moves.
LAST = 20
#: Sites crawled at a time: each of them waits most of its time for its own pauses.
PARALLEL = 8


@dataclass(frozen=True)
class Plan:
    """The file, and when it is each site's turn, as of `now`."""

    file: SitesFile
    turns: Sequence[Turn]
    now: datetime

    def due(self) -> list[Turn]:
        """Whose turn it is, who waits longest first."""
        waiting = [one for one in self.turns if one.is_due(self.now)]
        return sorted(waiting, key=lambda one: (one.due is not None, one.due or self.now))


def plan(path: Path | None, overrides: Mapping[str, Any]) -> Plan:
    """What a crawl would do; nothing is fetched or written. Raises WrongSetting for a file that can't be used."""
    settings = _settings(path, overrides)
    return _plan(SiteLoader(settings), settings)


def crawl_sites(
    path: Path | None,
    *,
    names: Sequence[str] = (),
    everything: bool = False,
    overrides: Mapping[str, Any] | None = None,
    parallel: int = PARALLEL,
) -> int:
    """Crawls what is due, or those named, or `everything`, due or not; at most `parallel` sites at a time.

    0 if all went well, 1 if a crawl failed or an entry of the file is wrong. Raises NewsextractError before anything
    is fetched.
    """
    settings = _settings(path, overrides or {})
    check_settings(settings)
    loader = SiteLoader(settings)
    found = _plan(loader, settings, check_storage)
    wrong = 1 if found.file.wrong and not names else 0
    chosen = _named(found, names) or ([one.site.name for one in found.turns] if everything else None)
    if chosen is None:
        chosen = [one.site.name for one in found.due()]
    if not chosen:
        print(_nothing_due(found), file=sys.stderr)
        return wrong
    if len(chosen) > 1:
        settings.set("LOGSTATS_LIVE", False, priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    crawls = Crawls(process, chosen)
    crawls.begin(parallel)
    try:
        process.start()
    finally:
        end_workers()
    return max(wrong, crawls.status)


class Crawls:
    """Crawls of one process, one after the other on each of some tracks; `status` is that of the worst."""

    def __init__(self, process: AsyncCrawlerProcess, names: Iterable[str]) -> None:
        self.process, self.waiting, self.status = process, deque(names), 0

    def begin(self, tracks: int) -> None:
        """Starts the first ones; each that ends starts the next."""
        for _ in range(tracks):
            self._next()

    def _next(self) -> None:
        while self.waiting:
            name = self.waiting.popleft()
            try:
                crawler = self.process.create_crawler(name)
            except KeyError:  # the file was written anew just now
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
        self._next()


def _settings(path: Path | None, overrides: Mapping[str, Any]) -> Settings:
    file = {"NEWSEXTRACT_SITES": str(path.expanduser().resolve())} if path else {}
    return project_settings({**file, **overrides})


def _plan(loader: SiteLoader, settings: Settings, check: Callable[[Settings], None] | None = None) -> Plan:
    """Reads the runs of each site. A database that is not there has none; `check` may make it."""
    file = loader.file
    if file is None:
        raise WrongSetting(f"There is no {settings['NEWSEXTRACT_SITES']}; docs/SCHEDULE.md shows what one says")
    if WHOLE in file.wrong:
        raise WrongSetting(f"{file.path} can't be used, as said above")
    if check is not None:
        check(settings)
    url = str(settings["NEWSEXTRACT_DATABASE_URL"])
    place = address(url).path
    if place is not None and not place.is_file():
        now = datetime.now(UTC)
        return Plan(file, [turn(site, [], now) for site in file.sites.values()], now)
    arguments = {name: said(loader.load(name).check({})) for name in file.sites}  # type: ignore[attr-defined]
    with Store.open(url, must_exist=True, read_only=True) as store:
        now = store.now()
        sites = file.sites.values()
        return Plan(file, [turn(one, store.past_runs(one.name, arguments[one.name], LAST), now) for one in sites], now)


def _named(found: Plan, names: Sequence[str]) -> list[str] | None:
    for name in names:
        if name in found.file.wrong:
            raise WrongCall(f"The site {name!r} can't be crawled: its entry is wrong, as said above")
        if name not in found.file.sites:
            known = ", ".join(found.file.sites) or "none"
            raise WrongCall(f"{found.file.path} has no site {name!r}; it has {known}")
    return [*dict.fromkeys(names)] or None


def _nothing_due(found: Plan) -> str:
    """When the next site is due, in a sentence."""
    coming = [one for one in found.turns if one.due is not None and not one.running]
    running = [one.site.name for one in found.turns if one.running]
    said = [f"{', '.join(running)}: under way already"] if running else []
    if coming:
        first = min(coming, key=lambda one: one.due or found.now)
        said.append(f"next is {first.site.name} at {first.due:%Y-%m-%d %H:%M} UTC")
    return f"Nothing is due; {'; '.join(said) or 'the file has no sites'}."
