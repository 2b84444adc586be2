"""The pages that a crawl may take as peers: those of this run, and the reference pages that earlier runs kept."""

import asyncio
import logging
from dataclasses import replace
from datetime import UTC, datetime

from scrapy.crawler import Crawler

from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.site_memory import SiteMemory
from newsextract.items import FetchedPage
from newsextract.pairing import PeerIndex, RedesignDetector, url_shape
from newsextract.store.site_pages import load_peers
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: Templates of which a worker gets a page, to compare one with whose template it finds out.
CANDIDATES = 4


class SitePeers:
    """Chooses peers, and keeps references for later runs up to date. Only pages of articles stay peers."""

    def __init__(self, crawler: Crawler, async_store: AsyncStore, memory: SiteMemory) -> None:
        """`memory`: forgets what earlier runs learned of a site that was built anew."""
        self._stats, self._store, self._memory = crawler.stats, async_store, memory
        self._forgetting: set[asyncio.Task[None]] = set()
        self._index, self._redesigns = PeerIndex(), RedesignDetector()
        self._loading: dict[str, asyncio.Task[None]] = {}

    async def load_references(self, site: str) -> None:
        """Takes up the references that earlier runs kept of a site; once a site."""
        if site not in self._loading:
            self._loading[site] = asyncio.ensure_future(self._load(site))
        await self._loading[site]

    async def candidates(self, url: str) -> tuple[FetchedPage, ...]:
        """The pages that one of this URL may be compared with, those with the most similar URLs first."""
        await self.load_references(site_of(url))
        return self._index.find_peers(url, CANDIDATES)

    def find_peer(self, page: FetchedPage) -> FetchedPage | None:
        """The page of the same template with the most similar URL, if any."""
        return self._index.find_peer(page)

    def add(self, page: FetchedPage) -> None:
        """Takes up a page of this run: it may be a peer of others from now on."""
        self._redesigns.add_fetched(page)
        self._index.add(replace(page, parts=()) if page.parts else page)

    def get(self, url: str) -> FetchedPage | None:
        """The page of a URL, where it may be a peer."""
        return self._index.get(url)

    def learn(self, url: str, is_article: bool) -> None:
        """Records what a page of this run is: articles are kept for later runs, other pages are no peers."""
        if not is_article:
            self._index.remove(url)
            self._store.drop_reference(url)
            return
        if outdated := self._redesigns.record_article(url):
            self._forget_earlier_design(url, outdated)
        if (page := self._index.get(url)) is not None:
            self._store.keep_reference(url_shape(url).pattern, page)

    def _forget_earlier_design(self, url: str, outdated: int) -> None:
        """Starts a site's evidence anew; the store replaces reference pages by newer ones of their pattern."""
        logger.warning(
            "Redesign: pages like %s have a new template; %d reference pages of the old one dropped",
            url_shape(url).pattern,
            outdated,
        )
        self._stats.inc_value("newsextract/references/retired", outdated)
        task = asyncio.ensure_future(self._memory.forget_earlier_runs(site_of(url)))
        self._forgetting.add(task)
        task.add_done_callback(self._forgetting.discard)

    async def _load(self, site: str) -> None:
        pages = [] if self._store.store is None else await self._store.read(load_peers, site)
        self._index.add_references(pages, datetime.now(UTC))
        for page in pages:
            self._redesigns.add_reference(page)
