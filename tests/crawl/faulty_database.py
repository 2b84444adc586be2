"""The site spider over a database that fails: SPIDER_MODULES names this file, the environment says how."""

import os
from typing import Any

from scrapy import signals
from sqlalchemy import Engine, event

from newsextract.crawl.context import CrawlContext
from newsextract.spiders.site import SiteSpider as Site

#: Pages of the SQLite file that the disk has room for, beyond those that are there when the crawl begins; 0: no bound.
FREE_PAGES = int(os.environ.get("FAULTY_DATABASE_PAGES") or 0)


class FaultySpider(Site):
    name = "site"

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "FaultySpider":
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.make_database_fail, signal=signals.spider_opened)
        return spider

    def make_database_fail(self) -> None:
        store = CrawlContext.of(self.crawler).async_store.store
        if FREE_PAGES:
            with store.database.reading() as connection:
                pages = connection.exec_driver_sql("PRAGMA page_count").scalar() + FREE_PAGES
            event.listen(Engine, "begin", lambda c: c.exec_driver_sql(f"PRAGMA max_page_count={pages}") and None)


del Site  # a spider module offers all spiders it names
