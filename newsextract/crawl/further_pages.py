"""Pages fetched for another one: the further pages of an article that is split into pages, and AMP copies.

They are fetched like any other page, under robots.txt, address guard and delays, but have no lease of their own: they
share that of the first page, and are committed with it. After a kill they are fetched again with it.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.engine import is_closing
from newsextract.crawl.failures import PageDropped, describe_failure
from newsextract.crawl.page_items import fetched_page
from newsextract.discovery.found import FOUND, FoundUrl
from newsextract.discovery.multipart import MAX_PARTS
from newsextract.discovery.priority import FIXED, UrlKind
from newsextract.errors import NewsextractError
from newsextract.health.counts import CrawlCounts
from newsextract.items import Article, FetchedPage, Listing
from newsextract.urls import article_key, is_of_site, site_of
from newsextract.workers.messages import ReadPage, Worker

logger = logging.getLogger(__name__)

#: Key of a response's meta: the crawl had to stop before all parts were there, so the lease is released.
LEFT_UNFINISHED = "left_unfinished"
#: How many AMP copies without a date make the crawl stop fetching copies from the site.
MAX_UNDATED = 3
#: Makes a page from a response; None if it isn't HTML.
MakePage = Callable[[Response], FetchedPage | None]


async def with_parts(crawler: Crawler, page: ReadPage, response: Response, make_page: MakePage) -> ReadPage | None:
    """The page with its `parts`, as far as they can be fetched. None if the crawl was told to stop meanwhile.

    It also gets the links of the parts; its `page_hash` becomes that of all pages.
    """
    reader = CrawlContext.of(crawler).reader
    parts: list[FetchedPage] = []
    hashes, seen, url = [page.page_hash or ""], {article_key(page.url)}, page.next
    while url and is_of_site(url, page.url) and article_key(url) not in seen and len(parts) < MAX_PARTS - 1:
        seen.add(article_key(url))
        part = await fetch_further_page(crawler, url, page, make_page)
        if is_closing(crawler):
            response.meta[LEFT_UNFINISHED] = True
            return None
        if part is None:
            CrawlCounts(crawler.stats).missing_parts += 1
            break
        read = await reader.read(part, page.url, len(parts) + 2)
        if not read.is_read:
            logger.warning("%s was left out of %s: %s", url, page.url, read.failure)
            break
        parts.append(FetchedPage(**read.page_values()))
        hashes.append(read.page_hash or "")
        page.links.links += read.links.links
        url = read.next
    if not parts:
        return page
    CrawlCounts(crawler.stats).parts += len(parts)
    return replace(page, parts=tuple(parts), page_hash=hashlib.sha256("".join(hashes).encode()).hexdigest())


async def fetch_further_page(crawler: Crawler, url: str, page: FetchedPage, make_page: MakePage) -> FetchedPage | None:
    """A further page of an article, in the download slot of the first; None, logged, if it can't be fetched."""
    lease = CrawlContext.of(crawler).leases.find(page.url)
    meta = {FOUND: FoundUrl(url, found_on=page.url), "download_slot": None if lease is None else lease.row.site}
    request = Request(url, dont_filter=True, priority=FIXED[UrlKind.ARTICLE_PART], meta=meta)
    try:
        part = await crawler.engine.download_async(request)
    except Exception as error:  # any failure: refused, no connection, too large
        logger.info("%s, a part of %s, could not be fetched: %s", url, page.url, describe_failure(error, request)[1])
        return None
    if part.status != 200 or article_key(part.url) == article_key(page.url):
        logger.info("%s, a part of %s, could not be fetched: HTTP %d", url, page.url, part.status)
        return None
    return make_page(part)


class AmpCopies(Component):
    """Fetches AMP copies for the dates of articles that show none: search engines, which AMP is for, want a date."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._undated: Counter[str] = Counter()

    async def find_date(self, page: FetchedPage, article: Article) -> Listing | None:
        """What the copy of the page says, if it has the date that the article lacks."""
        site, context = site_of(page.url), CrawlContext.of(self.crawler)
        if not article.is_article or article.date_published or not page.amp or is_closing(self.crawler):
            return None
        if self._undated[site] >= MAX_UNDATED:
            return None
        found: Article | None = None
        try:
            if copy := await fetch_further_page(self.crawler, page.amp, page, fetched_page):
                found = await context.pool.run(Worker.extract, copy)
        except (NewsextractError, PageDropped) as error:
            logger.info("%s, the AMP copy of %s, could not be read: %s", page.amp, page.url, error)
        if found is None or found.date_published is None:
            self._undated[site] += 1
            return None
        self.counts.amp_dates += 1
        listing = page.listing or Listing("amp")
        authors = listing.authors or tuple(found.authors)
        return replace(listing, source="amp", date_published=found.date_published, authors=authors)
