"""The code of a worker process: parses pages, finds their links, extracts their articles. Imports no Scrapy.

A crawl sends `Call`s, which are pickled, and gets `Answer`s in their order. One call does all that is to be done with a
page (`Worker.read`); `Worker.extract` is for those that have to wait for something else. A worker keeps the pages that
it parsed last in a `PageCache`, so that one that others are compared with crosses the pipe, and is parsed, once.
"""

import gc
import hashlib
import pickle
import queue
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from newsextract.article import ExtractedPage, article_of, join_parts, page_of, read_article
from newsextract.discovery.links import PageLinks, extract_links
from newsextract.discovery.multipart import first_part, next_part
from newsextract.errors import NewsextractError
from newsextract.extractors import Extractor, make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.metadata.empty_frames import may_be_empty_frame
from newsextract.near_duplicates import with_signature
from newsextract.page import Page
from newsextract.pairing.templates import same_template, template_of
from newsextract.site_profile import Decision, ProfileSnapshot, SiteEvidence, SiteProfile
from newsextract.text import letters_and_digits

T = TypeVar("T")

#: Bytes of the pages that a worker keeps parsed (a tree takes about ten times its page): enough for the references of
#: a few sites and the pages under way. One page is always kept, however large.
CACHE_BYTES = 12_000_000
#: Bytes that a page counts for beside its source, so that small ones do not fill the memory.
PAGE_OVERHEAD = 20_000
#: Bytes of the profiles of sites that a worker keeps.
PROFILE_BYTES = 16_000_000
#: A page with text enough for all that is loaded on first use: the language model takes 1 s of processor time.
WARM_UP_PAGE = b"<h1>News of no day</h1><p>" + b"The harbour council voted to rebuild the old pier. " * 8 + b"</p>"
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


class Worker:
    """One extractor and the pages it has parsed. Runs in a process, or with NEWSEXTRACT_WORKERS=0 in a thread."""

    def __init__(self, extractor: Extractor) -> None:
        self.extractor = extractor
        self.cache: PageCache[Page] = PageCache()
        self.profiles: PageCache[SiteProfile] = PageCache(PROFILE_BYTES)

    def read(
        self, page: FetchedPage, plan: ExtractionPlan | None = None, first: str | None = None, number: int = 1
    ) -> ParsedPage:
        """Links, template and hash of a page, and by a plan its article.

        `first`, `number`: the address of the first page of an article, and which part of it this page is.
        """
        parsed = self.parse(page)
        peers = () if plan is None else [(peer, template_of(self.parse(peer))) for peer in plan.peers]
        links = extract_links(parsed.tree, page.url)
        parsed.drop(page.drop)
        is_frame = may_be_empty_frame(parsed)
        texts = parsed.blocks.texts if not is_frame else [*parsed.blocks.texts, f"{page.body!r}"]
        reading = ParsedPage(links, template_of(parsed), hash_texts(texts))
        reading.next = next_part(links, first or page.url, number + 1)
        if plan is not None and plan.renders and is_frame:
            alone = self.preview(page)
            reading.needs_javascript = alone is not None and alone.not_article_because == "needs_javascript"
        if first is None:
            reading.first = first_part(links, page.url)
            if reading.next or reading.first:
                alone = self.preview(page)
                if alone is None or not alone.is_article:
                    reading.next = reading.first = None  # the pages of a list
        is_whole = first is None and not (reading.next or reading.first or reading.needs_javascript)
        if plan is not None and is_whole and reading.page_hash != plan.known_hash:
            peer = next((peer for peer, template in peers if same_template(template, reading.template)), None)
            if peer is not None or not self.extractor.needs_peer:
                reading.peer_url = None if peer is None else peer.url
                try:
                    reading.extracted = self.extract(page, replace(plan, peers=() if peer is None else (peer,)))
                except PageNotCached:
                    raise
                except Exception as error:  # its links are wanted all the same
                    reading.failure = _sendable(error)
        return reading

    def preview(self, page: FetchedPage) -> Article | None:
        """The page's article without peer and profile; None where the extractor fails, which is counted later."""
        try:
            return self.extract(page).article
        except Exception:
            return None

    def extract(self, page: FetchedPage, plan: ExtractionPlan = ExtractionPlan()) -> PageResult:
        """The page's article, with the signature of its text: what takes processor time is done here.

        It is compared with the first peer of the plan, and read by the evidence of the plan.
        """
        evidence = plan.evidence
        snapshot = None if evidence is None else evidence.snapshot
        parsed = self.parse(page)
        parsed.drop(page.drop)
        parsed.site, parsed.listing = None if snapshot is None else self.load_profile(snapshot), page.listing
        peer = self.parse(plan.peers[0]) if plan.peers else None
        if peer is not None:
            peer.drop(plan.peers[0].drop)
        reading: ExtractedPage | None = None
        if evidence is None:
            article = article_of(parsed, self.extractor, peer)
        else:
            reading = read_article(parsed, self.extractor, peer, decided=evidence.decided)
            article = reading.article
        if page.parts:
            join_parts(article, [self.parse(part) for part in page.parts], self.extractor, peer)
        result = PageResult(with_signature(article) if article.is_article else article)
        if reading is not None:
            known = 0 if snapshot is None else snapshot.pages
            result.learned = LearnedPage(reading.summary.to_bytes(), reading.decision, known, reading.text_confidence)
        if plan.compares and peer is not None:
            lines = [frozenset(map(letters_and_digits, each.blocks.texts)) - {""} for each in (parsed, peer)]
            result.shared = lines[0] & lines[1]
        return result

    def make_items(self, page: FetchedPage, names: tuple[str, ...]) -> list[object]:
        """zyte-common-items' items of these names, of the page. Needs the extra `poet`, but no Scrapy."""
        from newsextract import poet

        parsed = self.parse(page)
        make: dict[str, Callable[[], object]] = {
            "Article": lambda: poet.article_item(parsed, self.extractor, page.fetched_at),
            "ArticleList": lambda: poet.list_item(parsed),
            "ArticleNavigation": lambda: poet.navigation_item(parsed),
        }
        return [make[name]() for name in names]

    def warm_up(self) -> None:
        """Extracts a small page, so that no page of a crawl is charged for what the first one imports and loads."""
        with suppress(NewsextractError):
            page = FetchedPage("http://localhost/", WARM_UP_PAGE, datetime.now(UTC))
            with_signature(self.extract(page).article)
        self.cache = PageCache()

    def load_profile(self, snapshot: ProfileSnapshot) -> SiteProfile:
        """The profile of a snapshot, from the cache where it is there. Raises PageNotCached."""
        if snapshot.id not in self.profiles:
            if snapshot.data is NOT_SENT:
                raise PageNotCached(snapshot.id)
            self.profiles.put(snapshot.id, pickle.loads(snapshot.data), len(snapshot.data))
        return self.profiles.get(snapshot.id)

    def parse(self, page: FetchedPage) -> Page:
        """The parsed page, from the cache where it is there. Raises PageNotCached, PageError."""
        if page.id not in self.cache:
            if page.body is NOT_SENT:
                raise PageNotCached(page.url)
            parsed = page_of(page)
            if page.template:
                parsed.__dict__["template"] = page.template
            self.cache.put(page.id, parsed, len(page.body) + PAGE_OVERHEAD)
        return self.cache.get(page.id)


def hash_texts(texts: list[str]) -> str:
    """64 hex digits over the texts of a page: equal for two fetches between which a reader sees no difference.

    A page that shows next to nothing has its article in scripts: all of it counts.
    """
    return hashlib.sha256("\n".join(texts).casefold().encode("utf-8", "replace")).hexdigest()


@dataclass(slots=True)
class Call(Generic[T]):
    """A call of a method of the worker, which answers with a T; the first argument is a page."""

    method: Callable[..., T]
    arguments: tuple[object, ...]
    options: Mapping[str, object]


class SentKeys:
    """What a worker has in its caches, as far as the crawl knows: the ids of pages and of profiles."""

    def __init__(self) -> None:
        self.pages: PageCache[None] = PageCache()
        self.profiles: PageCache[None] = PageCache(PROFILE_BYTES)

    def note(self, call: Call[T]) -> Call[T]:
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


def make_worker(extractor: str, options: Mapping[str, object]) -> Worker:
    """The worker of a process of its own, with all that extraction loads on first use."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the crawl decides when a worker ends
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    worker = Worker(make_extractor(extractor, options))
    worker.warm_up()
    return worker


def serve(connection: Connection, worker: Worker) -> None:
    """Says that the worker is ready, then answers calls until the crawl closes its end of the pipe."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # pages are trees without cycles; fewer collections are 5 to 10 % faster
    calls: queue.SimpleQueue[Call[object] | None] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, calls), name="newsextract-receiver", daemon=True).start()
    answer = Answer()
    while True:
        with suppress(OSError):  # the crawl has gone: so will this process
            connection.send(answer)
        call = calls.get()
        if call is None:
            return
        answer = _answer(worker, call)


def _answer(worker: Worker, call: Call[object]) -> Answer:
    try:
        return Answer(call.method(worker, *call.arguments, **call.options))
    except Exception as error:  # a bug in an extractor costs one page, not the crawl
        return Answer(error=_sendable(error))


def _sendable(error: Exception) -> Exception:
    """The error, or one with its text where it is not our own, and perhaps no process could read it."""
    return error if isinstance(error, NewsextractError) else RuntimeError(f"{type(error).__name__}: {error}")


def _receive(connection: Connection, calls: "queue.SimpleQueue[Call[object] | None]") -> None:
    """Takes calls off the pipe at once: the crawl must be able to send a page while the worker sends an answer."""
    with suppress(EOFError, OSError):
        while True:
            calls.put(connection.recv())
    calls.put(None)
