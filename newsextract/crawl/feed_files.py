"""Files of Scrapy's feed exports (-o, -O, FEEDS): a resumed run continues its file; items are written at once.

Scrapy starts a file of -O anew in each process, and appends a second header to a CSV file.
"""

import csv
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from scrapy import Spider
from scrapy.exporters import CsvItemExporter, JsonLinesItemExporter
from scrapy.extensions.feedexport import FileFeedStorage
from scrapy.settings import BaseSettings

from newsextract.crawl.context import CrawlContext
from newsextract.limits import HEAD

#: Formats to which items can be appended; json and xml have an end.
APPENDABLE = frozenset({"csv", "jsonlines", "jsonl", "jl"})


class RunFeedStorage(FileFeedStorage):
    """A local file: started anew by a new run, continued by a resumed one that has begun it."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        self.is_appendable = (feed_options or {}).get("format") in APPENDABLE

    def open(self, spider: Spider) -> IO[bytes]:
        run = CrawlContext.of(spider.crawler).async_store.frontier
        if self.is_appendable and run is not None and run.continued:
            with suppress(OSError):
                if Path(self.path).stat().st_mtime >= run.started_at.timestamp():
                    self.write_mode = "ab"
        return super().open(spider)


class CsvExporter(CsvItemExporter):
    """CSV with one header: a file that has one is continued with its columns."""

    def __init__(self, file: Any, **options: Any) -> None:
        if columns := _columns_of(file):
            options |= {"include_headers_line": False, "fields_to_export": columns}
        super().__init__(file, **options)

    def export_item(self, item: object) -> None:
        super().export_item(item)
        self.stream.flush()


class JsonLinesExporter(JsonLinesItemExporter):
    """JSON lines; each item is written to disk at once."""

    def export_item(self, item: object) -> None:
        super().export_item(item)
        self.file.flush()


def _columns_of(file: IO[bytes]) -> list[str]:
    """The header of a CSV file that is appended to; [] for a new or empty one, and for anything but a file."""
    name = getattr(file, "name", None)
    if not isinstance(name, str | Path) or "a" not in str(getattr(file, "mode", "")):
        return []
    try:
        with Path(name).open(encoding="utf-8", errors="replace", newline="") as lines:
            header = lines.readline(HEAD)
    except OSError:
        return []
    return next(csv.reader([header]), []) if header.endswith("\n") else []


def unappendable_feeds(settings: BaseSettings) -> list[str]:
    """The outputs that a resumed run starts anew: those of -O in a format without lines, or not on this machine."""
    feeds = [(str(uri), options or {}) for uri, options in settings.getdict("FEEDS").items()]
    return [
        uri
        for uri, options in feeds
        if options.get("overwrite")
        and not (options.get("format") in APPENDABLE and ("://" not in uri or uri.startswith("file:")))
    ]
