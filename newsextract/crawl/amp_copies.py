"""AMP copies of articles whose pages show no date: they declare one, since AMP pages are made for search engines."""

import logging
from collections import Counter
from dataclasses import replace

from scrapy.crawler import Crawler
from scrapy.http import Response

from newsextract.crawl.engine import is_closing
from newsextract.crawl.failures import PageDropped
from newsextract.crawl.multipart import fetch_further_page
from newsextract.crawl.page_items import fetched_page
from newsextract.errors import NewsextractError
from newsextract.items import Article, FetchedPage, Listing
from newsextract.urls import site_of
from newsextract.workers.pool import WorkerPool

logger = logging.getLogger(__name__)

#: Copies of a site without a date after which no more of its copies are fetched.
MAX_UNDATED = 3


class AmpCopies:
    """Fetches the copies that pages name, for the dates of articles that have none."""

    def __init__(self, crawler: Crawler, pool: WorkerPool) -> None:
        self._crawler, self._pool = crawler, pool
        self._undated: Counter[str] = Counter()

    async def find_date(self, page: FetchedPage, article: Article, slot: str | None) -> Listing | None:
        """What the copy of the page says, if it has the date that the article lacks; `slot`: to fetch it in."""
        if not article.is_article or article.date_published or not page.amp or is_closing(self._crawler):
            return None
        if self._undated[site_of(page.url)] >= MAX_UNDATED:
            return None
        copy = await fetch_further_page(self._crawler, page.amp, page, slot, _page_or_none)
        try:
            found = (await self._pool.extract(copy)).article if copy is not None else None
        except NewsextractError as error:
            logger.info("%s, the AMP copy of %s, could not be read: %s", page.amp, page.url, error)
            found = None
        if found is None or found.date_published is None:
            self._undated[site_of(page.url)] += 1
            return None
        self._crawler.stats.inc_value("newsextract/amp_dates")
        told = page.listing or Listing("amp")
        authors = told.authors or tuple(found.authors)
        return replace(told, source="amp", date_published=found.date_published, authors=authors)


def _page_or_none(response: Response) -> FetchedPage | None:
    try:
        return fetched_page(response)
    except PageDropped:
        return None
