"""The browser of a crawl: a Chromium with no network access.

All its connections go to a proxy that accepts none, and it resolves no names: no script, redirect, frame, worker,
WebSocket, WebRTC or prefetch reaches anything. `renderer.Rendering` gives it what a page may load; the browser itself
fetches nothing.
"""

import logging
import os
import socket
from importlib.resources import files
from typing import Any

from playwright.async_api import Browser, BrowserContext
from playwright.async_api import Error as PlaywrightError
from scrapy.exceptions import NotSupported
from scrapy_playwright.handler import Config
from scrapy_playwright.provider import PlaywrightBrowserProvider

from newsextract.crawl.render.programs import CHROMIUM
from newsextract.errors import BrowserUnusable

logger = logging.getLogger(__name__)

#: Interfaces that reading a page doesn't need, and that use the network in their own ways. Analytics scripts create
#: peer connections unasked and would throw without them: these exist and do nothing.
REMOVED_INTERFACES = files("newsextract.crawl.render").joinpath("removed_interfaces.js").read_text("utf-8")
#: Options of every browser context. The window is tall, so that content rendered on scrolling into view is there.
CONTEXT_OPTIONS: dict[str, Any] = {
    "service_workers": "block",
    "accept_downloads": False,
    "viewport": {"width": 1280, "height": 4000},
}


class IsolatedBrowserProvider(PlaywrightBrowserProvider):  # type: ignore[misc]  # the package has no types
    """Starts `program` (None: playwright's Chromium) without network; settings for launching are ignored."""

    def __init__(self, config: Config, program: str | None) -> None:
        super().__init__(config)
        self.program = program
        #: Bound but never listening: connections are refused, and nobody else can take the port.
        self.nowhere = socket.socket()
        self.nowhere.bind(("127.0.0.1", 0))

    async def launch_browser(self) -> Browser:
        """Raises BrowserUnusable with Chromium's message."""
        assert self.playwright is not None, "start() comes first"
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        if is_root:
            logger.warning(
                "The browser runs without its sandbox, because Chromium has no sandbox for root; use another user"
            )
        try:
            browser: Browser = await self.playwright.chromium.launch(
                executable_path=self.program,
                args=CHROMIUM["flags"],
                proxy={"server": "http://{}:{}".format(*self.nowhere.getsockname()), "bypass": "<-loopback>"},
                chromium_sandbox=not is_root,
                handle_sigint=False,  # the crawl ends the browser
                handle_sigterm=False,
                handle_sighup=False,
            )
        except PlaywrightError as error:
            line = next((line for line in error.message.splitlines() if line.strip()), "no reason given")
            raise BrowserUnusable(f"the browser could not be started: {line.strip()[:300]}") from error
        return browser

    async def launch_persistent_context(self, context_kwargs: dict[str, Any]) -> BrowserContext:
        """Refused: such a context would be a browser with its own options."""
        raise NotSupported("the browser of a crawl keeps no profile")

    async def close(self) -> None:
        self.nowhere.close()
        await super().close()
