"""One short line for each event, never an item or a page's text."""

import logging
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.logformatter import LogFormatter, LogFormatterResult
from twisted.python.failure import Failure


class OneLine(LogFormatter):
    """Scrapy's log lines by URL. LOG_FORMATTER names it."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return _line(logging.DEBUG, "Stored: %(url)s", item)

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        level = getattr(exception, "log_level", None) or spider.crawler.settings["DEFAULT_DROPITEM_LOG_LEVEL"]
        level = logging.getLevelName(level) if isinstance(level, str) else level
        return _line(level, "Dropped: %(url)s: %(why)s", item, why=str(exception)[:300])

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        return _line(logging.ERROR, "Error with %(url)s: %(why)s", item, why=str(exception)[:300])

    def download_error(
        self, failure: Failure, request: Request, spider: Spider, errmsg: str | None = None
    ) -> LogFormatterResult:
        why = errmsg or str(failure.value)
        return _line(logging.ERROR, "Error fetching %(url)s: %(why)s", request, why=why[:300])


def _line(level: int, message: str, about: Any, **words: str) -> LogFormatterResult:
    url = getattr(about, "url", None) or type(about).__name__
    return {"level": level, "msg": message, "args": {"url": url, **words}}
