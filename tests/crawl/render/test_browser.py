"""The browser of a crawl has no network: nothing that a page tries in it arrives, even where nobody answers for it."""

import asyncio
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from newsextract.crawl.render.programs import find_browser
from tests.crawl.render.attacks import Listeners, attack_page, listeners

pytestmark = pytest.mark.browser

SPELLINGS = ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "127.1", "0.0.0.0", "a.localhost")


async def attack(browser: Any, there: Listeners) -> None:
    """Opens the page, whose requests go to the network."""
    from newsextract.crawl.render.browser import CONTEXT_OPTIONS

    page = attack_page(there, [f"{host}:{there.port}" for host in SPELLINGS], leaves_after=6_000)

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
    await tab.wait_for_timeout(7_000)
    await context.close()


def test_nothing_that_a_page_tries_leaves_the_browser() -> None:
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


def test_the_same_page_reaches_out_of_an_ordinary_browser() -> None:
    from playwright.async_api import async_playwright

    async def run(there: Listeners) -> None:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=find_browser(), chromium_sandbox=False)
            await attack(browser, there)
            await browser.close()

    with listeners() as there:
        asyncio.run(run(there))
    arrived = b"\n".join(there.arrived)
    assert arrived.count(b"TCP GET") > 10
    for way in (b"/fetch", b"/frame", b"/image", b"/worker", b"Upgrade: websocket", b"UDP"):
        assert way in arrived, way
