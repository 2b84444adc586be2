"""Scrapy's scheduler over the frontier: what is asked for next comes from a buffer that is leased ahead.

Scrapy calls from the event loop and waits for nothing; a background task does the leasing, the renewing and the
queueing of the crawl's first requests, in the thread of the writer. Of several sites, that with the fewest requests
under way is next, so that a slow one does not stop the others.
"""

import asyncio
import heapq
import logging
import math
from contextlib import suppress
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.defer import deferred_from_coro

from newsextract.crawl.context import Workshop
from newsextract.crawl.engine import active_downloads, is_closing, wake
from newsextract.crawl.requests import Lease, lead_of, request_of
from newsextract.errors import NewsextractError
from newsextract.store import LeaseBatch, QueuedLink
from newsextract.store.leases import RENEWAL_INTERVAL

logger = logging.getLogger(__name__)

#: URLs leased ahead, and of one site at most; when half of them are left, more are leased.
AHEAD = 64
PER_SITE = 64
#: The same in a crawl of few pages, which should be the best ones that are known by then.
AHEAD_OF_FEW = 8
#: Asked beside a full buffer, when something better was found than stands in it.
BETTER = 8
#: Seconds between two looks at the ledger, when others work on what is left.
POLL = 1.0


class FrontierScheduler:
    """What SCHEDULER names. Requests that are more than a URL and a method of the spider are kept in memory alone."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.workshop = Workshop.of(crawler)
        self.ledger = self.workshop.ledger
        self.ledger.changed = self.changed
        self.buffer: dict[str, list[tuple[float, int, Request]]] = {}
        self.size = self.count = 0
        self.ahead = AHEAD
        self.seeds: list[QueuedLink] = []
        self.asked: set[bytes] = set()
        self.drained = self.exhausted = self.busy = self.dry = self.closing = False
        self.better = -math.inf
        self.due = asyncio.Event()
        self.tending: asyncio.Task[None] | None = None
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._idle, signal=signals.spider_idle)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "FrontierScheduler":
        return cls(crawler)

    def __len__(self) -> int:
        return self.size + len(self.seeds)

    def open(self, spider: Spider) -> None:
        """The storage is not open yet: what begins here begins with the signal that the spider is."""

    def close(self, reason: str) -> Any:
        return deferred_from_coro(self._close())

    def enqueue_request(self, request: Request) -> bool:
        lease: Lease | None = request.meta.get("lease")
        if lease is not None:
            if lease.ended or self.ledger.again(lease, request):
                return True
            self._put(request, lease.row.site, lease.row.priority)
            return True
        lead = lead_of(request, self.crawler.spider)
        if lead is None:
            return self._keep_in_memory(request)
        self.seeds.append(lead)
        self.due.set()
        return True

    def next_request(self) -> Request | None:
        if self.size <= self.ahead // 2 and not self.dry and not self.drained:
            self.due.set()
        if self.workshop.pool.is_full:
            return None  # the engine asks again when a page is done
        free = [
            (active, -entries[0][0], site)
            for site, entries in self.buffer.items()
            if (counts := active_downloads(self.crawler, site)) and (active := counts[0]) < counts[1]
        ]
        if not free:
            return None
        site = min(free, key=lambda one: (one[0], -one[1]))[2]
        request = heapq.heappop(self.buffer[site])[2]
        self.size -= 1
        if not self.buffer[site]:
            del self.buffer[site]
        return request

    def has_pending_requests(self) -> bool:
        return bool(self.size or self.seeds or self.busy or len(self.ledger) or not self.drained)

    def changed(self, queued: int, priority: float) -> None:
        """An end is on disk, perhaps with new links; the last one lets the crawl end."""
        self.drained = False
        if queued:
            self.better, self.dry = max(self.better, priority), False
        if queued or not (self.size or self.ledger.fetching):
            self.due.set()

    def _put(self, request: Request, site: str, priority: float) -> None:
        self.count += 1
        heapq.heappush(self.buffer.setdefault(site, []), (-priority, self.count, request))
        self.size += 1

    def _keep_in_memory(self, request: Request) -> bool:
        mark = self.crawler.request_fingerprinter.fingerprint(request)
        if mark in self.asked and not request.dont_filter:
            return False
        self.asked.add(mark)
        self._put(request, request.meta.get("download_slot") or "", float(request.priority))
        wake(self.crawler)
        return True

    def _opened(self) -> None:
        if self.workshop.storehouse.frontier is not None:
            self.tending = asyncio.ensure_future(self._tend())

    def _idle(self) -> None:
        if self.exhausted:
            raise CloseSpider("max_pages")

    async def _tend(self) -> None:
        loop = asyncio.get_running_loop()
        beat = loop.time() + RENEWAL_INTERVAL
        self.due.set()
        try:
            await self._begin()
            while not self.closing:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.due.wait(), POLL)
                self.due.clear()
                await self._fill()
                if loop.time() >= beat:
                    beat = loop.time() + RENEWAL_INTERVAL
                    await self._write("renew_leases")
        except NewsextractError as error:
            self.workshop.storehouse.give_up(str(error))
        except Exception as error:
            logger.exception("The frontier failed")
            self.workshop.storehouse.give_up(f"the frontier failed: {error}")

    async def _begin(self) -> None:
        """Goes on where the run was left: with pages that were put aside, and what waits or is due again."""
        spider: Any = self.crawler.spider
        sites = sorted(getattr(spider, "sites", ()))
        self.ahead = AHEAD if getattr(spider, "max_pages", None) is None else AHEAD_OF_FEW
        below = sites if getattr(spider, "subdomains", False) else []
        self.busy = True
        found = await self._write("start", spider.name, sites, below, getattr(spider, "accepts", _anything))
        await self._take_held()
        self.busy = False
        if self.workshop.storehouse.frontier.continued:  # type: ignore[union-attr]
            logger.info("The run that was left unfinished goes on")
        elif found:
            logger.info("%d known URLs are looked at again, or still wait", found)

    async def _fill(self) -> None:
        if is_closing(self.crawler):
            return
        self.busy = True
        try:
            if self.seeds:
                seeds, self.seeds = self.seeds, []
                await self._write("add", seeds)
                self.drained = False
            better, self.better = self.better, -math.inf
            best = max((-entries[0][0] for entries in self.buffer.values()), default=-math.inf)
            room = (
                self.ahead - self.size
                if self.size <= self.ahead // 2
                else BETTER
                if better > best and self.size < 2 * self.ahead
                else 0
            )
            if room and not self.drained:
                self._take(await self._write("lease", room, min(room, PER_SITE)), room)
                if self.dry and not self.size and not self.drained:
                    await self._take_held()
        finally:
            self.busy = False
            wake(self.crawler)

    async def _take_held(self) -> None:
        """Pages that a worker put aside before it died go on here, as they were fetched."""
        for row, page in await self._write("take_pending"):
            lease = Lease(row, held=True, status=page.status, etag=page.etag, last_modified=page.last_modified)
            lease.page_hash, lease.url = page.page_hash, page.url
            self.ledger.open(lease)
            self.workshop.reentry.send(page)

    def _take(self, batch: LeaseBatch, room: int) -> None:
        self.drained, self.exhausted, self.dry = batch.drained, batch.exhausted, len(batch.leased) < room
        for row in batch.leased:
            lease = Lease(row)
            self._put(request_of(lease, self.crawler.spider, self.ledger.failed), row.site, row.priority)
            self.ledger.open(lease)

    async def _write(self, method: str, *arguments: Any) -> Any:
        return await self.workshop.storehouse.call(method, *arguments)

    async def _close(self) -> None:
        """Commits what is under way, gives back the rest."""
        if self.tending is not None:
            self.closing = True
            self.due.set()
            await asyncio.wait([self.tending])  # not cancelled: it may have leased what is to be given back
        try:
            await self.ledger.all_on_disk()
            self.ledger.closed = True
            if self.workshop.storehouse.frontier is not None:
                await self._write("close")
        except NewsextractError as error:
            logger.error("Leases could not be given back, they run out: %s", error)


def _anything(url: str, depth: int, callback: str) -> bool:
    return True
