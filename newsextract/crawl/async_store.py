"""The store of a running crawl: asynchronous calls, one writer thread, JSON lines and references written behind."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from scrapy.crawler import Crawler
from sqlalchemy import Connection, and_

from newsextract.crawl.abort import DATABASE, abort_crawl, is_aborted
from newsextract.crawl.checks import extractor_of
from newsextract.crawl.spider_options import options_of
from newsextract.errors import DatabaseError, NewsextractError
from newsextract.extractors.registry import made_by
from newsextract.health.counts import CrawlCounts
from newsextract.health.moves import find_moves
from newsextract.health.refusals import refusals, refused_sentence
from newsextract.health.run_end import finish_run
from newsextract.items import FetchedPage
from newsextract.limits import POLL_INTERVAL, check_threads
from newsextract.store import Frontier, JsonLines, Store, Writer
from newsextract.store.engine import is_connection_lost
from newsextract.store.leases import touched
from newsextract.store.site_pages import save_peers
from newsextract.workers.memory import return_free_memory

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


class AsyncStore:
    """The database of a crawl, from the spider's start to its last item. No call blocks the event loop.

    `frontier`: None if not open. `references`: pages that later runs may use as peers, by URL, with their URL patterns.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler, self.counts = crawler, CrawlCounts(crawler.stats)
        self.url: str = crawler.settings["NEWSEXTRACT_DATABASE_URL"]
        self.jsonl_path: str | None = crawler.settings["NEWSEXTRACT_JSONL"] or None
        self.store: Store | None = None
        self.frontier: Frontier | None = None
        self.references: dict[str, tuple[str, FetchedPage]] = {}
        self._writer: Writer | None = None
        self._jsonl: JsonLines | None = None
        self._writing_behind: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is a run whose URLs can be leased."""
        return self.frontier is not None

    @property
    def run(self) -> int | None:
        return None if self.frontier is None else self.frontier.run

    async def open(self) -> None:
        """Opens the database, a run in it, and the JSON lines. Raises NewsextractError."""
        spider = self.crawler.spider
        assert spider is not None, "opened with the spider"
        options = options_of(spider)
        check_threads()
        self.store = await asyncio.to_thread(Store.open, self.url)
        settings = self.crawler.settings
        render, alone = settings["NEWSEXTRACT_RENDER"], not settings.getbool("NEWSEXTRACT_SITE_EVIDENCE")
        drop, selectors = getattr(spider, "drop", None), getattr(spider, "selectors", None)
        maker = made_by(*extractor_of(settings), drop=drop, selectors=selectors, render=render, alone=alone)
        self.frontier = await asyncio.to_thread(
            self.store.frontier, spider.name, options.run_arguments, options.max_pages, maker
        )
        self.counts.run = self.run
        self._writer = Writer(self.store, self.run, lambda error: abort_crawl(self.crawler, DATABASE, str(error)))
        if self.jsonl_path:
            self._jsonl = await asyncio.to_thread(JsonLines, self.store, self.jsonl_path)
        self._writing_behind = asyncio.ensure_future(self._write_behind_forever(self.store))

    @property
    def writer(self) -> Writer:
        """Commits outcomes of this run; an error stops the crawl, unless an outcome is at fault. Raises DatabaseError
        if it isn't open.
        """
        if self._writer is None:
            raise DatabaseError("the database is not open")
        return self._writer

    async def lead(self, method: Callable[Concatenate[Frontier, P], T], *given: P.args, **options: P.kwargs) -> T:
        """Calls a method of the run's frontier in the writer thread. Raises DatabaseError."""
        if self._writer is None or self.frontier is None:
            raise DatabaseError("the database is not open")
        return await asyncio.wrap_future(self._writer.call(partial(method, self.frontier, *given, **options)))

    async def write(self, work: Callable[Concatenate[Connection, P], T], *given: P.args, **options: P.kwargs) -> T:
        """Like `Store.write`, in the writer thread. Raises DatabaseError."""
        if self._writer is None or self.store is None:
            raise DatabaseError("the database is not open")
        return await asyncio.wrap_future(self._writer.call(partial(self.store.write, work, *given, **options)))

    async def read(self, work: Callable[Concatenate[Connection, P], T], *given: P.args, **options: P.kwargs) -> T:
        """Like `Store.read`, in its own thread; retries while the database server is gone. Raises DatabaseError."""
        if self._writer is None or self.store is None:
            raise DatabaseError("the database is not open")
        reading = partial(self.store.read, work, *given, **options)
        return await asyncio.to_thread(self._writer.with_reconnect, reading)

    async def close(self, reason: str) -> None:
        """Commits what is waiting, finishes the files, and records how the run ended. Failures are fatal."""
        if self._writing_behind is not None:
            self._writing_behind.cancel()
            await asyncio.wait([self._writing_behind])
        if self.store is None:
            return
        try:
            await asyncio.to_thread(self._close, self.store, reason)
        except NewsextractError as error:
            logger.error("At the end of the crawl: %s", error)
            if not is_aborted(self.crawler):
                self.counts.fatal = str(error)
        finally:
            self.store.close()

    def _close(self, store: Store, reason: str) -> None:
        if self._writer is not None:
            self._writer.close()
        self._write_behind(store)
        for site, refused in (store.read(refusals, and_(*touched(self.run))) if self.run else {}).items():
            self.counts.refused[site] = refused_sentence(*refused)
        for site, sentence in (store.read(find_moves, self.run) if self.run else {}).items():
            self.counts.led[site] = sentence
        warnings = store.write(finish_run, self.run, reason, self.crawler.stats.get_stats()) if self.run else {}
        for site, sentence in warnings.items():
            self.counts.warnings[site] = sentence
            logger.warning("%s: %s", site, sentence)

    def _write_behind(self, store: Store) -> None:
        """Writes what follows the commits: reference pages, then JSON lines."""
        references, self.references = self.references, {}
        if references:
            try:
                store.write(save_peers, [*references.values()])
            except DatabaseError:
                self.references = references | self.references
                raise
        if self._jsonl is not None:
            self._jsonl.write()
        return_free_memory()  # pages and answers come and go; what they leave is small beside the pieces around it

    async def _write_behind_forever(self, store: Store) -> None:
        while True:
            await asyncio.sleep(POLL_INTERVAL)
            try:
                await asyncio.to_thread(self._write_behind, store)
            except NewsextractError as error:
                if not is_connection_lost(error):  # the writer, too, gives up if it waits too long
                    abort_crawl(self.crawler, "jsonl", str(error))
                    return
