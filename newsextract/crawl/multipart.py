"""Fetches the further pages of an article that is cut into pages, before its first page goes on: they are one article.

The parts are fetched like any other page, through the same robots.txt, address guard and delays, but have no lease of
their own: that of the first page is theirs, and its transaction ends them. A kill in between costs nothing but the
fetches, which are made again with the first page.
"""

import hashlib
import logging
from collections.abc import Callable
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from newsextract.crawl.context import CrawlContext
from newsextract.crawl.engine import is_closing
from newsextract.crawl.failures import describe_failure
from newsextract.discovery.multipart import MAX_PARTS
from newsextract.discovery.priority import UrlKind, fixed_priority
from newsextract.errors import NewsextractError
from newsextract.items import FetchedPage
from newsextract.urls import article_key
from newsextract.workers.worker import ParsedPage

logger = logging.getLogger(__name__)

#: Key of a response's meta: the crawl was told to stop before all parts were there, so the lease is given back.
LEFT_UNFINISHED = "left_unfinished"
#: Makes a page of a response; None where it is no HTML.
MakePage = Callable[[Response], FetchedPage | None]


async def add_parts(
    crawler: Crawler, page: FetchedPage, reading: ParsedPage, response: Response, make_page: MakePage
) -> bool:
    """Sets `page.parts`, as far as they can be fetched; False where the crawl was told to stop meanwhile.

    `reading` is that of the page, and gets the links of the parts, too; `page.page_hash` becomes that of all pages.
    """
    context = CrawlContext.of(crawler)
    parts: list[FetchedPage] = []
    hashes, seen, url = [page.page_hash or ""], {article_key(page.url)}, reading.next
    while url and article_key(url) not in seen and len(parts) < MAX_PARTS - 1:
        seen.add(article_key(url))
        part = await fetch_further_page(crawler, url, page, response.meta.get("download_slot"), make_page)
        if is_closing(crawler):
            response.meta[LEFT_UNFINISHED] = True
            return False
        if part is None:
            crawler.stats.inc_value("newsextract/parts/missing")
            break
        try:
            part_reading = await context.read_page(part, page.url, len(parts) + 2)
        except NewsextractError as error:
            logger.warning("%s is left out of %s: %s", url, page.url, error)
            break
        parts.append(part)
        hashes.append(part_reading.page_hash or "")
        reading.links.links += part_reading.links.links
        url = part_reading.next
    if parts:
        crawler.stats.inc_value("newsextract/parts", len(parts))
        page.parts = tuple(parts)
        page.page_hash = hashlib.sha256("".join(hashes).encode()).hexdigest()
    return True


async def fetch_further_page(
    crawler: Crawler, url: str, page: FetchedPage, slot: str | None, make_page: MakePage
) -> FetchedPage | None:
    """A further page of an article, in the download slot of the first; None, and logged why, where it can't be had."""
    meta: dict[str, Any] = {"discovered_from": page.url}
    if slot:
        meta["download_slot"] = slot
    request = Request(url, dont_filter=True, priority=fixed_priority(UrlKind.ARTICLE_PART), meta=meta)
    try:
        part = await crawler.engine.download_async(request)
    except Exception as error:  # whatever failed: refused, no connection, too large
        logger.info("%s, a part of %s, could not be fetched: %s", url, page.url, describe_failure(error, request)[1])
        return None
    if part.status != 200 or article_key(part.url) == article_key(page.url):
        logger.info("%s, a part of %s, could not be fetched: HTTP %d", url, page.url, part.status)
        return None
    return make_page(part)
