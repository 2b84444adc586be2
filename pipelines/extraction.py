"""Scrapy pipeline: extracts the article of a page in a worker process."""

from scrapy.crawler import Crawler

from newsextract.article.extract import missed_selectors
from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.cut_answers import CUT_OFF
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.further_pages import AmpCopies
from newsextract.crawl.late_decisions import is_pending
from newsextract.errors import DatabaseError
from newsextract.items import Article, FetchedPage
from newsextract.reasons import UrlState
from newsextract.site_profile.extracted import ExtractedArticle
from newsextract.site_profile.shown_lines import unchanged_lines
from newsextract.store.frontier import find_url
from newsextract.store.identity import is_other_body
from newsextract.store.lookup import find_article
from newsextract.store.outcome import Candidate
from newsextract.store.url_states import is_known_capture
from newsextract.urls import site_of
from newsextract.workers.messages import ReadPage


class ExtractionPipeline(Component):
    """FetchedPage in, Article out (also with `is_article` False, for the end of its lease).

    A page that can't be decided yet is committed as a candidate, and dropped as "pending".
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.context = CrawlContext.of(crawler)
        self.amp_copies = AmpCopies(crawler)

    async def process_item(self, given: object) -> object:
        item = self.context.items.restored(given)
        if not isinstance(item, FetchedPage):
            return given
        self.counts.pages += 1
        await self.skip_known(item)
        settler, reader, peer_wait = self.context.settler, self.context.reader, self.context.peer_wait
        if peer_wait.is_needed(item) and settler.has_room(item):
            await self.commit_pending(item, Candidate(item), ExtractedArticle(item.url))
            peer_wait.begin(item)
            raise PageDropped("pending")
        article = item.article if isinstance(item, ReadPage) else None
        if article is None:
            article = await reader.extract(item)
        if (listing := await self.amp_copies.find_date(item, article)) is not None:
            item = FetchedPage(**item.page_values() | {"listing": listing})  # read again
            article = await reader.extract(item)
        article.extra = item.extra  # as it is now: pipelines before this one may have added fields
        if article.is_article:
            for key in missed_selectors(article, item.selectors):
                self.counts.missed_selectors[key] += 1
        self.context.copies.record(item, article)
        memory = self.context.site_memory
        if item.is_cut_off and await self.is_shortened(article):
            raise PageDropped.counted(self.stats, CUT_OFF)
        stored = await self.stored(article) if article.is_article else None
        if stored is not None:
            before = await memory.summary(item.url)
            pages = (before, article.summary) if before is not None and article.summary is not None else None
            article.shared |= unchanged_lines(stored.article_body, article.article_body, pages)
        if article.summary is not None and article.decision is not None:
            is_open = not memory.is_settled(item.url) and await self.waits(article)
            if stored is not None and is_other_body(stored.article_body, article.article_body):
                settler.wait_for_others(item.url)
                is_open = True
            if is_open := is_open and settler.has_room(item):
                await self.commit_pending(item, Candidate(item, article, article.text_confidence), article)
            if (snapshot := await memory.add(item, article.summary.to_bytes())) is not None:
                settler.settle_certain(site_of(item.url), snapshot)
            if is_open:
                raise PageDropped("pending")
        return self.context.items.handed_on(given, article)

    async def skip_known(self, page: FetchedPage) -> None:
        """Drops a page of an archive, which has no lease, if it was decided before."""
        if self.context.leases.find(page.url) is not None or not self.context.async_store.is_open:
            return
        row = await self.context.async_store.read(find_url, page.url)
        if row is not None and row.state != UrlState.pending and is_known_capture(row, page.fetched_at):
            if row.state not in (UrlState.stored, UrlState.unchanged):
                raise PageDropped.counted(self.stats, row.reason)
            stored = await self.context.async_store.read(find_article, page.url)
            self.counts.articles["unchanged"] += 1
            self.counts.aliases += int(stored is not None and stored.url != page.url)
            raise PageDropped("unchanged")

    async def waits(self, article: ExtractedArticle) -> bool:
        """Whether more pages of the site may change the decision on a page; short lines matter in a new text only."""
        assert article.decision is not None
        if is_pending(article.decision, article.known):
            return True
        if not is_pending(article.decision, article.known, article.summary):
            return False
        store = self.context.async_store
        return not store.is_open or await store.read(find_article, article.url) is None

    async def is_shortened(self, article: ExtractedArticle) -> bool:
        """Whether more of this page's text is stored already than an answer that ended early has."""
        stored = await self.stored(article)
        return stored is not None and len(stored.article_body) > len(article.article_body)

    async def stored(self, article: ExtractedArticle) -> Article | None:
        """The article that is stored of a leased page, if any."""
        lease = self.context.leases.find(article.url)
        if lease is None or lease.row.article is None:
            return None
        return await self.context.async_store.read(find_article, article.url)

    async def commit_pending(self, page: FetchedPage, candidate: Candidate, article: ExtractedArticle) -> None:
        """Commits a candidate with the end of its page's lease."""
        self.counts.pending += 1
        self.context.items.keep_waiting(page)
        self.context.site_memory.changed.add(site_of(page.url))
        try:
            await self.context.leases.commit_page(article, "pending", candidate=candidate)
        except DatabaseError as error:
            raise PageDropped("not_storable", str(error)) from error
