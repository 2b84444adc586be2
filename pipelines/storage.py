"""Scrapy pipeline: stores articles, and ends the leases of their URLs in the same transaction."""

import logging

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from newsextract.crawl.abort import FATAL, is_aborted
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.leases import LEASE_ENDINGS
from newsextract.crawl.site_evidence.memory import PageEvidence
from newsextract.crawl.site_evidence.review import SiteReview
from newsextract.crawl.spider_options import SpiderOptions
from newsextract.errors import DatabaseError, NewsextractError
from newsextract.items import Article
from newsextract.near_duplicates import SignedArticle
from newsextract.store import CommitResult, PageOutcome
from newsextract.store.site_pages import StoredSitePage

logger = logging.getLogger(__name__)


class StoragePipeline:
    """Article in; new and changed ones go on as stored, others are dropped, so that feeds get no unchanged article.

    One of this run that is taken back goes on once more, with `is_article` False: a feed may have it already.

    Opens the store with the spider, and closes it last. `process_item` returns when the article is on disk.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler, self.stats = crawler, crawler.stats
        self.context = CrawlContext.of(crawler)
        self.review = SiteReview(crawler, self.context)
        self.marks_duplicates = crawler.settings.getbool("NEWSEXTRACT_DUPLICATES")
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "StoragePipeline":
        return cls(crawler)

    async def open_spider(self) -> None:
        try:
            await self.context.async_store.open()
        except NewsextractError as error:
            self.stats.set_value(FATAL, str(error))
            raise CloseSpider("database") from error

    async def process_item(self, item: object) -> object:
        if not isinstance(item, Article):
            return item
        if is_aborted(self.crawler):
            raise PageDropped("database", "the crawl is stopping")
        rejection = self.reason_against(item)
        lease = self.context.leases.find(item.url)
        is_first_fetch = lease is not None and lease.row.article is None
        evidence = self.context.site_memory.take_unleased(item.url)
        try:
            saved = await self.commit(item, rejection, evidence)
        except DatabaseError as error:
            self.stats.inc_value("newsextract/dropped/not_storable")
            is_stopping = is_aborted(self.crawler) or self.context.leases.stopping  # then its URL is fetched again
            if rejection is None and not is_stopping:
                logger.error("An article could not be stored: %s", error)
            raise PageDropped("not_storable", str(error)) from error
        if evidence is not None and evidence.review is not None:
            self.count_review(saved, rejection, evidence.review)
        elif rejection is not None:
            self.stats.inc_value(f"newsextract/dropped/{rejection}")
        else:
            self.count(saved, is_first_fetch)
        if saved.kind == "retracted" and is_review_of_run(evidence, self.context.async_store.run):
            return item
        if rejection is not None:
            raise PageDropped(rejection)
        if saved.kind == "unchanged":
            raise PageDropped("unchanged")
        return saved.article or item

    def reason_against(self, article: Article) -> str | None:
        """Why an article is not stored: it is none, or older than the spider's `since`; None for one that is."""
        if not article.is_article:
            return article.not_article_because or "not_article"
        since = SpiderOptions.of(self.crawler.spider).since
        if since is not None and article.date_published is not None and article.date_published < since:
            return "before_since"
        return None

    async def commit(self, article: Article, rejection: str | None, evidence: PageEvidence | None) -> CommitResult:
        """Commits the article, unless it is rejected, with the end of its URL. Raises DatabaseError."""
        ending = "article" if rejection is None else "item_dropped" if article.is_article else "no_article"
        stored = article if rejection is None else None
        signature = article.signature if self.marks_duplicates and isinstance(article, SignedArticle) else None
        is_review = evidence is not None and evidence.review is not None
        lease = None if is_review else self.context.leases.find(article.url)
        if lease is not None:
            lease.published_at = article.date_published if rejection == "before_since" else None
            return await self.context.leases.commit_end(lease, ending, rejection or "", stored, signature)
        outcome = PageOutcome(  # of a page that is not leased, as an archive's, or one that is read again
            article.url,
            LEASE_ENDINGS[ending],
            rejection or "",
            article=stored,
            signature=signature,
            status=200,
            at=article.fetched_at,
        )
        if evidence is not None:
            outcome.site_page, outcome.page_hash = evidence.site_page, evidence.page_hash
            outcome.retract = evidence.retract and not article.is_article
            outcome.review = outcome.revisit = is_review
        return await self.context.async_store.commit(outcome)

    def count(self, saved: CommitResult, is_first_fetch: bool) -> None:
        self.stats.inc_value(f"newsextract/articles/{saved.kind}")
        if saved.kind == "unchanged" and is_first_fetch:
            self.stats.inc_value("newsextract/aliases")
        elif saved.kind != "unchanged" and saved.article is not None and saved.article.duplicate_of is not None:
            self.stats.inc_value("newsextract/duplicates")
        if saved.kind in ("new", "changed") and saved.article is not None and not saved.article.article_body:
            self.stats.inc_value("newsextract/without_text")
        if saved.canonical_refused:
            self.stats.inc_value("newsextract/canonical_refused")

    def count_review(self, saved: CommitResult, rejection: str | None, row: StoredSitePage) -> None:
        """Counts what came of a page that was read again; `row`: with what was decided on it before."""
        if saved.kind == "reextracted":
            self.stats.inc_value("newsextract/revised")
        elif saved.kind == "retracted":
            self.stats.inc_value("newsextract/retracted")
            if row.run == self.context.async_store.run:  # it was counted as an article; each page counts once
                self.stats.inc_value("newsextract/articles/new", -1)
                self.stats.inc_value(f"newsextract/dropped/{rejection}")
        elif saved.kind in ("new", "changed"):
            self.stats.inc_value("newsextract/taken_in")
            self.count(saved, is_first_fetch=False)
            if row.reason and row.run == self.context.async_store.run:
                self.stats.inc_value(f"newsextract/dropped/{row.reason}", -1)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        await self.context.async_store.close(reason)


def is_review_of_run(evidence: PageEvidence | None, run: int | None) -> bool:
    """Whether a page is read again of which this run had stored something."""
    return evidence is not None and evidence.review is not None and evidence.review.run == run
