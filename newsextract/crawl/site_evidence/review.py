"""The review at the end of a site's crawl: pages on which all pages of the site say something else are read again.

What was decided early was decided with few pages. When nothing is left to fetch, the profile of all pages is built, and
each page on which it decides otherwise goes through the item pipelines once more, from the copy that was kept of it.
Each is stored in a transaction of its own; a crawl that is killed meanwhile reviews what is left when it goes on.
"""

import asyncio
import json
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from newsextract.crawl.context import CrawlContext
from newsextract.crawl.engine import is_closing, process_item, wake_engine
from newsextract.crawl.site_evidence.memory import MAX_FLIPS, PageEvidence, count_flips, may_flip
from newsextract.errors import NewsextractError
from newsextract.items import FetchedPage, Listing
from newsextract.site_profile import Decision, PageSummary, SiteProfile, decide_all, is_revised
from newsextract.store import PageOutcome, UrlState
from newsextract.store.outcome import SitePage
from newsextract.store.site_pages import StoredSitePage
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: Pages that are read again at a time, for each worker.
PAGES_PER_WORKER = 4


@dataclass(frozen=True, slots=True)
class Revision:
    """A page on which another decision is made now than the one of its row."""

    row: StoredSitePage
    summary: PageSummary
    decision: Decision

    @property
    def takes_back(self) -> bool:
        """Whether the page is no article any more."""
        return not self.decision.is_article


class SiteReview:
    """Reviews the sites of a crawl whenever it idles and has new pages of them; the crawl ends after that."""

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self.crawler, self.context = crawler, context
        self.task: asyncio.Task[None] | None = None
        self.is_resumed = False
        crawler.signals.connect(self.spider_idle, signal=signals.spider_idle)

    def spider_idle(self) -> None:
        """Lets uncertain pages go on; after them, starts the review and keeps the crawl open until it is done."""
        if not self.context.site_memory.is_used or not self.context.async_store.is_open:
            return
        if len(self.context.uncertain):
            self.context.uncertain.release_all()
            raise DontCloseSpider
        if len(self.context.reentry) or self.context.leases.has_open:
            return  # pages are on their way, or wait for a peer
        if self.task is None and (self.context.site_memory.changed or not self.is_resumed):
            self.task = asyncio.ensure_future(self._review_all())
            self.task.add_done_callback(self._done)
        if self.task is not None:
            raise DontCloseSpider

    def _done(self, task: "asyncio.Task[None]") -> None:
        self.task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("The review of what was stored ended early: %s", error)
        wake_engine(self.crawler)

    async def _review_all(self) -> None:
        """Reviews the sites of which this process had pages, and those that a killed process left."""
        memory = self.context.site_memory
        sites = {*memory.changed}
        if not self.is_resumed:
            self.is_resumed = True
            sites.update(await self.context.async_store.sites_to_review())
        for site in sorted(sites):
            memory.changed.discard(site)
            if is_closing(self.crawler):
                return
            if await self.context.async_store.claim_site(site):
                await self._review_site(site)

    async def _review_site(self, site: str) -> None:
        memory, store = self.context.site_memory, self.context.async_store
        rows, profile = await memory.load_final(site)
        revisions = await asyncio.to_thread(find_revisions, rows, profile)
        read = sum(not revision.takes_back for revision in revisions)
        if read:
            logger.info("%s: %d pages are read again with what all %d pages say", site, read, len(profile))
        limit = asyncio.Semaphore(PAGES_PER_WORKER * max(1, self.context.pool.size))
        await asyncio.gather(*(self._review_page(revision, len(profile), limit) for revision in revisions))
        if not is_closing(self.crawler):
            await store.finish_review(site)
        memory.let_go(site)

    async def _review_page(self, revision: Revision, known: int, limit: asyncio.Semaphore) -> None:
        """Takes back a page that is no article any more; reads any other again. `known`: pages of its site."""
        async with limit:
            if is_closing(self.crawler):
                return
            if revision.takes_back:
                await self._retract(revision, known)
            else:
                await self._read_again(revision)

    async def _read_again(self, revision: Revision) -> None:
        """Sends the kept page of a row through the pipelines."""
        row, memory = revision.row, self.context.site_memory
        page = await self.context.async_store.kept_page(row.url)
        if page is None:
            return
        if (listing := dated_listing(row)) is not None and listing.is_better_than(page.listing):
            page.listing = listing
        peer = None if row.peer_url is None else await self._find_peer(row.peer_url)
        memory.reviewing[page.url], memory.decided[page.url] = row, (revision.summary, revision.decision)
        try:
            await process_item(self.crawler, replace(page, peer=peer, paired=True, settled=True, review=True))
        finally:
            del memory.reviewing[page.url], memory.decided[page.url]

    async def _find_peer(self, url: str) -> FetchedPage | None:
        """The page that another was read with: one of this run, or a reference of an earlier one."""
        try:
            if (page := await self.context.async_store.kept_page(url)) is not None:
                return page
            references = await self.context.async_store.references(site_of(url))
            return next((page for page in references if page.url == url), None)
        except NewsextractError:
            return None

    async def _retract(self, revision: Revision, known: int) -> None:
        """Takes back what was stored of a page: that it is no article needs no reading."""
        row, decision, memory = revision.row, revision.decision, self.context.site_memory
        reason, flips = decision.reason or "no_article", count_flips(row, decision)
        site_page = SitePage(row.fetched_at, row.summary, decision.to_bytes(), known, row.peer_url, flips=flips)
        article = await self.context.async_store.article(row.url)
        if article is None or article.url != row.url:  # another page's article, or none: nothing is to be taken back
            outcome = PageOutcome(row.url, UrlState.not_article, reason, at=row.fetched_at, site_page=site_page)
            outcome.review = outcome.revisit = True
            await self.context.async_store.commit(outcome)
            return
        memory.keep_unleased(row.url, PageEvidence(site_page, retract=True, review=row))
        article.version, article.duplicate_of = article.version + 1, None
        article.is_article, article.not_article_because = False, reason
        await process_item(self.crawler, article)


def dated_listing(row: StoredSitePage) -> Listing | None:
    """What is said elsewhere of an article without a date, if that has one; it may have come after the page."""
    listing = Listing.from_dict(json.loads(row.meta).get("listing")) if row.meta else None
    return listing if listing is not None and listing.date_published is not None else None


def find_revisions(rows: Iterable[StoredSitePage], profile: SiteProfile) -> list[Revision]:
    """The pages on which the profile decides otherwise than their rows have it, and those whose date a feed has.

    A page that was not reviewed yet gets what the profile says, so that the end of a crawl does not depend on the order
    of its pages; a decision that stood a review is changed only by clear evidence. Without its page only an article
    that is none can be told.
    """
    decided: list[tuple[StoredSitePage, PageSummary, Decision]] = []
    for row in rows:
        with suppress(ValueError):
            if row.decision is not None:
                decided.append((row, PageSummary.from_bytes(row.summary), Decision.from_bytes(row.decision)))
    revisions = []
    decisions = decide_all([summary for _, summary, _ in decided], profile)
    for (row, summary, before), now in zip(decided, decisions, strict=True):
        is_flipped = now.is_article != before.is_article
        if is_flipped and row.flips >= MAX_FLIPS:
            differs = False
        elif not row.is_kept:
            differs = before.is_article and is_flipped and may_flip(now, row.flips)
        elif row.reviewed:
            differs = is_revised(summary, now, before)
        else:
            differs = is_flipped or (now.is_article and now.chosen != before.chosen)
        if differs:
            revisions.append(Revision(row, summary, now))
        elif row.is_kept and before.is_article and dated_listing(row) is not None:
            kept = replace(now, is_article=True, log_odds=before.log_odds, chosen=before.chosen, reason=None)
            revisions.append(Revision(row, summary, kept))
    return revisions
