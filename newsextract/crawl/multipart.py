"""Fetches the further pages of an article that is cut into pages, before its page goes on: they are one article.

The parts are fetched like any other page, through the same robots.txt, guard and pauses, but have no lease of their
own: the lease of the first page is theirs, and in its transaction they are done. A kill in between costs nothing but
the fetches, which are made again with the first page.
"""

import hashlib
import logging
from typing import Any

from scrapy import Request
from scrapy.http import Response

from newsextract.crawl.engine import is_closing
from newsextract.crawl.failures import failure_of
from newsextract.crawl.workers.worker import Reading
from newsextract.discovery.multipart import MAX_PARTS
from newsextract.discovery.priority import UrlKind, fixed_priority
from newsextract.errors import NewsextractError
from newsextract.items import FetchedPage
from newsextract.urls import article_key

logger = logging.getLogger(__name__)

#: What a response's meta says where its page was left in the middle: its lease is given back with all others.
LEFT = "left_in_the_middle"


async def add_parts(spider: Any, page: FetchedPage, reading: Reading, response: Response) -> bool:
    """Puts the further parts to the page, as far as they can be had; False where the crawl was told to stop meanwhile.

    `reading` is that of the page, and gets the links of the parts, too.
    """
    parts: list[FetchedPage] = []
    hashes, seen, url = [page.page_hash or ""], {article_key(page.url)}, reading.next
    while url and article_key(url) not in seen and len(parts) < MAX_PARTS - 1:
        seen.add(article_key(url))
        part = await _fetched(spider, url, page, response)
        if is_closing(spider.crawler):
            response.meta[LEFT] = True
            return False
        if part is None:
            spider.crawler.stats.inc_value("newsextract/parts/missing")
            break
        try:
            its = await spider.workshop.pool.read(part, page.url, len(parts) + 2)
        except NewsextractError as error:
            logger.warning("%s is left out of %s: %s", url, page.url, error)
            break
        parts.append(part)
        hashes.append(its.page_hash or "")
        reading.links.links += its.links.links
        url = its.next
    if parts:
        spider.crawler.stats.inc_value("newsextract/parts", len(parts))
        page.parts = tuple(parts)
        page.page_hash = hashlib.sha256("".join(hashes).encode()).hexdigest()
    return True


async def _fetched(spider: Any, url: str, page: FetchedPage, response: Response) -> FetchedPage | None:
    """A part as fetched; None where it is not to be had."""
    meta = {"page": True, "discovered_from": page.url, "download_slot": response.meta.get("download_slot")}
    request = Request(
        url,
        dont_filter=True,
        priority=fixed_priority(UrlKind.ARTICLE_PART),
        meta={key: value for key, value in meta.items() if value},
    )
    try:
        answer = await spider.crawler.engine.download_async(request)
    except Exception as error:  # whatever failed: refused, no connection, too large
        logger.info("%s, a part of %s, is not to be had: %s", url, page.url, failure_of(error, request)[1])
        return None
    if answer.status != 200 or article_key(answer.url) == article_key(page.url):
        logger.info("%s, a part of %s, is not to be had: answer %d", url, page.url, answer.status)
        return None
    part: FetchedPage | None = spider.page(answer)
    return part
