"""Renders pages of a crawl in a browser: when, how many at a time, within which limits; and the requests they make.

The crawl has fetched a page and hands it to the browser. The page's scripts, and what they fetch, are requests of
Scrapy's downloader, under the same rules as any other: scope (`hosts`), robots.txt, redirects hop by hop, address
guard, limits of size and time. Style sheets are answered empty, because scripts wait for them; images, fonts, media,
frames and the rest are not loaded. The page can't navigate away.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from time import monotonic
from typing import Any
from uuid import uuid4

from playwright.async_api import BrowserContext, CDPSession, Page, Route
from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from newsextract.crawl.abort import abort_crawl
from newsextract.crawl.component import connect_signals
from newsextract.crawl.engine import set_pace
from newsextract.crawl.failures import describe_failure
from newsextract.crawl.render.browser import CONTEXT_OPTIONS, REMOVED_INTERFACES, IsolatedBrowserProvider
from newsextract.crawl.render.programs import find_browser
from newsextract.crawl.security import why_not_in_force
from newsextract.errors import BrowserUnusable
from newsextract.health.counts import CrawlCounts
from newsextract.items import FetchedPage
from newsextract.urls import site_of
from newsextract.workers.messages import PageCache

logger = logging.getLogger(__name__)

#: Pages rendered at a time, and requests that a browser makes to one host at a time.
TABS = 3
SUBRESOURCES = 6
#: Seconds beyond a page's limit until its HTML must be there.
GRACE = 8.0
#: Bytes of cached scripts, least recently used removed first: pages of a site load the same ones.
CACHE_BYTES = 32 * 1024 * 1024
#: Kinds of requests that are made for a page, and their methods.
FETCHED_TYPES = frozenset({"script", "xhr", "fetch"})
METHODS = frozenset({"GET", "HEAD", "POST"})
#: Headers of the browser's request that the crawl's request copies; the crawl adds its own headers and cookies.
KEPT_HEADERS = frozenset({"accept", "accept-language", "content-type", "authorization", "origin", "referer"})
#: Headers of a response that describe its transfer, and cookies, which the crawl keeps.
TRANSFER_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"})
#: Seconds without a request until a page counts as rendered; until one without text does; between two checks.
QUIET = 0.25
WAIT_SECONDS = 2.5
STEP = 0.05
#: Characters of visible text from which on a page has text.
SOME_TEXT = 250
#: Seconds for the page to report that it is idle, and to return its HTML.
IDLE_TIME = 0.5
HTML_TIME = 5.0
#: Run in an isolated world, where the page's scripts can't have changed what the names mean.
VISIBLE_TEXT = """new Promise(done => requestIdleCallback(
    () => done((document.body ? document.body.innerText : "").trim().length), {timeout: 400}))"""
HTML = """(() => {
    const html = (document.doctype ? "<!DOCTYPE html>" : "") + (document.documentElement?.outerHTML ?? "");
    return html.length > %d ? null : html.toWellFormed();
})()"""


class Renderer:
    """Renders pages of one crawl. Create it before the engine starts: the browser's driver starts with it."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler, self.counts = crawler, CrawlCounts(crawler.stats)
        self.timeout = settings.getfloat("NEWSEXTRACT_RENDER_TIMEOUT")
        self.max_requests = settings.getint("NEWSEXTRACT_RENDER_MAX_REQUESTS")
        self.max_size = settings.getint("NEWSEXTRACT_RENDER_MAXSIZE")
        self.tabs, self.waiting = asyncio.Semaphore(TABS), 0
        self.under_way: set[asyncio.Timeout] = set()
        self.stopping = False
        self.scripts = PageCache[Response](CACHE_BYTES)
        logging.getLogger("scrapy-playwright").setLevel(logging.CRITICAL)  # it logs a traceback for each failed page
        connect_signals(crawler, self, ("request_reached_downloader",))
        self.handler = ScrapyPlaywrightDownloadHandler(crawler)
        program = find_browser(settings["NEWSEXTRACT_RENDER_BROWSER"])
        self.handler.browser_provider_cls = partial(IsolatedBrowserProvider, program=program)

    def request_reached_downloader(self, request: Request) -> None:
        """Loads what a page loads as a browser does: without a delay, several at a time."""
        if "subresource_of" in request.meta:
            set_pace(self.crawler, request, 0.0, SUBRESOURCES)

    @property
    def is_full(self) -> bool:
        """Whether so many pages wait for the browser that fetching should pause."""
        return self.waiting >= 3 * TABS

    def end_now(self) -> None:
        """Ends all rendering when the crawl has to stop: the pages stay as they came."""
        self.stopping = True
        for timeout in self.under_way:
            timeout.reschedule(0)

    async def render(self, page: FetchedPage) -> FetchedPage | None:
        """The page with the rendered HTML; None if the limits are exceeded."""
        self.waiting += 1
        try:
            async with self.tabs:
                if self.stopping:
                    return None
                if reason := why_not_in_force(self.crawler):  # in a project with other middlewares
                    raise RenderFailed("unguarded", reason)
                html = await self._render_page(page)
        except BrowserUnusable as error:
            abort_crawl(self.crawler, "browser", str(error))
            return None
        except RenderFailed as error:
            self.counts.not_rendered[error.reason] += 1
            logger.info("%s could not be rendered: %s", page.url, error)
            return None
        finally:
            self.waiting -= 1
        self.counts.rendered += 1
        return replace(
            page,
            body=html.encode("utf-8", "replace"),
            encoding="utf-8",
            rendered=True,
            etag=None,  # the page can change while its frame doesn't
            last_modified=None,
            id=uuid4().hex,  # workers keep the original page under the old one
        )

    async def close(self) -> None:
        await self.handler.close()

    async def _render_page(self, page: FetchedPage) -> str:
        """The HTML of a rendered page. Raises RenderFailed, BrowserUnusable."""
        rendering = Rendering(self, page, self.max_requests, self.max_size)
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
        except (BrowserUnusable, RenderFailed):
            raise
        except TimeoutError as error:
            if rendering.html is None:
                raise RenderFailed("timeout", f"it kept the browser busy for {self.timeout + GRACE:g} s") from error
        except Exception as error:  # any error of the browser or its driver
            if rendering.html is None:
                raise RenderFailed("error", f"{type(error).__name__}: {str(error)[:200]}") from error
        finally:
            self.under_way.discard(timeout)
            await rendering.close()
        assert rendering.html is not None, "otherwise there was an error"
        return rendering.html


@dataclass
class Rendering:
    """A page being rendered. scrapy-playwright calls `prepare` and `render`, in the browser's event loop.

    `fetch` runs in the crawl's `loop`, which is a different one on Windows. `requests`, `size`, `deadline`: what the
    page may still load, and until when, from the moment its tab is there. `html` is None until the page is rendered.
    """

    renderer: "Renderer"
    page: FetchedPage
    requests: int
    size: int
    deadline: float = inf
    html: str | None = None
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _context: BrowserContext | None = None
    _browser_loop: asyncio.AbstractEventLoop | None = None
    _given: bool = False
    _under_way: int = 0
    _last_request: float = field(default_factory=monotonic)

    async def prepare(self, tab: Page, request: object) -> None:
        """Takes over all requests of a new tab, before it navigates."""
        self.deadline = monotonic() + self.renderer.timeout
        self._browser_loop = asyncio.get_running_loop()
        self._context = tab.context
        tab.context.on("page", _close_popup)
        await tab.add_init_script(REMOVED_INTERFACES)
        await tab.route("**", self.answer)

    async def answer(self, route: Route) -> None:
        """Answers one request of the page; on any error, only that request fails."""
        self._under_way += 1
        try:
            with suppress(PlaywrightError):  # the page has been closed meanwhile
                await self._answer(route)
        finally:
            self._under_way -= 1
            self._last_request = monotonic()

    async def _answer(self, route: Route) -> None:
        request = route.request
        kind = request.resource_type
        if kind == "document" and not self._given:
            self._given = True
            charset = f"; charset={self.page.encoding}" if self.page.encoding else ""
            await route.fulfill(status=200, content_type=f"text/html{charset}", body=self.page.body)
        elif kind == "stylesheet":
            await route.fulfill(status=200, content_type="text/css", body="")
        elif kind in FETCHED_TYPES and request.method in METHODS and request.url.startswith(("http:", "https:")):
            headers = {name: value for name, value in request.headers.items() if name in KEPT_HEADERS}
            wanted = Request(request.url, method=request.method, headers=headers, body=request.post_data_buffer or b"")
            fetching = asyncio.run_coroutine_threadsafe(self.fetch(wanted, kind == "script"), self.loop)
            response = await asyncio.wrap_future(fetching)
            if response is None:
                await route.abort()
            else:
                await route.fulfill(status=response.status, headers=_headers(response), body=response.body)
        else:  # "aborted": a refused navigation leaves the page in place instead of showing an error page
            await route.abort("aborted")

    async def fetch(self, request: Request, is_script: bool) -> Response | None:
        """Makes a request of the page; None if it is refused or fails."""
        crawler, counts, scripts, url = self.renderer.crawler, self.renderer.counts, self.renderer.scripts, request.url
        is_script = is_script and request.method == "GET"
        if is_script and url in scripts:
            return scripts.get(url)
        seconds = self.deadline - monotonic()
        if self.requests <= 0 or self.size <= 0 or seconds <= 0:
            counts.render_over_limit += 1
            return None
        self.requests -= 1
        meta = {
            "subresource_of": self.page.url,
            "download_slot": f"{site_of(self.page.url)}/subresources",
            "download_timeout": seconds,
            "download_maxsize": self.size,
            "dont_retry": True,
        }
        counts.render_requests += 1
        try:
            response = await crawler.engine.download_async(request.replace(dont_filter=True, meta=meta))
        except Exception as error:  # refused, no connection, too large
            reason, clause = describe_failure(error, request)
            counts.render_not_loaded[reason] += 1
            logger.debug("%s, which %s loads, could not be fetched: %s", url, self.page.url, clause)
            return None
        self.size -= len(response.body)
        counts.render_bytes += len(response.body)
        if is_script and response.status == 200 and url not in scripts:
            scripts.put(url, response, len(response.body))
        return response

    async def render(self, tab: Page) -> None:
        """Waits until the page is quiet, and takes its HTML."""
        session = await tab.context.new_cdp_session(tab)
        await self._wait_until_quiet(session)
        await session.send("Emulation.setScriptExecutionDisabled", {"value": True})
        html = await asyncio.wait_for(_evaluate(session, HTML % self.renderer.max_size), HTML_TIME)
        if html is None:
            raise RenderFailed("too_large", "its HTML is larger than NEWSEXTRACT_RENDER_MAXSIZE")
        self.html = html
        await tab.goto("about:blank", wait_until="commit")

    async def _wait_until_quiet(self, session: CDPSession) -> None:
        """Returns at the deadline, or when there is text and no request has been running for QUIET seconds."""
        begun = monotonic()
        while (now := monotonic()) < self.deadline:
            if not self._under_way and now - self._last_request >= QUIET:
                text = 0
                with suppress(TimeoutError):
                    text = int(await asyncio.wait_for(_evaluate(session, VISIBLE_TEXT), IDLE_TIME) or 0)
                has_waited = text >= SOME_TEXT or now - max(begun, self._last_request) >= WAIT_SECONDS
                if has_waited and not self._under_way and monotonic() - self._last_request >= QUIET:
                    return
            await asyncio.sleep(STEP)

    async def close(self) -> None:
        """Closes the page's context, from the crawl's loop."""
        if self._context is not None and self._browser_loop is not None:
            with suppress(PlaywrightError, TimeoutError):
                closing = asyncio.run_coroutine_threadsafe(self._context.close(), self._browser_loop)
                await asyncio.wait_for(asyncio.wrap_future(closing), HTML_TIME)


class RenderFailed(Exception):
    """A page that can't be rendered; `reason` is one word, the message a clause about it."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


async def _evaluate(session: CDPSession, expression: str) -> Any:
    """The value of an expression in the page, in a world out of reach of its scripts."""
    tree = await session.send("Page.getFrameTree")
    world = await session.send("Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]})
    answer = await session.send(
        "Runtime.evaluate",
        {
            "expression": expression,
            "contextId": world["executionContextId"],
            "awaitPromise": True,
            "returnByValue": True,
        },
    )
    return answer["result"].get("value")


async def _close_popup(tab: Page) -> None:
    if await tab.opener() is not None:
        await tab.close()


def _headers(response: Response) -> dict[str, str]:
    """The headers of a response that describe its content, by lower-case name."""
    names = {name.decode("latin-1").lower(): values[-1] for name, values in response.headers.items() if values}
    return {name: value.decode("latin-1") for name, value in names.items() if name not in TRANSFER_HEADERS}
