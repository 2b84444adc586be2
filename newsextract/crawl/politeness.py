"""Politeness, for each site separately: robots.txt with its Crawl-delay, throttling, Retry-After, 429 and 503."""

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Collection
from http import HTTPStatus
from typing import Self
from urllib.parse import urljoin, urlsplit

from protego import Protego
from scrapy import Request, signals
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser, decode_robotstxt
from scrapy.utils.misc import load_object
from scrapy.utils.python import to_unicode

from newsextract.crawl.component import Component
from newsextract.crawl.context import CrawlContext
from newsextract.crawl.engine import hold_back_site, set_pace
from newsextract.crawl.failures import RequestNotSent, RequestRefused, describe_failure, retry_after
from newsextract.health.counts import CrawlCounts
from newsextract.reasons import GONE_STATUSES
from newsextract.store.frontier import find_robots, keep_robots
from newsextract.urls import site_of

logger = logging.getLogger(__name__)

#: Maximum size of a robots.txt: crawlers must read 500 KiB (RFC 9309).
MAX_ROBOTS_BYTES = 500 * 1024
#: The product tokens of a User-Agent header: its first word, the one after "compatible;", and those with a version.
PRODUCT = re.compile(r"^\s*([^\s/;()]+)|compatible;\s*([^\s/;()]+)|(?<![^\s/;()])([^\s/;()]++)[/ ]v?\d")
#: A line of robots.txt that names agents, each with or without a version; and a name that no agent has.
AGENT_LINE = re.compile(r"\s*user[- ]?agent(?:\s*:|\s)([^#]*)", re.I)
AGENT_NAME = re.compile(r"([^\s,/]+)[^\s,]*")
NOBODY = "\0"
#: Products that browsers name, and crawlers after them: they identify nobody.
BROWSERS = frozenset("mozilla applewebkit khtml gecko chrome chromium safari version mobile edg firefox".split())
#: The flag of a robots.txt that an earlier run kept.
COPY = "copy"
#: Network errors that concern the host, not only its robots.txt.
HOST_GONE = ("no_such_host", "no_connection", "certificate")
#: Reasons for which a robots.txt that isn't there forbids everything.
FORBIDDING = ("address_refused", "robots_unreadable", *HOST_GONE)
#: The longest Crawl-delay and Retry-After that are obeyed, in seconds.
MAX_DELAY = 30.0
MAX_WAIT = 120.0
#: Statuses of a site that is requested too fast, or can't answer now.
SLOW_DOWN = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
#: Statuses that say as much about a site's speed as a page does: not modified, not found, gone.
SETTLED = (HTTPStatus.NOT_MODIFIED, *GONE_STATUSES)
#: Files that a crawl keeps; those of the hosts longest unused are read again.
MAX_FILES = 1_000
#: Seconds before the next request after such a status without Retry-After; doubled with each in a row.
FIRST_WAIT = 2.0


class RobotRules(RobotParser):
    """ROBOTSTXT_PARSER: Protego, which gets only the groups of the agent that asks, under its product token.

    Protego alone finds "bot" in "bot-net/1.0 (a crawler)" and not "bot-net/2.0", and needs N * M steps for N agents
    before M rules.
    """

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.by_names: dict[str, Protego] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        if len(robotstxt_body) > MAX_ROBOTS_BYTES:  # whole lines: half a path is another rule
            robotstxt_body = robotstxt_body[: robotstxt_body.rfind(b"\n", 0, MAX_ROBOTS_BYTES) + 1]
        return cls(decode_robotstxt(robotstxt_body, crawler.spider))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        rules, names = self._of_agent(user_agent)
        return rules.can_fetch(to_unicode(url), names)

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        rules, names = self._of_agent(user_agent)
        return rules.crawl_delay(names)

    def _of_agent(self, user_agent: str | bytes) -> tuple[Protego, str]:
        """The rules, and the names by which they are looked up."""
        found = PRODUCT.findall(to_unicode(user_agent, errors="replace").lower())
        names = " ".join(sorted({name for groups in found for name in groups if name} - BROWSERS))
        if names not in self.by_names:
            lines = (_with_agent_of(line, names.split(" ")) for line in self.lines)
            self.by_names[names] = Protego.parse("\n".join(lines))
        return self.by_names[names], names


class RobotsMiddleware(Component):
    """Downloader middleware for robots.txt, by RFC 9309: a file that can't be read now forbids everything in this run,
    unless an earlier run kept a copy of it within the last day.

    One fetch a host: all requests that wait for the file get its rules, and the spider's request for its sitemaps gets
    the response. Scrapy's own middleware gives the rules to only one of those that wait, and never the response.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        super().__init__(crawler)
        self.parser: type[RobotParser] = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        #: By host and port: the file with its rules, why nothing may be fetched, or None if everything may.
        self.files: OrderedDict[str, asyncio.Task[tuple[Response, RobotParser] | IgnoreRequest | None]] = OrderedDict()

    async def process_request(self, request: Request) -> Response | None:
        """Refuses what the rules forbid; answers a spider's request for robots.txt."""
        url = urlsplit(request.url)
        is_for_file = request.callback is not NO_CALLBACK and url.path == "/robots.txt"
        if url.scheme not in ("http", "https") or (request.meta.get("dont_obey_robotstxt") and not is_for_file):
            return None
        if url.netloc not in self.files:
            self.files[url.netloc] = asyncio.ensure_future(self._fetch(request))
            if len(self.files) > MAX_FILES:
                self.files.popitem(last=False)
        self.files.move_to_end(url.netloc)
        file = await self.files[url.netloc]
        if isinstance(file, IgnoreRequest):
            raise file.with_traceback(None)
        if file is None:
            return None
        response, rules = file
        if not rules.allowed(request.url, _agent_of(self.crawler, request)):
            self.stats.inc_value("robotstxt/forbidden")
            raise RequestRefused("robots", "the site's robots.txt does not allow it")
        return response.replace(url=request.url, request=request) if is_for_file else None

    async def _fetch(self, request: Request) -> tuple[Response, RobotParser] | IgnoreRequest | None:
        """The robots.txt of a request's host. Redirects without end count as missing; a file at a private address
        forbids everything.
        """
        self.stats.inc_value("robotstxt/request_count")
        meta = {"dont_obey_robotstxt": True}
        wanted = Request(urljoin(request.url, "/robots.txt"), meta=meta, callback=NO_CALLBACK)
        try:
            response = await self.crawler.engine.download_async(wanted)
            if response.status >= 500:
                response = await self._copy(wanted, f"it answers {response.status}")
            return response, await self._read(response, request)
        except IgnoreRequest as error:
            forbids = isinstance(error, RequestNotSent) or getattr(error, "reason", "") in FORBIDDING
            return error if forbids else None
        except Exception as error:
            self.stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            logger.exception("%s could not be read", wanted.url)
            return None

    async def _read(self, response: Response, request: Request) -> RobotParser:
        """The rules in a response; keeps it for later runs."""
        self.stats.inc_value("robotstxt/response_count")
        self.stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        is_missing = response.status >= 300  # 4xx, and redirects that lead nowhere: everything is allowed
        store = CrawlContext.of(self.crawler).async_store
        if store.is_open and COPY not in response.flags:
            body = None if is_missing else response.body[: MAX_ROBOTS_BYTES + 1]
            await store.write(keep_robots, site_of(request.url), body)
        rules = self.parser.from_crawler(self.crawler, b"" if is_missing else response.body)
        await self.crawler.signals.send_catch_log_async(signals.robots_parsed, robotparser=rules, request=request)
        return rules

    async def process_exception(self, request: Request, exception: Exception) -> Response | None:
        """A copy in place of a robots.txt that can't be fetched; logs in one line why."""
        if not is_robots_request(request) or isinstance(exception, IgnoreRequest):
            return None
        reason, clause = describe_failure(exception, request)
        logger.info("%s could not be read: %s", request.url, clause)
        if reason in HOST_GONE and not request.meta.get("redirect_times"):
            raise RequestRefused(reason, clause) from exception
        return await self._copy(request, clause)

    async def _copy(self, request: Request, clause: str) -> Response:
        """The robots.txt as an earlier run read it. Raises RequestRefused."""
        if (copy := await find_copy(self.crawler, request)) is None:
            sentence = f"its robots.txt can't be read ({clause}), so nothing is fetched for now"
            raise RequestRefused("robots_unreadable", sentence)
        sentence = f"it can't be read ({clause}); its copy of {copy.flags[1]} counts in this run"
        CrawlCounts(self.crawler.stats).refused[copy.url] = sentence
        return copy


class Throttle(AutoThrottle):
    """AutoThrottle that also shortens a site's delay after answers of SETTLED, not only after pages, so that refetching
    unchanged pages isn't slow."""

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        super()._adjust_delay(slot, latency, response.replace(status=200) if response.status in SETTLED else response)


class PolitenessMiddleware(Component):
    """Downloader middleware: delays a site's requests as its robots.txt and its answers demand."""

    SIGNALS = ("robots_parsed", "request_reached_downloader")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        #: The delays that sites ask for, and the number of SLOW_DOWN answers in a row, by site.
        self.asked: dict[str, float] = {}
        self.in_a_row: dict[str, int] = {}

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Notes the Crawl-delay of a robots.txt, if it is longer than the crawl's own."""
        asked = float(robotparser.crawl_delay(_agent_of(self.crawler, request)) or 0.0)
        site, delay = site_of(request.url), min(asked, MAX_DELAY)
        if asked and site:
            cap = f"; the crawl waits {delay:g} s" if delay < asked else ""
            logger.info("%s asks for %g s between requests%s", site, asked, cap)
            settings = self.crawler.settings
            own = settings.getdict("DOWNLOAD_SLOTS").get(site, {}).get("delay", settings.getfloat("DOWNLOAD_DELAY"))
            if delay > own:
                self.asked[site] = delay

    def request_reached_downloader(self, request: Request) -> None:
        """Keeps a Crawl-delay: one request at a time, which also adapts to a slow site."""
        if delay := self.asked.get(request.meta["download_slot"]):
            set_pace(self.crawler, request, delay, concurrency=1)

    def process_response(self, request: Request, response: Response) -> Response:
        """Delays the next request to a site that answers 429 or 503."""
        site = str(request.meta.get("download_slot") or "")
        if response.status not in SLOW_DOWN:
            self.in_a_row.pop(site, None)
            return response
        times = self.in_a_row[site] = self.in_a_row.get(site, 0) + 1
        asked = retry_after(response)
        wait = min(FIRST_WAIT * 2 ** (times - 1) if asked is None else asked, MAX_WAIT)
        if asked is not None and asked > MAX_WAIT:
            request.meta["dont_retry"] = True  # a later run asks again, when the site says
        request_of_site = "" if asked is None else f" and asks for {asked:g} s"
        logger.info("%s answers %d%s: no request for %g s", site, response.status, request_of_site, wait)
        CrawlCounts(self.stats).slowed_down += 1
        if wait > 0:
            hold_back_site(self.crawler, site, wait)
        return response


def is_robots_request(request: Request) -> bool:
    """Whether this is the middleware's request for a robots.txt, or what it was redirected to."""
    return request.callback is NO_CALLBACK and bool(request.meta.get("dont_obey_robotstxt"))


async def find_copy(crawler: Crawler, request: Request) -> Response | None:
    """The robots.txt that is requested, as an earlier run read it within the last day. Its flags: COPY, and when."""
    store, url = CrawlContext.of(crawler).async_store, request.meta.get("redirect_urls", [request.url])[0]
    copy = await store.read(find_robots, site_of(url)) if store.is_open else None
    return copy and TextResponse(url, body=copy[0], request=request, flags=[COPY, f"{copy[1]:%Y-%m-%d %H:%M} UTC"])


def _agent_of(crawler: Crawler, request: Request) -> str | bytes:
    """The name under which robots.txt is read for a request."""
    settings = crawler.settings
    return settings["ROBOTSTXT_USER_AGENT"] or request.headers.get("User-Agent") or settings["USER_AGENT"] or b""


def _with_agent_of(line: str, names: Collection[str]) -> str:
    """A line of robots.txt; one that names agents with one that was asked for, "*" or NOBODY."""
    match = AGENT_LINE.match(line)
    if match is None:
        return line
    named = (name.strip("*") or "*" for name in AGENT_NAME.findall(match[1].lower()))
    return f"User-agent: {next((name for name in named if name == '*' or name in names), NOBODY)}"
