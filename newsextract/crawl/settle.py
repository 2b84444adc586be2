"""Settles candidates: when they are certain, or when nothing is left to fetch.

A page is extracted and committed once. If its decision may change as more of the site becomes known, it is committed as
a candidate, whose URL is `pending`. It is settled by its summary and the profile of its site. A worker extracts it
again only if the profile chooses another text, or if it was not extracted yet (`peer_wait`). An article that is settled
late enters the item pipelines once, as an Article that is already stored.

At the end, articles of this run that turn out not to be articles are retracted by their summaries, and articles without
a date get the one that a list gives. Candidates survive a kill; the next start settles them.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import replace
from functools import partial

from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.component import Component
from newsextract.crawl.engine import is_closing, wake_engine
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.late_articles import as_stored, send_stored
from newsextract.crawl.late_decisions import (
    IS_PLACEHOLDER,
    Decided,
    decide_again,
    decide_published,
    find_lines,
    is_decided_article,
    is_pending,
)
from newsextract.crawl.lease import LEASE_ENDINGS, ending_of
from newsextract.crawl.page_reader import PageReader
from newsextract.crawl.site_review import SiteReview
from newsextract.crawl.spider_options import options_of
from newsextract.items import FetchedPage
from newsextract.limits import MAX_REMEMBERED
from newsextract.near_duplicates import signature_of
from newsextract.site_profile import Decision, PageSummary, ProfileSnapshot, SiteEvidence
from newsextract.site_profile.decision import set_page_type
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.store import Frontier, PageOutcome, UrlState
from newsextract.store.outcome import Candidate, PageResponse, RequestedUrl
from newsextract.store.site_pages import find_candidate, pending_pages, settle_site, sites_to_settle
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: Bytes of a site's candidates, before compression; further pages don't wait.
MAX_BYTES = 256_000_000
#: Pages settled at a time, for each worker.
PAGES_PER_WORKER = 4


class Settler(Component):
    """Settles the candidates of a crawl; keeps the crawl open until that is done."""

    SIGNALS = ("spider_idle",)

    def __init__(self, crawler: Crawler, async_store: AsyncStore, reader: PageReader) -> None:
        super().__init__(crawler)
        self.async_store, self.reader, self.review = async_store, reader, SiteReview(crawler, async_store)
        self.is_resumed = False
        self.replaced: set[str] = set()  # URLs that `wait_for_others` was told
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._bytes: Counter[str] = Counter()

    def settle_certain(self, site: str, snapshot: ProfileSnapshot) -> None:
        """Settles, in the background, the candidates that a new profile of a site makes certain."""
        self._start(site, self._settle_certain(site, snapshot))

    def wait_for_others(self, url: str) -> None:
        """Notes a page with another text than the article that is stored of it: it waits for the others of its site."""
        if len(self.replaced) < MAX_REMEMBERED:
            self.replaced.add(url)

    def has_room(self, page: FetchedPage) -> bool:
        """Whether a page may become a candidate; if so, it counts as one."""
        site = site_of(page.url)
        if not self.async_store.is_open or page.parts or self._bytes[site] + len(page.body) > MAX_BYTES:
            return False
        self._bytes[site] += len(page.body)
        return True

    def settle_unread(self, url: str, peer_url: str | None) -> None:
        """Settles, in the background, a candidate that was not extracted yet, with this peer."""
        self._start(url, self._settle_page(url, None, peer_url))

    def spider_idle(self) -> None:
        """Settles all candidates when nothing is left to fetch, and then lets the crawl end."""
        if not self.async_store.is_open:
            return
        if not self._tasks and (self.reader.site_memory.changed or not self.is_resumed):
            self._start("", self._settle_all())
        if self._tasks:
            raise DontCloseSpider

    async def wait(self) -> None:
        """Waits until everything that is being settled is on disk."""
        if self._tasks:
            await asyncio.wait([*self._tasks.values()])

    def _start(self, name: str, work: Coroutine[None, None, None]) -> None:
        if name in self._tasks:
            work.close()
            return
        self._tasks[name] = asyncio.ensure_future(work)
        self._tasks[name].add_done_callback(partial(self._done, name))

    def _done(self, name: str, task: "asyncio.Task[None]") -> None:
        del self._tasks[name]
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Candidates could not be settled: %s", error)
        wake_engine(self.crawler)

    async def _settle_certain(self, site: str, snapshot: ProfileSnapshot) -> None:
        store = self.async_store
        if store.is_open and (pending := await store.read(pending_pages, site)):
            decided = decide_again(pending.values(), snapshot.load())
            certain = {
                url: by
                for url, by in decided.items()
                if url not in self.replaced and not is_pending(by[1], snapshot.pages)
            }
            await self._settle_pages(certain, certain)

    async def _settle_all(self) -> None:
        """Settles the sites whose pages this process had, and those that a killed process left."""
        memory, store = self.reader.site_memory, self.async_store
        sites = {*memory.changed}
        if not self.is_resumed and store.run is not None:
            self.is_resumed = True
            sites.update(await store.read(sites_to_settle, store.run))
        for site in sorted(sites):
            memory.changed.discard(site)
            if is_closing(self.crawler):
                return
            if await store.lead(Frontier.claim_site, site):
                await self._settle_site(site)

    async def _settle_site(self, site: str) -> None:
        """Settles a site for good: its candidates, articles that were published too early, and dates in lists."""
        memory, store = self.reader.site_memory, self.async_store
        pages, profile = await memory.load_final(site)
        pending = await store.read(pending_pages, site)
        if pages or pending:
            logger.info("%s: site review of %d pages, %d pending", site, len(profile), len(pending))
        walls = {page.url: (page, IS_PLACEHOLDER) for page in await self.review.find_placeholders(pages, self.replaced)}
        await self._settle_pages(pending, decide_again(pending.values(), profile) | walls)
        self.replaced.difference_update(pending, (page.url for page in pages))
        again = decide_published([page for page in pages if page.url not in pending], profile)
        decided = {page.url: (page, decision) for page, decision in again if not decision.is_article}
        decided |= {url: found for url, found in walls.items() if url not in pending and is_decided_article(found[0])}
        for page, decision in decided.values():
            if not is_closing(self.crawler):
                await self.review.retract(page, decision)
        for page, keys in find_lines(again):
            if not is_closing(self.crawler) and page.url not in decided:
                await self.review.leave_out(page, keys)
        if is_closing(self.crawler):
            return
        await self.review.add_dates(site)
        await self.review.believe_gone(site)
        await store.write(settle_site, site)
        memory.let_go(site)

    async def _settle_pages(self, urls: Iterable[str], decided: Mapping[str, Decided]) -> None:
        limit = asyncio.Semaphore(PAGES_PER_WORKER * max(1, self.reader.pool.size))

        async def settle(url: str) -> None:
            async with limit:
                await self._settle_page(url, decided.get(url))

        await asyncio.gather(*map(settle, urls))

    async def _settle_page(self, url: str, decided: Decided | None, peer_url: str | None = None) -> None:
        """Commits the decision on a candidate. `decided`: None if it was not extracted yet (its peer: `peer_url`)."""
        if is_closing(self.crawler):
            return
        outcome = PageOutcome(url, UrlState.failed, "error", settles=True, requested=RequestedUrl(revisit=True))
        candidate = await self.async_store.read(find_candidate, url)
        if candidate is None:
            await self.async_store.writer.commit(outcome)
            return
        page, outcome.state = candidate.page, UrlState.dropped
        outcome.at = page.fetched_at
        outcome.response = PageResponse(page_hash=page.page_hash, is_cut_off=page.is_cut_off)
        try:
            article = await self._decide(candidate, decided, peer_url)
        except PageDropped as error:
            outcome.reason = error.reason
            if error.reason != "workers":  # the crawl is stopping; the next one settles it
                await self.async_store.writer.commit(outcome)
            return
        ending, outcome.reason = ending_of(article, options_of(self.crawler.spider).since)
        outcome.state = LEASE_ENDINGS[ending]
        self.reader.leases.add_article(outcome, article)
        saved = await self.async_store.writer.commit(outcome)
        if saved.queued:
            self.reader.leases.on_commit(saved.queued)
        if saved.kind == "retracted":  # of an earlier run
            self.counts.retracted += 1
            self.counts.dropped[outcome.reason] += 1
        if saved.canonical_refused:
            self.counts.canonical_refused += 1
        await send_stored(self.crawler, as_stored(saved, article))

    async def _decide(self, candidate: Candidate, decided: Decided | None, peer_url: str | None) -> ExtractedArticle:
        """The decision on a candidate; a worker extracts it if its text is unknown or changed. Raises PageDropped."""
        memory, fetched, article = self.reader.site_memory, candidate.page, candidate.article
        by_summary = None
        if decided is not None:
            page, decision = decided
            summary, peer_url = PageSummary.from_bytes(page.summary), page.peer_url
            by_summary, before = (summary, decision), Decision.from_bytes(page.decision or b"")
            if article is not None and decision.keeps_text(before):
                set_page_type(article, decision, candidate.text_confidence)
                known = article.as_kind(ExtractedArticle, summary=summary, decision=decision, compared_with=peer_url)
                known.extra = fetched.extra
                if known.is_article:
                    known.signature = await asyncio.to_thread(signature_of, known.article_body)
                return known
        evidence = None
        if memory.is_used:
            evidence = SiteEvidence(await memory.snapshot(fetched.url), decided=by_summary)
        await self.reader.peers.load_references(site_of(fetched.url))
        index = self.reader.peers.index  # the fetched page may be one that isn't kept
        fetched = replace(fetched, peer=(peer_url and index.get(peer_url)) or index.find_peer(fetched))
        return await self.reader.extract(fetched, evidence)
