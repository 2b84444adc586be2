"""Index of the pages of a site that can serve as peers: a few per URL shape and template."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from newsextract.items import FetchedPage
from newsextract.limits import MAX_REMEMBERED
from newsextract.site_profile.templates import same_template
from newsextract.urls import article_key
from newsextract.urls.shapes import MIN_SIMILARITY, UrlShape, shape_similarity, url_shape

#: Pages kept of each template within a URL shape, and of each shape; more would only cost memory.
PER_TEMPLATE = 3
PER_SHAPE = 15
#: Age from which a reference page makes room for new ones of its template.
RENEW_AFTER = timedelta(days=7)
#: URL shapes kept for each site, most recently used; a site has a handful of templates, so more is noise.
MAX_SHAPES = 200
#: Bytes of a page that may be a peer, and of a site's peers: from there on, the shapes longest unused make room.
MAX_PAGE_BYTES = 1_500_000
MAX_SITE_BYTES = 24_000_000
#: Bytes of all peers of a crawl: from there on, the sites longest unused make room.
MAX_BYTES = 256_000_000


@dataclass(frozen=True, slots=True)
class PossiblePeer:
    """A page that may be a peer, with its article key, and that of the first page of its shape and template."""

    page: FetchedPage
    key: str
    first: str


def _size(candidates: Iterable[Iterable[PossiblePeer]]) -> int:
    return sum(len(candidate.page.body) for each in candidates for candidate in each)


class PeerIndex:
    """The candidates of all sites of one crawl. Not thread-safe. `forgotten`: sites that made room for others."""

    def __init__(self) -> None:
        self.forgotten: set[str] = set()
        self._sites: OrderedDict[str, OrderedDict[UrlShape, deque[PossiblePeer]]] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._similar: dict[UrlShape, list[UrlShape]] = {}  # the order of `_ranked`, until there is a new shape

    def add(self, page: FetchedPage) -> bool:
        """Adds a page as a candidate; False if there are enough of its template or it is one already."""
        if len(page.body) > MAX_PAGE_BYTES:
            return False
        shape, key = url_shape(page.url), article_key(page.url)
        shapes = self._sites.setdefault(shape.site, OrderedDict())
        self._sites.move_to_end(shape.site)
        if shape not in shapes:
            self._similar.clear()
        candidates = shapes.setdefault(shape, deque())
        shapes.move_to_end(shape)
        alike = [each for each in candidates if same_template(each.page.template, page.template)]
        if len(alike) >= PER_TEMPLATE or len(candidates) >= PER_SHAPE or any(each.key == key for each in candidates):
            return False
        candidates.append(PossiblePeer(page, key, alike[0].first if alike else key))
        while len(shapes) > MAX_SHAPES or (len(shapes) > 1 and _size(shapes.values()) > MAX_SITE_BYTES):
            shapes.popitem(last=False)
            self._similar.clear()
        self._sizes[shape.site] = _size(shapes.values())
        while len(self._sites) > 1 and sum(self._sizes.values()) > MAX_BYTES:
            site, _ = self._sites.popitem(last=False)
            self._sizes.pop(site, None)
            self.forgotten.add(site)
            self._similar.clear()
        return True

    def add_references(self, pages: Iterable[FetchedPage], now: datetime) -> None:
        """Adds pages of earlier runs, newest first; one a template if older than RENEW_AFTER."""
        for page in pages:
            if page.fetched_at > now - RENEW_AFTER or self.find_peer(page) is None:
                self.add(page)

    def find_peer(self, page: FetchedPage) -> FetchedPage | None:
        """The candidate with the most similar URL that is of the page's template and another article; else None."""
        candidates = (candidate.page for candidate in self._ranked(page.url))
        return next((peer for peer in candidates if same_template(peer.template, page.template)), None)

    def find_peers(self, url: str, limit: int) -> tuple[FetchedPage, ...]:
        """The candidates with the most similar URLs, one of each template, for a page whose own is not known yet."""
        peers: dict[str, FetchedPage] = {}
        for candidate in self._ranked(url):
            peers.setdefault(candidate.first, candidate.page)
            if len(peers) == limit:
                break
        return tuple(peers.values())

    def _ranked(self, url: str) -> Iterator[PossiblePeer]:
        """The candidates of other articles, most similar URLs first, then newest."""
        shape, key = url_shape(url), article_key(url)
        shapes = self._sites.get(shape.site) or OrderedDict()
        if shape not in self._similar:
            if len(self._similar) >= MAX_REMEMBERED:
                self._similar.clear()
            ranked = [(shape_similarity(shape, other), other) for other in shapes] if shape.site else []
            ranked = sorted((pair for pair in ranked if pair[0] >= MIN_SIMILARITY), key=lambda pair: -pair[0])
            self._similar[shape] = [other for _, other in ranked]
        for other in self._similar[shape]:
            yield from (candidate for candidate in reversed(shapes[other]) if candidate.key != key)

    def remove(self, url: str) -> None:
        """Removes the candidate of a URL that turned out not to be an article."""
        key, candidates = article_key(url), self._candidates(url)
        kept = [candidate for candidate in candidates if candidate.key != key]
        if len(kept) < len(candidates):
            candidates.clear()
            candidates.extend(kept)

    def get(self, url: str) -> FetchedPage | None:
        key = article_key(url)
        return next((candidate.page for candidate in self._candidates(url) if candidate.key == key), None)

    def _candidates(self, url: str) -> deque[PossiblePeer]:
        shape = url_shape(url)
        return (self._sites.get(shape.site) or OrderedDict()).get(shape) or deque()
