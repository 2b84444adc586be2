"""What a crawl and its workers send each other. Imports nothing that only workers need.

A crawl sends `Call`s, which are pickled, and gets `Answer`s in their order. One call does all that is to be done with a
page (`Worker.read`); `Worker.extract` is for those that have to wait for something else. A worker keeps the pages that
it parsed last in a `PageCache`, so that one that others are compared with crosses the pipe, and is parsed, once.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from newsextract.discovery.links import PageLinks
from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage
from newsextract.site_profile import Decision, SiteEvidence

T = TypeVar("T")

#: Bytes of the pages that a worker keeps parsed (a tree takes about ten times its page): enough for the references of
#: a few sites and the pages under way. One page is always kept, however large.
CACHE_BYTES = 12_000_000
#: Bytes that a page counts for beside its source, so that small ones do not fill the memory.
PAGE_OVERHEAD = 20_000
#: Bytes of the profiles of sites that a worker keeps.
PROFILE_BYTES = 16_000_000
#: The body of a page that is sent without it, because the worker has it in its cache.
NOT_SENT: Any = None


@dataclass(slots=True)
class LearnedPage:
    """What the site of a page learns of it.

    `summary`: `PageSummary.to_bytes()`; `decision`: on the page, with the profile that it was read with;
    of so many `known` pages; `text_confidence`: the extractor's own.
    """

    summary: bytes
    decision: Decision
    known: int = 0
    text_confidence: float | None = None


@dataclass(slots=True)
class PageResult:
    """What the extraction of a page gives. `learned` is None where it is read by itself; `shared`: letters and digits
    of the lines that it has in common with its peer, so of the template's, where these were asked for."""

    article: Article
    learned: LearnedPage | None = None
    shared: frozenset[str] = frozenset()


@dataclass(slots=True)
class ParsedPage:
    """What a worker has read of a page.

    `template`: features of the page's structure (`pairing.templates`); `page_hash`: of its visible text. Of an article
    that is cut into pages, `next` is the address of the next part, and `first` that of the first where this is a later
    one. `needs_javascript`: whether the page is a frame that scripts fill, without an article in its data. `extracted`:
    its article, where nothing has to come first, compared with the page of `peer_url`; `failure`: what went wrong.
    """

    links: PageLinks = field(default_factory=PageLinks)
    template: frozenset[int] = frozenset()
    page_hash: str | None = None
    next: str | None = None
    first: str | None = None
    needs_javascript: bool = False
    peer_url: str | None = None
    extracted: PageResult | None = None
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class ExtractionPlan:
    """How a page is extracted.

    `peers`: pages that it may be compared with, the first of its template is taken; `evidence`: of its site, None where
    the page is read by itself; `known_hash`: of the page at its last fetch: if it is the same, nothing is extracted;
    `compares`: whether the lines that it shares with its peer are wanted; `renders`: whether a page that scripts fill
    is rendered first.
    """

    peers: tuple[FetchedPage, ...] = ()
    evidence: SiteEvidence | None = None
    known_hash: str | None = None
    compares: bool = False
    renders: bool = False


class Worker(Protocol):
    """What a worker is asked for: `WorkerPool.run` takes one of these methods. `worker.PageWorker` has their code."""

    def read(
        self, page: FetchedPage, plan: ExtractionPlan | None = None, first: str | None = None, number: int = 1
    ) -> ParsedPage:
        """Links, template and hash of a page, and by a plan its article.

        `first`, `number`: the address of the first page of an article, and which part of it this page is.
        """

    def extract(self, page: FetchedPage, plan: ExtractionPlan | None = None) -> PageResult:
        """The page's article, with the signature of its text: what takes processor time is done here.

        It is compared with the first peer of the plan, and read by the evidence of the plan; without a plan by itself.
        """

    def make_items(self, page: FetchedPage, names: tuple[str, ...]) -> list[object]:
        """zyte-common-items' items of these names, of the page. Needs the extra `poet`, but no Scrapy."""


class PageCache(Generic[T]):
    """A least recently used cache of parsed pages, bounded by the bytes of their sources.

    A worker keeps one of pages, the crawl one of None for each worker; both make the same calls in the same order, so
    the crawl knows which pages the worker has. So do the profiles of sites.
    """

    def __init__(self, capacity: int = CACHE_BYTES) -> None:
        self._entries: OrderedDict[str, tuple[int, T]] = OrderedDict()
        self._capacity = capacity
        self._size = 0

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def get(self, key: str) -> T:
        """The entry, now the most recently used. Raises KeyError."""
        self._entries.move_to_end(key)
        return self._entries[key][1]

    def put(self, key: str, entry: T, size: int) -> None:
        """Adds an entry of that many bytes under a new key, and evicts the least recently used beyond the capacity."""
        self._entries[key] = size, entry
        self._size += size
        while self._size > self._capacity and len(self._entries) > 1:
            self._size -= self._entries.popitem(last=False)[1][0]


class PageNotCached(NewsextractError):
    """A page came without its body, or a profile without its data, and is not in the cache: the crawl sends it again,
    whole."""


@dataclass(slots=True)
class Call:
    """A call of the method of the worker with this name; the first argument is a page."""

    method: str
    arguments: tuple[object, ...]
    options: Mapping[str, object]


class SentKeys:
    """What a worker has in its caches, as far as the crawl knows: the ids of pages and of profiles."""

    def __init__(self) -> None:
        self.pages: PageCache[None] = PageCache()
        self.profiles: PageCache[None] = PageCache(PROFILE_BYTES)

    def note(self, call: Call) -> Call:
        """The call as it is sent: without the bodies and profiles that the worker has; the others are noted."""
        return Call(call.method, tuple(map(self._without_sent, call.arguments)), call.options)

    def _without_sent(self, argument: object) -> object:
        if isinstance(argument, FetchedPage):
            is_known = self._has(self.pages, argument.id, len(argument.body) + PAGE_OVERHEAD)
            body = NOT_SENT if is_known else argument.body
            return replace(argument, body=body, peer=None, reading=None)  # a peer that is needed is in the plan
        if not isinstance(argument, ExtractionPlan):
            return argument
        snapshot = argument.evidence and argument.evidence.snapshot
        if argument.evidence and snapshot and self._has(self.profiles, snapshot.id, len(snapshot.data)):
            argument = replace(argument, evidence=replace(argument.evidence, snapshot=replace(snapshot, data=NOT_SENT)))
        return replace(argument, peers=tuple(map(self._peer, argument.peers)))

    def _peer(self, page: FetchedPage) -> FetchedPage:
        """A peer as it is sent: of one that the worker has, its id."""
        if not self._has(self.pages, page.id, len(page.body) + PAGE_OVERHEAD):
            return replace(page, peer=None, reading=None)
        return FetchedPage(page.url, NOT_SENT, page.fetched_at, drop=page.drop, id=page.id)

    @staticmethod
    def _has(cache: PageCache[None], key: str, size: int) -> bool:
        if key in cache:
            cache.get(key)
            return True
        cache.put(key, None, size)
        return False


@dataclass(slots=True)
class Answer:
    """The result of a call, or the error that it raised. The first answer of a process says that it is ready."""

    result: Any = None
    error: Exception | None = None
