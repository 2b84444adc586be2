"""All use of Scrapy's internals: undocumented attributes, each with the reason for using it.

Nothing else in newsextract touches them. A crawl does not start on a Scrapy that lacks one of NEEDED, and warns of each
of OPTIONAL that is missing (`check_scrapy`). Written for Scrapy 2.19. What was private before has public names there:

- `ExecutionEngine.download_async` (2.14) fetches robots.txt, `RobotParser.crawl_delay` (2.18) reads its delays;
- `ExecutionEngine.scheduler` (2.19), and `Scraper.start_itemproc_async` (2.14) for articles that are settled late;
- `SpiderLoaderProtocol`: `load` and `list` add spiders;
- the signal `request_reached_downloader` comes when a request has its download slot, before the slot's delay counts.
"""

import logging
from contextlib import suppress
from operator import attrgetter
from time import monotonic
from typing import Any

import scrapy
from scrapy import Request
from scrapy.core.downloader import Slot, contextfactory
from scrapy.core.downloader.handlers import http11
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares import cookies
from scrapy.extensions.throttle import AutoThrottle
from tldextract import TLDExtract

from newsextract.crawl.certificates import VerifyingCreator
from newsextract.crawl.failures import RequestNotSent

logger = logging.getLogger(__name__)

#: Bytes of a response's headers, as in Chromium.
MAX_HEADER_BYTES = 256 * 1024
#: Seconds between two requests from which on Scrapy looks at `lastseen`.
SHORTEST_DELAY = 0.001
#: Splits host names by the packaged public suffix list, including private suffixes (github.io). Scrapy's own downloads
#: a list with the first cookie: in the event loop, without a timeout, past the address guard.
split_domain = TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
if hasattr(cookies, "_split_domain"):
    cookies._split_domain = split_domain
#: Attributes that are used here, by object, and why. Paths begin at the object.
NEEDED: dict[str, dict[str, str]] = {
    "crawler": {"engine.downloader.slots": "to keep a Crawl-delay and a Retry-After"},
    "download slot": {
        "concurrency": "to ask a site with a Crawl-delay for one page at a time",
        "delay": "to keep a Crawl-delay",
        "jitter": "to keep a Crawl-delay, which no random factor may shorten",
        "lastseen": "to keep a Retry-After",
    },
}
#: The same, of those that a crawl can do without; the functions that use them then do nothing.
OPTIONAL: dict[str, dict[str, str]] = {
    "crawler": {
        "engine._slot.nextcall.schedule": "to look for requests as soon as the database has some, not 5 s later",
        "engine._slot.closing": "to stop working as soon as the crawl is ending",
        "engine._slot.inprogress.clear": "to close without waiting for the slowest download",
        "engine._slot._maybe_fire_closing": "to close without waiting for the slowest download",
        "engine.scraper.slot.closing": "to close when the last item did not come with a response",
        "engine.scraper.slot.is_idle": "to tell a site that doesn't answer from a crawl that is busy with its pages",
        "engine.scraper._check_if_closing": "to close when the last item did not come with a response",
        "engine.downloader.active": "to show how many requests are under way",
    },
    "download slot": {
        "active": "to share the crawl fairly among sites",
        "queue": "to drop what is queued when the crawl is told to stop",
    },
    "throttle": {"_adjust_delay": "to shorten the delay of a site that answers quickly that nothing has changed"},
    "cookies module": {"_split_domain": "to read the packaged public suffix list, where Scrapy downloads one"},
    "certificate policy": {"_ScrapyClientContextFactory.creatorForNetloc": "to say what is wrong with a certificate"},
    "download handler": {"_LenientHTTPClientParser.lineReceived": "to end a response whose headers never end"},
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


with suppress(AttributeError):
    bound_headers(http11._LenientHTTPClientParser)


def explain_certificates(policy: Any) -> None:
    """Makes connections fail with a clause about the certificate; `policy`: Scrapy's class for TLS connections."""
    create = policy.creatorForNetloc

    def create_verifying(self: Any, hostname: bytes, port: int) -> Any:
        creator = create(self, hostname, port)
        if not getattr(self, "_verify_certificates", False):
            return creator
        return VerifyingCreator(creator, hostname.decode("ascii"))

    policy.creatorForNetloc = create_verifying


with suppress(AttributeError):
    explain_certificates(contextfactory._ScrapyClientContextFactory)


def check_scrapy(crawler: Crawler) -> str | None:
    """Why newsextract can't run on this Scrapy, in one sentence, or None; logs what it does without.

    Call it once the spider is open.
    """
    subjects: dict[str, object] = {
        "crawler": crawler,
        "download slot": Slot(1, 0.0, 0.0),
        "throttle": AutoThrottle,
        "cookies module": cookies,
        "certificate policy": contextfactory,
        "download handler": http11,
    }
    changed, refused = (
        [
            f"Scrapy changed {path} of its {subject}, which newsextract {verb} {reason}"
            for subject, paths in table.items()
            for path, reason in paths.items()
            if not _has(subjects[subject], path)
        ]
        for table, verb in ((OPTIONAL, "used"), (NEEDED, "needs"))
    )
    for sentence in changed:
        logger.warning("%s", sentence)
    if not refused:
        return None
    more = f" (and {len(refused) - 1} more changes)" if len(refused) > 1 else ""
    return f"newsextract does not work with Scrapy {scrapy.__version__}: {refused[0]}{more}"


def wake_engine(crawler: Crawler) -> None:
    """Makes the engine ask the scheduler for requests now, not only after a response or after 5 s."""
    if not is_closing(crawler):
        with suppress(AttributeError):
            slot: Any = crawler.engine._slot
            slot.nextcall.schedule()


def is_closing(crawler: Crawler) -> bool:
    """Whether the spider is being closed, or isn't open."""
    engine = crawler.engine
    slot: Any = getattr(engine, "_slot", None)
    if hasattr(slot, "closing"):
        return engine.spider is None or slot.closing is not None
    return engine.spider is None or not crawler.crawling  # which is False in `scrapy shell`, too


def abandon_downloads(crawler: Crawler) -> None:
    """Ends a closing engine's wait for running downloads."""
    with suppress(AttributeError):  # the engine has no slot once it is closed
        slot: Any = crawler.engine._slot
        finish = slot._maybe_fire_closing
        if slot.closing is not None and not slot.closing.called:
            slot.inprogress.clear()
            finish()
            slot.inprogress = _AbandonedRequests()


def fail_queued_downloads(crawler: Crawler) -> None:
    """Fails queued requests of a closing crawl with RequestNotSent: their turn may be minutes away."""
    if is_closing(crawler):
        for slot in [*crawler.engine.downloader.slots.values()]:
            queue = getattr(slot, "queue", [])
            queued = [*queue]
            queue.clear()
            for _, deferred in queued:
                deferred.errback(RequestNotSent("the crawl is stopping"))


def is_only_scraping(crawler: Crawler) -> bool:
    """Whether pages are in the spider or the item pipelines, and none is being requested."""
    with suppress(AttributeError, RuntimeError):  # RuntimeError: the crawl hasn't begun, or failed to
        slot = crawler.engine.scraper.slot
        return slot is not None and not slot.is_idle() and not crawler.engine.downloader.active
    return False


def check_scraper_idle(crawler: Crawler) -> None:
    """Lets a closing scraper notice that its pipelines are empty, for which Scrapy looks only after a response.

    For an item that didn't come from one (settled late, or of an archive), the crawl would wait forever.
    """
    with suppress(AttributeError):  # the scraper has no slot before it is open
        scraper: Any = crawler.engine.scraper
        if scraper.slot.closing is not None and not scraper.slot.closing.called:
            scraper._check_if_closing()


def count_downloads(crawler: Crawler, site: str) -> tuple[int, int | None]:
    """Requests in a site's download slot, and how many it may process at a time; 0 and None if it has no slot."""
    slot = crawler.engine.downloader.slots.get(site)
    return (0, None) if slot is None else (len(getattr(slot, "active", ())), slot.concurrency)


def count_pending_requests(crawler: Crawler) -> int:
    """Requests that the scheduler holds in memory, and those in progress."""
    scheduler: Any = crawler.engine.scheduler
    scheduled = len(scheduler) if hasattr(scheduler, "__len__") else 0
    return scheduled + len(getattr(crawler.engine.downloader, "active", ()))


def set_pace(crawler: Crawler, request: Request, delay: float, concurrency: int) -> None:
    """Makes the requests in this one's download slot `delay` seconds apart, that many at a time, without AutoThrottle.

    Call it for each request on the signal `request_reached_downloader`: Scrapy forgets slots that are not used.
    """
    slot = crawler.engine.downloader.slots[request.meta["download_slot"]]
    slot.delay, slot.jitter, slot.concurrency = delay, 0.0, concurrency
    request.meta["autothrottle_dont_adjust_delay"] = True


def hold_back_site(crawler: Crawler, site: str, seconds: float) -> None:
    """Sends no requests to a site for that many seconds; after them, its delay counts as after a request."""
    slot = crawler.engine.downloader.slots.get(site)
    if slot is not None:
        slot.lastseen, slot.delay = monotonic() + seconds, slot.delay or SHORTEST_DELAY


class _AbandonedRequests(set[Request]):
    """Replaces the set of running requests: never empty, so that their ends don't close the crawl again."""

    def __bool__(self) -> bool:
        return True

    def remove(self, request: Request) -> None:
        self.discard(request)


def _has(subject: object, path: str) -> bool:
    with suppress(AttributeError):
        attrgetter(path)(subject)
        return True
    return False
