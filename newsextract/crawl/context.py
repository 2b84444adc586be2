"""Services shared by the scheduler, spider, middlewares and pipelines of a crawl: worker pool, store, leases, peers."""

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy.crawler import Crawler

from newsextract.crawl.abort import NO_WORKERS, abort_crawl
from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.checks import extractor_of, workers_of
from newsextract.crawl.component import Component
from newsextract.crawl.engine import is_closing
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.leases import LeaseTracker
from newsextract.crawl.render.programs import render_mode
from newsextract.crawl.settle import Settler
from newsextract.crawl.site_memory import SiteMemory, SitePeers
from newsextract.discovery.lists import ListContents
from newsextract.errors import NewsextractError, PageError, PeerNeeded, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.extractors import accepts_peer, make_extractor
from newsextract.extractors.registry import FITTED_EXTRACTOR
from newsextract.items import Article, FetchedPage
from newsextract.memory import prepare_for_crawls
from newsextract.site_profile import SiteEvidence
from newsextract.workers.messages import ExtractionPlan, PageResult, ParsedPage, Worker
from newsextract.workers.pool import WorkerPool

if TYPE_CHECKING:
    from newsextract.crawl.render.renderer import Renderer

logger = logging.getLogger(__name__)

#: The one attribute that newsextract adds to Scrapy's Crawler; only `CrawlContext.of` uses it.
ATTRIBUTE = "newsextract_context"


class CrawlContext(Component):
    """The services of one crawl, created on first use by `CrawlContext.of(crawler)`.

    `pool`: workers that parse and extract, shared with the process's other crawls; `async_store`: the database, off the
    event loop; `leases`: the URLs being fetched; `peers`: pages to compare others with; `site_memory`: what is known
    about the sites; `settler`: decides on pending pages; `render_mode`, `renderer`: when a browser renders pages
    ("never", "auto": empty frames, "always"), and the browser, if any; `uses_peers`, `needs_peer`: whether the
    extractor compares pages of one template, and whether it needs a second one; `is_open`: whether the crawl has begun.
    """

    SIGNALS = ("spider_opened", "spider_closed")

    def __init__(self, crawler: Crawler) -> None:
        prepare_for_crawls()
        super().__init__(crawler)
        name, options = extractor_of(crawler.settings)
        extractor = make_extractor(name, options)
        self.uses_peers = crawler.settings.getbool("NEWSEXTRACT_PAIRING") and accepts_peer(extractor)
        self.needs_peer = self.uses_peers and extractor.needs_peer
        self.pool = WorkerPool.shared(name, options, workers_of(crawler.settings))
        self.pool.on_unusable.add(self._abort_without_workers)
        self.async_store = AsyncStore(crawler)
        self.leases = LeaseTracker(crawler, self.async_store)
        is_fitted = name == FITTED_EXTRACTOR  # other extractors' scores aren't probabilities
        uses_sites = is_fitted and crawler.settings.getbool("NEWSEXTRACT_SITE_EVIDENCE")
        self.site_memory = SiteMemory(self.async_store, self.pool, uses_sites)
        self.peers = SitePeers(self.async_store)
        self.settler = Settler(crawler, self)
        self.render_mode = render_mode(crawler.settings["NEWSEXTRACT_RENDER"])
        self.renderer: Renderer | None = None
        if self.render_mode != "never":
            from newsextract.crawl.render import renderer  # imported here, because its imports are an extra

            self.renderer = renderer.Renderer(crawler)
        self.is_open = False

    @classmethod
    def of(cls, crawler: Crawler) -> "CrawlContext":
        """The context of a crawl, kept in an attribute of the crawler."""
        context: CrawlContext | None = vars(crawler).get(ATTRIBUTE)
        if context is None:
            context = vars(crawler)[ATTRIBUTE] = cls(crawler)
        return context

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait for workers or the browser that fetching should pause."""
        return self.pool.is_full or (self.renderer is not None and self.renderer.is_full)

    async def read_page(self, page: FetchedPage, first: str | None = None, number: int = 1) -> ParsedPage:
        """The links of a page and more (`messages.Worker.read`), after rendering it in the browser if necessary.

        The page gets the rendered HTML, its peer and the worker's result: a page takes only this one call of a worker.
        `first`, `number`: for a part of an article, which isn't extracted by itself. Raises NewsextractError.
        """
        renderer, is_auto = self.renderer, self.render_mode == "auto"
        if renderer is not None and not is_auto:
            await renderer.render(page)
        reading = await self._read(page, first, number, renders=is_auto)
        if renderer is not None and is_auto and reading.needs_javascript and await renderer.render(page):
            reading = await self._read(page, first, number, renders=False)
        page.template, page.page_hash, page.reading = reading.template, reading.page_hash, reading
        return reading

    async def _read(self, page: FetchedPage, first: str | None, number: int, renders: bool) -> ParsedPage:
        """Raises NewsextractError, which is also recorded as `failure` in the page's reading."""
        plan = ExtractionPlan()
        if first is None:
            plan = await self._plan(page, await self.peers.candidates(page.url) if self.uses_peers else ())
        plan, sent = replace(plan, renders=renders), without_extra(page)
        try:
            try:
                reading = await self.pool.run(Worker.read, sent, plan, first, number)
            except (WorkerDied, WorkerTimeout) as error:  # extraction may have failed; the links are still needed
                reading = await self.pool.run(Worker.read, sent, None, first, number)
                reading.failure = error
        except NewsextractError as error:
            page.reading = ParsedPage(failure=error)
            raise
        page.peer = next((peer for peer in plan.peers if peer.url == reading.peer_url), None)
        return reading

    async def _plan(
        self, page: FetchedPage, peers: tuple[FetchedPage, ...], evidence: SiteEvidence | None = None
    ) -> ExtractionPlan:
        """How to extract a page, by default with the evidence of its site."""
        lease, memory = self.leases.find(page.url), self.site_memory
        if evidence is None and memory.is_used:
            evidence = SiteEvidence(await memory.snapshot(page.url))
        return ExtractionPlan(
            peers,
            evidence,
            known_hash=None if lease is None else lease.row.page_hash,
            compares=lease is not None and lease.row.article is not None,
        )

    async def extract(self, page: FetchedPage, evidence: SiteEvidence | None = None) -> PageResult:
        """The article of a page, already read or by a worker with this evidence. Raises PageDropped, counted."""
        reading, page.reading = page.reading, None
        try:
            if isinstance(reading, ParsedPage):
                if reading.failure is not None:
                    raise reading.failure
                if reading.extracted is not None:
                    return reading.extracted
            plan = await self._plan(page, () if page.peer is None else (page.peer,), evidence)
            return await self.pool.run(Worker.extract, without_extra(page), plan)
        except PageError:
            nothing = Article(page.url, is_article=False, not_article_because="no_page", fetched_at=page.fetched_at)
            return PageResult(nothing)
        except PeerNeeded as error:
            raise PageDropped.counted(self.stats, "no_peer", error) from error
        except WorkersUnusable as error:
            raise PageDropped("workers", str(error)) from error  # the crawl is stopping
        except (WorkerDied, WorkerTimeout) as error:
            logger.warning("%s was dropped: %s", page.url, error)
            raise PageDropped.counted(self.stats, _worker_reason(error), error) from error
        except Exception as error:
            logger.exception("The extractor failed on %s", page.url)
            raise PageDropped.counted(self.stats, "error", f"the extractor failed: {error}") from error

    async def read_list(self, body: bytes, url: str, charset: str | None, language: str) -> ListContents:
        """The contents of a feed or sitemap, read by a worker, which it can't hang or fill for longer than a page."""
        try:
            return await self.pool.run(Worker.read_list, body, url, charset, language)
        except (WorkerDied, WorkerTimeout) as error:
            return ListContents(problem=_worker_reason(error))
        except WorkersUnusable:
            return ListContents(problem="error")  # the crawl is stopping

    def _abort_without_workers(self, reason: str) -> None:
        """Stops the crawl, because no page can be read. If the crawl isn't open yet, its first page stops it."""
        if self.is_open and not is_closing(self.crawler):
            abort_crawl(self.crawler, NO_WORKERS, reason)

    def spider_opened(self) -> None:
        self.is_open = True

    async def spider_closed(self) -> None:
        if self.renderer is not None:
            await self.renderer.close()
        for name, count in self.pool.counts.items():
            self.stats.set_value(f"newsextract/workers/{name}", count)
        self.pool.on_unusable.discard(self._abort_without_workers)
        self.pool.release()


def without_extra(page: FetchedPage) -> FetchedPage:
    """The page as workers get it: only the pipelines use the fields of its item, which may not be picklable."""
    return replace(page, extra={}) if page.extra else page


def _worker_reason(error: WorkerDied | WorkerTimeout) -> str:
    return "worker_died" if isinstance(error, WorkerDied) else "worker_timeout"
