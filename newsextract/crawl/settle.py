"""Settles candidates: when they are certain, when their peer comes, or when nothing is left to fetch.

A page is extracted and committed once. If its decision may change as more of the site becomes known, or if it has to
wait for a peer, it is committed as a candidate, whose URL is `pending`. It is settled by its summary and the profile of
its site. A worker extracts it again only if the profile chooses another text, or if it was not extracted yet. An
article that is settled late enters the item pipelines once, as an Article that is already stored.

At the end, articles of this run that turn out not to be articles are retracted by their summaries, and articles without
a date get the one that a list gives. Candidates survive a kill; the next start settles them.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider

from newsextract.crawl.async_store import AsyncStore
from newsextract.crawl.component import Component
from newsextract.crawl.engine import is_closing, wake_engine
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.lease import LEASE_ENDINGS, ending_of
from newsextract.crawl.page_reader import PageReader
from newsextract.crawl.spider_options import options_of
from newsextract.items import Article, FetchedPage, StoredArticle
from newsextract.near_duplicates import signature_of
from newsextract.site_profile import Decision, PageSummary, ProfileSnapshot, SiteEvidence, SiteProfile, decide_all
from newsextract.site_profile.decision import set_page_type
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.site_profile.placeholders import (
    DATES,
    PLACEHOLDER,
    agree,
    is_own_story,
    is_placeholder,
    pages_of_one_text,
    shows_headline,
)
from newsextract.site_profile.snapshot import MIN_PAGES
from newsextract.site_profile.stored_furniture import without_lines
from newsextract.site_profile.summary import has_short_lines
from newsextract.store import CommitResult, Frontier, PageOutcome, UrlState
from newsextract.store.commit import add_listed_dates, believe_gone, replace_text
from newsextract.store.frontier import redirects_to
from newsextract.store.lookup import find_article
from newsextract.store.outcome import Candidate, SitePage
from newsextract.store.site_pages import find_candidate, pending_pages, settle_site, sites_to_settle
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: Number of a site's pages from which on its profile is good enough to publish by.
ENOUGH_PAGES = 36
#: Log odds, for or against an article, from which on a page is certain.
CERTAIN = 2.0
#: Bytes of a site's candidates, before compression; further pages don't wait.
MAX_BYTES = 256_000_000
#: Pages settled at a time, for each worker.
PAGES_PER_WORKER = 4
#: A page of a site, and the decision on it by its summary.
Decided = tuple[SitePage, Decision]
#: The decision on a page that shows a text in place of its own.
IS_PLACEHOLDER = Decision(False, -CERTAIN, b"", PLACEHOLDER)


def is_pending(decision: Decision, pages: int, summary: PageSummary | None = None) -> bool:
    """Whether more pages may change a decision made by `pages`. An article is published as soon as enough is known.

    Before there is a profile, nothing tells whether short lines of a text (`summary`) stand in every article of the
    site.
    """
    if summary is not None and decision.is_article and pages < MIN_PAGES and has_short_lines(summary):
        return True
    return abs(decision.log_odds) < CERTAIN and not (decision.is_article and pages >= ENOUGH_PAGES)


class Settler(Component):
    """Settles the candidates of a crawl; keeps the crawl open until that is done."""

    SIGNALS = ("spider_idle",)

    def __init__(self, crawler: Crawler, async_store: AsyncStore, reader: PageReader) -> None:
        super().__init__(crawler)
        self.async_store, self.reader = async_store, reader
        self.is_resumed = False
        #: Pages with another text than the article that is stored of them: they wait for the others of their site.
        self.replaced: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._without_peer: set[str] = set()
        self._bytes: Counter[str] = Counter()
        self._peer_wait = crawler.settings.getfloat("NEWSEXTRACT_PEER_WAIT")

    def settle_certain(self, site: str, snapshot: ProfileSnapshot) -> None:
        """Settles, in the background, the candidates that a new profile of a site makes certain."""
        self._start(site, self._settle_certain(site, snapshot))

    def has_room(self, page: FetchedPage) -> bool:
        """Whether a page may become a candidate; if so, it counts as one."""
        site = site_of(page.url)
        if not self.async_store.is_open or page.parts or self._bytes[site] + len(page.body) > MAX_BYTES:
            return False
        self._bytes[site] += len(page.body)
        return True

    def await_peer(self, page: FetchedPage) -> None:
        """Lets a candidate wait for a peer, for at most NEWSEXTRACT_PEER_WAIT seconds."""
        self._without_peer.add(page.url)
        if (peer := self.reader.peers.index.find_peer(page)) is not None:  # it came while the candidate was stored
            self._settle_unread(page.url, peer.url)
        else:
            asyncio.get_running_loop().call_later(self._peer_wait, self._settle_unread, page.url, None)

    def settle_peer(self, page: FetchedPage) -> None:
        """Settles, in the background, the candidate that waits for a page as its peer."""
        if page.peer is not None:
            self._settle_unread(page.peer.url, page.url)

    def _settle_unread(self, url: str, peer_url: str | None) -> None:
        if url in self._without_peer:
            self._without_peer.discard(url)
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
        walls = {page.url: (page, IS_PLACEHOLDER) for page in await self._find_placeholders(pages)}
        await self._settle_pages(pending, decide_again(pending.values(), profile) | walls)
        again = decide_published([page for page in pages if page.url not in pending], profile)
        decided = {page.url: (page, decision) for page, decision in again if not decision.is_article}
        decided |= {url: found for url, found in walls.items() if url not in pending and _is_article(found[0])}
        for page, decision in decided.values():
            if not is_closing(self.crawler):
                await self._retract(page, decision)
        for page, keys in find_lines(again):
            if not is_closing(self.crawler) and page.url not in decided:
                await self._leave_out(page, keys)
        if is_closing(self.crawler):
            return
        for article in await store.write(add_listed_dates, site):
            self.counts.dated += 1
            await self._send(article)
        if store.run is not None:
            deleted, renamed = await store.write(believe_gone, site, store.run)
            of_gone = {"deleted": deleted, "changed": len(renamed), "gone_for_now": -deleted - len(renamed)}
            for name, number in of_gone.items():
                self.counts.refetched[name] += number
            self.counts.articles["deleted"] += deleted
            for article in renamed:
                await self._send(article)
        await store.write(settle_site, site)
        memory.let_go(site)

    async def _find_placeholders(self, pages: Sequence[SitePage]) -> list[SitePage]:
        """The pages of a site that show a text in place of their own, and are no articles so far or not settled."""
        known = with_summaries(pages)
        found: list[SitePage] = []
        again = {number for number, (page, _) in enumerate(known) if page.url in self.replaced}
        for group in await asyncio.to_thread(pages_of_one_text, [summary for _, summary in known], again):
            alike = [known[number][0] for number in group]
            linked = [(page.url, page.anchor_text) for page in alike]
            redirected: list[tuple[str, str]] = []
            for page in alike:
                if page.is_target:
                    redirected += await self.async_store.read(redirects_to, page.url)
            told = linked + redirected
            replaced = [page for page in alike if page.url in self.replaced]
            if len(told) == 1 and not replaced:
                continue
            story = await self._article(known[number][0].url for number in group if shows_headline(known[number][1]))
            headline, canonical = (story.headline or "", story.canonical_url or "") if story else ("", "")
            if is_own_story(headline, story is not None and is_dated(story), canonical, linked, redirected):
                continue
            is_known = len(replaced) > 1 or any(page.reason == PLACEHOLDER for page in alike)
            if is_known or is_placeholder(headline, told, len(known)) or await self._is_off(replaced, headline):
                found += alike
        return found

    async def _is_off(self, replaced: Sequence[SitePage], headline: str) -> bool:
        """Whether a page whose link text agreed with the headline that is stored shows another one."""
        for page in replaced:
            article = await self.async_store.read(find_article, page.url)
            if article and agree(article.headline or "", page.anchor_text) and not agree(headline, page.anchor_text):
                return True
        return False

    async def _article(self, urls: Iterable[str]) -> Article | None:
        """The article of the first of these pages that was stored, or is a candidate; None if none was."""
        for url in urls:
            candidate = await self.async_store.read(find_candidate, url)
            article = candidate.article if candidate else await self.async_store.read(find_article, url)
            if article is not None:
                return article
        return None

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
        outcome = PageOutcome(url, UrlState.failed, "error", settles=True, revisit=True)
        candidate = await self.async_store.read(find_candidate, url)
        if candidate is None:
            await self.async_store.writer.commit(outcome)
            return
        page, outcome.state = candidate.page, UrlState.dropped
        outcome.at, outcome.page_hash, outcome.is_cut_off = page.fetched_at, page.page_hash, page.is_cut_off
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
        await self._send(as_stored(saved, article))

    async def _decide(self, candidate: Candidate, decided: Decided | None, peer_url: str | None) -> ExtractedArticle:
        """The decision on a candidate; a worker extracts it if its text is unknown or changed. Raises PageDropped."""
        memory, fetched, article = self.reader.site_memory, candidate.page, candidate.article
        by_summary = None
        if decided is not None:
            page, decision = decided
            summary, peer_url = PageSummary.from_bytes(page.summary), page.peer_url
            by_summary, before = (summary, decision), Decision.from_bytes(page.decision or b"")
            if article is not None and (not decision.is_article or before.chosen == decision.chosen):
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

    async def _retract(self, page: SitePage, decision: Decision) -> None:
        """Retracts what was stored of a page; feeds of this run may have it already, and get it once more."""
        store, reason = self.async_store, decision.reason or "no_article"
        article = await store.read(find_article, page.url)
        outcome = PageOutcome(page.url, UrlState.not_article, reason, at=page.fetched_at, settles=True, retract=True)
        outcome.revisit, outcome.site_page = True, replace(page, decision=decision.to_bytes())
        saved = await store.writer.commit(outcome)
        if saved.kind != "retracted" or article is None:
            if page.run == store.run and not page.settled and decision is IS_PLACEHOLDER:
                self.counts.aliases -= 1
                self.counts.articles["unchanged"] -= 1
                self.counts.dropped[reason] += 1
            return
        self.counts.retracted += 1
        if page.run == store.run:  # it was counted as an article; each page counts once
            self.counts.articles["new"] -= 1
            self.counts.dropped[reason] += 1
            article.version, article.duplicate_of = article.version + 1, None
            article.is_article, article.not_article_because = False, reason
            await self._send(as_stored(replace(saved, article=article), article))

    async def _leave_out(self, page: SitePage, keys: frozenset[int]) -> None:
        """Takes lines out of a stored article: it was stored before its site showed that most articles have them."""
        store = self.async_store
        article = await store.read(find_article, page.url)
        if article is None or (shorter := without_lines(article, keys)) is None:
            return
        signature = await asyncio.to_thread(signature_of, shorter.article_body)
        if (stored := await store.write(replace_text, page, shorter, signature)) is not None:
            self.counts.lines_left_out += 1
            await self._send(stored)

    async def _send(self, article: StoredArticle) -> None:
        """Sends a stored article through the item pipelines, to feeds and the user's pipelines."""
        await self.crawler.engine.scraper.start_itemproc_async(article, response=None)


def as_stored(saved: CommitResult, item: Article) -> StoredArticle:
    """The article as feeds get it: as the database has it, with its change."""
    article = (saved.article or item).as_kind(StoredArticle, change=saved.change, change_kind=saved.kind)
    article.extra = item.extra
    return article


def is_dated(article: Article) -> bool:
    """Whether the page itself declares when it was published."""
    return article.sources.get("date_published") in DATES


def _is_article(page: SitePage) -> bool:
    """Whether a page was decided to be an article."""
    with suppress(ValueError):
        return Decision.from_bytes(page.decision or b"").is_article
    return False


def with_summaries(pages: Iterable[SitePage | None]) -> list[tuple[SitePage, PageSummary]]:
    """The extracted pages and their summaries, without those whose summary or decision can't be read."""
    known = []
    for page in pages:
        with suppress(ValueError):
            if page is not None and page.decision is not None:
                Decision.from_bytes(page.decision)
                known.append((page, PageSummary.from_bytes(page.summary)))
    return known


def decide_again(pages: Iterable[SitePage | None], profile: SiteProfile) -> dict[str, Decided]:
    """The extracted pages by URL with the decisions by the profile."""
    known = with_summaries(pages)
    decisions = decide_all([summary for _, summary in known], profile)
    return {page.url: (page, decision) for (page, _), decision in zip(known, decisions, strict=True)}


def decide_published(pages: Iterable[SitePage], profile: SiteProfile) -> list[Decided]:
    """The pages that were decided to be articles, with the decisions by the profile."""
    return [*decide_again((page for page in pages if _is_article(page)), profile).values()]


def find_lines(decided: Iterable[Decided]) -> Iterator[tuple[SitePage, frozenset[int]]]:
    """The articles whose stored text has lines that most articles have, with the new decision; hashes of the lines."""
    for page, now in decided:
        if now.is_article and now.furniture is not None and now.furniture.any():
            rows = PageSummary.from_bytes(page.summary).rows
            found = Decision.from_bytes(page.decision or b"").chosen_rows(len(rows)) & now.furniture
            if found.any():
                yield replace(page, decision=now.to_bytes()), frozenset(rows["key"][found].tolist())
