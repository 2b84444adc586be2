"""Takes from Scrapy's log what says nothing to a person who waits for articles. With -L DEBUG all of it is there."""

import logging

from scrapy.settings import BaseSettings

#: Beginnings of lines that Scrapy writes at every start and end.
CEREMONY = ("Overridden settings", "Enabled ", "Scrapy %(version)s", "Spider opened", "Closing spider", "Spider closed")
LOGGERS = ("scrapy.crawler", "scrapy.middleware", "scrapy.utils.log", "scrapy.core.engine", "scrapy.addons")
LOUD = ("DEBUG", "10", "NOTSET", "0")


class Ceremony(logging.Filter):
    """Drops lines that are the same in every crawl."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.INFO or not str(record.msg).startswith(CEREMONY)


def quieten(settings: BaseSettings) -> None:
    """Call it before a crawler process is made; it holds for this process."""
    if str(settings["LOG_LEVEL"]).upper() in LOUD:
        return
    logging.getLogger("alembic").setLevel(logging.WARNING)
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(present, Ceremony) for present in logger.filters):
            logger.addFilter(Ceremony())
