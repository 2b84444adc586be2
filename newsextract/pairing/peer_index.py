"""The pages of a site that may serve as peers: a few for each shape of URL, the newest kept, bounded in number."""

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from newsextract.items import FetchedPage
from newsextract.pairing.templates import same_template
from newsextract.pairing.url_shapes import LIKE_ENOUGH, Shape, likeness, shape_of
from newsextract.urls import article_key

#: Pages kept of each template of a shape, and of each shape at most; further ones are as good, and cost memory.
PER_TEMPLATE, PER_SHAPE = 3, 15
#: Shapes kept for each site, those used last; a site has a handful of templates, so more than that is noise.
SHAPES = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be a peer."""

    page: FetchedPage
    key: str


class PeerIndex:
    """Candidates of many sites. Not safe for threads; one crawl has one."""

    def __init__(self) -> None:
        self._sites: dict[str, OrderedDict[Shape, deque[Candidate]]] = {}

    def add(self, page: FetchedPage) -> bool:
        """Takes the page as a candidate; False where there are enough of its template or it is one already."""
        shape, key = shape_of(page.url), article_key(page.url)
        shapes = self._sites.setdefault(shape.site, OrderedDict())
        candidates = shapes.setdefault(shape, deque())
        shapes.move_to_end(shape)
        alike = sum(same_template(candidate.page.template, page.template) for candidate in candidates)
        if alike >= PER_TEMPLATE or len(candidates) >= PER_SHAPE or any(c.key == key for c in candidates):
            return False
        candidates.append(Candidate(page, key))
        if len(shapes) > SHAPES:
            shapes.popitem(last=False)
        return True

    def best(self, page: FetchedPage) -> FetchedPage | None:
        """The candidate with the most similar URL that is of the same template and another article; None for none."""
        shape, key = shape_of(page.url), article_key(page.url)
        shapes = self._sites.get(shape.site) or OrderedDict()
        near = [(likeness(shape, other), other) for other in shapes] if shape.site else []
        for alike, other in sorted(near, key=lambda pair: -pair[0]):
            if alike < LIKE_ENOUGH:
                return None
            if found := _twin(shapes[other], key, page.template):
                return found
        return None

    def forget(self, url: str) -> None:
        """A page that turned out to be no article is no peer of one."""
        shape, key = shape_of(url), article_key(url)
        candidates = (self._sites.get(shape.site) or OrderedDict()).get(shape)
        if candidates:
            kept = [candidate for candidate in candidates if candidate.key != key]
            candidates.clear()
            candidates.extend(kept)

    def retire(self, page: FetchedPage) -> None:
        """Lets that very page go, not a newer one of its address."""
        if self.page(page.url) is page:
            self.forget(page.url)

    def page(self, url: str) -> FetchedPage | None:
        """The candidate of that very URL, if it is one."""
        shape, key = shape_of(url), article_key(url)
        candidates = (self._sites.get(shape.site) or OrderedDict()).get(shape) or ()
        return next((candidate.page for candidate in candidates if candidate.key == key), None)


def _twin(candidates: Iterable[Candidate], key: str, template: frozenset[int]) -> FetchedPage | None:
    """The newest candidate of that template that is not the article itself."""
    for candidate in reversed([*candidates]):
        if candidate.key != key and same_template(candidate.page.template, template):
            return candidate.page
    return None
