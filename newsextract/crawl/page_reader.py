"""Reads and extracts the pages of a crawl: in the browser if necessary, then by one call of a worker."""

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy.crawler import Crawler

from newsextract.crawl.failures import PageDropped
from newsextract.crawl.leases import LeaseTracker
from newsextract.crawl.render.programs import render_mode
from newsextract.crawl.site_memory import SiteMemory, SitePeers
from newsextract.discovery.lists import ListContents
from newsextract.errors import NewsextractError, PageError, PeerNeeded, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.extractors import Extractor, accepts_peer
from newsextract.items import FetchedPage
from newsextract.site_profile import SiteEvidence
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.workers.messages import ExtractionPlan, ReadPage, Worker
from newsextract.workers.pool import WorkerPool

if TYPE_CHECKING:
    from newsextract.crawl.render.renderer import Renderer

logger = logging.getLogger(__name__)


class PageReader:
    """Reads the pages of one crawl.

    `render_mode`, `renderer`: when a browser renders pages ("never", "auto": empty frames, "always"), and the browser,
    if any; `uses_peers`: whether the extractor compares pages of one template; the others are those of `CrawlContext`.
    """

    def __init__(
        self,
        crawler: Crawler,
        extractor: Extractor,
        pool: WorkerPool,
        leases: LeaseTracker,
        peers: SitePeers,
        site_memory: SiteMemory,
    ) -> None:
        self.stats, self.pool = crawler.stats, pool
        self.leases, self.peers, self.site_memory = leases, peers, site_memory
        self.uses_peers = accepts_peer(extractor)
        self.render_mode = render_mode(crawler.settings["NEWSEXTRACT_RENDER"])
        self.renderer: Renderer | None = None
        if self.render_mode != "never":
            from newsextract.crawl.render import renderer  # imported here, because its imports are an extra

            self.renderer = renderer.Renderer(crawler)

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait for workers or the browser that fetching should pause."""
        return self.pool.is_full or (self.renderer is not None and self.renderer.is_full)

    async def read(self, page: FetchedPage, first: str | None = None, number: int = 1) -> ReadPage:
        """The page, rendered in the browser if necessary, with its links, its peer, its article and more.

        A page takes only this one call of a worker (`messages.Worker.read`). What goes wrong is its `failure`.
        `first`, `number`: for a part of an article, which isn't extracted by itself.
        """
        renderer, is_auto = self.renderer, self.render_mode == "auto"
        if renderer is not None and not is_auto:
            page = await renderer.render(page) or page
        read = await self._read(page, first, number, renders=is_auto)
        if renderer is None or not is_auto or not read.needs_javascript:
            return read
        rendered = await renderer.render(page)
        return read if rendered is None else await self._read(rendered, first, number, renders=False)

    async def _read(self, page: FetchedPage, first: str | None, number: int, renders: bool) -> ReadPage:
        plan = ExtractionPlan(renders=renders)
        if first is None:
            peers = await self.peers.candidates(page.url) if self.uses_peers else ()
            plan = await self._plan(page, peers, renders=renders)
        try:
            try:
                read = await self.pool.run(Worker.read, page, plan, first, number)
            except (WorkerDied, WorkerTimeout) as error:  # extraction may have failed; the links are still needed
                read = replace(await self.pool.run(Worker.read, page, None, first, number), failure=error)
        except NewsextractError as error:
            return ReadPage(**page.page_values(), failure=error)
        peer = None
        if read.article is not None:
            peer = next((peer for peer in plan.peers if peer.url == read.article.compared_with), None)
        return replace(read, body=page.body, extra=page.extra, peer=peer)

    async def _plan(
        self,
        page: FetchedPage,
        peers: tuple[FetchedPage, ...],
        evidence: SiteEvidence | None = None,
        renders: bool = False,
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
            renders=renders,
        )

    async def extract(self, page: FetchedPage, evidence: SiteEvidence | None = None) -> ExtractedArticle:
        """The article of a page, by another call of a worker, with this evidence. Raises PageDropped, counted."""
        article = await self._extract(page, evidence)
        article.extra = page.extra
        return article

    async def _extract(self, page: FetchedPage, evidence: SiteEvidence | None) -> ExtractedArticle:
        try:
            if isinstance(page, ReadPage) and page.failure is not None:
                raise page.failure
            plan = await self._plan(page, () if page.peer is None else (page.peer,), evidence)
            return await self.pool.run(Worker.extract, page, plan)
        except PageError:
            nothing = {"is_article": False, "not_article_because": "no_page", "fetched_at": page.fetched_at}
            return ExtractedArticle(page.url, **nothing)  # type: ignore[arg-type]
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

    async def read_list(
        self, body: bytes, url: str, charset: str | None, language: str, known: bytes | None = None
    ) -> ListContents:
        """What is new in a feed or sitemap, read by a worker, which it can't hang or fill for longer than a page.

        `known`: the memory of an earlier read of a large list.
        """
        try:
            return await self.pool.run(Worker.read_list, body, url, charset, language, known)
        except (WorkerDied, WorkerTimeout) as error:
            return ListContents(problem=_worker_reason(error))
        except WorkersUnusable:
            return ListContents(problem="error")  # the crawl is stopping


def _worker_reason(error: WorkerDied | WorkerTimeout) -> str:
    return "worker_died" if isinstance(error, WorkerDied) else "worker_timeout"
