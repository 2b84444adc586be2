"""Scrapy pipeline: extracts the article of a page, in a worker."""

import logging
from contextlib import suppress

from scrapy.crawler import Crawler

from newsextract.crawl.amp_copies import AmpCopies
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.site_evidence.uncertain_pages import is_uncertain
from newsextract.errors import NewsextractError, PageError, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.items import Article, FetchedPage
from newsextract.site_profile import PageSummary, SiteEvidence
from newsextract.urls import site_of
from newsextract.workers.worker import LearnedPage, PageResult

logger = logging.getLogger(__name__)


class ExtractionPipeline:
    """FetchedPage in, Article out, read with what is known of the page's site.

    A page without an article goes on as an Article with `is_article` False, so that StoragePipeline ends its lease. A
    page that is uncertain while little is known of its site is put aside and dropped as "held".
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
        if not (item.settled or item.review):
            self.stats.inc_value("newsextract/pages")
        try:
            evidence = await self.evidence(item)
            result = await self.extract(item, evidence)
            await self.find_shared_lines(item)
        except PageError:
            return Article(url=item.url, is_article=False, not_article_because="no_page", fetched_at=item.fetched_at)
        except WorkersUnusable as error:
            raise PageDropped("workers", str(error)) from error  # the crawl stops, see CrawlContext
        except (WorkerDied, WorkerTimeout) as error:
            logger.warning("%s is given up: %s", item.url, error)
            raise self.dropped("worker_died" if isinstance(error, WorkerDied) else "worker_timeout", error) from error
        except Exception as error:
            logger.exception("The extractor failed on %s", item.url)
            raise self.dropped("error", f"the extractor failed: {error}") from error
        if result.learned is not None:
            known = evidence.snapshot.pages if evidence is not None and evidence.snapshot is not None else 0
            await self.learn(item, result.article, result.learned, known)
        return result.article

    async def evidence(self, page: FetchedPage) -> SiteEvidence | None:
        """How a page is read: with the profile of its site, and one that is read again as the review decided."""
        memory = self.context.site_memory
        if not memory.is_used:
            return None
        decided = memory.decided.get(page.url) if page.review else None
        quickly = self.context.async_store.is_open and not page.review  # the review decides on all pages once more
        return SiteEvidence(await memory.snapshot(page.url), quickly, decided)

    async def extract(self, page: FetchedPage, evidence: SiteEvidence | None) -> PageResult:
        """What a worker reads of a page, or has read before it waited; of one without a date once more, where its AMP
        copy has one."""
        result = self.context.uncertain.take_result(page) or await self.context.pool.extract(page, page.peer, evidence)
        if (listing := await self.amp_copies.find_date(page, result.article, self.slot(page))) is not None:
            page.listing = listing
            result = await self.context.pool.extract(page, page.peer, evidence)
        return result

    async def learn(self, page: FetchedPage, article: Article, learned: LearnedPage, known: int) -> None:
        """Adds the page to the memory of its site; `known`: pages of the site that it was decided with.

        Raises PageDropped for one that is put aside.
        """
        memory, lease = self.context.site_memory, self.context.leases.find(page.url)
        summary, size = PageSummary.from_bytes(learned.summary), len(learned.summary)
        is_new = not (page.review or page.settled)  # else it has been added
        if is_new and await memory.add(page, summary, size) and (profile := memory.profile(page.url)) is not None:
            self.context.uncertain.release_certain(site_of(page.url), profile)
        may_wait = lease is not None and is_new and not page.parts and is_uncertain(learned.decision, known)
        if may_wait and self.context.uncertain.put(page, article, learned, summary):
            assert lease is not None
            self.stats.inc_value("newsextract/waited")
            lease.evidence = memory.waiting(page, learned)
            self.context.leases.put_aside(page)
            raise PageDropped("held")
        evidence = memory.settle(page, article, learned, summary.reason, known)
        if lease is not None and not page.review:
            lease.evidence = evidence
        else:
            memory.keep_unleased(page.url, evidence)

    def slot(self, page: FetchedPage) -> str | None:
        """The download slot that the page was fetched in."""
        lease = self.context.leases.find(page.url)
        return None if lease is None else lease.row.site

    async def find_shared_lines(self, page: FetchedPage) -> None:
        """Notes which lines a page shares with its peer, if an older version of its article will be compared: changes
        of the template are no changes of the article."""
        lease = self.context.leases.find(page.url)
        if lease is not None and lease.row.article is not None and page.peer is not None:
            with suppress(NewsextractError):  # then all lines are compared
                lease.shared = await self.context.pool.shared_lines(page, page.peer)

    def dropped(self, reason: str, message: object) -> PageDropped:
        """Counts a page that is dropped."""
        self.stats.inc_value(f"newsextract/dropped/{reason}")
        return PageDropped(reason, str(message))
