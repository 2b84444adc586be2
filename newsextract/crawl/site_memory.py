"""What a crawl knows about its sites: page summaries, the profile made from them, and pages to compare others with.

The memory is in the database (`store.site_pages`). It is read when a site's first page comes, and grows in the
transactions that end the pages' leases. When it has grown by half, a worker builds a new profile, which is sent to each
worker once.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from newsextract.crawl.async_store import AsyncStore
from newsextract.discovery.priority import GROWTH
from newsextract.errors import DatabaseError, NewsextractError
from newsextract.items import FetchedPage
from newsextract.site_profile import PageSummary, ProfileSnapshot, SiteProfile
from newsextract.site_profile.peer_index import PeerIndex
from newsextract.site_profile.snapshot import FEW_PAGES, MIN_PAGES
from newsextract.store import site_pages
from newsextract.store.outcome import SitePage
from newsextract.store.schema import fingerprint
from newsextract.store.site_pages import load_peers, load_site_pages
from newsextract.urls import site_of
from newsextract.urls.shapes import url_shape
from newsextract.workers.messages import Worker
from newsextract.workers.pool import WorkerPool

logger = logging.getLogger(__name__)

#: Templates of which a worker gets a page, to find out the template of another page.
CANDIDATES = 4


@dataclass(slots=True)
class _Site:
    """The memory of one site: summaries by fingerprint, their bytes, the profile, pages at which the next is built.

    `settled`: fingerprints of the pages that earlier runs decided on.
    """

    summaries: dict[str, bytes] = field(default_factory=dict)
    size: int = 0
    snapshot: ProfileSnapshot | None = None
    next_profile: int = MIN_PAGES
    settled: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, pages: list[SitePage]) -> "_Site":
        site = cls()
        for page in site_pages.sample(pages):
            site.add(page.fingerprint, page.summary)
            if page.settled and page.decision is not None:
                site.settled.add(page.fingerprint)
        return site

    def add(self, key: str, summary: bytes) -> None:
        """Adds a page, replacing an older one of its URL; beyond the limit, the highest fingerprint is removed."""
        self.size += len(summary) - len(self.summaries.get(key, b""))
        self.summaries[key] = summary
        while self.size > site_pages.MAX_BYTES:
            self.size -= len(self.summaries.pop(max(self.summaries)))


class SiteMemory:
    """The memories of a crawl's sites. `changed`: those with new pages; `is_used`: False: pages are judged alone."""

    def __init__(self, async_store: AsyncStore, pool: WorkerPool, is_used: bool) -> None:
        self.is_used = is_used
        self.changed: set[str] = set()
        self._store, self._pool = async_store, pool
        self._sites: dict[str, _Site] = {}
        self._loading: dict[str, asyncio.Task[_Site]] = {}

    async def snapshot(self, url: str) -> ProfileSnapshot | None:
        """The current profile of a URL's site; None if too little is known."""
        return (await self._site(site_of(url))).snapshot if self.is_used else None

    async def add(self, page: FetchedPage, summary: bytes) -> ProfileSnapshot | None:
        """Adds a page's summary; returns the site's profile if a new one was built."""
        name = site_of(page.url)
        site = await self._site(name)
        self.changed.add(name)
        site.add(fingerprint(page.url), summary)
        if len(site.summaries) < site.next_profile:
            return None
        site.next_profile = next_size(len(site.summaries))
        before = site.snapshot
        await self._try_to_build(name, site)
        return site.snapshot if site.snapshot is not before else None

    async def summary(self, url: str) -> PageSummary | None:
        """What is known of a page by its last fetch, if anything."""
        data = (await self._site(site_of(url))).summaries.get(fingerprint(url)) if self.is_used else None
        with suppress(ValueError):
            return PageSummary.from_bytes(data or b"")
        return None

    def is_settled(self, url: str) -> bool:
        """Whether an earlier run decided on a page."""
        site = self._sites.get(site_of(url))
        return site is not None and fingerprint(url) in site.settled

    async def load_final(self, name: str) -> tuple[list[SitePage], SiteProfile]:
        """The site's pages in the database, and the profile of all of them, which becomes the current one.

        Raises NewsextractError.
        """
        pages = await self._store.read(load_site_pages, name)
        site = self._sites[name] = _Site.of(pages)
        await self._build(site)
        self.changed.discard(name)
        return pages, SiteProfile.build(()) if site.snapshot is None else site.snapshot.load()

    def let_go(self, name: str) -> None:
        """Frees the memory of a site that is done; if another of its pages comes, it is read again."""
        self._sites.pop(name, None)
        self._loading.pop(name, None)

    async def _site(self, name: str) -> _Site:
        if name not in self._loading:
            self._loading[name] = asyncio.ensure_future(self._load(name))
        return self._sites.get(name) or await self._loading[name]

    async def _load(self, name: str) -> _Site:
        site = _Site()
        try:
            if self._store.is_open:
                site = _Site.of(await self._store.read(load_site_pages, name))
        except DatabaseError as error:
            logger.error("The profile of %s could not be read: %s", name, error)
        site.next_profile = next_size(len(site.summaries))
        await self._try_to_build(name, site)
        return self._sites.setdefault(name, site)

    async def _try_to_build(self, name: str, site: _Site) -> None:
        """Builds the profile of what is known; if that fails, the site keeps the one it has."""
        try:
            await self._build(site)
        except NewsextractError as error:
            logger.warning("The profile of %s could not be built: %s", name, error)

    async def _build(self, site: _Site) -> None:
        """Builds the profile in a worker, because that takes time and memory. Raises NewsextractError."""
        if len(site.summaries) >= FEW_PAGES:
            site.snapshot = await self._pool.run(Worker.build_profile, (*site.summaries.values(),))


def next_size(pages: int) -> int:
    """The number of pages at which the next profile is built: 16, 24, 36, 54 …"""
    size = float(MIN_PAGES)
    while size <= pages:
        size *= GROWTH
    return int(size)


class SitePeers:
    """Pages to compare others with (`index`), and references for later runs. Only those of articles stay."""

    def __init__(self, async_store: AsyncStore) -> None:
        self._store = async_store
        self.index = PeerIndex()
        self._loading: dict[str, asyncio.Task[None]] = {}

    async def load_references(self, site: str) -> None:
        """Loads the references that earlier runs kept of a site, once, and again if it had made room for others."""
        if site in self.index.forgotten:
            self.index.forgotten.discard(site)
            self._loading.pop(site, None)
        if site not in self._loading:
            self._loading[site] = asyncio.ensure_future(self._load(site))
        await self._loading[site]

    async def candidates(self, url: str) -> tuple[FetchedPage, ...]:
        """The pages to compare a page of this URL with, most similar URLs first."""
        await self.load_references(site_of(url))
        return self.index.find_peers(url, CANDIDATES)

    def add(self, page: FetchedPage) -> None:
        """Adds a page of this run as a possible peer of later ones."""
        self.index.add(replace(page, parts=()) if page.parts else page)

    def learn(self, url: str, is_article: bool) -> None:
        """Records what a page of this run is: articles are kept for later runs, other pages aren't peers."""
        if not is_article:
            self.index.remove(url)
            self._store.references.pop(url, None)
        elif self._store.is_open and (page := self.index.get(url)) is not None:
            self._store.references[url] = url_shape(url).pattern, page

    async def _load(self, site: str) -> None:
        pages = await self._store.read(load_peers, site) if self._store.is_open else []
        self.index.add_references(pages, datetime.now(UTC))
