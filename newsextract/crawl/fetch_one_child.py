"""`python -m newsextract.crawl.fetch_one_child URL…`: the child process of `onepage.fetch`."""

import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from scrapy import Request
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response
from scrapy.settings import Settings

from newsextract.crawl.failures import describe_failure
from newsextract.crawl.fetch_one import FIELDS
from newsextract.items import FetchedPage
from newsextract.spiders.arguments import urls
from newsextract.spiders.base import NewsSpider

#: What a fetch of single pages does without: the project's folders, its database, its pauses, its log.
ALONE: dict[str, Any] = {
    "SPIDER_MODULES": [],
    "SPIDER_LOADER_CLASS": "scrapy.spiderloader.SpiderLoader",
    "ITEM_PIPELINES": {},
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "SPIDER_MIDDLEWARES": {},
    "COMMANDS_MODULE": "",
    "LOG_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
}


class SingleSpider(NewsSpider):
    """Fetches each address and keeps the page, or the reason and the sentence why there is none."""

    name = "single"

    def __init__(self, name: str | None = None, *, wanted: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.wanted_urls = wanted
        self.found: dict[int, FetchedPage | tuple[str, str]] = {}

    async def start(self) -> AsyncIterator[Any]:
        for place, url in enumerate(self.wanted_urls):
            yield Request(url, self.got, errback=self.not_got, dont_filter=True, cb_kwargs={"place": place})

    def got(self, response: Response, place: int) -> None:
        self.found[place] = self.page(response) or ("not_html", "it is no HTML page")

    def not_got(self, failure: Any) -> None:
        self.found[failure.request.cb_kwargs["place"]] = describe_failure(failure.value, failure.request)


def main(given: list[str]) -> int:
    """Fetches and writes; ends with 0 whatever became of the pages."""
    out = sys.stdout.buffer
    try:
        wanted = tuple(urls(url)[0] for url in given)
    except ValueError as error:
        out.write(json.dumps({"error": str(error), "reason": "wrong_call"}).encode())
        return 0
    settings = Settings()
    settings.setmodule("newsextract.settings", priority="project")
    allowed = os.environ.get("NEWSEXTRACT_ALLOW_PRIVATE") == "1"
    settings.setdict({**ALONE, "NEWSEXTRACT_ALLOW_PRIVATE": allowed}, priority="cmdline")
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(SingleSpider)
    process.crawl(crawler, wanted=wanted)
    process.start()
    broken_off = ("broken_off", crawler.stats.get_value("newsextract/fatal") or "the crawl was broken off")
    found = crawler.spider.found if isinstance(crawler.spider, SingleSpider) else {}
    for place, url in enumerate(wanted):
        _write(out, url, found.get(place, broken_off))
    out.flush()
    return 0


def _write(out: BinaryIO, url: str, found: FetchedPage | tuple[str, str]) -> None:
    if isinstance(found, FetchedPage):
        told = {name: getattr(found, name) for name in FIELDS}
        told |= {"fetched_at": found.fetched_at.isoformat(), "length": len(found.body), "error": None}
        out.write(json.dumps(told).encode() + b"\n" + found.body)
        return
    reason, clause = found
    out.write(json.dumps({"error": f"{url}: {clause}", "reason": reason}).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
