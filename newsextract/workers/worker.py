"""The code of a worker process: parses pages, finds their links, extracts their articles. Imports no Scrapy."""

import gc
import hashlib
import queue
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from typing import Any

from newsextract.article.extract import article_of, join_parts, page_of, read_undecided
from newsextract.discovery.links import extract_links
from newsextract.discovery.list_memory import read_new_entries
from newsextract.discovery.lists import ListContents
from newsextract.discovery.multipart import first_part, next_part
from newsextract.errors import NewsextractError
from newsextract.extractors import Extractor, make_extractor
from newsextract.items import Article, FetchedPage
from newsextract.metadata.interstitials import may_be_empty_frame
from newsextract.near_duplicates import signature_of
from newsextract.page import Page
from newsextract.site_profile import ProfileSnapshot, SiteProfile
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.site_profile.snapshot import build_profile, read_summaries
from newsextract.site_profile.templates import same_template, template_of
from newsextract.text import letters_and_digits
from newsextract.workers.memory import return_free_memory
from newsextract.workers.messages import (
    CACHE_BYTES,
    NOT_SENT,
    PAGE_OVERHEAD,
    PROFILE_BYTES,
    TOGETHER,
    TOGETHER_BYTES,
    Answer,
    Call,
    ExtractionPlan,
    PageCache,
    PageNotCached,
    ReadPage,
    Worker,
)
from newsextract.workers.together import Steps, read_alone, read_together

#: A page with enough text to load everything that is loaded on first use: the language model takes 1 s of CPU time.
WARM_UP_PAGE = b"<h1>News of no day</h1><p>" + b"The harbour council voted to rebuild the old pier. " * 8 + b"</p>"


class PageWorker(Worker):
    """One extractor and the pages it has parsed. Runs in a process, or with NEWSEXTRACT_WORKERS=0 in a thread."""

    def __init__(self, extractor: Extractor, cache_bytes: int = CACHE_BYTES) -> None:
        self.extractor = extractor
        self.cache: PageCache[Page] = PageCache(cache_bytes)
        self.profiles: PageCache[SiteProfile] = PageCache(PROFILE_BYTES)

    def read(
        self, page: FetchedPage, plan: ExtractionPlan | None = None, first: str | None = None, number: int = 1
    ) -> ReadPage:
        return read_alone(self.reading(page, plan, first, number))

    def reading(
        self, page: FetchedPage, plan: ExtractionPlan | None = None, first: str | None = None, number: int = 1
    ) -> Steps[ReadPage]:
        """The steps of `read`."""
        parsed = self.parse(page)
        peers = () if plan is None else [(peer, template_of(self.parse(peer))) for peer in plan.peers]
        links = extract_links(parsed.tree, page.url)
        parsed.drop(page.drop)
        is_frame = may_be_empty_frame(parsed)
        texts = parsed.blocks.texts if not is_frame else [*parsed.blocks.texts, f"{page.body!r}"]
        texts = [*texts, repr(page.selectors)] if page.selectors else texts  # with others, it is another page
        found: dict[str, Any] = {"links": links, "template": template_of(parsed), "page_hash": hash_texts(texts)}
        found["next"] = next_part(links, first or page.url, number + 1)
        if plan is not None and plan.renders and is_frame:
            alone = self.preview(page)
            found["needs_javascript"] = alone is not None and alone.not_article_because == "needs_javascript"
        if first is None:
            found["first"] = first_part(links, page.url)
            if found["next"] or found["first"]:
                alone = self.preview(page)
                if alone is None or not alone.is_article:
                    found["next"] = found["first"] = None  # the pages of a list
        is_whole = first is None and not (found["next"] or found["first"] or found.get("needs_javascript"))
        if plan is not None and is_whole and found["page_hash"] != plan.known_hash:
            peer = next((peer for peer, template in peers if same_template(template, found["template"])), None)
            if peer is not None or not self.extractor.needs_peer:
                found |= yield from self._extracted(page, plan, peer)
        return ReadPage(**page.page_values() | found | {"body": NOT_SENT})

    def _extracted(self, page: FetchedPage, plan: ExtractionPlan, peer: FetchedPage | None) -> Steps[dict[str, Any]]:
        """The page's article by a plan with this peer, or why there is none: its links are needed all the same."""
        try:
            article = yield from self._extracting(page, replace(plan, peers=() if peer is None else (peer,)))
            return {"article": article}
        except PageNotCached:
            raise
        except Exception as error:
            return {"failure": _sendable(error)}

    def preview(self, page: FetchedPage) -> Article | None:
        """The page's article without peer and profile; None if the extractor fails, which is counted later."""
        try:
            return self.extract(page)
        except Exception:
            return None

    def extract(self, page: FetchedPage, plan: ExtractionPlan | None = None) -> ExtractedArticle:
        return read_alone(self._extracting(page, plan or ExtractionPlan()))

    def _extracting(self, page: FetchedPage, plan: ExtractionPlan) -> Steps[ExtractedArticle]:
        evidence = plan.evidence
        snapshot = None if evidence is None else evidence.snapshot
        parsed = self.parse(page)
        parsed.drop(page.drop)
        site, parsed.listing = None if snapshot is None else self.load_profile(snapshot), page.listing
        peer = self.parse(plan.peers[0]) if plan.peers else None
        if peer is not None:
            peer.drop(plan.peers[0].drop)
        if evidence is None:
            article = article_of(parsed, self.extractor, peer).as_kind(ExtractedArticle)
        else:
            read = read_undecided(parsed, self.extractor, peer, site, decided=evidence.decided)
            article = read.settled(read.decision or (yield read))
            article.known = 0 if snapshot is None else snapshot.pages
            # the crawl needs neither
            article.decision, article.body_rows = article.decision and replace(article.decision, weights=None), []
        if page.parts:
            join_parts(article, [self.parse(part) for part in page.parts], self.extractor, peer)
        if plan.signs and article.is_article:
            article.signature = signature_of(article.article_body)
        if peer is not None:
            article.compared_with = plan.peers[0].url
        if plan.compares and peer is not None:
            lines = [frozenset(map(letters_and_digits, each.blocks.texts)) - {""} for each in (parsed, peer)]
            article.shared = lines[0] & lines[1]
        return article

    def build_profile(self, summaries: tuple[bytes, ...]) -> ProfileSnapshot:
        snapshot = ProfileSnapshot.of(build_profile(read_summaries(summaries)) or SiteProfile.build(()))
        return_free_memory()  # building takes twenty times the memory of the profile
        return snapshot

    def read_list(self, body: bytes, url: str, charset: str | None, language: str, known: bytes | None) -> ListContents:
        return read_new_entries(body, url, charset, language, known)

    def make_items(self, page: FetchedPage, names: tuple[str, ...]) -> list[object]:
        from newsextract import poet  # an extra

        parsed = self.parse(page)
        make: dict[str, Callable[[], object]] = {
            "Article": lambda: poet.article_item(parsed, self.extractor, page.fetched_at),
            "ArticleList": lambda: poet.list_item(parsed),
            "ArticleNavigation": lambda: poet.navigation_item(parsed),
        }
        return [make[name]() for name in names]

    def warm_up(self) -> None:
        """Extracts a small page, so that no page of a crawl is charged for the first one's imports and loading."""
        with suppress(NewsextractError):
            page = FetchedPage("http://localhost/", WARM_UP_PAGE, datetime.now(UTC))
            signature_of(self.extract(page).article_body)
        self.cache = PageCache()

    def load_profile(self, snapshot: ProfileSnapshot) -> SiteProfile:
        """The profile of a snapshot, from the cache if possible. Raises PageNotCached."""
        if snapshot.id not in self.profiles:
            if snapshot.data is NOT_SENT:
                raise PageNotCached(snapshot.id)
            self.profiles.put(snapshot.id, snapshot.load(), len(snapshot.data))
        return self.profiles.get(snapshot.id)

    def parse(self, page: FetchedPage) -> Page:
        """The parsed page, from the cache if possible. Raises PageNotCached, PageError."""
        if page.id not in self.cache:
            if page.body is NOT_SENT:
                raise PageNotCached(page.url)
            parsed = page_of(page)
            parsed.template = page.template or None
            self.cache.put(page.id, parsed, len(page.body) + PAGE_OVERHEAD)
        return self.cache.get(page.id)


def hash_texts(texts: list[str]) -> str:
    """64 hex digits over the texts of a page: equal for two fetches that look the same to a reader.

    A page that shows next to nothing has its article in scripts: then all of it counts.
    """
    return hashlib.sha256("\n".join(texts).casefold().encode("utf-8", "replace")).hexdigest()


def make_worker(extractor: str, options: Mapping[str, object]) -> PageWorker:
    """The worker of a separate process, with everything that extraction loads on first use."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the crawl decides when a worker ends
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    worker = PageWorker(make_extractor(extractor, options))
    worker.warm_up()
    return worker


def collect_seldom() -> None:
    """Looks for cycles of objects less often: pages are trees without any, and reading them is 5 to 10 % faster."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def serve(connection: Connection, worker: PageWorker) -> None:
    """Says that the worker is ready, then answers calls until the crawl closes its end of the pipe."""
    collect_seldom()
    calls: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, calls), name="newsextract-receiver", daemon=True).start()
    answers: Iterable[list[Answer]] = ([Answer()],)
    while True:
        for ready in answers:
            with suppress(OSError):  # the crawl is gone, so this process ends
                connection.send(ready)
        waiting = [calls.get()]
        with suppress(queue.Empty):
            while waiting[-1] is not None and len(waiting) < TOGETHER:
                waiting.append(calls.get_nowait())
        if waiting[0] is None:
            return
        if waiting[-1] is None:
            calls.put(waiting.pop())
        answers = answer_all(worker, [*filter(None, waiting)])


def answer_all(worker: PageWorker, calls: Sequence[Call]) -> Iterator[list[Answer]]:
    """The answers to calls that wait, in their order, as they are ready; pages are read together."""
    reading: Callable[..., Steps[ReadPage]] = worker.reading
    for joined in _joined(calls):
        if len(joined) == 1:
            yield [_answer(worker, joined[0])]
        else:
            answers = read_together([reading(*call.arguments, **call.options) for call in joined])
            yield [Answer(answer.result, answer.error and _sendable(answer.error)) for answer in answers]


def _joined(calls: Iterable[Call]) -> Iterator[list[Call]]:
    """The calls in their order, in lists of those that are answered together."""
    joined: list[Call] = []
    size = 0
    for call in calls:
        page = call.arguments[0]
        own = len(page.body or b"") if isinstance(page, FetchedPage) else 0
        if joined and not (call.joins and joined[-1].joins and size + own <= TOGETHER_BYTES):
            yield joined
            joined, size = [], 0
        joined.append(call)
        size += own
    if joined:
        yield joined


def _answer(worker: Worker, call: Call) -> Answer:
    try:
        return Answer(getattr(worker, call.method)(*call.arguments, **call.options))
    except Exception as error:  # a bug in an extractor costs one page, not the crawl
        return Answer(error=_sendable(error))


def _sendable(error: Exception) -> Exception:
    """The error itself, or its text if it isn't one of ours and may not be picklable."""
    return error if isinstance(error, NewsextractError) else RuntimeError(f"{type(error).__name__}: {error}")


def _receive(connection: Connection, calls: "queue.SimpleQueue[Call | None]") -> None:
    """Takes calls off the pipe at once, so the crawl can send a page while the worker sends an answer."""
    with suppress(EOFError, OSError):
        while True:
            calls.put(connection.recv())
    calls.put(None)
