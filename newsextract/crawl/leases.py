"""How leases end: in exactly one state, with the links of the page, in one transaction with its article.

`ENDS` is the whole of it. Whoever learns what a URL came to calls `Ledger.end`: the storage pipeline with an article
(it waits for the disk), this spider middleware for answers that bring no item, the errback for what failed, the
scheduler for what is asked again or elsewhere, and Scrapy's signals for items that pipelines dropped.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from newsextract.crawl.abort import is_fatal
from newsextract.crawl.failures import NotAsked, failure_of
from newsextract.crawl.multipart import LEFT
from newsextract.crawl.requests import Lease, errback_of, lead_of
from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage
from newsextract.store import CommitResult, PageOutcome, QueuedLink, UrlState
from newsextract.store.url_states import fingerprint
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: What happened to a leased URL -> the state it ends in. Reasons of failures that stand here are of that state.
ENDS: dict[str, UrlState] = {
    "article": UrlState.stored,
    "not_modified": UrlState.unchanged,
    "same_page": UrlState.unchanged,
    "no_article": UrlState.not_article,
    "no_item": UrlState.not_article,
    "item_dropped": UrlState.dropped,
    "redirect": UrlState.redirected,
    "retry": UrlState.retried,
    "robots": UrlState.refused,
    "off_site": UrlState.refused,
    "trap": UrlState.refused,
    "address_refused": UrlState.refused,
    "scheme_refused": UrlState.refused,
    "proxy_refused": UrlState.refused,
    "ignored": UrlState.refused,
    "item_error": UrlState.failed,
    "callback_error": UrlState.failed,
    "failure": UrlState.failed,
}
NOT_STORABLE = "not_storable"
#: Answers that say of an article that it is no more.
GONE = (404, 410)
#: Reasons under which an item leaves the pipelines while its lease goes on, or ends when somebody else has it.
STILL_OURS = frozenset({"held", "database", "workers"})
#: Drops that only mean that the crawl was told to stop.
INTERRUPTED = frozenset({"worker_died", "worker_timeout", "error"})


class Ledger:
    """The open leases of a crawl. `commit` brings an outcome to the disk; `changed` is told what was queued then."""

    def __init__(self, crawler: Crawler, commit: Callable[[PageOutcome], Any]) -> None:
        self.crawler, self._commit = crawler, commit
        self.run: int | None = None
        self.leases: dict[str, Lease] = {}
        self.stopping = self.closed = False
        self.changed: Callable[[int, float], None] = lambda queued, priority: None
        self._ending: set[asyncio.Task[None]] = set()
        crawler.signals.connect(self._item_dropped, signal=signals.item_dropped)
        crawler.signals.connect(self._item_error, signal=signals.item_error)
        crawler.signals.connect(self._item_scraped, signal=signals.item_scraped)

    def __len__(self) -> int:
        """Ends that are on their way to the disk."""
        return len(self._ending)

    def open(self, lease: Lease) -> None:
        """Takes note of a lease, under the URL that is asked for it now."""
        lease.url = lease.url or lease.row.url
        self.leases[lease.url] = lease

    @property
    def fetching(self) -> bool:
        """Whether there are leases that wait for more than a peer."""
        return any(not lease.held for lease in self.leases.values())

    def of(self, url: str) -> Lease | None:
        """The open lease of a URL."""
        lease = self.leases.get(url)
        return None if lease is None or lease.ended else lease

    def outcome(self, lease: Lease, end: str, reason: str = "", article: Article | None = None) -> PageOutcome:
        """What is committed when the lease ends so."""
        keeps = ENDS[end] in (UrlState.stored, UrlState.unchanged, UrlState.not_article)
        row = lease.row
        return PageOutcome(
            row.url,
            ENDS[end],
            reason,
            article=article,
            links=lease.links,
            status=lease.status,
            etag=lease.etag if keeps else None,
            last_modified=lease.last_modified if keeps else None,
            page_hash=lease.page_hash if keeps else None,
            shared=lease.shared,
            depth=row.depth,
            run=self.run,
            at=None if article is None else article.fetched_at,
            was_pending=lease.held,
            parts=lease.parts,
            revisit=True,
            published_at=row.published_at,
        )

    def end(self, lease: Lease, end: str, reason: str = "", links: Iterable[QueuedLink] = ()) -> None:
        """Ends the lease; it is on disk when `len(self)` says so."""
        if lease.ended or self.closed:
            return
        lease.ended = True
        lease.links += links
        self._send(lease, self.outcome(lease, end, reason))

    def hold(self, page: FetchedPage) -> None:
        """Keeps a page that waits for a peer, and queues its links at once."""
        lease = self.of(page.url)
        if lease is None:
            return
        lease.held = True
        row, links = lease.row, lease.links
        lease.links = []
        self._send(
            lease,
            PageOutcome(
                row.url,
                UrlState.held,
                links=links,
                depth=row.depth,
                run=self.run,
                pending_page=page,
                status=lease.status,
            ),
        )

    def settled(self, lease: Lease, saved: CommitResult) -> None:
        """The lease's end is on disk."""
        lease.ended = True
        if self.leases.get(lease.url) is lease:
            del self.leases[lease.url]
        self._tell(saved, lease.links)

    def failed(self, failure: Any) -> None:
        """The errback of every leased request: asks the spider's own, and ends the lease."""
        request: Request = failure.request
        lease: Lease = request.meta["lease"]
        if isinstance(failure.value, NotAsked):
            return
        status = getattr(getattr(failure.value, "response", None), "status", None)
        lease.status = status
        if status in GONE and lease.row.article is not None:
            self.crawler.stats.inc_value("newsextract/articles/deleted")
        if status == 304:
            self.crawler.stats.inc_value("newsextract/not_modified")
            self.end(lease, "not_modified", lease.row.reason)
            return
        spider = self.crawler.spider
        errback = errback_of(request, spider)
        output = errback(failure) if errback else None
        leads = [lead_of(one, spider) for one in output or () if isinstance(one, Request)]
        reason, _ = failure_of(failure.value, request)
        self.end(lease, reason if reason in ENDS else "failure", reason, [lead for lead in leads if lead is not None])

    def again(self, lease: Lease, request: Request) -> bool:
        """Ends a lease whose request Scrapy's middlewares ask again or elsewhere; False where it goes on."""
        if int(request.meta.get("redirect_times") or 0) > lease.redirect_times:
            lead = lead_of(request.replace(errback=None), self.crawler.spider)
            if lead is not None and fingerprint(lead.url) != lease.row.fingerprint:
                lead.refetch = lease.row.callback == "parse_home"
                lease.status = 302
                self.end(lease, "redirect", site_of(request.url), [lead])
                return True
            del self.leases[lease.url]
            lease.url, lease.redirect_times = request.url, int(request.meta["redirect_times"])
            self.open(lease)
        if int(request.meta.get("retry_times") or 0) > lease.row.attempts:
            self.end(lease, "retry", "retried")
            return True
        return False

    async def all_on_disk(self) -> None:
        """Waits for the ends that are on their way."""
        while self._ending:
            await asyncio.wait([*self._ending])

    def _send(self, lease: Lease, outcome: PageOutcome) -> None:
        task = asyncio.ensure_future(self._bring(lease, outcome))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _bring(self, lease: Lease, outcome: PageOutcome) -> None:
        try:
            saved = await self._commit(outcome)
        except NewsextractError as error:
            logger.error("%s: %s", outcome.url, error)
            if outcome.reason != NOT_STORABLE and not is_fatal(self.crawler):
                bare = PageOutcome(outcome.url, UrlState.failed, NOT_STORABLE, run=outcome.run, revisit=True)
                await self._bring(lease, bare)
            return  # else the lease runs out, and the URL is asked for again
        if outcome.state == UrlState.redirected and not saved.queued:
            self.crawler.stats.inc_value("newsextract/dropped/redirected_to_known")
        if outcome.state == UrlState.held:
            self._tell(saved, outcome.links)
        else:
            self.settled(lease, saved)

    def _tell(self, saved: CommitResult, links: Sequence[Any]) -> None:
        self.changed(saved.queued, max((lead.priority for lead in links), default=0.0))

    def _lease_of_item(self, item: Any) -> Lease | None:
        return self.of(item.url) if isinstance(item, FetchedPage | Article) else None

    def _item_dropped(self, item: Any, exception: Any) -> None:
        reason = getattr(exception, "reason", None) or "item_dropped"
        lease = self._lease_of_item(item)
        if lease is None or reason in STILL_OURS or (self.stopping and reason in INTERRUPTED):
            return
        self.end(lease, "item_dropped", reason)

    def _item_error(self, item: Any) -> None:
        lease = self._lease_of_item(item)
        if lease is not None:
            self.end(lease, "item_error", "error")

    def _item_scraped(self, item: Any) -> None:
        """An item that got through pipelines without the storage among them."""
        lease = self._lease_of_item(item)
        if lease is not None:
            self.end(lease, "no_item", "not_stored")


class LedgerMiddleware:
    """The outermost spider middleware: holds back a response's requests; they go on with its item, or alone."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "LedgerMiddleware":
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        lease: Lease | None = response.meta.get("lease")
        if lease is None or lease.ended:
            async for output in result:
                yield output
            return
        ledger = _ledger_of(self.crawler)
        page: FetchedPage | None = None
        lease.status = response.status
        lease.etag, lease.last_modified = _header(response, "ETag"), _header(response, "Last-Modified")
        try:
            async for output in result:
                if isinstance(output, FetchedPage) and page is None:
                    page = output
                    continue
                lead = lead_of(output, self.crawler.spider) if isinstance(output, Request) else None
                if lead is None:
                    yield output
                else:
                    lease.links.append(lead)
        except Exception:
            ledger.end(lease, "callback_error", "callback_error")
            raise
        if response.meta.get(LEFT):
            return
        if page is not None and page.url == lease.url:
            lease.page_hash, lease.parts = page.page_hash, tuple(part.url for part in page.parts)
            if page.page_hash is not None and page.page_hash == lease.row.page_hash:
                self.crawler.stats.inc_value("newsextract/same_page")
                ledger.end(lease, "same_page", lease.row.reason)
            else:
                yield page
            return
        if page is not None:
            yield page
        ledger.end(lease, "no_item", response.meta.get("dropped_because") or "list")


def _ledger_of(crawler: Crawler) -> Ledger:
    from newsextract.crawl.context import Workshop

    return Workshop.of(crawler).ledger


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1").strip()[:1000] if value else None
