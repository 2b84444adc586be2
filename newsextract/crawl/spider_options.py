"""What a crawl reads from its spider beyond Scrapy's own attributes. A spider of another project may lack all of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from scrapy import Spider

from newsextract.store.frontier import RankedUrl
from newsextract.store.leases import Accepts


@runtime_checkable
class Learning(Protocol):
    """A spider that ranks URLs by what it learns: `pages_learned`, of how many pages so far."""

    pages_learned: int

    def rank_row(self, row: RankedUrl) -> float:
        """The priority of a URL that waits."""

    def train_from_history(self, pages: Iterable[tuple[RankedUrl, bool]]) -> None:
        """Learns from pages that earlier runs fetched, and whether each was an article."""


@dataclass(frozen=True, slots=True)
class SpiderOptions:
    """Attributes of a `newsextract.spiders.base.NewsSpider`, with defaults for spiders that do not have them.

    `run_arguments`: its arguments as text, by which runs of one kind are recognised; `max_pages`; `since`: older
    articles are not stored; `sites`, `subdomains`: where it crawls; `accepts(url, depth, kind, date)`: whether a
    URL that an earlier run left is one for this run; `learning`: the spider itself where it ranks URLs by what it has
    learned; `is_configured`: whether it is a site of sites.toml.
    """

    run_arguments: Mapping[str, str]
    max_pages: int | None
    since: datetime | None
    sites: tuple[str, ...]
    subdomains: bool
    accepts: Accepts
    learning: Learning | None
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
            learning=spider if isinstance(spider, Learning) else None,
            is_configured=bool(getattr(spider, "preset", None)),
        )


def _accept_all(url: str, depth: int, kind: str, date: datetime | None) -> bool:
    return True
