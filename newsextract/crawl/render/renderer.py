"""Pages of a crawl rendered by a browser: when, how many at a time, within which limits; the requests they make."""

import asyncio
import logging
from functools import partial
from time import monotonic
from uuid import uuid4

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from newsextract.crawl.abort import abort_crawl
from newsextract.crawl.engine import subresource_slot
from newsextract.crawl.failures import describe_failure
from newsextract.crawl.render.browser import CONTEXT_OPTIONS, IsolatedBrowserProvider
from newsextract.crawl.render.programs import find_browser
from newsextract.crawl.render.rendering import TRANSFER_HEADERS, Budget, Rendering, Reply
from newsextract.crawl.security import why_not_in_force
from newsextract.errors import BrowserUnusable
from newsextract.items import FetchedPage
from newsextract.urls import site_of
from newsextract.workers.worker import PageCache

logger = logging.getLogger(__name__)

#: Pages of a crawl that are rendered at a time.
TABS = 3
#: Seconds that a page may take beyond its limit until its HTML is there.
GRACE = 8.0
#: Bytes of scripts that are kept, least recently used ones first out: pages of a site load the same ones.
CACHE_BYTES = 32 * 1024 * 1024
#: Prefix of the statistics.
STATS = "newsextract/render/"


class Renderer:
    """Draws pages of one crawl by a browser.

    Make it before the engine starts: the driver of the browser starts with it, the browser itself with the first page.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler, self.stats = crawler, crawler.stats
        self.timeout = settings.getfloat("NEWSEXTRACT_RENDER_TIMEOUT")
        self.max_requests = settings.getint("NEWSEXTRACT_RENDER_MAX_REQUESTS")
        self.max_size = settings.getint("NEWSEXTRACT_RENDER_MAXSIZE")
        self.tabs, self.waiting = asyncio.Semaphore(TABS), 0
        self.under_way: set[asyncio.Timeout] = set()
        self.stopping = False
        self.scripts = PageCache[Reply](CACHE_BYTES)
        logging.getLogger("scrapy-playwright").setLevel(logging.CRITICAL)  # it logs a traceback for each failed page
        self.handler = ScrapyPlaywrightDownloadHandler(crawler)
        program = find_browser(settings["NEWSEXTRACT_RENDER_BROWSER"])
        self.handler.browser_provider_cls = partial(IsolatedBrowserProvider, program=program)

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait for the browser that no further one should be fetched."""
        return self.waiting >= 3 * TABS

    def end_now(self) -> None:
        """Ends all rendering, in a crawl that was told to stop: the pages stay as they came."""
        self.stopping = True
        for timeout in self.under_way:
            timeout.reschedule(0)

    async def render(self, page: FetchedPage) -> bool:
        """Gives a page the HTML that its scripts make of it; False where they don't within the limits."""
        self.waiting += 1
        try:
            async with self.tabs:
                return not self.stopping and await self._render(page)
        finally:
            self.waiting -= 1

    async def _render(self, page: FetchedPage) -> bool:
        try:
            if reason := why_not_in_force(self.crawler):  # in a project with other middlewares
                raise RenderFailed("unguarded", reason)
            html = await self._render_page(page)
        except BrowserUnusable as error:
            abort_crawl(self.crawler, "browser", str(error))
            return False
        except RenderFailed as error:
            self.stats.inc_value(f"{STATS}failed/{error.reason}")
            logger.info("%s could not be rendered: %s", page.url, error)
            return False
        self.stats.inc_value(f"{STATS}pages")
        page.body, page.encoding, page.rendered = html.encode("utf-8", "replace"), "utf-8", True
        page.etag = page.last_modified = None
        page.id = uuid4().hex  # workers keep the page as it came under the old one
        return True

    async def close(self) -> None:
        await self.handler.close()

    async def _render_page(self, page: FetchedPage) -> str:
        """The HTML of a rendered page. Raises RenderFailed, BrowserUnusable."""
        budget = Budget(self.max_requests, self.max_size, self.timeout)
        fetch = partial(self._fetch, page, budget)
        rendering = Rendering(page, fetch, asyncio.get_running_loop(), budget, self.max_size)
        request = Request(
            page.url,
            meta={
                "playwright": True,
                "playwright_context": uuid4().hex,
                "playwright_context_kwargs": {**CONTEXT_OPTIONS, "user_agent": self.crawler.settings["USER_AGENT"]},
                "playwright_page_goto_kwargs": {"wait_until": "commit"},
                "playwright_page_init_callback": rendering.prepare,
                "playwright_page_methods": [PageMethod(rendering.render)],
            },
        )
        try:
            async with asyncio.timeout(self.timeout + GRACE) as timeout:
                self.under_way.add(timeout)
                await self.handler.download_request(request)
        except BrowserUnusable:
            raise
        except TimeoutError as error:
            if rendering.html is None:
                raise RenderFailed("timeout", f"it kept the browser busy for {self.timeout + GRACE:g} s") from error
        except Exception as error:  # whatever the browser or its driver says
            if rendering.html is None and not rendering.too_large:
                raise RenderFailed("error", f"{type(error).__name__}: {str(error)[:200]}") from error
        finally:
            self.under_way.discard(timeout)
            await rendering.close()
        if rendering.html is None:
            raise RenderFailed("too_large", "its HTML is larger than NEWSEXTRACT_RENDER_MAXSIZE")
        return rendering.html

    async def _fetch(
        self,
        page: FetchedPage,
        budget: Budget,
        url: str,
        method: str,
        headers: dict[str, str],
        body: bytes | None,
        kind: str,
    ) -> Reply | None:
        """Makes a request of a page (`rendering.Fetch`)."""
        is_script = kind == "script" and method == "GET"
        if is_script and url in self.scripts:
            return self.scripts.get(url)
        if budget.requests <= 0 or budget.size <= 0 or (seconds := budget.deadline - monotonic()) <= 0:
            self.stats.inc_value(f"{STATS}over_limit")
            return None
        budget.requests -= 1
        meta = {
            "subresource_of": page.url,
            "download_slot": subresource_slot(self.crawler, site_of(page.url)),
            "download_timeout": seconds,
            "download_maxsize": budget.size,
            "dont_retry": True,
            "autothrottle_dont_adjust_delay": True,
        }
        request = Request(url, method=method, headers=headers, body=body or b"", dont_filter=True, meta=meta)
        self.stats.inc_value(f"{STATS}requests")
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:  # refused, no connection, too large
            reason, clause = describe_failure(error, request)
            self.stats.inc_value(f"{STATS}not_loaded/{reason}")
            logger.debug("%s, which %s loads, could not be fetched: %s", url, page.url, clause)
            return None
        budget.size -= len(response.body)
        self.stats.inc_value(f"{STATS}bytes", len(response.body))
        reply = Reply(response.status, _headers(response, TRANSFER_HEADERS), response.body)
        if is_script and response.status == 200 and url not in self.scripts:
            self.scripts.put(url, reply, len(reply.body))
        return reply


class RenderFailed(Exception):
    """A page can't be rendered; `reason` is one word, the message a clause about it."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def _headers(response: Response, left_out: frozenset[str]) -> dict[str, str]:
    """The headers of a response by their names in lower case."""
    names = {name.decode("latin-1").lower(): values[-1] for name, values in response.headers.items() if values}
    return {name: value.decode("latin-1") for name, value in names.items() if name not in left_out}
