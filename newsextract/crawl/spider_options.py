"""What a crawl reads from its spider beyond Scrapy's own attributes. A spider of another project may lack all of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from scrapy import Spider


@dataclass(frozen=True, slots=True)
class SpiderOptions:
    """Attributes of a `newsextract.spiders.base.NewsSpider`, with defaults for spiders that do not have them.

    `run_arguments`: its arguments as text, by which runs of one kind are recognised; `max_pages`; `since`: older
    articles are not stored; `sites`, `subdomains`: where it crawls; `accepts(url, depth, callback)`: whether a URL that
    an earlier run left is one for this run; `is_configured`: whether it is a site of sites.toml.
    """

    run_arguments: Mapping[str, str]
    max_pages: int | None
    since: datetime | None
    sites: tuple[str, ...]
    subdomains: bool
    accepts: Callable[[str, int, str], bool]
    is_configured: bool

    @classmethod
    def of(cls, spider: Spider | None) -> "SpiderOptions":
        """Reads them; call it once the spider is made."""
        return cls(
            run_arguments=getattr(spider, "run_arguments", {}),
            max_pages=getattr(spider, "max_pages", None),
            since=getattr(spider, "since", None),
            sites=tuple(sorted(getattr(spider, "sites", ()))),
            subdomains=bool(getattr(spider, "subdomains", False)),
            accepts=getattr(spider, "accepts", _accept_all),
            is_configured=bool(getattr(spider, "preset", None)),
        )


def _accept_all(url: str, depth: int, callback: str) -> bool:
    return True
