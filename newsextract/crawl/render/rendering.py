"""One page rendered by the browser: its requests are answered by the crawl, and its HTML is taken when it is quiet.

The page itself was fetched by the crawl already, and is given to the browser as it came. Its scripts, and what they
fetch, are requests of Scrapy's downloader: the scope (`hosts`), robots.txt, redirects hop by hop, the address guard,
limits of size and time hold for them as for any other. Style sheets are answered empty, since scripts wait for them;
images, fonts, media, frames and all else are not loaded. The page can't leave its address.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Page, Request, Route
from playwright.async_api import Error as PlaywrightError

from newsextract.crawl.render.browser import REMOVED_INTERFACES
from newsextract.items import FetchedPage

logger = logging.getLogger(__name__)

#: Kinds of requests that are made for a page, and their methods.
FETCHED_TYPES = frozenset({"script", "xhr", "fetch"})
METHODS = frozenset({"GET", "HEAD", "POST"})
#: Headers of the browser's request that the crawl's request has too; the crawl adds its own, and its cookies.
KEPT_HEADERS = frozenset({"accept", "accept-language", "content-type", "authorization", "origin", "referer"})
#: Headers of an answer that describe how it was sent, and cookies, which the crawl keeps.
TRANSFER_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"})
#: Seconds without a request until a page counts as rendered; until one without text does; between two looks.
QUIET, WAIT_SECONDS, STEP = 0.25, 2.5, 0.05
#: Characters of visible text from which on a page has some.
SOME_TEXT = 250
#: Seconds for the page to say that it is idle, and to hand over its HTML.
IDLE_TIME, HTML_TIME = 0.5, 5.0
#: Run in a world of their own, where the page's scripts can't have changed what the names mean.
VISIBLE_TEXT = """new Promise(done => requestIdleCallback(
    () => done((document.body ? document.body.innerText : "").trim().length), {timeout: 400}))"""
HTML = """(() => {
    const html = (document.doctype ? "<!DOCTYPE html>" : "") + (document.documentElement?.outerHTML ?? "");
    return html.length > %d ? null : html.toWellFormed();
})()"""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a request of a page got."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Budget:
    """What a page may still load. `seconds`: from when its tab is there, not while the browser starts."""

    requests: int
    size: int
    seconds: float
    deadline: float = inf

    def begin(self) -> None:
        """From now on the time counts."""
        self.deadline = monotonic() + self.seconds


#: Makes a request of a page: URL, method, headers, body, kind. None where it is refused or fails.
Fetch = Callable[[str, str, dict[str, str], bytes | None, str], Awaitable[Reply | None]]


@dataclass
class Rendering:
    """A page being rendered. `prepare` and `render` are called by scrapy-playwright, in the event loop of the browser.

    `fetch` runs in the crawl's `loop`, which is another one on Windows. `html` is None until the page is rendered;
    `too_large` where its HTML has more than `max_characters`.
    """

    page: FetchedPage
    fetch: Fetch
    loop: asyncio.AbstractEventLoop
    budget: Budget
    max_characters: int
    html: str | None = None
    too_large: bool = False
    _context: BrowserContext | None = None
    _browser_loop: asyncio.AbstractEventLoop | None = None
    _given: bool = False
    _under_way: int = 0
    _last_request: float = field(default_factory=monotonic)

    async def prepare(self, tab: Page, request: object) -> None:
        """Takes over all requests of a new tab, before it goes anywhere."""
        self.budget.begin()
        self._browser_loop = asyncio.get_running_loop()
        self._context = tab.context
        tab.context.on("page", _close_popup)
        await tab.add_init_script(REMOVED_INTERFACES)
        await tab.route("**", self.answer)

    async def answer(self, route: Route) -> None:
        """Answers one request of the page; whatever goes wrong, the request fails and nothing else."""
        self._under_way += 1
        try:
            with suppress(PlaywrightError):  # the page has gone meanwhile
                await self._answer(route, route.request)
        finally:
            self._under_way -= 1
            self._last_request = monotonic()

    async def _answer(self, route: Route, request: Request) -> None:
        kind = request.resource_type
        if kind == "document" and not self._given:
            self._given = True
            charset = f"; charset={self.page.encoding}" if self.page.encoding else ""
            await route.fulfill(status=200, content_type=f"text/html{charset}", body=self.page.body)
        elif kind == "stylesheet":
            await route.fulfill(status=200, content_type="text/css", body="")
        elif kind in FETCHED_TYPES and request.method in METHODS and request.url.startswith(("http:", "https:")):
            headers = {name: value for name, value in request.headers.items() if name in KEPT_HEADERS}
            coroutine = self.fetch(request.url, request.method, headers, request.post_data_buffer, kind)
            reply = await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_run(coroutine), self.loop))
            if reply is None:
                await route.abort()
            else:
                await route.fulfill(status=reply.status, headers=reply.headers, body=reply.body)
        else:  # "aborted": a navigation that is refused leaves the page as it is, in place of an error page
            await route.abort("aborted")

    async def render(self, tab: Page) -> None:
        """Waits until the page is quiet, and takes its HTML."""
        session = await tab.context.new_cdp_session(tab)
        await self._wait_until_quiet(session)
        await session.send("Emulation.setScriptExecutionDisabled", {"value": True})
        html = await asyncio.wait_for(_evaluate(session, HTML % self.max_characters), HTML_TIME)
        self.html, self.too_large = html, html is None
        await tab.goto("about:blank", wait_until="commit")

    async def _wait_until_quiet(self, session: CDPSession) -> None:
        """Returns when no request has been under way for QUIET seconds and there is text, or at the deadline."""
        begun = monotonic()
        while (now := monotonic()) < self.budget.deadline:
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


async def _evaluate(session: CDPSession, expression: str) -> Any:
    """The value of an expression in the page, in a world that its scripts don't reach."""
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


async def _run(awaitable: Awaitable[Reply | None]) -> Reply | None:
    return await awaitable
