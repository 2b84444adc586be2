"""The browser of a crawl: a chromium with no way out.

It is started with a proxy that accepts no connection, for all addresses, and without names: no script, redirect, frame,
worker, WebSocket, WebRTC or prefetch of a page reaches anything. What a page may load is given to it by
`renderer.Rendering`; the browser itself fetches nothing.
"""

import logging
import os
import socket
from typing import Any

from playwright.async_api import Browser, BrowserContext
from playwright.async_api import Error as PlaywrightError
from scrapy.exceptions import NotSupported
from scrapy_playwright.handler import Config
from scrapy_playwright.provider import PlaywrightBrowserProvider

from newsextract.errors import BrowserUnusable

logger = logging.getLogger(__name__)

#: Flags of chromium, each for a way in which it could send something around the proxy, or on its own account.
FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name and no address is resolved, so none is looked up
    "--proxy-bypass-list=<-loopback>",  # this machine and link-local addresses aren't exceptions
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--no-pings",
    "--block-new-web-contents",  # window.open
    "--disable-background-networking",
    "--disable-domain-reliability",
    "--disable-sync",
    "--js-flags=--max-old-space-size=512",  # MB of a page's scripts
)
#: Interfaces that a page does not need to be read, and that use the network in ways of their own. Scripts that measure
#: make peer connections unasked, and would throw without them: these are there, and do nothing.
REMOVED_INTERFACES = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCIceTransport", "WebTransport",
                    "WebSocketStream", "SharedWorker", "TCPSocket", "UDPSocket", "PresentationRequest"]) {
    try { delete globalThis[name]; } catch {}
}
const idle = () => Object.assign(new Promise(() => {}), new EventTarget());
globalThis.RTCPeerConnection = globalThis.webkitRTCPeerConnection = function () {
    const methods = new Proxy({}, {get: (_, name) => name === "then" ? undefined : idle});
    return Object.setPrototypeOf({}, methods);
};
"""
#: Options of every browser context. A tall window, so that what is rendered when it comes into view is.
CONTEXT_OPTIONS: dict[str, Any] = {
    "service_workers": "block",
    "accept_downloads": False,
    "viewport": {"width": 1280, "height": 4000},
}


class IsolatedBrowserProvider(PlaywrightBrowserProvider):  # type: ignore[misc]  # the package has no types
    """Starts chromium without network. `program`: its path; None for the one that playwright has downloaded.

    The PLAYWRIGHT_ settings for launching are not read: they could give the browser a network.
    """

    def __init__(self, config: Config, program: str | None) -> None:
        super().__init__(config)
        self.program = program
        #: Bound, and never listening: connections are refused, and nobody else can take the port.
        self.nowhere = socket.socket()
        self.nowhere.bind(("127.0.0.1", 0))

    async def launch_browser(self) -> Browser:
        """Raises BrowserUnusable with what chromium says."""
        assert self.playwright is not None, "start() comes first"
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        if is_root:
            logger.warning(
                "The browser runs without its sandbox, because Chromium has no sandbox for root; use another user"
            )
        try:
            browser: Browser = await self.playwright.chromium.launch(
                executable_path=self.program,
                args=[*FLAGS],
                proxy={"server": "http://{}:{}".format(*self.nowhere.getsockname()), "bypass": "<-loopback>"},
                chromium_sandbox=not is_root,
                handle_sigint=False,  # the crawl ends it
                handle_sigterm=False,
                handle_sighup=False,
            )
        except PlaywrightError as error:
            line = next((line for line in error.message.splitlines() if line.strip()), "no reason given")
            raise BrowserUnusable(f"the browser could not be started: {line.strip()[:300]}") from error
        return browser

    async def launch_persistent_context(self, context_kwargs: dict[str, Any]) -> BrowserContext:
        """Refused: such a context is a browser with options of its own."""
        raise NotSupported("the browser of a crawl keeps no profile")

    async def close(self) -> None:
        self.nowhere.close()
        await super().close()
