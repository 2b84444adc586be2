"""What all spiders of the project share: their arguments, pages made of responses, and failures counted by reason."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from newsextract.spiders.arguments import Argument, plain, read_arguments
from scrapy import Request, Spider
from scrapy.http import Response

from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import describe_failure
from newsextract.crawl.workers.worker import Reading
from newsextract.discovery.content_type import declared_charset, non_html_reason
from newsextract.discovery.multipart import split_part_number
from newsextract.discovery.priority import UrlKind, page_priority
from newsextract.discovery.url_classifier import UrlClassifier
from newsextract.errors import NewsextractError
from newsextract.items import FetchedPage


class NewsSpider(Spider):
    """A spider with declared arguments. Those that fetch have `max_pages` and perhaps `within(url)`: see Boundary."""

    takes: ClassVar[tuple[Argument, ...]] = ()
    #: What sites.toml says of a site: arguments, headers and cookies for it alone, XPaths of what is no text of it.
    preset: ClassVar[Mapping[str, str]] = {}
    headers: ClassVar[Mapping[str, str]] = {}
    cookies: ClassVar[Mapping[str, str]] = {}
    drop: ClassVar[tuple[str, ...]] = ()

    def __init__(self, name: str | None = None, **given: str) -> None:
        super().__init__(name)
        self.values = self.check(given)
        self.run_arguments = said(self.values)
        self.max_pages: int | None = self.values.get("max_pages")
        self.since: datetime | None = self.values.get("since")
        self.url_classifier = UrlClassifier()

    @classmethod
    def check(cls, given: Mapping[str, str]) -> dict[str, Any]:
        """The arguments' values; raises WrongCall. The command calls it before there is a crawler."""
        return read_arguments(cls.name, cls.takes, {**cls.preset, **given})

    def page_request(
        self, url: str, *, found_on: str | None, anchor_text: str = "", depth: int = 1, kind: UrlKind = UrlKind.LINK
    ) -> Request:
        """A request for a page that may be an article; the likelier it is one by its URL, the earlier it is made."""
        return Request(
            url,
            callback=self.parse_page,
            errback=self.failed,
            priority=page_priority(self.url_classifier.article_probability(url), kind, depth),
            meta={"page": True, "anchor_text": anchor_text, "discovered_from": found_on, "link_depth": depth},
        )

    def parse_page(self, response: Response) -> Any:
        """A response to a page request; spiders that follow links do more with it."""
        page = self.page(response)
        if page is not None:
            yield page

    def page(self, response: Response) -> FetchedPage | None:
        """The response as a page; None, and counted, where it is no HTML."""
        content_type = _header(response, "Content-Type")
        if reason := non_html_reason(response.body, content_type):
            self.dropped(reason)
            response.meta["dropped_because"] = reason
            return None
        return FetchedPage(
            url=response.url,
            body=response.body,
            fetched_at=datetime.now(UTC),
            encoding=declared_charset(content_type),
            anchor_text=response.meta.get("anchor_text") or None,
            discovered_from=response.meta.get("discovered_from"),
            status=response.status,
            etag=_header(response, "ETag"),
            last_modified=_header(response, "Last-Modified"),
            drop=self.drop,
        )

    @property
    def context(self) -> CrawlContext:
        """What the spider shares with scheduler and pipelines."""
        return CrawlContext.of(self.crawler)

    async def read(self, page: FetchedPage) -> Reading:
        """The links of a page and more, read by a worker, which keeps the page parsed for its extraction."""
        try:
            reading = await self.context.pool.read(page)
        except NewsextractError as error:
            self.logger.debug("No links of %s: %s", page.url, error)
            return Reading()
        page.template, page.page_hash = reading.template, reading.page_hash
        return reading

    def is_part(self, response: Response, reading: Reading) -> None:
        """Notes that a response is a later page of an article: it leads to the first, with which the others come."""
        self.dropped("part")
        response.meta["dropped_because"] = "part"
        base = split_part_number(response.url)[0]
        links = reading.links.links
        reading.links.links = [
            link for link in links if link.url == reading.first or split_part_number(link.url)[0] != base
        ]

    def failed(self, failure: Any) -> None:
        """The errback of a page: counts why it came to nothing."""
        reason, clause = describe_failure(failure.value, failure.request)
        self.dropped(reason)
        self.logger.debug("No page: %s: %s", failure.request.url, clause)

    def list_failed(self, failure: Any) -> None:
        """The errback of a feed, sitemap or robots.txt, which many sites lack: not counted among the pages."""
        reason, clause = describe_failure(failure.value, failure.request)
        self.crawler.stats.inc_value(f"newsextract/lists/{reason}")
        self.logger.debug("No list: %s: %s", failure.request.url, clause)

    def start_failed(self, failure: Any) -> None:
        """The errback of an address that the user gave: told at the end, whatever else happens."""
        reason, clause = describe_failure(failure.value, failure.request)
        self.dropped(reason)
        asked = failure.request.meta.get("asked_for") or failure.request.url
        self.start_useless(asked, clause)

    def start_useless(self, url: str, clause: str) -> None:
        """Notes that an address the user gave brought nothing, and why."""
        told = self.crawler.stats.get_value("newsextract/start_failed") or []
        self.crawler.stats.set_value("newsextract/start_failed", [*told, f"{url}: {clause}"])

    def dropped(self, reason: str) -> None:
        """Counts a page that was not to be had, or was no page."""
        self.crawler.stats.inc_value(f"newsextract/dropped/{reason}")

    def accepts(self, url: str, depth: int, callback: str) -> bool:
        """Whether a URL that an earlier run left is one for this run."""
        within = getattr(self, "within", None)
        if within is not None and not within(url):
            return False
        limit = self.values.get("max_depth")
        return callback != "parse_page" or (self.wanted(url) and (limit is None or depth <= limit))

    def wanted(self, url: str, date: datetime | None = None) -> bool:
        """Whether the arguments `allow`, `deny` and `since` let a page be fetched."""
        allow, deny = self.values.get("allow"), self.values.get("deny")
        if (allow and not allow.search(url)) or (deny and deny.search(url)):
            return False
        return not (self.since and date and date < self.since)


def said(values: Mapping[str, Any]) -> dict[str, str]:
    """A spider's arguments as text, by which runs of one kind are known."""
    return {key: plain(value) for key, value in values.items() if value is not None}


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1").strip()[:1000] if value else None
