"""Pages put aside until a page of their template comes: compressed, bounded, never a reason to wait for in a pipeline.

A response counts against Scrapy's bounds until its items have left the pipelines, so a pipeline that waits for a later
page can stop the crawl that would bring it. A page's item ends here instead, and enters the pipelines anew.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

import zstandard
from scrapy.crawler import Crawler

from newsextract.crawl.engine import wake
from newsextract.items import FetchedPage
from newsextract.pairing import same_template, shape_similarity, url_shape
from newsextract.pairing.url_shapes import MIN_SIMILARITY
from newsextract.urls import article_key, site_of

logger = logging.getLogger(__name__)

#: Compressed bytes held at most; pages beyond that go on without a peer.
MOST_BYTES = 64_000_000


@dataclass(slots=True)
class Waiting:
    """A held page without its body, the body compressed, and the timer that ends its wait."""

    page: FetchedPage
    packed: bytes
    timer: asyncio.TimerHandle


class Held:
    """The held pages of a crawl. `release` is called with each page that goes on, paired or not."""

    def __init__(self, wait: float, release: Callable[[FetchedPage], None]) -> None:
        self._wait, self._release = wait, release
        self._sites: dict[str, dict[str, Waiting]] = {}
        self._size = 0
        self._pack = zstandard.ZstdCompressor(level=1).compress
        self._unpack = zstandard.ZstdDecompressor().decompress

    def __len__(self) -> int:
        return sum(map(len, self._sites.values()))

    def put(self, page: FetchedPage) -> bool:
        """Puts a page aside; False where there is no more room."""
        if self._size >= MOST_BYTES:
            return False
        site, key = site_of(page.url), page.id
        packed = self._pack(page.body)
        timer = asyncio.get_running_loop().call_later(self._wait, self._give_up, site, key)
        self._sites.setdefault(site, {})[key] = Waiting(replace(page, body=b""), packed, timer)
        self._size += len(packed)
        return True

    def pair_with(self, page: FetchedPage) -> None:
        """Lets go all that this page is a peer of."""
        site = site_of(page.url)
        shape, article = url_shape(page.url), article_key(page.url)
        for key, waiting in list(self._sites.get(site, {}).items()):
            held = waiting.page
            if (
                article_key(held.url) != article
                and shape_similarity(url_shape(held.url), shape) >= MIN_SIMILARITY
                and same_template(held.template, page.template)
            ):
                self._go_on(site, key, page)

    def let_all_go(self) -> None:
        """Ends every wait: the crawl has nothing else to do."""
        for site, waiting in list(self._sites.items()):
            for key in list(waiting):
                self._go_on(site, key, None)

    def _give_up(self, site: str, key: str) -> None:
        if key in self._sites.get(site, {}):
            self._go_on(site, key, None)

    def _go_on(self, site: str, key: str, peer: FetchedPage | None) -> None:
        waiting = self._sites[site].pop(key)
        waiting.timer.cancel()
        self._size -= len(waiting.packed)
        body = self._unpack(waiting.packed)
        self._release(replace(waiting.page, body=body, peer=peer, paired=True))


class Reentry:
    """Sends pages into the pipelines that no response brings. The one place that calls Scrapy's engine for it."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._under_way: set[asyncio.Task[None]] = set()

    def send(self, page: FetchedPage) -> None:
        """The page goes through all pipelines, as an item of the spider would."""
        task = asyncio.ensure_future(self._crawler.engine.scraper.start_itemproc_async(page, response=None))
        self._under_way.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("A page could not go on: %s", error)
        wake(self._crawler)
