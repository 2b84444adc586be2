"""Base class of the spiders: pages from responses, priorities of URLs, failures by reason."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.utils.misc import load_object
from twisted.python.failure import Failure

from newsextract import settings as our_settings
from newsextract.crawl.abort import WRONG, RefusedCrawl
from newsextract.crawl.component import connect_signals
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.failures import PageDropped, describe_failure
from newsextract.crawl.middlewares import PASSED_OVER
from newsextract.crawl.page_items import fetched_page, header
from newsextract.crawl.security import HOW_TO_ALLOW
from newsextract.crawl.spider_options import SpiderOptions
from newsextract.discovery.content_type import declared_charset
from newsextract.discovery.found import FOUND, FoundUrl, found_in
from newsextract.discovery.lists import ListContents
from newsextract.discovery.multipart import split_part_number
from newsextract.discovery.priority import FIXED, UrlKind, date_of_url, earliest_date, page_priority, usefulness
from newsextract.discovery.url_classifier import UrlClassifier
from newsextract.health.counts import CrawlCounts
from newsextract.items import FetchedPage
from newsextract.reasons import NOT_A_LIST, label_of
from newsextract.spiders.arguments import Argument, argument_schema, arguments_as_text, parse_arguments
from newsextract.store.frontier import RankedUrl, find_entries
from newsextract.text import MAX_LISTED
from newsextract.urls import site_of
from newsextract.workers.messages import ReadPage

#: How much older than `since` the date in a list must be: its time zone may be wrong.
LIST_MARGIN = timedelta(days=1)
#: What keeps a crawl off addresses that are not on the public Internet (`newsextract.settings.EXTENSIONS`).
ADDRESS_GUARD = "newsextract.crawl.security.AddressGuardCheck"
#: The pipeline that a project may switch off.
OPTIONAL = "PairingPipeline"
#: The message for a spider in a project with other settings.
NOT_OUR_SETTINGS = (
    "the spider {!r} needs the scheduler and the address guard of newsextract: begin settings.py with "
    "`from newsextract.settings import *` instead of the add-on, or use `newsextract crawl`"
)


def complete_components(settings: Settings) -> str:
    """Adds our pipelines and middlewares where a project's settings have tables of their own instead of ours.

    Returns a sentence if the project has switched off one that a crawl needs, else "". Commands for single pages have
    another scheduler, and store nothing.
    """
    if settings["SCHEDULER"] != our_settings.SCHEDULER:
        return ""
    for table in ("ITEM_PIPELINES", "SPIDER_MIDDLEWARES", "DOWNLOADER_MIDDLEWARES"):
        for path, place in getattr(our_settings, table).items():
            component = load_object(path)
            settings.setdefault_in_component_priority_dict(table, component, place)
            places = [place for key, place in settings.getdict(table).items() if load_object(key) is component]
            if place is not None and None in places and component.__name__ != OPTIONAL:
                return f"{table} switches off {path}, which a crawl needs: remove the line with None"
    return ""


class NewsSpider(SpiderOptions):
    """A spider with declared arguments and the attributes that the scheduler, middlewares and pipelines read.

    The frontier stores callbacks and errbacks by method name, so these methods must not be renamed.
    """

    SIGNALS: ClassVar[tuple[str, ...]] = ()
    arguments: ClassVar[tuple[Argument, ...]] = ()
    #: Further values from sites.toml: XPaths of parts without text, of fields.
    drop: ClassVar[tuple[str, ...]] = ()
    selectors: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    #: Title, description and arguments of the spider, for `scrapy_spider_metadata.get_spider_metadata`.
    metadata: ClassVar[Mapping[str, object]] = {}

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        cls.metadata = {**cls.metadata, "param_schema": argument_schema(cls.arguments, cls.preset)}

    def __init__(self, name: str | None = None, **given: str) -> None:
        super().__init__(name)
        self.values = self.parse_arguments(given)
        self.run_arguments = arguments_as_text(self.values)
        self.given_sites = frozenset(map(site_of, self.values.get("url") or ()))
        #: By site to which a given URL redirects, the given one. They are crawled without its headers and cookies.
        self.moved: dict[str, str] = {}
        self.max_pages = self.values.get("max_pages")
        self.max_depth: int | None = self.values.get("max_depth")
        self.since = self.values.get("since")
        #: By given site; "" for all others.
        self.url_classifiers: defaultdict[str, UrlClassifier] = defaultdict(UrlClassifier)
        self.pages_learned: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Called by Scrapy for each crawl; ends it before its first request in a project without our settings."""
        spider, settings = super().from_crawler(crawler, *args, **kwargs), crawler.settings
        wrong = NOT_OUR_SETTINGS.format(cls.name)
        if ADDRESS_GUARD not in settings.getdict("EXTENSIONS") or (wrong := complete_components(settings)):
            settings.set(WRONG, wrong, priority="spider")
            settings.setdefault_in_component_priority_dict("EXTENSIONS", RefusedCrawl, 0)
        connect_signals(crawler, spider, cls.SIGNALS)
        return spider

    @classmethod
    def parse_arguments(cls, given: Mapping[str, str]) -> dict[str, Any]:
        """The values of the arguments, including `preset`. Raises WrongCall. Works without a crawler."""
        return parse_arguments(cls.name, cls.arguments, {**cls.preset, **given})

    @property
    def context(self) -> CrawlContext:
        """The services shared by spider, scheduler and pipelines."""
        return CrawlContext.of(self.crawler)

    @property
    def counts(self) -> CrawlCounts:
        """What the crawl counts."""
        return CrawlCounts(self.crawler.stats)

    # -- which URLs belong to the crawl

    def owner(self, url: str) -> str:
        site, given = site_of(url), self.given_sites
        if site in given:
            return site
        above = (parent for parent in given if site.endswith(f".{parent}")) if self.subdomains else ()
        return max(above, key=len, default="")

    def owns(self, url: str) -> bool:
        return bool(self.owner(url))

    def move(self, url: str, given: str) -> None:
        self.moved.setdefault(site_of(url), self.moved.get(given, given))

    def former_site(self, url: str) -> str:
        return self.moved.get(site_of(url), "")

    @property
    def leaves_out(self) -> bool:
        """Whether the arguments may leave out pages of the spider's sites."""
        return any(self.values.get(name) is not None for name in ("allow", "deny", "max_depth", "since"))

    def left_out(self, url: str, depth: int = 0, date: datetime | None = None) -> str:
        """Why this run leaves a page out (`reasons.LEFT_OUT`), or ""; the URL may have a date besides this one."""
        allow, deny = self.values.get("allow"), self.values.get("deny")
        if allow and not allow.search(url):
            return "not_allowed"
        if deny and deny.search(url):
            return "denied"
        if self.max_depth is not None and depth > self.max_depth:
            return "too_deep"
        if not self.since:
            return ""
        of_url = date_of_url(url)
        is_older = self.listed_before_since(date) or (of_url and of_url < self.since)
        return "before_since" if is_older else ""

    def listed_before_since(self, date: datetime | None) -> bool:
        """Whether a list's date is clearly older than `since`; if not, the page's own date decides once it is there."""
        return bool(self.since and date and date < self.since - LIST_MARGIN)

    def accepts(self, url: str, depth: int, kind: str, date: datetime | None) -> bool:
        return self.within(url) and (kind != "page" or not self.left_out(url, depth, date))

    # -- requests and pages

    def rank(self, found: FoundUrl) -> int:
        """The priority of a page that may be an article; the scheduler calls it again when the spider has learned."""
        url, probability = found.url, self.article_probability(found)
        date = earliest_date(url, found.date or found.map_date)
        return page_priority(probability, UrlKind(found.listed_in), found.depth, date, usefulness(url))

    def article_probability(self, found: FoundUrl) -> float:
        """How likely an article is at a URL, by what its site has shown so far."""
        return self.url_classifiers[self.owner(found.url)].article_probability(found)

    def rank_row(self, row: RankedUrl) -> float:
        return self.rank(FoundUrl.of_row(row, with_listing=False))

    def train_from_history(self, pages: Iterable[tuple[RankedUrl, bool]]) -> None:
        for row, is_article in pages:
            self.learn_page(FoundUrl.of_row(row, with_listing=False), is_article)

    def learn_page(self, found: FoundUrl, is_article: bool) -> None:
        """Learns from a classified page which URLs are articles."""
        site = self.owner(found.url)
        self.url_classifiers[site].update(found, is_article)
        self.pages_learned[site] += 1

    def given_request(
        self, url: str, callback: Callable[[Response], object], kind: UrlKind, asked_for: str = ""
    ) -> Request:
        """A request for a URL that the user gave, or for a feed that the page at it names (`asked_for`)."""
        return Request(
            url,
            callback=callback,
            errback=self.start_failed,
            priority=FIXED[kind],
            dont_filter=True,
            meta={FOUND: FoundUrl(url, asked_for=asked_for or url, named_by_page=bool(asked_for))},
        )

    def page_request(self, found: FoundUrl) -> Request:
        """A request for a page that may be an article. Likely and new articles have a higher priority.

        One that the run's arguments leave out is not made, but kept for other runs.
        """
        meta = {FOUND: found}
        return Request(found.url, self.parse_page, errback=self.failed, priority=self.rank(found), meta=meta)

    def parse_page(self, response: Response) -> Any:
        """Callback of a page request; `follow` gets the page once it is read."""
        page = self.page(response)
        if page is not None:
            yield page

    def page(self, response: Response) -> FetchedPage | None:
        """The response as a page; None, counted as dropped, if it isn't HTML."""
        try:
            return fetched_page(response, self.drop, self.selectors)
        except PageDropped as error:
            self.dropped(error.reason)
            response.meta["dropped_because"] = error.reason
            return None

    def drop_part(self, response: Response, page: ReadPage) -> None:
        """Drops the second or a later page of an article: the first page is requested and brings all the others."""
        self.dropped("part")
        response.meta["dropped_because"] = "part"
        base = split_part_number(response.url)[0]
        links = page.links.links
        page.links.links = [link for link in links if link.url == page.first or split_part_number(link.url)[0] != base]

    async def read_list(self, response: Response, language: str = "", *, may_be_page: bool = False) -> ListContents:
        """The contents of a feed or sitemap; one that isn't read wholly is named in the summary.

        `language`: of dates in a list that declares none.
        """
        charset, lease = declared_charset(header(response, "Content-Type")), response.meta.get("lease")
        known = None
        if lease is not None and lease.row.last_fetched is not None:
            known = await self.context.async_store.read(find_entries, lease.row.url)
        contents = await self.context.reader.read_list(response.body, response.url, charset, language, known)
        if lease is not None:
            self.context.leases.note_list(lease, contents)
        if contents.passed_over:
            response.meta[PASSED_OVER] = True
        self.count_left("entries of lists", contents.left)
        if "lease" not in response.meta:
            self.counts.lists[contents.problem or "read"] += 1
        if contents.problem and not (may_be_page and contents.problem == NOT_A_LIST):
            response.meta["dropped_because"] = contents.problem
            self.name_list(response.url, label_of(contents.problem), response.meta)
        return contents

    def count_left(self, kind: str, number: int) -> None:
        """Counts what is left to later crawls, for the summary."""
        if number:
            self.counts.left[kind.replace(" ", "_")] += number

    def name_list(self, url: str, clause: str, meta: Mapping[str, object]) -> None:
        """Names a feed or sitemap that was not read, or not wholly, in the summary, unless its URL was a guess."""
        if not found_in(meta).guessed:
            named = self.counts.named_lists
            if len(named) < MAX_LISTED:
                self.counts.named_lists = [*named, f"{url}: {clause}"]
            else:
                self.counts.more_lists += 1
                self.logger.info("%s: %s", url, clause)

    # -- failures

    def failed(self, failure: Failure) -> None:
        """Errback of a page: counts it as dropped, by reason."""
        request, reason, clause = failed_request(failure)
        self.dropped(reason)
        self.logger.debug("No page: %s: %s", request.url, clause)

    def list_failed(self, failure: Failure) -> None:
        """Errback of a feed, sitemap or robots.txt, which many sites lack: not counted among the pages."""
        request, reason, clause = failed_request(failure)
        self.counts.lists[reason] += 1
        self.name_list(request.url, clause, request.meta)
        self.logger.debug("No list: %s: %s", request.url, clause)

    def start_failed(self, failure: Failure) -> None:
        """Errback of a URL that the user gave: counted as dropped, and named in the summary."""
        request, reason, clause = failed_request(failure)
        self.dropped(reason)
        self.start_useless(found_in(request.meta).asked_for or request.url, explain_refusal(reason, clause))

    def start_useless(self, url: str, clause: str) -> None:
        """Reports a URL that the user gave and that brought nothing in the summary, with the reason."""
        self.counts.start_failed = [*self.counts.start_failed, f"{url}: {clause}"]

    def dropped(self, reason: str) -> None:
        self.counts.dropped[reason] += 1


def failed_request(failure: Failure) -> tuple[Request, str, str]:
    """The failed request of an errback, the reason in one word, and a clause about the URL."""
    request: Request = failure.request  # type: ignore[attr-defined]  # set by Scrapy
    assert failure.value is not None
    return request, *describe_failure(failure.value, request)


def explain_refusal(reason: str, clause: str) -> str:
    """The clause about a failed URL, with advice if the address guard refused it."""
    return f"{clause}. {HOW_TO_ALLOW}" if reason == "address_refused" else clause
