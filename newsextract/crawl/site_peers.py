"""The pages that a crawl may take as peers: those of this run, and the reference pages that earlier runs kept."""

import asyncio
import logging
from dataclasses import replace

from scrapy.crawler import Crawler

from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.site_memory import SiteMemory
from newsextract.items import FetchedPage
from newsextract.pairing import PeerIndex, ReferencePages, ReferenceUpdate, url_shape
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
        self._index, self._references = PeerIndex(), ReferencePages()
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
        self._references.add_fetched(page)
        self._index.add(replace(page, parts=()) if page.parts else page)

    def get(self, url: str) -> FetchedPage | None:
        """The page of a URL, where it may be a peer."""
        return self._index.get(url)

    def learn(self, url: str, is_article: bool) -> None:
        """Takes note of what a page of this run turned out to be: an article's is kept for later runs, others are no
        peers."""
        self._update_references(self._references.record_outcome(url, is_article))
        if not is_article:
            self._index.remove(url)
            self._store.drop_reference(url)
        elif (page := self._index.get(url)) is not None:
            self._store.keep_reference(url_shape(url).pattern, page)

    def _update_references(self, update: ReferenceUpdate) -> None:
        """Renews a reference that has grown old; retires those of a design that the site has given up."""
        if update.replacement is not None:
            self._stats.inc_value("newsextract/references/renewed")
            self._store.keep_reference(url_shape(update.replacement.url).pattern, update.replacement)
        if update.retired:
            pattern, count = url_shape(update.retired[0].url).pattern, len(update.retired)
            logger.warning(
                "Redesign: pages like %s have a new template; %d reference pages of the old one dropped", pattern, count
            )
            self._stats.inc_value("newsextract/references/retired", count)
            self._store.retire_references(update.retired)
            for page in update.retired:
                self._index.discard(page)
            task = asyncio.ensure_future(self._memory.forget_earlier_runs(site_of(update.retired[0].url)))
            self._forgetting.add(task)
            task.add_done_callback(self._forgetting.discard)

    async def _load(self, site: str) -> None:
        for page in [] if self._store.store is None else await self._store.read(load_peers, site):
            self._index.add(page)
            self._references.add(page)
