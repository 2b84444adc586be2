"""The spider `feeds`: articles listed in RSS and Atom feeds, on any site; links in pages are not followed."""

from collections.abc import AsyncIterator, Mapping
from typing import ClassVar

from scrapy import Request
from scrapy.http import Response

from newsextract.crawl.further_pages import with_parts
from newsextract.crawl.page_items import header
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.found import FoundUrl, found_in
from newsextract.discovery.links import parse_links
from newsextract.discovery.priority import UrlKind
from newsextract.items import FetchedPage
from newsextract.spiders.arguments import COMMON, Argument, parse_urls
from newsextract.spiders.base import NewsSpider
from newsextract.urls import is_of_site
from newsextract.workers.messages import ReadPage


class FeedsSpider(NewsSpider):
    """scrapy crawl feeds -a url=https://example.org/feed.xml"""

    name = "feeds"
    metadata: ClassVar[Mapping[str, object]] = {
        "title": "Feeds",
        "description": "Articles listed in RSS and Atom feeds; links are not followed.",
    }
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument(
            "url",
            parse_urls,
            required=True,
            help="The RSS or Atom feed, or a page that names feeds; several are separated by commas.",
        ),
        *COMMON,
    )

    async def start(self) -> AsyncIterator[Request]:
        for url in self.values["url"]:
            yield self.given_request(url, self.parse_feed, UrlKind.FEED_GIVEN)

    async def parse_feed(self, response: Response, declared_on: str = "") -> AsyncIterator[Request]:
        """Callback of a feed: requests its entries. An HTML page is replaced by the feeds that its head names.

        `declared_on`: of a feed on another host, which gets no row in the frontier, like those of the spider `site`.
        """
        found = found_in(response.meta)
        contents = await self.read_list(response, may_be_page=not found.named_by_page)
        if contents.is_feed:
            for entry in contents.pages:
                if not self.left_out(entry.url, date=entry.date):
                    # a page that names a feed elsewhere vouches for it
                    found_on = response.url if is_of_site(entry.url, response.url) else found.asked_for
                    yield self.page_request(FoundUrl.of_entry(entry, UrlKind.FEED_ENTRY, found_on))
            return
        if not found.named_by_page:
            content_type, feeds = header(response, "Content-Type"), list[str]()
            if non_html_reason(response.body, content_type) is None:
                feeds = parse_links(response.body, response.url, declared_charset(content_type)).feeds
            if not feeds:
                self.start_useless(found.asked_for, "it isn't an RSS or Atom feed")
            for url in feeds:
                feed = self.given_request(url, self.parse_feed, UrlKind.FEED_GIVEN, found.asked_for)
                elsewhere = {} if is_of_site(url, response.url) else {"declared_on": response.url}
                yield feed.replace(cb_kwargs=elsewhere)

    async def follow(self, page: ReadPage, response: Response) -> AsyncIterator[Request | FetchedPage]:
        """A page in a feed, with the further pages of its article."""
        if page.first is not None:
            self.drop_part(response, page)
            yield self.page_request(FoundUrl(page.first, page.anchor_text or "", found_on=response.url, depth=1))
        elif (whole := await with_parts(self.crawler, page, response, self.page)) is not None:
            yield whole
