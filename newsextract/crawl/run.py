"""One crawl from its checks to its exit status: what `scrapy crawl` and `newsextract demo` both do."""

import multiprocessing
import sys
from typing import Any

from scrapy.crawler import CrawlerProcessBase

from newsextract.crawl.checks import check_settings, check_spider, check_storage
from newsextract.crawl.summary import exit_status, summary
from newsextract.crawl.workers.pool import WorkerPool


def run_crawl(process: CrawlerProcessBase, spider: str, arguments: dict[str, str]) -> int:
    """Crawls, prints the summary on stderr and returns 0 or 1. Raises NewsextractError before anything is fetched."""
    check_settings(process.settings)
    check_spider(process.spider_loader, spider, arguments)
    check_storage(process.settings)
    crawler: Any = process.create_crawler(spider)
    process.crawl(crawler, **arguments)
    try:
        process.start()
    finally:
        end_workers()
    if process.bootstrap_failed:
        return 1
    print(summary(crawler), file=sys.stderr)
    return exit_status(crawler)


def end_workers() -> None:
    """Ends worker processes that a crawl left behind because it was stopped by force: they would outlive it."""
    WorkerPool.end_all()
    for worker in multiprocessing.active_children():
        worker.kill()
