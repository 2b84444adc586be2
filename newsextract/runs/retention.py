"""Retention: deletes what is older than a site's `keep`, by `newsextract db prune` and after the site's crawls."""

import logging
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scrapy.settings import BaseSettings

from newsextract.errors import DatabaseError, NewsextractError, StorageError, WrongCall
from newsextract.health.chosen_sites import sites_named
from newsextract.health.clock import days_ahead, doubt, runs_behind
from newsextract.health.past_runs import past_runs
from newsextract.runs.config import Site, SitesFile, parse_keep
from newsextract.runs.intervals import LAST_RUNS, SiteSchedule
from newsextract.runs.one_crawl import command_settings
from newsextract.runs.spider_loader import SitesSpiderLoader, site_run_arguments
from newsextract.store import Store
from newsextract.store.admin import database_size, prune, shrink_file
from newsextract.store.engine import database_now
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: The first day that is kept, instead of a time.
DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass
class Pruning:
    """Prunes a database and, if given, a folder of WARC files; with `dry_run` it only counts.

    `deleted`: rows by table, WARC files as `pages`; `before`, `after`: bytes; `notes`: what could not be done.
    """

    store: Store
    pages: Path | None
    with_articles: bool = False
    dry_run: bool = False
    deleted: Counter[str] = field(default_factory=Counter)
    before: int = 0
    after: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def line(self) -> str:
        """What was deleted, and the sizes, in one line."""
        counts = [f"{count} {name.replace('_', ' ')}" for name, count in self.deleted.items() if count]
        if self.dry_run:
            return f"would be deleted: {', '.join(counts) or 'nothing'}"
        sizes = f"{self.before / 1e6:.1f} MB before, {self.after / 1e6:.1f} MB after"
        return f"deleted: {', '.join(counts) or 'nothing'}; {sizes}"

    @classmethod
    @contextmanager
    def of(
        cls, url: str, pages: Path | None, *, with_articles: bool = False, dry_run: bool = False
    ) -> "Iterator[Pruning]":
        """One of a database, which gets the sizes before and after the block."""
        with Store.open(url, must_exist=True, read_only=dry_run) as store:
            pruning = cls(store, pages, with_articles, dry_run)
            pruning.before = pruning._size()
            yield pruning
            pruning.after = pruning._size()

    def _size(self) -> int:
        return self.store.read(database_size) + sum(path.stat().st_size for path in _warc_files(self.pages))

    def prune_rows(self, before: datetime, hosts: Sequence[str] | None, name: str | None = None) -> None:
        """Deletes what is older from the database; `hosts`: only of these sites; `name`: that in the file of sites."""
        kept_runs = self.store.read(runs_behind, before)
        articles, dry_run, database = self.with_articles, self.dry_run, self.store.database
        deleted = prune(database, before, hosts, name, with_articles=articles, dry_run=dry_run, kept_runs=kept_runs)
        self.deleted.update(deleted)

    def prune_pages(self, before: datetime) -> None:
        """Deletes the WARC files that were last written before that time."""
        for path in _warc_files(self.pages):
            try:
                if path.stat().st_mtime < before.timestamp():
                    if not self.dry_run:
                        path.unlink()
                    self.deleted["pages"] += 1
            except OSError as error:
                raise StorageError(f"{path} can't be deleted: {error.strerror or error}") from error

    def prune_sites(self, loader: SitesSpiderLoader, sites: Sequence[Site]) -> None:
        """Deletes what is older than the `keep` of each site, on the hosts that its runs brought.

        WARC files hold pages of all sites, so the longest `keep` counts for them, or forever if a site has none.
        """
        arguments = {site.name: site_run_arguments(loader, site.name) for site in sites}
        now, runs = self.store.read(database_now), self.store.read(past_runs, arguments, LAST_RUNS)
        for site in sites:
            assert site.keep is not None
            hosts = {host for run in runs[site.name] for host in run.yields}
            hosts |= {site_of(url) for url in site.arguments["url"].split(",")}
            self.prune_rows(now - site.keep, sorted(hosts), site.name)
        keeps = [site.keep for site in loader.usable_file().sites.values()]
        if keeps and None not in keeps:
            self.prune_pages(now - max(keep for keep in keeps if keep))


def prune_database(
    url: str,
    *,
    keep: str | None = None,
    sites: Sequence[str] = (),
    with_articles: bool = False,
    pages: Path | None = None,
    file: Path | None = None,
    dry_run: bool = False,
) -> Pruning:
    """Prunes a database by `keep`, or by each site's `keep` in a file of sites, and frees disk space.

    `keep`: a time such as "400d", or the first day that is kept. `sites`: hosts, with `keep`, or names in the file.
    `pages`: also prune this folder of WARC files. Raises NewsextractError if the clock may be wrong, unless `keep` is a
    day.
    """
    kept: timedelta | datetime | None = None
    if keep is not None:
        try:
            kept = datetime.fromisoformat(keep).replace(tzinfo=UTC) if DAY.fullmatch(keep) else parse_keep(keep)
        except ValueError as error:
            raise WrongCall(f"--keep {keep!r} {error}") from error
    else:
        loader, loaded = _load(file, sites)
    with Pruning.of(url, pages, with_articles=with_articles, dry_run=dry_run) as pruning:
        store = pruning.store
        if not isinstance(kept, datetime) and (why := store.read(doubt)):
            sentence = f"nothing is deleted: {why}; --keep 2025-01-31 deletes what is from before that day, by no clock"
            if not dry_run:
                raise NewsextractError(sentence)
            pruning.notes.append(sentence)
        if kept is None:
            chosen = [site for site in loaded.sites.values() if site.keep and (not sites or site.name in sites)]
            pruning.prune_sites(loader, chosen)
        else:
            before = store.read(database_now) - kept if isinstance(kept, timedelta) else kept
            pruning.prune_rows(before, store.read(sites_named, sites) or None)
            pruning.prune_pages(before)
        try:
            if not dry_run:
                store.read(shrink_file)
        except DatabaseError as error:
            pruning.notes.append(f"the file keeps its size, and its free space will be reused: {error}")
    return pruning


def prune_after_crawl(
    settings: BaseSettings, loader: SitesSpiderLoader, schedules: Iterable[SiteSchedule], names: Collection[str]
) -> Pruning | None:
    """Prunes those of the named sites that have `keep`, once a day by the `schedules` before the crawl; or None."""
    today = datetime.now(UTC).date()
    sites = [
        schedule.site
        for schedule in schedules
        if schedule.site.keep
        and schedule.site.name in names
        and (schedule.last is None or schedule.last.date() != today)
    ]
    if not sites:
        return None
    pages = Path(settings["NEWSEXTRACT_KEEP_PAGES"]) if settings["NEWSEXTRACT_KEEP_PAGES"] else None
    with Pruning.of(str(settings["NEWSEXTRACT_DATABASE_URL"]), pages) as pruning:
        if days := pruning.store.read(days_ahead):
            logger.warning("Nothing is pruned: this machine's clock is %d days ahead of the sites' clocks", days)
            return None
        pruning.prune_sites(loader, sites)
    return pruning


def _warc_files(folder: Path | None) -> list[Path]:
    return [] if folder is None else sorted(folder.expanduser().glob("newsextract-*.warc.gz"))


def _load(path: Path | None, sites: Sequence[str]) -> tuple[SitesSpiderLoader, SitesFile]:
    """A file of sites of which at least one has `keep`, with its loader. Raises NewsextractError."""
    settings = command_settings({}, path)
    loader = SitesSpiderLoader(settings) if path is None or path.is_file() else None
    if loader is None or loader.file is None:
        raise WrongCall(f"give --keep TIME, or set keep in a file of sites: there is no {path or 'sites.toml'}")
    for name in sites:
        if name not in loader.file.sites:
            raise WrongCall(f"{loader.file.path} has no site {name!r}; with --keep TIME, give --site a host")
    if not any(site.keep for site in loader.file.sites.values()):
        raise NewsextractError(f'no site of {loader.file.path} has keep = "400d"; or give --keep TIME')
    return loader, loader.file
