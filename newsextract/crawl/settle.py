"""Settles candidates: when they are certain, when their peer comes, or when nothing is left to fetch.

A page is extracted and committed once. One that is likely to be decided otherwise once more is known of its site, or
that has to wait for a peer, is committed as a candidate, whose URL is `pending`. It is settled by its summary and the
profile of its site; only where these choose another text, or where it was not read yet, a worker reads it. An article
that is settled late enters the item pipelines once, as an Article that is stored already.

At the end, articles of this run that turn out to be none by all pages of the site are retracted, by their summaries;
and articles without a date get the one that a list says. A kill leaves candidates, which the next start settles.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from newsextract.article import set_page_type
from newsextract.crawl.component import Component
from newsextract.crawl.engine import is_closing, process_item, wake_engine
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.leases import LEASE_ENDINGS, ending_of
from newsextract.crawl.site_memory import DecidedArticle
from newsextract.crawl.spider_options import options_of
from newsextract.items import Article, FetchedPage
from newsextract.near_duplicates import with_signature
from newsextract.site_profile import Decision, PageSummary, SiteEvidence, SiteProfile, decide_all
from newsextract.site_profile.decision import HYSTERESIS
from newsextract.store import CommitResult, Frontier, PageOutcome, UrlState
from newsextract.store.commit import add_listed_dates
from newsextract.store.lookup import find_article
from newsextract.store.outcome import Candidate, SitePage
from newsextract.store.site_pages import (
    PendingPage,
    StoredSitePage,
    find_candidate,
    pending_pages,
    settle_site,
    sites_to_settle,
)
from newsextract.urls import site_of

if TYPE_CHECKING:
    from newsextract.crawl.context import CrawlContext

logger = logging.getLogger(__name__)

#: Pages of a site from which on its profile is sure enough for what is published.
ENOUGH_PAGES = 36
#: Log odds of being an article, or of being none, from which on a page is certain.
CERTAIN = 2.0
#: Bytes of the candidates of a site, before their compression; pages beyond that do not wait.
MAX_BYTES = 256_000_000
#: Pages that are settled at a time, for each worker.
PAGES_PER_WORKER = 4


def is_pending(decision: Decision, pages: int) -> bool:
    """Whether more pages of the site may well change the decision, made with a profile of so many `pages`.

    That a page is no article can wait until the end; an article is published as soon as enough is known.
    """
    return abs(decision.log_odds) < CERTAIN and not (decision.is_article and pages >= ENOUGH_PAGES)


class Settler(Component):
    """Settles the candidates of a crawl; keeps the crawl open until that is done."""

    SIGNALS = ("spider_idle",)

    def __init__(self, crawler: Crawler, context: "CrawlContext") -> None:
        super().__init__(crawler)
        self.context = context
        self.is_resumed = False
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._without_peer: set[str] = set()
        self._bytes: Counter[str] = Counter()
        self._peer_wait = crawler.settings.getfloat("NEWSEXTRACT_PEER_WAIT")

    def settle_certain(self, site: str) -> None:
        """Settles, in the background, the candidates that the present profile of a site makes certain."""
        self._start(site, self._settle_certain(site))

    def has_room(self, page: FetchedPage) -> bool:
        """Whether a page may become a candidate, which it does then."""
        site = site_of(page.url)
        if not self.context.async_store.is_open or page.parts or self._bytes[site] + len(page.body) > MAX_BYTES:
            return False
        self._bytes[site] += len(page.body)
        return True

    def await_peer(self, page: FetchedPage) -> None:
        """Lets a candidate wait for a peer, for NEWSEXTRACT_PEER_WAIT seconds at most."""
        self._without_peer.add(page.url)
        if (peer := self.context.peers.find_peer(page)) is not None:  # it came while the candidate was stored
            self._settle_unread(page.url, peer.url)
        else:
            asyncio.get_running_loop().call_later(self._peer_wait, self._settle_unread, page.url, None)

    def settle_peer(self, page: FetchedPage) -> None:
        """Settles, in the background, the candidate that is the peer of a page, if it waits for one."""
        if page.peer is not None:
            self._settle_unread(page.peer.url, page.url)

    def _settle_unread(self, url: str, peer_url: str | None) -> None:
        if url in self._without_peer:
            self._without_peer.discard(url)
            self._start(url, self._settle_page(PendingPage(url, None, None, peer_url), None))

    def spider_idle(self) -> None:
        """Nothing is left to fetch: settles all candidates, and lets the crawl end after that."""
        if not self.context.async_store.is_open:
            return
        if not self._tasks and (self.context.site_memory.changed or not self.is_resumed):
            self._start("", self._settle_all())
        if self._tasks:
            raise DontCloseSpider

    async def wait(self) -> None:
        """Waits until what is being settled is on disk."""
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

    async def _settle_certain(self, site: str) -> None:
        profile = self.context.site_memory.profile(site)
        if profile is not None:
            pending = await self.context.async_store.read(pending_pages, site)
            decisions = decide_again(pending, profile)
            certain = {url: now for url, now in decisions.items() if not is_pending(now, len(profile))}
            await self._settle_pages((page for page in pending if page.url in certain), certain)

    async def _settle_all(self) -> None:
        """Settles the sites of which this process had pages, and those that a killed process left."""
        memory, store = self.context.site_memory, self.context.async_store
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
        """Settles a site for good: its candidates, what was published too early, and dates that lists know."""
        memory, store = self.context.site_memory, self.context.async_store
        rows, profile = await memory.load_final(site)
        pending = await store.read(pending_pages, site)
        if rows or pending:
            logger.info("%s: site review of %d pages, %d pending", site, len(profile), len(pending))
        await self._settle_pages(pending, decide_again(pending, profile))
        urls = {page.url for page in pending}
        for row, decision in find_retractions((row for row in rows if row.url not in urls), profile):
            if not is_closing(self.crawler):
                await self._retract(row, decision)
        if is_closing(self.crawler):
            return
        for article in await store.write(add_listed_dates, site):
            self.stats.inc_value("newsextract/dated")
            await self._send(article, CommitResult("reextracted", change=article.change, article=article))
        await store.write(settle_site, site)
        memory.let_go(site)

    async def _settle_pages(self, pages: Iterable[PendingPage], decisions: Mapping[str, Decision]) -> None:
        limit = asyncio.Semaphore(PAGES_PER_WORKER * max(1, self.context.pool.size))

        async def settle(page: PendingPage) -> None:
            async with limit:
                await self._settle_page(page, decisions.get(page.url))

        await asyncio.gather(*map(settle, pages))

    async def _settle_page(self, page: PendingPage, decision: Decision | None) -> None:
        """Commits what a candidate is. `decision`: on its summary; None where it was not read yet."""
        if is_closing(self.crawler):
            return
        candidate = await self.context.async_store.read(find_candidate, page.url)
        if candidate is None:
            failed = PageOutcome(page.url, UrlState.failed, "error", settles=True, revisit=True)
            await self.context.async_store.commit(failed)
            return
        outcome = PageOutcome(
            page.url, UrlState.dropped, at=candidate.page.fetched_at, page_hash=candidate.page.page_hash, settles=True
        )
        outcome.revisit = True
        try:
            article = await self._decide(candidate, page, decision)
        except PageDropped as error:
            outcome.reason = error.reason
            if error.reason != "workers":  # the crawl stops, and the next one settles it
                await self.context.async_store.commit(outcome)
            return
        ending, outcome.reason = ending_of(article, options_of(self.crawler.spider).since)
        outcome.state = LEASE_ENDINGS[ending]
        self.context.leases.add_article(outcome, article)
        saved = await self.context.async_store.commit(outcome)
        if saved.kind == "retracted":  # of an earlier run
            self.stats.inc_value("newsextract/retracted")
            self.stats.inc_value(f"newsextract/dropped/{outcome.reason}")
        await self._send(article, replace(saved, article=saved.article or article))

    async def _decide(self, candidate: Candidate, page: PendingPage, decision: Decision | None) -> DecidedArticle:
        """What a candidate is; a worker reads it only where its text is another now, or not known. Raises
        PageDropped."""
        memory, fetched, article = self.context.site_memory, candidate.page, candidate.article
        before = Decision.from_bytes(page.decision) if decision and page.decision else None
        keeps_text = decision and (not decision.is_article or (before and before.chosen == decision.chosen))
        if article is not None and decision is not None and keeps_text:
            set_page_type(article, decision, candidate.text_confidence)
            signed = await asyncio.to_thread(with_signature, article) if article.is_article else article
            site_page = SitePage(fetched.fetched_at, page.summary or b"", decision.to_bytes(), page.peer_url)
            is_alone = PageSummary.from_bytes(page.summary or b"").reason is None
            return DecidedArticle.of(signed, site_page, retract=is_alone and not article.is_article)
        evidence = None
        if memory.is_used:
            decided = (PageSummary.from_bytes(page.summary), decision) if decision and page.summary else None
            evidence = SiteEvidence(await memory.snapshot(fetched.url), decided=decided)
        await self.context.peers.load_references(site_of(fetched.url))
        peers = self.context.peers  # the page that came may be one of those that are not kept
        fetched.peer = (page.peer_url and peers.get(page.peer_url)) or peers.find_peer(fetched)
        result = await self.context.extract(fetched, evidence)
        if result.learned is None:
            return DecidedArticle.of(result.article)
        alone = PageSummary.from_bytes(result.learned.summary).reason is None
        return memory.decide(fetched, result.article, result.learned, alone)

    async def _retract(self, row: StoredSitePage, decision: Decision) -> None:
        """Takes back what was stored of a page; feeds of this run may have it already, and get it once more."""
        store, reason = self.context.async_store, decision.reason or "no_article"
        article = await store.read(find_article, row.url)
        site_page = SitePage(row.fetched_at, row.summary, decision.to_bytes(), row.peer_url)
        outcome = PageOutcome(row.url, UrlState.not_article, reason, at=row.fetched_at, settles=True, retract=True)
        outcome.revisit, outcome.site_page = True, site_page
        saved = await store.commit(outcome)
        if saved.kind != "retracted" or article is None:
            return
        self.stats.inc_value("newsextract/retracted")
        if row.run == store.run:  # it was counted as an article; each page counts once
            self.stats.inc_value("newsextract/articles/new", -1)
            self.stats.inc_value(f"newsextract/dropped/{reason}")
            article.version, article.duplicate_of = article.version + 1, None
            article.is_article, article.not_article_because = False, reason
            await self._send(article, replace(saved, article=article))

    async def _send(self, article: Article, saved: CommitResult) -> None:
        """Sends an article that is stored through the item pipelines, to feeds and pipelines of the user."""
        await process_item(self.crawler, DecidedArticle.of(article, saved=saved))


def decide_again(
    rows: Iterable[PendingPage | StoredSitePage], profile: SiteProfile, only_articles: bool = False
) -> dict[str, Decision]:
    """The decisions on pages by their summaries and the profile, by URL; without those that were not read yet, or can't
    be read. `only_articles`: those that were taken for articles."""
    summaries: dict[str, PageSummary] = {}
    for row in rows:
        with suppress(ValueError):
            if row.summary is not None and row.decision is not None:
                before = Decision.from_bytes(row.decision)
                if before.is_article or not only_articles:
                    summaries[row.url] = PageSummary.from_bytes(row.summary)
    return dict(zip(summaries, decide_all([*summaries.values()], profile), strict=True))


def find_retractions(rows: Iterable[StoredSitePage], profile: SiteProfile) -> list[tuple[StoredSitePage, Decision]]:
    """The pages that were taken for articles and are none by the profile. What an earlier run decided is changed only
    by clear evidence, so that pages do not come and go."""
    known = {row.url: row for row in rows}
    return [
        (known[url], now)
        for url, now in decide_again(known.values(), profile, only_articles=True).items()
        if not now.is_article and (not known[url].settled or abs(now.log_odds) >= HYSTERESIS)
    ]
