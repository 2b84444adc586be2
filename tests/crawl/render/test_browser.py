"""The browser of a crawl has no network: nothing that a page tries in it arrives, even where nobody answers for it."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from newsextract.crawl.render.programs import find_browser
from tests.crawl.render.attacks import Listeners, attack_page, listeners

pytestmark = pytest.mark.browser

SPELLINGS = ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "127.1", "0.0.0.0", "a.localhost")


async def attack(browser: Any, there: Listeners, seconds: float = 5, until: Callable[[], bool] = bool) -> None:
    """Opens the page, whose requests go to the network, for so long, or until the condition holds."""
    from newsextract.crawl.render.browser import CONTEXT_OPTIONS

    page = attack_page(there, [f"{host}:{there.port}" for host in SPELLINGS], leaves_after=int(seconds * 1000) - 1000)

    async def answer(route: Any) -> None:
        if route.request.url == "http://localhost:1/":
            await route.fulfill(content_type="text/html", body=page)
        else:
            await route.continue_()

    context = await browser.new_context(**CONTEXT_OPTIONS)
    await context.grant_permissions(["local-network-access"])  # chromium's own protection is not what is tested
    tab = await context.new_page()
    await tab.route("**", answer)
    await tab.goto("http://localhost:1/", wait_until="commit")
    end = time.monotonic() + seconds
    while time.monotonic() < end and not until():
        await tab.wait_for_timeout(200)
    await context.close()


def have_arrived(there: Listeners) -> bool:
    """Whether more than ten requests came, and some in each way."""
    there.receive()
    arrived = b"\n".join(there.arrived)
    ways = (b"/fetch", b"/frame", b"/image", b"/worker", b"Upgrade: websocket", b"UDP")
    return arrived.count(b"TCP GET") > 10 and all(way in arrived for way in ways)


def test_nothing_that_a_page_tries_leaves_the_browser():
    from scrapy_playwright.handler import Config  # with it comes what is an extra

    from newsextract.crawl.render.browser import IsolatedBrowserProvider

    async def run(there: Listeners) -> None:
        provider = IsolatedBrowserProvider(Config.from_settings(get_crawler().settings), find_browser())
        await provider.start()
        browser = await provider.launch_browser()
        await attack(browser, there)
        await browser.close()
        await provider.close()

    with listeners() as there:
        asyncio.run(run(there))
    assert there.arrived == []


def test_the_same_page_reaches_out_of_an_ordinary_browser():
    from playwright.async_api import async_playwright

    async def run(there: Listeners) -> None:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=find_browser(), chromium_sandbox=False)
            await attack(browser, there, 120, lambda: have_arrived(there))
            await browser.close()

    with listeners() as there:
        asyncio.run(run(there))
        assert have_arrived(there), there.arrived
