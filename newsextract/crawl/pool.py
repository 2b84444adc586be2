"""Where extraction runs: off the event loop, so that fetching goes on while a page is read."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from newsextract.algorithms import make_extractor
from newsextract.extraction import extract_page
from newsextract.items import Article, FetchedPage


class ExtractionPool:
    """Extracts pages with one extractor. One thread: more would only take turns."""

    def __init__(self, extractor: str, options: dict[str, object]) -> None:
        """Raises UnknownExtractor or WrongOption."""
        self._extractor = make_extractor(extractor, options)
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="newsextract-extraction")

    async def extract(self, page: FetchedPage, peer: FetchedPage | None = None) -> Article:
        """The page's article. Raises PageError for what is no page."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, extract_page, page, self._extractor, peer)

    def close(self) -> None:
        """Ends the threads; what waits is given up."""
        self._threads.shutdown(wait=True, cancel_futures=True)
