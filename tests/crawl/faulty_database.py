"""The site spider over a database that fails: SPIDER_MODULES names this file, the environment says how."""

import os
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from scrapy import signals
from sqlalchemy import Connection, Engine, event

from newsextract.crawl.context import CrawlContext
from newsextract.spiders.site import SiteSpider as Site

#: Pages of the SQLite file that the disk has room for, beyond those that are there when the crawl begins; 0: no bound.
FREE_PAGES = int(os.environ.get("FAULTY_DATABASE_PAGES") or 0)
#: After so many readings of the database's clock it is an hour earlier; 0: it is right.
CLOCK_READINGS = int(os.environ.get("FAULTY_DATABASE_READINGS") or 0)


class FaultySpider(Site):
    name = "site"

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "FaultySpider":
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.make_database_fail, signal=signals.spider_opened)
        return spider

    def make_database_fail(self) -> None:
        store = CrawlContext.of(self.crawler).async_store.store
        readings = count()
        hour = timedelta(hours=1)
        if CLOCK_READINGS:
            store.database.clock = lambda c: (
                datetime.now(UTC) - (hour if next(readings) > CLOCK_READINGS else timedelta())
            )
        if FREE_PAGES:
            with store.database.reading() as connection:
                max_pages = connection.exec_driver_sql("PRAGMA page_count").scalar() + FREE_PAGES
            event.listen(Engine, "begin", lambda c: limit(c, max_pages))


def limit(connection: Connection, pages: int) -> None:
    connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")


del Site  # a spider module offers all spiders it names
