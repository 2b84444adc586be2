"""Waiting for a peer, for extractors that read no page without one (`needs_peer`): of those in the package, TSReC.

Their first page of a template is committed unread, as a candidate. It is settled as soon as another page of the
template comes, after NEWSEXTRACT_PEER_WAIT seconds, or when nothing is left to fetch.
"""

import asyncio

from scrapy.crawler import Crawler

from newsextract.crawl.settle import Settler
from newsextract.crawl.site_memory import SitePeers
from newsextract.extractors import Extractor
from newsextract.items import FetchedPage


class PeerWait:
    """The pages of a crawl that wait for a peer; none unless its extractor needs one."""

    def __init__(self, crawler: Crawler, extractor: Extractor, peers: SitePeers, settler: Settler) -> None:
        self._needs_peer, self._peers, self._settler = extractor.needs_peer, peers, settler
        self._seconds = crawler.settings.getfloat("NEWSEXTRACT_PEER_WAIT")
        self._waiting: set[str] = set()

    def is_needed(self, page: FetchedPage) -> bool:
        """Whether a page can't be read yet."""
        return self._needs_peer and page.peer is None

    def begin(self, page: FetchedPage) -> None:
        """Lets a page wait that is stored as a candidate."""
        self._waiting.add(page.url)
        if (peer := self._peers.index.find_peer(page)) is not None:  # it came while the candidate was stored
            self._end(page.url, peer.url)
        else:
            asyncio.get_running_loop().call_later(self._seconds, self._end, page.url, None)

    def end(self, page: FetchedPage) -> None:
        """Has the candidate settled that waits for a page as its peer."""
        if page.peer is not None:
            self._end(page.peer.url, page.url)

    def _end(self, url: str, peer_url: str | None) -> None:
        if url in self._waiting:
            self._waiting.discard(url)
            self._settler.settle_unread(url, peer_url)
