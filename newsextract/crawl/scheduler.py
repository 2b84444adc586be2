"""Scrapy's scheduler over the frontier: requests come from a buffer of URLs that are leased ahead.

Scrapy calls a scheduler from the event loop and doesn't await it. A background task leases URLs, renews leases and
queues the crawl's first requests, in the writer thread. The next request goes to the site with the fewest in progress,
so a slow site doesn't hold up the others.
"""

import asyncio
import heapq
import logging
import math
from collections import Counter
from contextlib import suppress

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from newsextract.crawl.abort import DATABASE, abort_crawl
from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.engine import check_scrapy, count_downloads, is_closing, wake_engine
from newsextract.crawl.feed_files import unappendable_feeds
from newsextract.crawl.lease import Lease
from newsextract.crawl.lease_requests import link_of_request, request_of_lease
from newsextract.crawl.spider_options import options_of
from newsextract.discovery.discovered_site import RecentlyUsed
from newsextract.discovery.priority import LIKELY_ARTICLE, next_ranking
from newsextract.errors import NewsextractError
from newsextract.limits import POLL_INTERVAL
from newsextract.store import Frontier, LeaseBatch, QueuedLink
from newsextract.store.frontier import former_sites
from newsextract.store.leases import RENEWAL_INTERVAL

logger = logging.getLogger(__name__)

#: URLs leased ahead; when half of them are left, more are leased.
PREFETCH = 128
#: The same with `max_pages`, which should go to the best URLs known by then: for several sites, and for one.
PREFETCH_FEW = 8
PREFETCH_BEST = 1
#: How much better a page in progress must be for another to wait for its links, and for how many seconds at most.
PRIORITY_GAP = 50.0
WAIT_SECONDS = 10.0
#: Requests that the frontier can't store, by which repeated ones are recognized.
MAX_FINGERPRINTS = 200_000


class FrontierScheduler(Component):
    """SCHEDULER. Requests that the frontier can't store (`link_of_request`) are kept in memory only.

    `drained`: nothing of the run is queued, and no other process has leases; until then there are pending requests.
    `exhausted`: `max_pages` are fetched. `dry`: the last lease returned fewer URLs than requested. `saves_pages`: one
    site is crawled with a limit of pages, so unlikely articles are not requested while a better URL may be found.
    `has_found`: links were queued since the last lease.
    """

    SIGNALS = ("spider_opened", "spider_idle")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.context = CrawlContext.of(crawler)
        self.leases = self.context.leases
        self.leases.on_commit = self.links_queued
        self.buffer: dict[str, list[tuple[float, int, Request]]] = {}  # by site; heaps of (-priority, number, request)
        self.buffered = self.requests_numbered = 0
        self.prefetch = PREFETCH
        self.site_limit = max(1, crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))  # of a new site
        self.start_links: list[QueuedLink] = []
        self.fingerprints_in_memory = RecentlyUsed[None](MAX_FINGERPRINTS)
        self.drained = self.exhausted = self.dry = False
        self.leasing = self.closing = self.saves_pages = self.has_found = False
        self.last_sent = -math.inf  # event-loop time
        self.learned_at_ranking = Counter[str]()  # the spider's `pages_learned` when URLs were last ranked
        self.wake_up = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return self.buffered + len(self.start_links)

    def close(self, reason: str) -> "Deferred[None]":
        return deferred_from_coro(self._close())

    def enqueue_request(self, request: Request) -> bool:
        lease: Lease | None = request.meta.get("lease")
        if lease is not None:
            if not lease.ended and not self.leases.handle_retry_or_redirect(lease, request):
                lease.sent = False
                self._put(request, lease.row.site, lease.row.priority)
            return True
        link = link_of_request(request, self.crawler.spider)
        if link is None:
            return self._keep_in_memory(request)
        self.start_links.append(link)
        self.wake_up.set()
        return True

    def next_request(self) -> Request | None:
        if self.buffered <= self.prefetch // 2 and not self.dry and not self.drained:
            self.wake_up.set()
        if self.context.reader.is_full:
            return None  # the engine asks again when a page is done
        candidates = []
        for site, requests in self.buffer.items():
            active, limit = count_downloads(self.crawler, site)
            if active < (limit or self.site_limit) and not self._waits_for_better(site, -requests[0][0]):
                candidates.append((active, requests[0][0], site))
        if not candidates:
            return None
        site = min(candidates, key=lambda candidate: candidate[:2])[2]
        request = heapq.heappop(self.buffer[site])[2]
        self.buffered -= 1
        if not self.buffer[site]:
            del self.buffer[site]
        if (lease := request.meta.get("lease")) is not None:
            if lease.ended:  # it was put back
                return self.next_request()
            lease.sent = True
        self.last_sent = asyncio.get_running_loop().time()
        return request

    def _waits_for_better(self, site: str, priority: float) -> bool:
        """Whether an unlikely article waits until better URLs are leased, or found on pages in progress."""
        if not self.saves_pages or priority > LIKELY_ARTICLE:
            return False
        if self.has_found:
            self.wake_up.set()
            return True
        is_patient = asyncio.get_running_loop().time() < self.last_sent + WAIT_SECONDS
        return is_patient and (len(self.leases) > 0 or self.leases.best_under_way(site) > priority + PRIORITY_GAP)

    def has_pending_requests(self) -> bool:
        return bool(self.buffered or self.start_links or self.leasing or len(self.leases) or not self.drained)

    def links_queued(self, queued: int) -> None:
        """An end was committed, with that many new links; even without any, the crawl may have waited for it."""
        self.drained = False
        if queued:
            self.dry, self.has_found = False, True
        if queued or not (self.buffered or self.leases.is_open()):
            self.wake_up.set()
        elif self.saves_pages:
            self.dry = False  # may have been a feed that pages of the frontier waited for
            wake_engine(self.crawler)

    def spider_opened(self) -> None:
        """Starts leasing, now that the store is open."""
        if reason := check_scrapy(self.crawler):
            self.counts.fatal = reason
            raise CloseSpider("scrapy_changed")
        if self.context.async_store.is_open:
            self.task = asyncio.ensure_future(self._lease_ahead())

    def spider_idle(self) -> None:
        """Gives the finish reason of a crawl with `max_pages`."""
        if self.exhausted:
            raise CloseSpider("max_pages")

    def _put(self, request: Request, site: str, priority: float) -> None:
        self.requests_numbered += 1
        heapq.heappush(self.buffer.setdefault(site, []), (-priority, self.requests_numbered, request))
        self.buffered += 1

    def _keep_in_memory(self, request: Request) -> bool:
        """Buffers a request without a lease; False if it was there already."""
        fingerprint = self.crawler.request_fingerprinter.fingerprint(request).hex()
        if fingerprint in self.fingerprints_in_memory and not request.dont_filter:
            return False
        self.fingerprints_in_memory[fingerprint] = None
        self._put(request, request.meta.get("download_slot") or "", float(request.priority))
        wake_engine(self.crawler)
        return True

    async def _lease_ahead(self) -> None:
        """The background task. A failure of the frontier stops the crawl."""
        loop = asyncio.get_running_loop()
        next_renewal = loop.time() + RENEWAL_INTERVAL
        self.wake_up.set()
        try:
            await self._start_run()
            while not self.closing:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.wake_up.wait(), POLL_INTERVAL)
                self.wake_up.clear()
                await self._rank_again()
                await self._fill_buffer()
                if loop.time() >= next_renewal:
                    next_renewal = loop.time() + RENEWAL_INTERVAL
                    await self.context.async_store.lead(Frontier.renew_leases)
        except NewsextractError as error:
            abort_crawl(self.crawler, DATABASE, str(error))
        except Exception as error:
            logger.exception("The frontier failed")
            abort_crawl(self.crawler, DATABASE, f"the frontier failed: {error}")

    async def _start_run(self) -> None:
        """Queues what is due again; an unfinished run continues."""
        spider = self.crawler.spider
        assert spider is not None
        options, store = options_of(spider), self.context.async_store
        sites = tuple(sorted(options.sites))
        self.saves_pages = options.max_pages is not None and len(sites) == 1
        self.prefetch = PREFETCH_BEST if self.saves_pages else PREFETCH if options.max_pages is None else PREFETCH_FEW
        parents = sites if options.subdomains else ()
        self.leasing = True
        accepts = options.accepts if options.leaves_out else None
        known = await store.lead(Frontier.start, spider.name, sites, parents, accepts)
        if sites:
            options.train_from_history(await store.lead(Frontier.known_pages, sites))
            for site, former in (await store.read(former_sites, sites)).items():
                options.move(f"http://{site}/", former)
        self.leasing = False
        if store.frontier and store.frontier.joined:
            self.counts.joined = True
            logger.info("Another process is running this crawl; joining it")
        elif store.frontier and store.frontier.continued:
            logger.info("Resuming the unfinished run")
            for uri in unappendable_feeds(self.crawler.settings):
                logger.warning(
                    "%s starts anew and gets only the rest of the run; csv and jsonl files would be continued, and "
                    "`newsextract export` gives everything that is stored",
                    uri,
                )
        elif known:
            logger.info("%d known URLs queued: due again, or left over from an earlier run", known)

    async def _rank_again(self) -> None:
        """Ranks a site's queued URLs again if the spider has learned enough about it since the last time."""
        options = options_of(self.crawler.spider)
        for site, learned in [*options.pages_learned.items()]:
            if learned >= next_ranking(self.learned_at_ranking[site]):
                self.learned_at_ranking[site] = learned
                of_site = site if len(options.sites) > 1 else ""
                await self.context.async_store.lead(Frontier.rerank, options.rank_row, of_site)

    async def _fill_buffer(self) -> None:
        """Queues the first requests, then leases as many URLs as needed."""
        if is_closing(self.crawler):
            return
        self.leasing = True
        try:
            if self.start_links:
                links, self.start_links = self.start_links, []
                await self.context.async_store.lead(Frontier.add, links)
                self.drained = False
            wanted = self.prefetch - self.buffered if self.buffered <= self.prefetch // 2 else 0
            if self.saves_pages and self.has_found:
                wanted, self.has_found = 1, False
            if wanted and not self.drained:
                self._buffer_batch(await self.context.async_store.lead(Frontier.lease, wanted), wanted)
        finally:
            self.leasing = False
            wake_engine(self.crawler)

    def _buffer_batch(self, batch: LeaseBatch, wanted: int) -> None:
        self.drained, self.exhausted = batch.drained, batch.exhausted
        self.dry = len(batch.leased) < wanted
        for row in batch.leased:
            lease = Lease.of(row)
            mode = self.context.reader.render_mode
            request = request_of_lease(lease, self.crawler.spider, self.leases.handle_failure, mode)
            self._put(request, row.site, row.priority)
            self.leases.open(lease)

    async def _close(self) -> None:
        """Waits for running commits, and releases all other leases."""
        if self.task is not None:
            self.closing = True
            self.wake_up.set()
            await asyncio.wait([self.task])  # not cancelled: it may have leased URLs that must be released
        try:
            await self.leases.wait_for_commits()
            self.leases.closed = True
            if self.context.async_store.is_open:
                await self.context.async_store.lead(Frontier.close)
        except NewsextractError as error:
            logger.error("Leases could not be released and will expire: %s", error)
