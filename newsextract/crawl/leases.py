"""The leases of a crawl: the URLs that it is fetching, and how each lease ends.

A lease ends exactly once, in the state that `lease.LEASE_ENDINGS` gives for what happened to the URL.
`LeaseTracker._commit` writes every end, with the page's links and article, in one transaction. These call it, through
`end` (in the background) or `commit_page` (which waits for the disk):

| what happened                                  | who ends the lease                                                  |
|------------------------------------------------|---------------------------------------------------------------------|
| article, no_article, item_dropped (`since`)    | `pipelines.storage.StoragePipeline.process_item`                    |
| pending                                        | `pipelines.extraction.ExtractionPipeline.process_item`              |
| same_page, no_item, callback_error             | `crawl.middlewares.LeaseMiddleware`                                 |
| not_modified, failure, robots, off_site, trap, | `LeaseTracker.handle_failure`, the errback of each leased request   |
| address_, scheme_, proxy_refused, ignored      |                                                                     |
| redirect, retry                                | `LeaseTracker.handle_retry_or_redirect`, called by the scheduler    |
| item_dropped, item_error, no_item (not_stored) | `LeaseTracker`, on Scrapy's signals for items the pipelines ended   |

A lease that doesn't end is released when the crawl closes; that of a killed process expires (`store.leases`).
"""

import asyncio
import json
import logging
import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from newsextract.crawl.abort import is_aborted
from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.component import Component
from newsextract.crawl.engine import is_closing
from newsextract.crawl.failures import PageDropped, RequestNotSent, describe_failure, retry_after
from newsextract.crawl.lease import LEASE_ENDINGS, Lease
from newsextract.crawl.lease_counts import count_commit, count_unchanged
from newsextract.crawl.lease_requests import DEFAULT_ERRBACK, link_of_request
from newsextract.crawl.lease_retries import RetryLimit
from newsextract.crawl.page_items import header
from newsextract.crawl.spider_options import options_of
from newsextract.discovery.lists import ListContents
from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage
from newsextract.near_duplicates import signature_of
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.store import CommitResult, Frontier, PageOutcome, QueuedLink, UrlState
from newsextract.store.leases import PAGE_KINDS
from newsextract.store.links import QueuedCount
from newsextract.store.outcome import Candidate, PageResponse, RequestedUrl, SitePage
from newsextract.store.schema import fingerprint
from newsextract.urls import site_of, strip_tracking

logger = logging.getLogger(__name__)

#: The reason of a URL whose outcome the database rejects.
NOT_STORABLE = "not_storable"
#: Reasons of PageDropped that end no lease: it has ended already, or the crawl is stopping and releases it.
LEASE_GOES_ON = frozenset({"pending", "database", "workers"})
#: Reasons of PageDropped that, in a stopping crawl, only mean that its workers were ended.
INTERRUPTED = frozenset({"worker_died", "worker_timeout", "error"})


class LeaseTracker(Component):
    """The open leases of a crawl, by requested URL.

    `len()`: ends not committed yet. `stopping`: pages are dropped because the crawl is stopping. `closed`: nothing ends
    any more, all leases are released. `on_commit(queued)` is called after each commit with the number of links queued.
    """

    SIGNALS = ("item_dropped", "item_error", "item_scraped")

    def __init__(self, crawler: Crawler, async_store: AsyncStore) -> None:
        super().__init__(crawler)
        self._store = async_store
        self._marks_duplicates = crawler.settings.getbool("NEWSEXTRACT_DUPLICATES")
        self.stopping = self.closed = False
        self.on_commit: Callable[[int], None] = lambda queued: None
        self._open: dict[str, Lease] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._retries = RetryLimit()

    def __len__(self) -> int:
        return len(self._ending)

    def best_under_way(self, site: str) -> float:
        """The highest priority of a site's URLs in progress: -inf if there are none, inf for a feed or sitemap."""
        leases = (lease for lease in self._open.values() if lease.sent and lease.row.site == site)
        priorities = (lease.row.priority if lease.row.kind in PAGE_KINDS else math.inf for lease in leases)
        return max(priorities, default=-math.inf)

    def is_open(self, kind: str | None = None, site: str | None = None) -> bool:
        """Whether a URL (of this kind, of this site) is being fetched, or is about to be.

        A closing crawl sends no more requests.
        """
        sends = not is_closing(self.crawler)
        return any(
            kind in (None, lease.row.kind)
            and site in (None, lease.row.site)
            and (sends or lease.sent)
            and not lease.ended
            for lease in self._open.values()
        )

    def open(self, lease: Lease) -> None:
        """Adds a lease under the URL that is now requested for it."""
        self._open[lease.url] = lease

    def note_response(self, lease: Lease, response: Response) -> None:
        """Records status and validators of a response."""
        lease.response = replace(
            lease.response,
            status=response.status,
            etag=header(response, "ETag"),
            last_modified=header(response, "Last-Modified"),
        )
        if (served_at := _timestamp(header(response, "Date"))) is not None:
            self.counts.served_at = max(self.counts.served_at or 0, served_at)

    def note_page(self, lease: Lease, page: FetchedPage) -> None:
        """Records what is known about the page of a lease."""
        # None for a rendered page; nor for one that ended early, of which the site would say that it is as before
        etag, last_modified = (None, None) if page.is_cut_off else (page.etag, page.last_modified)
        lease.response = replace(
            lease.response,
            etag=etag,
            last_modified=last_modified,
            page_hash=page.page_hash,
            is_cut_off=page.is_cut_off,
        )
        lease.parts = tuple(part.url for part in page.parts)

    def note_list(self, lease: Lease, contents: ListContents) -> None:
        """Records what the next read of a feed or sitemap needs: what was taken, and whether something was left."""
        lease.list_read = replace(lease.list_read, entries=contents.memory)
        if contents.left_out:
            self.note_left(lease)

    def note_queued(self, lease: Lease | None, queued: QueuedCount) -> None:
        """Counts links of a list that are queued before it ends."""
        if lease is not None:
            lease.list_read = replace(lease.list_read, new_links=lease.list_read.new_links + queued.new)
        self.on_commit(queued.waiting)

    def note_left(self, lease: Lease) -> None:
        """Records that something in a list is left to the next run, which reads it although it is as before."""
        lease.list_read = replace(lease.list_read, is_partial=True)
        lease.response = replace(lease.response, etag="", last_modified="")

    def find(self, url: str) -> Lease | None:
        """The open lease of a requested URL; None if it has ended, or for a page without one (of an archive)."""
        lease = self._open.get(url)
        return None if lease is None or lease.ended else lease

    def end(self, lease: Lease | None, ending: str, reason: str = "", links: Iterable[QueuedLink] = ()) -> None:
        """Ends a lease, unless it has ended already; committed in the background."""
        if lease is None or lease.ended or self.closed:
            return
        lease.ended = True
        lease.links += links
        task = asyncio.ensure_future(self._commit_or_fail(lease, lease.ended_as(ending, reason)))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def end_unchanged(self, lease: Lease, ending: str) -> None:
        """Ends the lease of a page or list that is as before, and counts it as what it is and as unchanged."""
        count_unchanged(self.counts, lease, ending)
        self.end(lease, ending, lease.row.reason)

    async def commit_page(
        self, article: Article, ending: str, reason: str = "", candidate: Candidate | None = None
    ) -> CommitResult:
        """Commits the result of a page with the end of its lease, and waits until it is on disk.

        `article`: stored if the ending is "article". `candidate`: for "pending". Pages of an archive have no lease. If
        this raises DatabaseError, the lease is still open.
        """
        lease = self.find(article.url)
        outcome = (
            PageOutcome(article.url, LEASE_ENDINGS[ending], reason, captured=True, response=PageResponse(200))
            if lease is None
            else lease.ended_as(ending, reason)
        )
        outcome.candidate = candidate
        outcome.at = article.fetched_at or (candidate.page.fetched_at if candidate else None)
        self.add_article(outcome, article)
        if reason == "before_since" and lease is not None and article.date_published is not None:
            # so that a later run can decide without fetching it
            outcome.meta = {**json.loads(lease.row.meta or "{}"), "date": article.date_published.isoformat()}
        return await (self._store.writer.commit(outcome) if lease is None else self._commit(lease, outcome))

    def add_article(self, outcome: PageOutcome, article: Article) -> None:
        """Adds what is stored of a page's article to the page's outcome."""
        if outcome.state == UrlState.stored:
            outcome.former_site = options_of(self.crawler.spider).former_site(outcome.url)
            outcome.article, outcome.at = article, article.fetched_at
            if self._marks_duplicates and isinstance(article, ExtractedArticle):
                outcome.signature = article.signature
            elif self._marks_duplicates:  # an article of the project's own
                outcome.signature = signature_of(article.article_body)
        if isinstance(article, ExtractedArticle):
            outcome.shared = article.shared
            outcome.retract = article.retracts and outcome.state == UrlState.not_article
            outcome.site_page = _site_page(article)

    def handle_failure(self, failure: Failure) -> None:
        """The errback of each leased request: calls the spider's own, and ends the lease."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy's scraper adds it
        error: BaseException = failure.value  # type: ignore[assignment]
        lease: Lease = request.meta["lease"]
        if isinstance(error, RequestNotSent):
            return
        response = getattr(error, "response", None)
        status = response.status if isinstance(response, Response) else None
        lease.response = replace(lease.response, status=status)
        if status == 304 and (lease.row.etag or lease.row.last_modified):
            self.end_unchanged(lease, "not_modified")
            return
        asked = retry_after(response) if isinstance(response, Response) else None
        lease.response = replace(lease.response, retry_after=None if asked is None else timedelta(seconds=asked))
        spider = self.crawler.spider
        errback = getattr(spider, str(request.meta.get("errback") or DEFAULT_ERRBACK), None)
        outputs = (errback(failure) if errback else None) or ()
        links = [link_of_request(output, spider) for output in outputs if isinstance(output, Request)]
        reason, _ = describe_failure(error, request)
        ending = reason if reason in LEASE_ENDINGS else "failure"
        self.end(lease, ending, reason, [link for link in links if link is not None])

    def handle_retry_or_redirect(self, lease: Lease, request: Request) -> bool:
        """Ends a lease whose request Scrapy repeats, unless both URLs are one to the frontier; whether it has ended."""
        redirect_times = int(request.meta.get("redirect_times") or 0)
        if redirect_times > lease.redirect_times:
            link = link_of_request(request.replace(errback=None), self.crawler.spider)
            is_list = lease.row.kind not in PAGE_KINDS and site_of(request.url) != lease.row.site
            if link is not None and fingerprint(link.url) != lease.row.fingerprint and not is_list:
                link.refetch = lease.requested.is_main_list
                link.is_given = lease.row.kind == "home"
                lease.response = replace(lease.response, status=302)
                self.end(lease, "redirect", site_of(request.url), [link])
                return True
            del self._open[lease.url]
            lease.url, lease.redirect_times = strip_tracking(request.url), redirect_times
            self.open(lease)
        if int(request.meta.get("retry_times") or 0) > lease.row.attempts:
            self.end(lease, "retry", "retried")
            return True
        return False

    async def wait_for_commits(self) -> None:
        while self._ending:
            await asyncio.wait([*self._ending])

    async def _commit(self, lease: Lease, outcome: PageOutcome) -> CommitResult:
        """Writes the result of a lease. Raises DatabaseError."""
        stopped = self._retries.to_stop(lease, outcome, self._open.values())
        for other in stopped or ():
            other.ended = True
            del self._open[other.url]
        saved = await self._store.writer.commit(outcome)
        count_commit(self.counts, lease, outcome, saved)
        lease.ended = True
        if self._open.get(lease.url) is lease:
            del self._open[lease.url]
        if stopped is not None:
            row, others = lease.row, [one.row.fingerprint for one in stopped]
            with suppress(NewsextractError):
                await self._store.lead(Frontier.put_back, row.site, row.reason, others)
        self.on_commit(saved.queued)
        return saved

    async def _commit_or_fail(self, lease: Lease, outcome: PageOutcome) -> None:
        """Commits; if the database rejects the outcome, the URL ends as failed, or expires in an aborted crawl."""
        try:
            await self._commit(lease, outcome)
        except NewsextractError as error:
            logger.error("%s: %s", outcome.url, error)
            if outcome.reason != NOT_STORABLE and not is_aborted(self.crawler):
                failed = PageOutcome(outcome.url, UrlState.failed, NOT_STORABLE, requested=RequestedUrl(revisit=True))
                await self._commit_or_fail(lease, failed)

    def item_dropped(self, item: object, exception: BaseException) -> None:
        reason = exception.reason if isinstance(exception, PageDropped) else "item_dropped"
        interrupted = is_aborted(self.crawler) or (self.stopping and reason in INTERRUPTED)
        if reason not in LEASE_GOES_ON and not interrupted:
            self.end(self._lease_of_item(item), "item_dropped", reason)

    def item_error(self, item: object) -> None:
        self.end(self._lease_of_item(item), "item_error", "error")

    def item_scraped(self, item: object) -> None:
        """Handles items of pipelines that don't include StoragePipeline."""
        self.end(self._lease_of_item(item), "no_item", "not_stored")

    def _lease_of_item(self, item: object) -> Lease | None:
        return self.find(item.url) if isinstance(item, FetchedPage | Article) else None


@lru_cache(16)  # many responses of a fast crawl have the same second
def _timestamp(date: str | None) -> int | None:
    """The Unix time of a date in a header; None if it is none."""
    with suppress(ValueError, TypeError, OverflowError):
        return int(parsedate_to_datetime(date or "").timestamp())
    return None


def _site_page(article: ExtractedArticle) -> SitePage | None:
    """What the memory of an article's site keeps of its page."""
    if article.summary is None or article.decision is None or article.fetched_at is None:
        return None
    summary, decision = article.summary.to_bytes(), article.decision.to_bytes()
    return SitePage(article.fetched_at, summary, decision, article.compared_with)
