"""Services shared by the scheduler, spider, middlewares and pipelines of a crawl: worker pool, store, leases, peers."""

from scrapy.crawler import Crawler

from newsextract.crawl.abort import NO_WORKERS, abort_crawl
from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.checks import extractor_of, workers_of
from newsextract.crawl.component import Component
from newsextract.crawl.copies import StoryCopies
from newsextract.crawl.engine import is_closing
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.leases import LeaseTracker
from newsextract.crawl.page_items import ItemMemory
from newsextract.crawl.page_reader import PageReader
from newsextract.crawl.peer_wait import PeerWait
from newsextract.crawl.settle import Settler
from newsextract.crawl.site_memory import SiteMemory, SitePeers
from newsextract.extractors import make_extractor
from newsextract.extractors.registry import FITTED_EXTRACTOR
from newsextract.items import Article, FetchedPage
from newsextract.workers.memory import prepare_for_crawls
from newsextract.workers.pool import WorkerPool

#: The one attribute that newsextract adds to Scrapy's Crawler; only `CrawlContext.of` uses it.
ATTRIBUTE = "newsextract_context"


class CrawlContext(Component):
    """The services of one crawl, created on first use by `CrawlContext.of(crawler)`.

    `pool`: workers that parse and extract, shared with the process's other crawls; `async_store`: the database, off the
    event loop; `leases`: the URLs being fetched; `peers`: pages to compare others with; `site_memory`: what is known
    about the sites; `reader`: reads and extracts pages; `copies`: counts the URLs of one story; `items`: what is in the
    pipelines; `settler`: decides on pending ones; `peer_wait`: those without the peer that they need; `is_open`:
    whether the crawl has begun.
    """

    SIGNALS = ("spider_opened", "spider_closed", "item_scraped", "item_dropped", "item_error")

    def __init__(self, crawler: Crawler) -> None:
        prepare_for_crawls()
        super().__init__(crawler)
        name, options = extractor_of(crawler.settings)
        extractor = make_extractor(name, options)
        self.pool = WorkerPool.shared(name, options, workers_of(crawler.settings))
        self.pool.on_unusable.add(self._abort_without_workers)
        self.async_store = AsyncStore(crawler)
        self.leases = LeaseTracker(crawler, self.async_store)
        is_fitted = name == FITTED_EXTRACTOR  # other extractors' scores aren't probabilities
        uses_sites = is_fitted and crawler.settings.getbool("NEWSEXTRACT_SITE_EVIDENCE")
        self.site_memory = SiteMemory(self.async_store, self.pool, uses_sites)
        self.peers = SitePeers(self.async_store)
        self.reader = PageReader(crawler, extractor, self.pool, self.leases, self.peers, self.site_memory)
        self.copies = StoryCopies()
        self.items = ItemMemory()
        self.settler = Settler(crawler, self.async_store, self.reader)
        self.peer_wait = PeerWait(crawler, extractor, self.peers, self.settler)
        self.is_open = False

    @classmethod
    def of(cls, crawler: Crawler) -> "CrawlContext":
        """The context of a crawl, kept in an attribute of the crawler."""
        context: CrawlContext | None = vars(crawler).get(ATTRIBUTE)
        if context is None:
            context = vars(crawler)[ATTRIBUTE] = cls(crawler)
        return context

    def _abort_without_workers(self, reason: str) -> None:
        """Stops the crawl, because no page can be read. If the crawl isn't open yet, its first page stops it."""
        if self.is_open and not is_closing(self.crawler):
            abort_crawl(self.crawler, NO_WORKERS, reason)

    def spider_opened(self) -> None:
        self.is_open = True

    def item_scraped(self, item: object) -> None:
        """Forgets an item that has left the pipelines."""
        self.items.forget(item)

    item_error = item_scraped

    def item_dropped(self, item: object, exception: BaseException) -> None:
        """Forgets it, too, unless it is a project's that comes again once it is decided."""
        is_pending = isinstance(exception, PageDropped) and exception.reason == "pending"
        if not is_pending or isinstance(item, FetchedPage | Article):
            self.items.forget(item)

    async def spider_closed(self) -> None:
        if self.reader.renderer is not None:
            await self.reader.renderer.close()
        for name, count in self.pool.counts.items():
            self.counts.workers[name] = count
        self.pool.on_unusable.discard(self._abort_without_workers)
        self.pool.release()
