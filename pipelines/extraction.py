"""Scrapy pipeline: extracts the article of a page, in a worker."""

import logging
from contextlib import suppress

from scrapy.crawler import Crawler

from newsextract.crawl.abort import abort_crawl
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped
from newsextract.errors import NewsextractError, PageError, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.items import Article, FetchedPage

logger = logging.getLogger(__name__)


class ExtractionPipeline:
    """FetchedPage in, Article out.

    A page without an article goes on as an Article with `is_article` False, so that StoragePipeline ends its lease.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler, self.stats = crawler, crawler.stats
        self.context = CrawlContext.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ExtractionPipeline":
        return cls(crawler)

    async def process_item(self, item: object) -> object:
        if not isinstance(item, FetchedPage):
            return item
        self.stats.inc_value("newsextract/pages")
        try:
            article = await self.context.pool.extract(item, item.peer)
            await self.find_shared_lines(item)
        except PageError:
            return Article(url=item.url, is_article=False, not_article_because="no_page", fetched_at=item.fetched_at)
        except WorkersUnusable as error:
            abort_crawl(self.crawler, "workers", str(error))
            raise PageDropped("workers", str(error)) from error
        except (WorkerDied, WorkerTimeout) as error:
            logger.warning("%s is given up: %s", item.url, error)
            raise self.dropped("worker_died" if isinstance(error, WorkerDied) else "worker_timeout", error) from error
        except Exception as error:
            logger.exception("The extractor failed on %s", item.url)
            raise self.dropped("error", f"the extractor failed: {error}") from error
        return article

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
