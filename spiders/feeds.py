"""Articles of RSS and Atom feeds, on whatever site they lie; no links are followed."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, ClassVar

from newsextract.spiders.arguments import Argument, day, pattern, positive, urls
from newsextract.spiders.base import NewsSpider
from scrapy import Request
from scrapy.http import Response

from newsextract.crawl.multipart import add_parts
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.feeds import is_feed, parse_feed
from newsextract.discovery.links import parse_links
from newsextract.discovery.priority import UrlKind, fixed_priority


class FeedsSpider(NewsSpider):
    """scrapy crawl feeds -a url=https://example.org/feed.xml"""

    name = "feeds"
    takes: ClassVar[tuple[Argument, ...]] = (
        Argument("url", urls, required=True),
        Argument("max_pages", positive),
        Argument("allow", pattern),
        Argument("deny", pattern),
        Argument("since", day),
    )

    async def start(self) -> AsyncIterator[Any]:
        for url in self.values["url"]:
            yield self.feed_request(url, asked_for=url)

    def feed_request(self, url: str, asked_for: str, named: bool = False) -> Request:
        return Request(
            url,
            callback=self.parse_feed,
            errback=self.start_failed,
            priority=fixed_priority(UrlKind.FEED_GIVEN),
            dont_filter=True,
            meta={"asked_for": asked_for, "named_by_page": named},
        )

    async def parse_feed(self, response: Response) -> AsyncIterator[Request]:
        """The entries of a feed; a page that names feeds in its head stands for them."""
        asked_for = response.meta["asked_for"]
        if is_feed(response.body):
            for entry in await asyncio.to_thread(parse_feed, response.body, response.url):
                if self.wanted(entry.url, entry.date):
                    yield self.page_request(entry.url, found_on=response.url, anchor_text=entry.title)
            return
        for url in () if response.meta["named_by_page"] else self.named_feeds(response):
            yield self.feed_request(url, asked_for, named=True)

    async def parse_page(self, response: Response) -> AsyncIterator[Any]:
        """A page that a feed names, with the further pages of its article."""
        page = self.page(response)
        if page is None:
            return
        reading = await self.read(page)
        if reading.first is not None:
            self.is_part(response, reading)
            yield self.page_request(reading.first, found_on=response.url, anchor_text=page.anchor_text or "")
        elif await add_parts(self.crawler, page, reading, response, self.page):
            yield page

    def named_feeds(self, response: Response) -> list[str]:
        """The feeds that a page names; noted as useless where it names none."""
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        found: list[str] = []
        if non_html_reason(response.body, content_type) is None:
            found = parse_links(response.body, response.url, declared_charset(content_type)).feeds
        if not found:
            self.start_useless(response.meta["asked_for"], "it is no RSS or Atom feed")
        return found
