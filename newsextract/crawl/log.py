"""What a crawl logs: one line an event with its URL, never an item or a page's text, and no routine lines of Scrapy."""

import logging
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

#: Beginnings of lines that Scrapy writes at every start and end of a crawl, and the loggers that write them.
ROUTINE_LINES = (
    "Overridden settings",
    "Enabled ",
    "Scrapy %(version)s",
    "Spider opened",
    "Closing spider",
    "Spider closed",
)
ROUTINE_LOGGERS = (
    "scrapy.crawler",
    "scrapy.middleware",
    "scrapy.utils.log",
    "scrapy.core.engine",
    "scrapy.addons",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.downloader.handlers._base_streaming",
    "scrapy.core._http2.stream",
)
#: Words of a warning about one page, which the summary and the database count by its reason (`too_large`).
COUNTED_WARNING = "larger than download max size"
#: Values of LOG_LEVEL at which every line is shown.
DEBUG_LEVELS = ("DEBUG", "10", "NOTSET", "0")
#: Characters of an error's text in a line.
MAX_ERROR_TEXT = 300


class UrlLogFormatter(LogFormatter):
    """LOG_FORMATTER: Scrapy's lines about an item or a request, with its URL in place of its content."""

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return _log_line(logging.DEBUG, "Stored: %(url)s", item)

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        level = getattr(exception, "log_level", None) or spider.crawler.settings["DEFAULT_DROPITEM_LOG_LEVEL"]
        level = logging.getLevelName(level) if isinstance(level, str) else level
        return _log_line(level, "Dropped: %(url)s: %(error)s", item, str(exception))

    def item_error(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        return _log_line(logging.ERROR, "Error with %(url)s: %(error)s", item, str(exception))

    def download_error(
        self, failure: Failure, request: Request, spider: Spider, errmsg: str | None = None
    ) -> LogFormatterResult:
        return _log_line(logging.ERROR, "Error fetching %(url)s: %(error)s", request, errmsg or str(failure.value))


def _log_line(level: int, message: str, subject: Any, error: str = "") -> LogFormatterResult:
    url = getattr(subject, "url", None) or type(subject).__name__
    return {"level": level, "msg": message, "args": {"url": url, "error": error[:MAX_ERROR_TEXT]}}


def _is_news(record: logging.LogRecord) -> bool:
    """False for Scrapy's lines that are the same in every crawl, and for warnings about what the summary counts."""
    text = str(record.msg)
    if record.levelno > logging.INFO:
        return record.levelno > logging.WARNING or COUNTED_WARNING not in text
    return not text.startswith(ROUTINE_LINES)


def silence_routine_log_lines(settings: BaseSettings) -> None:
    """Filters Scrapy's routine lines and counted warnings unless LOG_LEVEL is DEBUG. For the whole process; call it
    before a CrawlerProcess is made."""
    if str(settings["LOG_LEVEL"]).upper() in DEBUG_LEVELS:
        return
    logging.getLogger("alembic").setLevel(logging.WARNING)
    for name in ROUTINE_LOGGERS:
        logging.getLogger(name).addFilter(_is_news)
