"""Messages between a crawl and its workers. Imports nothing that only workers need.

A crawl sends pickled `Call`s, and gets lists of `Answer`s in the same order. One call does everything for a page
(`Worker.read`); `Worker.extract` is for pages that have to wait for something else. A worker keeps recently parsed
pages in a `PageCache`, so that a page that others are compared with is sent and parsed once.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from newsextract.discovery.links import PageLinks
from newsextract.discovery.lists import ListContents
from newsextract.errors import NewsextractError
from newsextract.items import FetchedPage
from newsextract.pickling import pickled_at_once
from newsextract.site_profile import ProfileSnapshot, SiteEvidence
from newsextract.site_profile.extracted import ExtractedArticle

T = TypeVar("T")

#: Bytes of pages that a worker keeps parsed (a tree takes about ten times its page): enough for the references of a few
#: sites and the pages in progress. At least one page is kept, however large.
CACHE_BYTES = 12_000_000
#: Bytes that a page counts for besides its source, so that small ones don't fill the memory.
PAGE_OVERHEAD = 20_000
#: Bytes of site profiles that a worker keeps.
PROFILE_BYTES = 16_000_000
#: Pages that a worker reads together if they wait, and their bytes: one decision on several costs little more than one
#: on each, but large pages fill the memory.
TOGETHER = 8
TOGETHER_BYTES = 1_000_000
#: The body of a page that is sent without it, because the worker has it in its cache.
NOT_SENT: Any = None


@pickled_at_once
@dataclass(frozen=True, slots=True)
class ReadPage(FetchedPage):
    """A page with what a worker has read from it; the worker sends it without its body.

    For an article in several parts, `next` is the URL of the next part, and `first` that of the first, if this is a
    later one. `needs_javascript`: whether the page is an empty frame without an article in its data. `article`: of the
    page, if nothing has to come first; `failure`: what went wrong.
    """

    links: PageLinks = field(default_factory=PageLinks, repr=False, compare=False)
    next: str | None = None
    first: str | None = None
    needs_javascript: bool = False
    article: ExtractedArticle | None = field(default=None, repr=False, compare=False)
    failure: Exception | None = None

    @property
    def is_read(self) -> bool:
        """Whether a worker could read the page, if not its article."""
        return self.page_hash is not None


@pickled_at_once
@dataclass(frozen=True, slots=True)
class ExtractionPlan:
    """How to extract a page.

    `peers`: pages to compare it with; the first of its template is taken. `evidence`: of its site, None to read the
    page by itself. `known_hash`: of the page at its last fetch; if it is the same, nothing is extracted. `compares`:
    whether the lines that it shares with its peer are needed. `renders`: whether an empty frame is rendered first.
    `signs`: whether the signature of its text is needed.
    """

    peers: tuple[FetchedPage, ...] = ()
    evidence: SiteEvidence | None = None
    known_hash: str | None = None
    compares: bool = False
    renders: bool = False
    signs: bool = True


class Worker(Protocol):
    """The calls of a worker: `WorkerPool.run` takes one of these methods. `worker.PageWorker` implements them."""

    def read(
        self, page: FetchedPage, plan: ExtractionPlan | None = None, first: str | None = None, number: int = 1
    ) -> ReadPage:
        """Links, template and hash of a page, and with a plan its article; `number`: the part after page `first`."""

    def extract(self, page: FetchedPage, plan: ExtractionPlan | None = None) -> ExtractedArticle:
        """The page's article, compared with the first peer and read with the evidence of the plan, if any."""

    def build_profile(self, summaries: tuple[bytes, ...]) -> ProfileSnapshot:
        """The profile of a site by the summaries of its pages (`PageSummary.to_bytes`)."""

    def read_list(self, body: bytes, url: str, charset: str | None, language: str, known: bytes | None) -> ListContents:
        """What is new in a feed or sitemap (`discovery.list_memory.read_new_entries`)."""

    def make_items(self, page: FetchedPage, names: tuple[str, ...]) -> list[object]:
        """The zyte-common-items items with these names for the page. Needs the extra `poet`, but no Scrapy."""


class Workers(Protocol):
    """What calls workers: `WorkerPool`, or a cluster."""

    def submit(self, method: Callable[..., T], *arguments: Any) -> "Future[T]":
        """The future of a worker's method."""


class PageCache(Generic[T]):
    """A least recently used cache of parsed pages, limited by the bytes of their sources.

    A worker keeps one of pages, the crawl one of None for each worker. Both make the same calls in the same order, so
    the crawl knows what the worker has. The same goes for site profiles.
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
    """The body of a page, or the data of a profile, isn't in the cache: the crawl sends it again in full."""


@dataclass(slots=True)
class Call:
    """A call of the method of the worker with this name; `is_alone`: not together with others, whose process died."""

    method: str
    arguments: tuple[object, ...]
    options: Mapping[str, object]
    is_alone: bool = False

    @property
    def joins(self) -> bool:
        """Whether a worker may answer it together with others."""
        return self.method == Worker.read.__name__ and not self.is_alone


class SentKeys:
    """The ids of pages and profiles that a worker has in its caches, as far as the crawl knows."""

    def __init__(self) -> None:
        self.pages: PageCache[None] = PageCache()
        self.profiles: PageCache[None] = PageCache(PROFILE_BYTES)

    def note(self, call: Call) -> Call:
        """The call as sent: without the bodies and profiles that the worker has; the others are recorded."""
        return Call(call.method, tuple(map(self._without_sent, call.arguments)), call.options, call.is_alone)

    def _without_sent(self, argument: Any) -> Any:
        if isinstance(argument, FetchedPage):
            return _as_sent(argument, NOT_SENT if self._has_page(argument) else argument.body)
        if not isinstance(argument, ExtractionPlan):
            return argument
        snapshot = argument.evidence and argument.evidence.snapshot
        if argument.evidence and snapshot and self._has(self.profiles, snapshot.id, len(snapshot.data)):
            argument = replace(argument, evidence=replace(argument.evidence, snapshot=replace(snapshot, data=NOT_SENT)))
        return replace(argument, peers=tuple(map(self._peer, argument.peers)))

    def _peer(self, page: FetchedPage) -> FetchedPage:
        """A peer as sent: one that the worker has parsed is only named."""
        if self._has_page(page):
            return FetchedPage(page.url, NOT_SENT, page.fetched_at, drop=page.drop, id=page.id)
        return _as_sent(page, page.body)

    def _has_page(self, page: FetchedPage) -> bool:
        return self._has(self.pages, page.id, len(page.body) + PAGE_OVERHEAD)

    @staticmethod
    def _has(cache: PageCache[None], key: str, size: int) -> bool:
        if key in cache:
            cache.get(key)
            return True
        cache.put(key, None, size)
        return False


def _as_sent(page: FetchedPage, body: bytes) -> FetchedPage:
    """A page as sent: a peer that is needed is in the plan; only pipelines use `extra`, which may not be picklable."""
    sent: dict[str, Any] = {"body": body, "peer": None, "extra": {}}
    return FetchedPage(**page.page_values() | sent)


@dataclass(slots=True)
class Answer:
    """The result of a call, or the error that it raised. A process's first answer says that it is ready."""

    result: Any = None
    error: Exception | None = None
