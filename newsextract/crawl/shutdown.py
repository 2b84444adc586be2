"""What a crawl does when it is told to stop: it finishes what it can within a few seconds, and gives back the rest.

Scrapy waits for everything that is under way, up to the time-out of the slowest page; who stops a service does not, and
kills it after ten seconds.
"""

import asyncio
import logging
import os
import signal
import threading
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from newsextract.crawl.context import Workshop
from newsextract.crawl.engine import drop_waiting, is_closing, let_go_of_downloads, see_whether_items_are_done
from newsextract.crawl.summary import exit_status
from newsextract.errors import NewsextractError

logger = logging.getLogger(__name__)

#: Seconds for the crawl to begin its end, for downloads, then for pages that are being read; in all under 8.
CLOSING = 0.1
DOWNLOADS = 3.0
PAGES = 1.5
LAST = 1.0
#: Seconds for the summary; then the process goes, since Python would wait for threads that have not ended.
WORDS = 0.5
#: Seconds between two looks at whether a closing crawl is done.
LOOK = 0.25
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stopping:
    """Extension. Looks after SIGTERM and SIGINT beside Scrapy's own handlers, and after every other end."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.loop: asyncio.AbstractEventLoop | None = None
        self.under_way: asyncio.Task[None] | None = None
        self.looking: asyncio.Task[None] | None = None
        self.closed = False
        crawler.signals.connect(self.opened, signal=signals.spider_opened)
        crawler.signals.connect(self.has_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Stopping":
        return cls(crawler)

    def opened(self) -> None:
        """Puts itself before the handlers that are there by now."""
        self.loop = asyncio.get_running_loop()
        self.looking = asyncio.ensure_future(self._look())
        for number in SIGNALS:
            before = signal.getsignal(number)
            if callable(before):
                signal.signal(number, self._handler(before))

    def has_closed(self) -> None:
        """The crawl ended by itself."""
        self.closed = True
        if self.looking is not None:
            self.looking.cancel()

    async def _look(self) -> None:
        while not self.closed:
            await asyncio.sleep(LOOK)
            see_whether_items_are_done(self.crawler)

    def _handler(self, before: Any) -> Any:
        def told(number: int, frame: FrameType | None) -> None:
            if self.loop is not None and not self.loop.is_closed():
                self.loop.call_soon_threadsafe(self._begin)
            before(number, frame)

        return told

    def _begin(self) -> None:
        if self.under_way is None and not self.closed:
            self.under_way = asyncio.ensure_future(self._hurry())

    async def _hurry(self) -> None:
        """Lets Scrapy end by itself for a while; then downloads are let go of, and pages that are still read."""
        workshop = Workshop.of(self.crawler)
        await asyncio.sleep(CLOSING)
        drop_waiting(self.crawler)
        await asyncio.sleep(DOWNLOADS)
        if is_closing(self.crawler):
            workshop.ledger.stopping = True
            let_go_of_downloads(self.crawler)
        await asyncio.sleep(PAGES)
        workshop.pool.end_now()
        await asyncio.sleep(LAST)
        if not self.closed:
            await self._end(workshop)

    async def _end(self, workshop: Workshop) -> None:
        """Does what the closing would, and leaves the event loop: something in it waits for what does not come."""
        logger.warning("The crawl did not close in time; it is left as it is, and goes on where it was")
        workshop.ledger.stopping = True
        with suppress(NewsextractError):
            await asyncio.wait_for(workshop.storehouse.call("close"), 1)
        workshop.ledger.closed = True
        self.crawler.stats.set_value("finish_reason", "shutdown")
        await workshop.storehouse.close("shutdown")
        reactor: Any = import_module("twisted.internet.reactor")
        reactor.crash()
        leaving = threading.Timer(WORDS, os._exit, [exit_status(self.crawler)])
        leaving.daemon = True  # else it would be waited for, too
        leaving.start()
