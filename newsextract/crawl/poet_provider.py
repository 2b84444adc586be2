"""The scrapy-poet provider that gives articles to callbacks: `def parse(self, response, article: Article)`."""

import logging
from collections.abc import Callable, Set
from typing import Any, ClassVar

from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider
from web_poet import AnyResponse, HttpResponse, HttpResponseHeaders
from zyte_common_items import Article, ArticleList, ArticleMetadata, ArticleNavigation

from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.page_items import page_of_item
from newsextract.errors import ExtractionFailed, PageError, WorkersUnusable
from newsextract.health.counts import CrawlCounts
from newsextract.workers.messages import Worker

logger = logging.getLogger(__name__)

#: The items, and what they are for a page that has none.
EMPTY: dict[Callable[..., Any], Callable[[str], object]] = {
    Article: lambda url: Article(url=url, metadata=ArticleMetadata(probability=0.0)),
    ArticleList: lambda url: ArticleList(url=url),
    ArticleNavigation: lambda url: ArticleNavigation(url=url),
}


class ArticleProvider(PageObjectInputProvider):
    """Items of zyte-common-items for a response, made by the crawl's workers. Page objects take precedence."""

    name: ClassVar[str] = "newsextract"
    provided_classes = EMPTY.__contains__

    async def __call__(self, to_provide: Set[Callable[..., Any]], response: Response, crawler: Crawler) -> list[Any]:
        """The items, in any order; for a page that isn't HTML they are empty, with probability 0."""
        names = tuple(sorted(kind.__name__ for kind in to_provide))
        counts = CrawlCounts(crawler.stats)
        counts.pages += 1
        try:
            page = page_of_item(response)
            assert page is not None, "of a response there is always one"
            return await CrawlContext.of(crawler).pool.run(Worker.make_items, page, names)
        except PageDropped as error:
            counts.dropped[error.reason] += 1
        except (PageError, ExtractionFailed, WorkersUnusable) as error:
            logger.warning("%s was dropped: %s", response.url, error)
            counts.dropped["error"] += 1
        return [EMPTY[kind](response.url) for kind in to_provide]


class AnyResponseProvider(PageObjectInputProvider):
    """Provides the downloader's response to page objects that accept any, such as zyte-spider-templates'."""

    name: ClassVar[str] = "newsextract_any_response"
    provided_classes = frozenset[object]({AnyResponse}).__contains__

    def __call__(self, to_provide: Set[Callable[..., Any]], response: Response) -> list[AnyResponse]:
        headers = HttpResponseHeaders.from_bytes_dict(response.headers)
        return [AnyResponse(HttpResponse(response.url, response.body, status=response.status, headers=headers))]
