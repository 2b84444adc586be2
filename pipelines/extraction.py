"""A page becomes an article, or is known to be none."""

import logging
from contextlib import suppress
from typing import Any

from scrapy.crawler import Crawler

from newsextract.crawl.abort import stop_crawl
from newsextract.crawl.context import Workshop
from newsextract.crawl.outcomes import Dropped
from newsextract.errors import NewsextractError, PageError, WorkerDied, WorkersUnusable, WorkerTimeout
from newsextract.items import Article, FetchedPage

logger = logging.getLogger(__name__)


class ExtractionPipeline:
    """FetchedPage in, Article out; one that is no article goes on too, so that its URL is settled by the storage."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.workshop = Workshop.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ExtractionPipeline":
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, FetchedPage):
            return item
        self.crawler.stats.inc_value("newsextract/pages")
        try:
            article = await self.workshop.pool.extract(item, item.peer)
            await self.note_template(item)
            return article
        except PageError:
            return Article(url=item.url, is_article=False, not_article_because="no_page", fetched_at=item.fetched_at)
        except WorkersUnusable as error:
            stop_crawl(self.crawler, "workers", str(error))
            raise Dropped("workers", str(error)) from error
        except (WorkerDied, WorkerTimeout) as error:
            reason = "worker_died" if isinstance(error, WorkerDied) else "worker_timeout"
            logger.warning("%s is given up: %s", item.url, error)
            self.crawler.stats.inc_value(f"newsextract/dropped/{reason}")
            raise Dropped(reason, str(error)) from error
        except Exception as error:
            logger.exception("The extractor failed on %s", item.url)
            self.crawler.stats.inc_value("newsextract/dropped/error")
            raise Dropped("error", f"the extractor failed: {error}") from error

    async def note_template(self, item: FetchedPage) -> None:
        """Notes the lines that a page shares with its peer, where versions of its article will be compared."""
        lease = self.workshop.ledger.of(item.url)
        if lease is not None and lease.row.article is not None and item.peer is not None:
            with suppress(NewsextractError):  # then they are compared whole
                lease.shared = await self.workshop.pool.shared_lines(item, item.peer)
