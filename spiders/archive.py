"""Pages of an archive: a WARC file, packed or not, or a folder of WARC files or saved pages. Nothing is fetched."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

from newsextract.spiders.arguments import Argument, day, pattern, positive
from newsextract.spiders.base import NewsSpider
from scrapy import signals
from scrapy.crawler import Crawler

from newsextract.discovery.archives import check_archive, read_archive
from newsextract.errors import ArchiveError

#: Pages that are in the pipelines at a time: enough to keep the workers busy, and memory flat on any archive.
IN_FLIGHT = 16


def archive(text: str) -> Path:
    """A path to something that can be read as an archive."""
    path = Path(text).expanduser()
    try:
        check_archive(path)
    except ArchiveError as error:
        raise ValueError(str(error)) from error
    return path


class ArchiveSpider(NewsSpider):
    """scrapy crawl archive -a path=pages.warc.gz"""

    name = "archive"
    takes: ClassVar[tuple[Argument, ...]] = (
        Argument("path", archive, required=True),
        Argument("max_pages", positive),
        Argument("allow", pattern),
        Argument("deny", pattern),
        Argument("since", day),
    )

    def __init__(self, name: str | None = None, **given: str) -> None:
        super().__init__(name, **given)
        self.room = asyncio.Semaphore(IN_FLIGHT)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "ArchiveSpider":
        spider = super().from_crawler(crawler, *args, **kwargs)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(spider.page_done, signal=signal)
        return spider

    def page_done(self) -> None:
        self.room.release()

    async def start(self) -> AsyncIterator[Any]:
        """Pages as they can be taken: Scrapy itself sets no limit to what this yields."""
        skipped: Counter[str] = Counter()
        pages = read_archive(self.values["path"], skipped)
        taken = 0
        try:
            while self.max_pages is None or taken < self.max_pages:
                await self.room.acquire()
                page = await asyncio.to_thread(next, pages, None)
                if page is None:
                    break
                if not self.wanted(page.url):
                    self.room.release()
                    continue
                taken += 1
                page.discovered_from = str(self.values["path"])
                yield page
        except ArchiveError as error:
            self.start_useless(str(self.values["path"]), str(error))
        for reason, number in skipped.items():
            self.crawler.stats.inc_value(f"newsextract/dropped/{reason}", number)
        if not taken:
            self.start_useless(str(self.values["path"]), "it holds no HTML page")
