"""One crawl of `scripts/bench crawl`, bare or ours, in this process; prints its figures as a line of JSON."""

import json
import os
import resource
import sys
import time
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

#: Settings of both kinds of crawl: no delay, the same number of concurrent requests.
SHARED: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "RETRY_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_MAXSIZE": 2**24,
}


class BareSpider(Spider):
    """Follows every link of the site and stores nothing."""

    name = "bare"

    def __init__(self, url: str, max_pages: int) -> None:
        super().__init__()
        self.start_urls = [url]
        self.left = max_pages
        self.links = LinkExtractor(allow_domains=[url.split("/")[2]])

    def parse(self, response: Any) -> Any:
        """Requests for the links of a page, until `max_pages` pages were parsed."""
        self.left -= 1
        if self.left < 0 or not hasattr(response, "text"):
            return
        for link in self.links.extract_links(response):
            yield Request(link.url, priority=1 if "/load/" in link.url else 0)


class Meter:
    """Extension that measures time, CPU time and memory from spider_opened to spider_closed."""

    def __init__(self, crawler: Any, pages: int) -> None:
        self.crawler, self.limit = crawler, pages
        self.pages = 0
        self.memory: list[tuple[int, int]] = []
        for name in ("spider_opened", "response_received", "spider_closed"):
            crawler.signals.connect(getattr(self, name), signal=getattr(signals, name))

    def spider_opened(self) -> None:
        self.begun = time.perf_counter(), time.process_time(), time.thread_time()

    def response_received(self) -> None:
        self.pages += 1
        if self.pages % 25 == 0:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.memory.append((self.pages, pages * os.sysconf("SC_PAGE_SIZE")))
        if self.pages == self.limit:
            self.crawler.engine.close_spider(self.crawler.spider, "enough")

    def spider_closed(self) -> None:
        now = time.perf_counter(), time.process_time(), time.thread_time()
        self.spent = [after - before for after, before in zip(now, self.begun, strict=True)]

    def figures(self) -> dict[str, Any]:
        seconds, cpu, thread = self.spent
        forkserver._forkserver._stop()  # type: ignore[attr-defined]  # waited for, so that its workers' time counts
        workers = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {
            "pages": self.pages,
            "seconds": seconds,
            "cpu": cpu,
            "thread": thread,
            "workers": workers.ru_utime + workers.ru_stime,
            "memory": self.memory,
            "stats": {k: v for k, v in self.crawler.stats.get_stats().items() if k.startswith("newsextract/")},
        }


def main(kind: str, url: str, pages: int, workers: int, folder: str, items: int) -> None:
    """Runs the crawl and prints its figures. `items`: CONCURRENT_ITEMS of the bare spider."""
    if kind == "bare":
        process = AsyncCrawlerProcess(Settings({**SHARED, "CONCURRENT_ITEMS": items}))
        crawler = process.create_crawler(BareSpider)
        arguments: dict[str, Any] = {"url": url, "max_pages": 10**9}
    else:
        os.environ["SCRAPY_SETTINGS_MODULE"] = "newsextract.settings"
        settings = get_project_settings()
        settings.setdict({**SHARED, "NEWSEXTRACT_WORKERS": workers, "NEWSEXTRACT_ALLOW_PRIVATE": True}, "cmdline")
        settings.set("NEWSEXTRACT_DATABASE_URL", f"sqlite:///{folder}/news.db", "cmdline")
        process = AsyncCrawlerProcess(settings)
        crawler = process.create_crawler("site")
        arguments = {"url": url}
    meter = Meter(crawler, pages)
    process.crawl(crawler, **arguments)
    process.start()
    print(json.dumps(meter.figures()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], int(sys.argv[6]))
