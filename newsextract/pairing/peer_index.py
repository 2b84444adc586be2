"""Index of the pages of a site that can serve as peers: a few per URL shape and template, bounded in number."""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from newsextract.items import FetchedPage
from newsextract.pairing.templates import same_template
from newsextract.pairing.url_shapes import MIN_SIMILARITY, UrlShape, shape_similarity, url_shape
from newsextract.urls import article_key

#: Pages kept of each template within a URL shape, and of each shape; further ones are as good, and cost memory.
PER_TEMPLATE, PER_SHAPE = 3, 15
#: URL shapes kept for each site, those used last; a site has a handful of templates, so more than that is noise.
MAX_SHAPES = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be a peer, with its article key."""

    page: FetchedPage
    key: str


class PeerIndex:
    """The candidates of all sites of one crawl. Not thread-safe."""

    def __init__(self) -> None:
        self._sites: dict[str, OrderedDict[UrlShape, deque[Candidate]]] = {}

    def add(self, page: FetchedPage) -> bool:
        """Adds a page as a candidate; False where there are enough of its template or it is one already."""
        shape, key = url_shape(page.url), article_key(page.url)
        shapes = self._sites.setdefault(shape.site, OrderedDict())
        candidates = shapes.setdefault(shape, deque())
        shapes.move_to_end(shape)
        alike = sum(same_template(candidate.page.template, page.template) for candidate in candidates)
        if alike >= PER_TEMPLATE or len(candidates) >= PER_SHAPE or any(c.key == key for c in candidates):
            return False
        candidates.append(Candidate(page, key))
        if len(shapes) > MAX_SHAPES:
            shapes.popitem(last=False)
        return True

    def find_peer(self, page: FetchedPage) -> FetchedPage | None:
        """The candidate with the most similar URL that is of the page's template and another article; else None."""
        shape, key = url_shape(page.url), article_key(page.url)
        shapes = self._sites.get(shape.site) or OrderedDict()
        ranked = [(shape_similarity(shape, other), other) for other in shapes] if shape.site else []
        for similarity, other in sorted(ranked, key=lambda pair: -pair[0]):
            if similarity < MIN_SIMILARITY:
                return None
            if peer := _newest_match(shapes[other], key, page.template):
                return peer
        return None

    def remove(self, url: str) -> None:
        """Removes the candidate of a URL, for one: a page that turned out to be no article is no peer of one."""
        key, candidates = article_key(url), self._candidates(url)
        kept = [candidate for candidate in candidates if candidate.key != key]
        if len(kept) < len(candidates):
            candidates.clear()
            candidates.extend(kept)

    def discard(self, page: FetchedPage) -> None:
        """Removes this very page, but not a newer one of the same URL."""
        if self.get(page.url) is page:
            self.remove(page.url)

    def get(self, url: str) -> FetchedPage | None:
        """The candidate of a URL; None where it is none."""
        key = article_key(url)
        return next((candidate.page for candidate in self._candidates(url) if candidate.key == key), None)

    def _candidates(self, url: str) -> deque[Candidate]:
        shape = url_shape(url)
        return (self._sites.get(shape.site) or OrderedDict()).get(shape) or deque()


def _newest_match(candidates: Iterable[Candidate], key: str, template: frozenset[int]) -> FetchedPage | None:
    """The newest candidate of that template that is not the article itself."""
    for candidate in reversed([*candidates]):
        if candidate.key != key and same_template(candidate.page.template, template):
            return candidate.page
    return None
