"""All use of Scrapy's internals: undocumented attributes, each with the reason for using it.

Nothing else in newsextract touches them. `PRIVATE_API` lists every one; a crawl does not start on a Scrapy that lacks
one (`refuse_changed_scrapy`), and `tests/runs/test_command.py` fails with the same sentence. Written for Scrapy 2.19.
"""

from collections.abc import Callable
from operator import attrgetter
from time import monotonic
from typing import Any

import scrapy
from scrapy import Request, Spider
from scrapy.core.downloader import Slot
from scrapy.core.downloader.handlers import http11
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares import cookies
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.extensions.throttle import AutoThrottle
from scrapy.spiderloader import SpiderLoader
from scrapy.utils.asyncio import call_later
from tldextract import TLDExtract

from newsextract.crawl.failures import RequestNotSent
from newsextract.items import Article, FetchedPage

#: Requests that a browser makes to one host at a time.
SUBRESOURCES = 6
#: Bytes of a response's headers, as in Chromium.
MAX_HEADER_BYTES = 256 * 1024
#: Splits host names by the packaged public suffix list, including private suffixes (github.io). Scrapy's own downloads
#: a list with the first cookie: in the event loop, without a timeout, past the address guard.
split_domain = TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
if hasattr(cookies, "_split_domain"):
    cookies._split_domain = split_domain
#: Attributes of a crawler, a download slot and a spider loader that are used here, and why. Paths begin at the object.
PRIVATE_API: dict[str, dict[str, str]] = {
    "crawler": {
        "engine._slot.nextcall.schedule": "to look for requests as soon as the database has some, not 5 s later",
        "engine._slot.closing": "to know that the crawl is ending",
        "engine._slot.inprogress.clear": "to close without waiting for the slowest download",
        "engine._slot._maybe_fire_closing": "to close without waiting for the slowest download",
        "engine.scraper.slot.closing": "to close when the last item did not come with a response",
        "engine.scraper.slot.is_idle": "to tell a site that doesn't answer from a crawl that is busy with its pages",
        "engine.scraper._check_if_closing": "to close when the last item did not come with a response",
        "engine.scraper.start_itemproc_async": "to send an article that was settled late through the pipelines",
        "engine.downloader.slots": "to share the crawl fairly among sites, and to drop what is queued at the end",
        "engine.downloader.active": "to show how many requests are under way",
        "engine.downloader.domain_concurrency": "to know how many requests a new site may have at a time",
        "engine.downloader._get_slot": "to give a site the delay that its robots.txt asks for before its first page",
        "engine.downloader._latercall": "to hold back a site that answers 429 or 503",
    },
    "download slot": {
        "active": "to share the crawl fairly among sites",
        "concurrency": "to ask a site with a Crawl-delay for one page at a time",
        "delay": "to keep a Crawl-delay",
        "jitter": "to keep a Crawl-delay, which no random factor may shorten",
        "lastseen": "to keep a Retry-After",
        "latercall": "to keep a Retry-After",
        "queue": "to drop what is queued when the crawl is told to stop",
    },
    "throttle": {"_adjust_delay": "to shorten the delay of a site that answers quickly that nothing has changed"},
    "robots middleware": {
        "_parse_robots": "to keep a robots.txt for runs that can't read it, and to know when there is none",
        "_robots_error": "to fetch nothing from a site whose robots.txt can't be read",
    },
    "cookies module": {"_split_domain": "to read the packaged public suffix list, where Scrapy downloads one"},
    "download handler": {"_LenientHTTPClientParser.lineReceived": "to end a response whose headers never end"},
    "spider loader": {"_spiders": "to add the sites of sites.toml to the spiders of SPIDER_MODULES"},
}


def bound_headers(parser: Any) -> None:
    """Limits the headers of responses, which Twisted keeps without end; `parser`: the class that reads them."""
    receive = parser.lineReceived

    def receive_bounded(self: Any, line: bytes) -> None:
        self.bytes_of_headers = getattr(self, "bytes_of_headers", 0) + len(line)
        if self.bytes_of_headers > MAX_HEADER_BYTES:
            raise ValueError(f"the headers are larger than {MAX_HEADER_BYTES:,} bytes")
        receive(self, line)

    parser.lineReceived = receive_bounded


if hasattr(http11, "_LenientHTTPClientParser"):
    bound_headers(http11._LenientHTTPClientParser)


def refuse_changed_scrapy(crawler: Crawler) -> str | None:
    """Why newsextract can't run on this Scrapy, in one sentence, or None. Call it once the spider is open."""
    subjects: dict[str, object] = {
        "crawler": crawler,
        "download slot": Slot(1, 0.0, 0.0),
        "throttle": AutoThrottle,
        "robots middleware": RobotsTxtMiddleware,
        "cookies module": cookies,
        "download handler": http11,
        "spider loader": SpiderLoader(crawler.settings.__class__()),
    }
    changes = [
        f"Scrapy changed {path} of its {subject}, which newsextract needs {reason}"
        for subject, paths in PRIVATE_API.items()
        for path, reason in paths.items()
        if not _has(subjects[subject], path)
    ]
    if not changes:
        return None
    more = f" (and {len(changes) - 1} more changes)" if len(changes) > 1 else ""
    return f"newsextract does not work with Scrapy {scrapy.__version__}: {changes[0]}{more}"


def wake_engine(crawler: Crawler) -> None:
    """Makes the engine ask the scheduler for requests now, not only after a response or after 5 s."""
    slot = crawler.engine._slot
    if slot is not None and slot.closing is None:
        slot.nextcall.schedule()


def is_closing(crawler: Crawler) -> bool:
    """Whether the spider is being closed, or isn't open."""
    slot = crawler.engine._slot
    return slot is None or slot.closing is not None


def abandon_downloads(crawler: Crawler) -> None:
    """Ends a closing engine's wait for running downloads."""
    slot = crawler.engine._slot
    if slot is not None and slot.closing is not None and not slot.closing.called:
        slot.inprogress.clear()
        slot._maybe_fire_closing()
        slot.inprogress = _AbandonedRequests()


def fail_queued_downloads(crawler: Crawler) -> None:
    """Fails queued requests of a closing crawl with RequestNotSent: their turn may be minutes away."""
    if is_closing(crawler):
        for slot in [*crawler.engine.downloader.slots.values()]:
            queued = [*slot.queue]
            slot.queue.clear()
            for _, deferred in queued:
                deferred.errback(RequestNotSent("the crawl is stopping"))


def is_only_scraping(crawler: Crawler) -> bool:
    """Whether pages are in the spider or the item pipelines, and none is being requested."""
    try:
        engine = crawler.engine
    except RuntimeError:  # the crawl hasn't begun, or failed to
        return False
    return engine.scraper.slot is not None and not engine.scraper.slot.is_idle() and not engine.downloader.active


def check_scraper_idle(crawler: Crawler) -> None:
    """Lets a closing scraper notice that its pipelines are empty, for which Scrapy looks only after a response.

    For an item that didn't come from one (settled late, or of an archive), the crawl would wait forever.
    """
    scraper = crawler.engine.scraper
    closing = scraper.slot.closing if scraper.slot is not None else None
    if closing is not None and not closing.called:
        scraper._check_if_closing()


async def process_item(crawler: Crawler, item: FetchedPage | Article) -> None:
    """Sends a page or an article through all item pipelines, as if the spider had just yielded it."""
    await crawler.engine.scraper.start_itemproc_async(item, response=None)


def count_downloads(crawler: Crawler, site: str) -> tuple[int, int]:
    """Requests in a site's download slot, and how many it may process at a time."""
    downloader = crawler.engine.downloader
    slot = downloader.slots.get(site)
    if slot is None:
        return 0, max(1, downloader.domain_concurrency)
    return len(slot.active), max(1, slot.concurrency)


def count_pending_requests(crawler: Crawler) -> int:
    """Requests that the scheduler holds in memory, and those in progress."""
    scheduler: Any = crawler.engine.scheduler
    scheduled = len(scheduler) if hasattr(scheduler, "__len__") else 0
    return scheduled + len(crawler.engine.downloader.active)


def slow_down_site(crawler: Crawler, site: str, delay: float) -> None:
    """From now on, requests this site one at a time, at least `delay` seconds apart."""
    slot = _download_slot(crawler, site)
    if slot.delay < delay:
        slot.delay, slot.jitter = delay, 0.0
        slot.concurrency = 1


def hold_back_site(crawler: Crawler, site: str, seconds: float) -> None:
    """Sends no requests to a site for that many seconds, by a timer: without a delay, Scrapy ignores `lastseen`."""
    slot = _download_slot(crawler, site)
    slot.lastseen = monotonic() + seconds - slot.delay
    if slot.latercall is not None:
        slot.latercall.cancel()
    slot.latercall = call_later(seconds, crawler.engine.downloader._latercall, slot)


def subresource_slot(crawler: Crawler, site: str) -> str:
    """The download slot for what pages of a site load: no delay, as many requests at a time as a browser makes."""
    name = f"{site}/subresources"
    slot = _download_slot(crawler, name)
    slot.delay, slot.jitter, slot.concurrency = 0.0, 0.0, SUBRESOURCES
    return name


def spiders_by_name(loader: SpiderLoader) -> dict[str, type[Spider]]:
    """The loader's table of spider classes; classes added to it can be crawled by name."""
    return loader._spiders


class _AbandonedRequests(set[Request]):
    """Replaces the set of running requests: never empty, so that their ends don't close the crawl again."""

    def __bool__(self) -> bool:
        return True

    def remove(self, request: Request) -> None:
        self.discard(request)


def _download_slot(crawler: Crawler, site: str) -> Slot:
    """A site's download slot, created if necessary."""
    return crawler.engine.downloader._get_slot(Request(f"http://{site}/", meta={"download_slot": site}))[1]


def _has(subject: object, path: str) -> bool:
    get: Callable[[object], object] = attrgetter(path)
    try:
        get(subject)
    except AttributeError:
        return False
    return True
