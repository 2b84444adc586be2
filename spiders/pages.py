"""The spider `pages`: the article of each URL of a list, on any site; links in pages are not followed."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from scrapy import Request

from newsextract.discovery.found import FoundUrl
from newsextract.spiders.arguments import COMMON, Argument
from newsextract.spiders.feeds import FeedsSpider
from newsextract.spiders.url_list import UrlList, read_url_list


class PagesSpider(FeedsSpider):
    """scrapy crawl pages -a file=urls.txt [-a column=NAME]"""

    name = "pages"
    metadata: ClassVar[Mapping[str, object]] = {
        "title": "A list of pages",
        "description": "The article of each URL of a list; links are not followed.",
    }
    arguments: ClassVar[tuple[Argument, ...]] = (
        Argument("file", Path, required=True, help="A file with a URL a line, or a table."),
        Argument("column", str, help="The column of a table with the URLs: its name, or its number from 1."),
        *COMMON,
    )

    @classmethod
    def parse_arguments(cls, given: Mapping[str, str]) -> dict[str, Any]:
        """As for other spiders; `file` is the list that was read, so equal lists identify runs of one kind."""
        values = super().parse_arguments(given)
        column = values.pop("column") or ""
        return {**values, "file": read_url_list(values["file"].expanduser(), column)}

    async def start(self) -> AsyncIterator[Request]:
        listed: UrlList = self.values["file"]
        for url in listed.urls:
            yield self.page_request(FoundUrl(url, left_out=self.left_out(url)))
