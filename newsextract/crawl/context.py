"""Services that scheduler, spider, middlewares and pipelines of one crawl share: worker pool, store, leases, peers."""

from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.crawler import Crawler

from newsextract.article import FITTED_EXTRACTOR
from newsextract.crawl.abort import NO_WORKERS, abort_crawl
from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.checks import extractor_of, workers_of
from newsextract.crawl.engine import is_closing
from newsextract.crawl.leases import LeaseTracker
from newsextract.crawl.render.programs import render_mode
from newsextract.crawl.site_evidence.memory import SiteMemory
from newsextract.crawl.site_evidence.pending_pairs import PipelineReentry
from newsextract.crawl.site_evidence.uncertain_pages import UncertainPages
from newsextract.extractors import accepts_peer, make_extractor
from newsextract.items import FetchedPage
from newsextract.workers.pool import WorkerPool
from newsextract.workers.worker import Reading

if TYPE_CHECKING:
    from newsextract.crawl.render.renderer import Renderer

#: The one attribute that newsextract adds to Scrapy's Crawler; only `CrawlContext.of` reads and writes it.
ATTRIBUTE = "newsextract_context"


class CrawlContext:
    """The services of one crawl; `CrawlContext.of(crawler)` makes them when they are first asked for.

    `pool`: workers that parse and extract, shared with other crawls of the process; `async_store`: the database, off
    the event loop; `leases`: the URLs being fetched; `reentry`: sends pages that were put aside back into the
    pipelines; `site_memory`: what is known of the sites; `uncertain`: pages that wait until more is; `render_mode` and
    `renderer`: when a browser draws pages ("never", "auto": empty frames, "always"), and the browser, if any;
    `uses_peers`: whether the extractor compares pages of one template; `is_open`: whether the crawl has begun.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        name, options = extractor_of(crawler.settings)
        extractor = make_extractor(name, options)
        self.uses_peers = crawler.settings.getbool("NEWSEXTRACT_PAIRING") and accepts_peer(extractor)
        self.pool = WorkerPool.shared(name, options, workers_of(crawler.settings))
        self.pool.on_unusable.add(self._abort_without_workers)
        self.async_store = AsyncStore(crawler)
        self.leases = LeaseTracker(crawler, self.async_store)
        self.reentry = PipelineReentry(crawler)
        is_fitted = name == FITTED_EXTRACTOR  # the scores of others are no probabilities
        self.site_memory = SiteMemory(
            self.async_store, is_fitted and crawler.settings.getbool("NEWSEXTRACT_SITE_EVIDENCE")
        )
        self.uncertain = UncertainPages(self.reentry.send)
        self.render_mode = render_mode(crawler.settings["NEWSEXTRACT_RENDER"])
        self.renderer = None if self.render_mode == "never" else _make_renderer(crawler)
        self.is_open = False
        crawler.signals.connect(self._spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signal=signals.spider_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> "CrawlContext":
        """The context of a crawl. It lives and dies with the crawler, so it is kept in the crawler's own attributes."""
        attributes = vars(crawler)
        context = attributes.get(ATTRIBUTE)
        if not isinstance(context, CrawlContext):
            context = attributes[ATTRIBUTE] = cls(crawler)
        return context

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait for workers or the browser that no further one should be fetched."""
        return self.pool.is_full or (self.renderer is not None and self.renderer.is_full)

    async def read_page(self, page: FetchedPage, first: str | None = None, number: int = 1) -> Reading:
        """Links of a page and more (`workers.worker.Worker.read`), drawn by the browser first where that is wanted.

        The page gets the HTML that was drawn. Raises NewsextractError.
        """
        if self.renderer is not None and self.render_mode == "always":
            await self.renderer.render(page)
        reading = await self.pool.read(page, first, number)
        if self.renderer is None or self.render_mode != "auto" or not reading.needs_javascript:
            return reading
        return await self.pool.read(page, first, number) if await self.renderer.render(page) else reading

    def _abort_without_workers(self, reason: str) -> None:
        """Stops the crawl: no page can be read. One that is not open yet is stopped by its own first page."""
        if self.is_open and not is_closing(self.crawler):
            abort_crawl(self.crawler, NO_WORKERS, reason)

    def _spider_opened(self) -> None:
        self.is_open = True

    async def _spider_closed(self) -> None:
        if self.renderer is not None:
            await self.renderer.close()
        for name, count in self.pool.counts.items():
            self.crawler.stats.set_value(f"newsextract/workers/{name}", count)
        self.pool.on_unusable.discard(self._abort_without_workers)
        self.pool.release()


def _make_renderer(crawler: Crawler) -> "Renderer":
    from newsextract.crawl.render.renderer import Renderer  # only here: what it imports is an extra

    return Renderer(crawler)
