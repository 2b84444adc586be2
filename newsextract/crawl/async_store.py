"""The store as a running crawl uses it: opened with its run, written by one thread, followed by the JSON lines."""

import asyncio
import logging
from collections.abc import Iterable
from functools import partial
from time import monotonic
from typing import Any

from scrapy.crawler import Crawler

from newsextract.crawl.abort import stop_crawl
from newsextract.errors import DatabaseError, NewsextractError
from newsextract.items import FetchedPage
from newsextract.store import CommitResult, Frontier, JsonLines, PageOutcome, Store, Writer
from newsextract.store.engine import is_fault_of_the_row, is_gone
from newsextract.store.writer import GONE
from newsextract.store.yield_alerts import WARNING

logger = logging.getLogger(__name__)

#: Seconds between two rounds of what follows the commits.
INTERVAL = 1.0


class Storehouse:
    """Opens with the spider, closes after its last item. No call here waits for the database on the event loop."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.url: str = crawler.settings["NEWSEXTRACT_DATABASE_URL"]
        self.jsonl_path: str | None = crawler.settings["NEWSEXTRACT_JSONL"] or None
        self.run: int | None = None
        self.frontier: Frontier | None = None
        self.store: Store | None = None
        self.writer: Writer | None = None
        self.jsonl: JsonLines | None = None
        self.following: asyncio.Task[None] | None = None
        self._references: list[tuple[str, FetchedPage]] = []
        self._retired: list[FetchedPage] = []

    async def open(self) -> None:
        """Raises a NewsextractError where database or file can't be used."""
        spider: Any = self.crawler.spider
        self.store = await asyncio.to_thread(Store.open, self.url)
        arguments = getattr(spider, "run_arguments", {})
        limit = getattr(spider, "max_pages", None)
        self.frontier = await asyncio.to_thread(self.store.frontier, spider.name, arguments, limit)
        self.run = self.frontier.run
        self.writer = Writer(self.store)
        if self.jsonl_path:
            self.jsonl = await asyncio.to_thread(JsonLines, self.store, self.jsonl_path)
        self.following = asyncio.ensure_future(self._follow(self.store))

    async def commit(self, outcome: PageOutcome) -> CommitResult:
        """The outcome on disk. Raises DatabaseError where that fails; unless the outcome itself is to blame, the crawl
        stops: what can't be stored must not be fetched."""
        if self.writer is None:
            raise DatabaseError(f"{outcome.url}: the database is not open")
        try:
            return await asyncio.wrap_future(self.writer.submit(outcome))
        except DatabaseError as error:
            if not is_fault_of_the_row(error):
                stop_crawl(self.crawler, "database", str(error))
            raise

    async def call(self, method: str, *arguments: Any) -> Any:
        """Calls the frontier in the writer's thread. Raises DatabaseError."""
        if self.writer is None or self.frontier is None:
            raise DatabaseError("the database is not open")
        return await asyncio.wrap_future(self.writer.call(partial(getattr(self.frontier, method), *arguments)))

    def give_up(self, sentence: str) -> None:
        """Stops the crawl: without the database there is nothing to do."""
        stop_crawl(self.crawler, "database", sentence)

    async def references(self, site: str) -> list[FetchedPage]:
        """The reference pages of a site that earlier runs kept."""
        deadline = monotonic() + GONE
        while self.store is not None:
            try:
                return await asyncio.to_thread(self.store.peers, site)
            except DatabaseError as error:
                if not is_gone(error) or monotonic() > deadline:
                    raise
                await asyncio.sleep(INTERVAL)
        return []

    def keep_reference(self, pattern: str, page: FetchedPage) -> None:
        """Keeps a page as a reference of its pattern; written with the JSON lines, and at the end."""
        self._references.append((pattern, page))

    def retire(self, pages: Iterable[FetchedPage]) -> None:
        """Lets references go; written as they are kept."""
        self._retired += pages

    async def close(self, reason: str) -> None:
        """Commits what waits, brings the file up to date, notes how the run ended."""
        if self.following is not None:
            self.following.cancel()
            await asyncio.wait([self.following])
        if self.store is None:
            return
        try:
            await asyncio.to_thread(self._close, self.store, reason)
        except NewsextractError as error:
            logger.error("At the end of the crawl: %s", error)
            if self.crawler.stats.get_value("newsextract/fatal") is None:
                self.crawler.stats.set_value("newsextract/fatal", str(error))
        finally:
            self.store.close()

    def _close(self, store: Store, reason: str) -> None:
        if self.writer is not None:
            self.writer.close()
        self._write_behind(store)
        if self.run is not None:
            for site, sentence in store.finish_run(self.run, reason, self.crawler.stats.get_stats()).items():
                self.crawler.stats.set_value(f"{WARNING}{site}", sentence)
                logger.warning("%s: %s", site, sentence)

    def _write_behind(self, store: Store) -> None:
        """What follows the commits: the reference pages, the JSON lines."""
        references, self._references = self._references, []
        retired, self._retired = self._retired, []
        if references or retired:
            try:
                store.save_peers(references, retired)
            except DatabaseError:
                self._references, self._retired = references + self._references, retired + self._retired
                raise
        if self.jsonl is not None:
            self.jsonl.write()

    async def _follow(self, store: Store) -> None:
        while True:
            await asyncio.sleep(INTERVAL)
            try:
                await asyncio.to_thread(self._write_behind, store)
            except NewsextractError as error:
                if is_gone(error):
                    continue  # the writer waits for it too, and says when it is too long
                stop_crawl(self.crawler, "jsonl", str(error))
                return
