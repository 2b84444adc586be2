"""The spider of a site on a bad day: SPIDER_MODULES names this file, the environment says what goes wrong."""

import os
from datetime import timedelta
from itertools import count
from typing import Any

from scrapy import signals
from sqlalchemy import Connection, Engine, event

from newsextract.crawl.context import CrawlContext
from newsextract.spiders.site import SiteSpider as Site
from newsextract.store.engine import database_now

#: Pages of the database that the disk has room for, beyond those that are there when the crawl begins.
ROOM = int(os.environ.get("MISHAP_ROOM") or 0)
#: After so many looks at the clock it is an hour earlier.
LOOKS = int(os.environ.get("MISHAP_LOOKS") or 0)


class MishapSpider(Site):
    name = "site"

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "MishapSpider":
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.begins, signal=signals.spider_opened)
        return spider

    def begins(self) -> None:
        store = CrawlContext.of(self.crawler).async_store.store
        looks = count()
        hour = timedelta(hours=1)
        if LOOKS:
            store.database.clock = lambda c: database_now(c) - (hour if next(looks) > LOOKS else timedelta())
        if ROOM:
            with store.database.reading() as connection:
                most = connection.exec_driver_sql("PRAGMA page_count").scalar() + ROOM
            event.listen(Engine, "begin", lambda c: limit(c, most))


def limit(connection: Connection, pages: int) -> None:
    connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")


del Site  # a spider module offers all spiders it names
