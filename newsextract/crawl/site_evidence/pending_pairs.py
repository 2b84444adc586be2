"""Pages put aside until another page of their template comes, and the way back into the item pipelines for them.

A response counts against Scrapy's bounds until its items have left the pipelines, so a pipeline that waited for a later
page could stop the crawl that would bring it. A page's item ends instead, and enters the pipelines anew with its peer.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from scrapy.crawler import Crawler

from newsextract.compression import compress, decompress
from newsextract.crawl.engine import end_delay, process_item, wake_engine
from newsextract.items import FetchedPage
from newsextract.pairing import same_template, shape_similarity, url_shape
from newsextract.pairing.url_shapes import MIN_SIMILARITY
from newsextract.urls import article_key, site_of

logger = logging.getLogger(__name__)

#: Compressed bytes kept at most; pages beyond that go on without a peer.
MAX_BYTES = 64_000_000


@dataclass(slots=True)
class PendingPage:
    """A page without its body, the body compressed, and the timer that ends its wait."""

    page: FetchedPage
    body: bytes
    timer: asyncio.TimerHandle


class PendingPairs:
    """The pages of a crawl that wait for a peer, by site and page id; each `peer_wait` seconds at most.

    `release` is called with each page that goes on: with `peer` set or not, and `paired` true.
    """

    def __init__(self, peer_wait: float, release: Callable[[FetchedPage], None]) -> None:
        self._peer_wait, self._release = peer_wait, release
        self._sites: dict[str, dict[str, PendingPage]] = {}
        self._size = 0

    def __len__(self) -> int:
        return sum(map(len, self._sites.values()))

    def put(self, page: FetchedPage) -> bool:
        """Puts a page aside; False where MAX_BYTES are full."""
        if self._size >= MAX_BYTES:
            return False
        site = site_of(page.url)
        body = compress(page.body)
        timer = asyncio.get_running_loop().call_later(self._peer_wait, self._time_out, site, page.id)
        self._sites.setdefault(site, {})[page.id] = PendingPage(replace(page, body=b""), body, timer)
        self._size += len(body)
        return True

    def release_pairs_of(self, page: FetchedPage) -> None:
        """Releases, with this page as their peer, all pages of its template and of another article."""
        site = site_of(page.url)
        shape, article = url_shape(page.url), article_key(page.url)
        for page_id, pending in list(self._sites.get(site, {}).items()):
            other = pending.page
            if (
                article_key(other.url) != article
                and shape_similarity(url_shape(other.url), shape) >= MIN_SIMILARITY
                and same_template(other.template, page.template)
            ):
                self._release_page(site, page_id, page)

    def release_all(self) -> None:
        """Releases all pages without a peer."""
        for site, pages in list(self._sites.items()):
            for page_id in list(pages):
                self._release_page(site, page_id, None)

    def _time_out(self, site: str, page_id: str) -> None:
        if page_id in self._sites.get(site, {}):
            self._release_page(site, page_id, None)

    def _release_page(self, site: str, page_id: str, peer: FetchedPage | None) -> None:
        pending = self._sites[site].pop(page_id)
        pending.timer.cancel()
        self._size -= len(pending.body)
        self._release(replace(pending.page, body=decompress(pending.body), peer=peer, paired=True))


class PipelineReentry:
    """Sends pages that were put aside through the item pipelines, in tasks of their own."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def send(self, page: FetchedPage) -> None:
        """Lets the page go through all pipelines, as an item of the spider would."""
        task = asyncio.ensure_future(self._process(page))
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def _process(self, page: FetchedPage) -> None:
        try:
            await process_item(self._crawler, page)
        finally:
            end_delay(self._crawler, page.id)

    def _done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("A page could not go on: %s", error)
        wake_engine(self._crawler)
