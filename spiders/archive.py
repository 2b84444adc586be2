"""The spider `archive`: pages of a WARC file (gzipped or not), or of a folder of WARC files or saved pages.

Nothing is fetched.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from newsextract.errors import ArchiveError
from newsextract.items import FetchedPage
from newsextract.spiders.arguments import COMMON, Argument
from newsextract.spiders.base import NewsSpider
from newsextract.warc.archives import check_archive, read_archive

#: Pages in the pipelines at a time: enough to keep the workers busy, few enough to keep memory flat.
IN_FLIGHT = 16


def parse_archive_path(text: str) -> Path:
    """A path to something readable as an archive."""
    path = Path(text).expanduser()
    try:
        check_archive(path)
    except ArchiveError as error:
        raise ValueError(str(error)) from error
    return path


class ArchiveSpider(NewsSpider):
    """scrapy crawl archive -a path=pages.warc.gz"""

    name = "archive"
    SIGNALS = ("item_scraped", "item_dropped", "item_error")
    metadata: ClassVar[Mapping[str, object]] = {
        "title": "Saved pages",
        "description": "Pages of WARC files or of a folder; nothing is fetched.",
    }
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument(
            "path", parse_archive_path, required=True, help="A WARC file, or a folder of WARC files or saved pages."
        ),
        *COMMON,
    )

    def __init__(self, name: str | None = None, **given: str) -> None:
        super().__init__(name, **given)
        self.slots = asyncio.Semaphore(IN_FLIGHT)

    def page_done(self) -> None:
        """Frees the slot of a page whose item left the pipelines."""
        self.slots.release()

    item_scraped = item_dropped = item_error = page_done

    async def start(self) -> AsyncIterator[FetchedPage]:
        """Yields pages as slots become free, because Scrapy doesn't limit what `start` yields."""
        skipped: Counter[str] = Counter()
        pages = read_archive(self.values["path"], skipped)
        taken = 0
        try:
            while self.max_pages is None or taken < self.max_pages:
                await self.slots.acquire()
                page = await asyncio.to_thread(next, pages, None)
                if page is None:
                    break
                if self.left_out(page.url):
                    self.slots.release()
                    continue
                taken += 1
                yield replace(page, discovered_from=str(self.values["path"]))
        except ArchiveError as error:
            self.start_useless(str(self.values["path"]), str(error))
        for reason, number in skipped.items():
            self.counts.dropped[reason] += number
        if not taken:
            self.start_useless(str(self.values["path"]), "it has no HTML pages")
