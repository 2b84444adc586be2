"""What a crawl logs: one line per event with its URL, never an item or a page's text, no routine lines of Scrapy."""

import logging

from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

#: How Scrapy's routine lines at the start and end of each crawl begin, and the loggers that write them.
ROUTINE_LINES = (
    *("Overridden settings", "Enabled ", "Scrapy %(version)s"),
    *("Spider opened", "Closing spider", "Spider closed"),
)
ROUTINE_LOGGERS = """
    scrapy.crawler scrapy.middleware scrapy.utils.log scrapy.core.engine scrapy.addons scrapy.core._http2.stream
    scrapy.core.downloader.handlers.http11 scrapy.core.downloader.handlers._base_streaming
""".split()
#: Phrases in warnings about single pages, which the summary and the database count by reason (`too_large`).
COUNTED_WARNING = "larger than download max size"
#: Values of LOG_LEVEL that show every line.
DEBUG_LEVELS = ("DEBUG", "10", "NOTSET", "0")
#: Characters of an error's text in a log line.
MAX_ERROR_TEXT = 300


class UrlLogFormatter(LogFormatter):
    """LOG_FORMATTER: Scrapy's lines about an item or a request, with its URL instead of its content."""

    def scraped(self, item: object, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        return _log_line(logging.DEBUG, "Stored: %(url)s", item)

    def dropped(
        self, item: object, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        level = getattr(exception, "log_level", None) or spider.crawler.settings["DEFAULT_DROPITEM_LOG_LEVEL"]
        level = logging.getLevelName(level) if isinstance(level, str) else level
        return _log_line(level, "Dropped: %(url)s: %(error)s", item, str(exception))

    def item_error(
        self, item: object, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        return _log_line(logging.ERROR, "Error with %(url)s: %(error)s", item, str(exception))

    def download_error(
        self, failure: Failure, request: Request, spider: Spider, errmsg: str | None = None
    ) -> LogFormatterResult:
        return _log_line(logging.ERROR, "Error fetching %(url)s: %(error)s", request, errmsg or str(failure.value))


def _log_line(level: int, message: str, subject: object, error: str = "") -> LogFormatterResult:
    url = getattr(subject, "url", None) or type(subject).__name__
    return {"level": level, "msg": message, "args": {"url": url, "error": error[:MAX_ERROR_TEXT]}}


def _is_news(record: logging.LogRecord) -> bool:
    """False for Scrapy's routine lines, and for warnings that the summary counts."""
    text = str(record.msg)
    if record.levelno > logging.INFO:
        return record.levelno > logging.WARNING or COUNTED_WARNING not in text
    return not text.startswith(ROUTINE_LINES)


def silence_routine_log_lines(settings: BaseSettings) -> None:
    """Filters routine lines and counted warnings in the whole process; call it before creating a CrawlerProcess."""
    if str(settings["LOG_LEVEL"]).upper() in DEBUG_LEVELS:
        return
    for name in ROUTINE_LOGGERS:
        logging.getLogger(name).addFilter(_is_news)
