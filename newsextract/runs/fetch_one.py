"""Fetches single pages by URL, under the address guard, robots.txt and limits of a crawl.

A process can run Scrapy only once, and a library must not start an event loop in its caller's process, so a child
process does the work: `python -m newsextract.runs.fetch_one SETTINGS URL…` (settings as JSON) writes the pages,
or errors, to stdout. Only the child imports Scrapy.
"""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from newsextract.errors import AddressRefused, NewsextractError, WrongCall
from newsextract.items import FetchedPage

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response
    from scrapy.settings import Settings
    from twisted.python.failure import Failure


#: Seconds for all pages; a page's own limit is DOWNLOAD_TIMEOUT, plus robots.txt and retries.
TIMEOUT = 300
#: Settings of crawls that only look at pages: no database, no kept pages.
STORE_NOTHING: dict[str, object] = {
    "ITEM_PIPELINES": {},
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "SPIDER_MIDDLEWARES": {},
    "NEWSEXTRACT_WORKERS": 0,
    "LOGSTATS_INTERVAL": 0,
}
#: What fetching single pages also goes without: the project's spiders, pauses and log.
FETCH_SETTINGS: dict[str, object] = {
    **STORE_NOTHING,
    "SPIDER_MODULES": [],
    "SPIDER_LOADER_CLASS": "scrapy.spiderloader.SpiderLoader",
    "COMMANDS_MODULE": "",
    "LOG_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
}


# ---- the caller's process --------------------------------------------------------------------------------------------


def fetch_pages(*urls: str, settings: Mapping[str, Any] | None = None) -> list[FetchedPage]:
    """The pages at these URLs, in order; a URL without scheme is tried as https.

    `settings`: crawl settings by name, as text or JSON values. Raises WrongCall for an invalid URL or setting,
    AddressRefused, and NewsextractError if robots.txt, an HTTP status, the network or a limit prevents the fetch. The
    environment variable NEWSEXTRACT_ALLOW_PRIVATE=1 allows private addresses, like the setting.
    """
    # -P: ignores a folder named newsextract in the current one
    command = [sys.executable, "-P", "-m", "newsextract.runs.fetch_one", json.dumps(dict(settings or {})), *urls]
    try:
        child = subprocess.run(command, stdout=subprocess.PIPE, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise NewsextractError(f"{' '.join(urls)}: no answer within {TIMEOUT} seconds") from None
    try:
        results: list[FetchedPage | NewsextractError] = pickle.loads(child.stdout)
    except (pickle.UnpicklingError, EOFError):
        message = f"{' '.join(urls)}: the process that fetches ended with status {child.returncode}"
        raise NewsextractError(message) from None
    for result in results:
        if isinstance(result, NewsextractError):
            raise result
    return [page for page in results if isinstance(page, FetchedPage)]


# ---- the child process -----------------------------------------------------------------------------------------------


def main(arguments: Sequence[str]) -> int:
    """Fetches the pages and writes them, or the reasons for failing; always returns 0."""
    from newsextract.spiders.arguments import parse_urls

    results: list[FetchedPage | NewsextractError]
    try:
        urls = [parse_urls(argument)[0] for argument in arguments[1:]]
        results = _crawl(urls, _settings(json.loads(arguments[0])))
    except (ValueError, WrongCall) as error:
        results = [WrongCall(str(error))]
    pickle.dump(results, sys.stdout.buffer)
    return 0


def _settings(overrides: Mapping[str, str]) -> "Settings":
    """The settings of a crawl that stores nothing, with the user's on top. Raises WrongSetting."""
    from scrapy.settings import Settings

    from newsextract.crawl.checks import check_settings

    settings = Settings()
    settings.setmodule("newsextract.settings", priority="project")
    allowed = os.environ.get("NEWSEXTRACT_ALLOW_PRIVATE") == "1"
    settings.setdict({"NEWSEXTRACT_ALLOW_PRIVATE": allowed, **overrides, **FETCH_SETTINGS}, priority="cmdline")
    check_settings(settings)
    return settings


def _crawl(urls: Sequence[str], settings: "Settings") -> list[FetchedPage | NewsextractError]:
    """The page of each URL, or the reason for having none, by a crawl that stores nothing."""
    from scrapy import Request
    from scrapy.crawler import AsyncCrawlerProcess

    from newsextract.health.counts import CrawlCounts
    from newsextract.spiders.base import NewsSpider, explain_refusal, failed_request

    results: dict[int, FetchedPage | NewsextractError] = {}

    class PageSpider(NewsSpider):
        name = "page"

        async def start(self) -> "AsyncIterator[Request]":
            for index, url in enumerate(urls):
                yield Request(url, self.keep, errback=self.fail, dont_filter=True, cb_kwargs={"index": index})

        def keep(self, response: "Response", index: int) -> None:
            results[index] = self.page(response) or NewsextractError(f"{urls[index]}: it isn't an HTML page")

        def fail(self, failure: "Failure") -> None:
            request, reason, clause = failed_request(failure)
            index = request.cb_kwargs["index"]
            kind = AddressRefused if reason == "address_refused" else NewsextractError
            results[index] = kind(f"{urls[index]}: {explain_refusal(reason, clause)}")

    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(PageSpider)
    process.crawl(crawler)
    process.start()
    stopped = CrawlCounts(crawler.stats).fatal or "the fetch was stopped"
    return [results.get(index, NewsextractError(f"{url}: {stopped}")) for index, url in enumerate(urls)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
