"""Scrapy pipeline: extracts the article of a page, in a worker."""

from contextlib import suppress

from scrapy.crawler import Crawler

from newsextract.crawl.amp_copies import AmpCopies
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.settle import is_pending
from newsextract.crawl.site_memory import DecidedArticle
from newsextract.errors import DatabaseError, NewsextractError
from newsextract.items import FetchedPage
from newsextract.site_profile import PageSummary, SiteEvidence
from newsextract.store.outcome import Candidate
from newsextract.urls import site_of
from newsextract.workers.worker import PageResult


class ExtractionPipeline:
    """FetchedPage in, Article out, read with what is known of the page's site.

    A page without an article goes on as an Article with `is_article` False, so that StoragePipeline ends its lease. A
    page that cannot be decided on yet is committed as a candidate, and dropped as "pending".
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler, self.stats = crawler, crawler.stats
        self.context = CrawlContext.of(crawler)
        self.amp_copies = AmpCopies(crawler, self.context.pool)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ExtractionPipeline":
        return cls(crawler)

    async def process_item(self, item: object) -> object:
        if not isinstance(item, FetchedPage):
            return item
        self.stats.inc_value("newsextract/pages")
        settler = self.context.settler
        if self.context.needs_peer and item.peer is None and settler.has_room(item):
            await self.commit_pending(item, Candidate(item), DecidedArticle(item.url))
            settler.await_peer(item.url)
            raise PageDropped("pending")
        evidence = await self.evidence(item)
        result = await self.extract(item, evidence)
        if result.learned is None or evidence is None:
            article = DecidedArticle.of(result.article)
        else:
            memory, learned = self.context.site_memory, result.learned
            known = 0 if evidence.snapshot is None else evidence.snapshot.pages
            summary = PageSummary.from_bytes(learned.summary)
            article = memory.decide(item, result.article, learned, summary.reason is None, known)
            is_open = memory.earlier_decision(item.url) is None and is_pending(learned.decision, known)
            if is_open := is_open and settler.has_room(item):
                await self.commit_pending(item, Candidate(item, result.article, learned.text_confidence), article)
            if await memory.add(item, summary, len(learned.summary)):
                settler.settle_certain(site_of(item.url))
            if is_open:
                raise PageDropped("pending")
        article.shared = await self.shared_lines(item)
        return article

    async def evidence(self, page: FetchedPage) -> SiteEvidence | None:
        """How a page is read: with the profile of its site, if that is used."""
        memory = self.context.site_memory
        if not memory.is_used:
            return None
        return SiteEvidence(await memory.snapshot(page.url), quickly=self.context.async_store.is_open)

    async def extract(self, page: FetchedPage, evidence: SiteEvidence | None) -> PageResult:
        """What a worker reads of a page; of one without a date once more, where its AMP copy has one."""
        result = await self.context.extract(page, evidence)
        lease = self.context.leases.find(page.url)
        slot = None if lease is None else lease.row.site
        if (listing := await self.amp_copies.find_date(page, result.article, slot)) is not None:
            page.listing = listing
            result = await self.context.extract(page, evidence)
        return result

    async def commit_pending(self, page: FetchedPage, candidate: Candidate, article: DecidedArticle) -> None:
        """Ends the lease of a page with a candidate."""
        self.stats.inc_value("newsextract/pending")
        self.context.site_memory.changed.add(site_of(page.url))
        try:
            await self.context.leases.commit_page(article, "pending", candidate=candidate)
        except DatabaseError as error:
            raise PageDropped("not_storable", str(error)) from error

    async def shared_lines(self, page: FetchedPage) -> frozenset[str]:
        """Which lines a page shares with its peer, if an older version of its article will be compared: changes of the
        template are no changes of the article."""
        lease = self.context.leases.find(page.url)
        if lease is not None and lease.row.article is not None and page.peer is not None:
            with suppress(NewsextractError):  # then all lines are compared
                return await self.context.pool.shared_lines(page, page.peer)
        return frozenset()
