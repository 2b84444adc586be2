"""What a crawl reads from its spider beyond Scrapy's own attributes."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import ClassVar

from scrapy import Spider

from newsextract.store.frontier import RankedUrl


class SpiderOptions(Spider):
    """The base of `newsextract.spiders.base.NewsSpider`, with the values of a spider of another project.

    `run_arguments`: its arguments as text, by which runs of one kind are recognised; `since`: older articles are not
    stored; `sites`, `subdomains`: where it crawls (empty: anywhere); `preset`: what its entry of sites.toml sets;
    `pages_learned`: of how many pages it has learned how to rank URLs.
    """

    run_arguments: Mapping[str, str] = {}
    max_pages: int | None = None
    since: datetime | None = None
    sites: frozenset[str] = frozenset()
    subdomains: bool = False
    preset: ClassVar[Mapping[str, str]] = {}
    pages_learned: int = 0

    def accepts(self, url: str, depth: int, kind: str, date: datetime | None) -> bool:
        """Whether a URL that an earlier run left in the frontier belongs to this run. `date`: as far as it is known."""
        return True

    def rank_row(self, row: RankedUrl) -> float:
        """The priority of a URL that waits in the frontier."""
        return row.priority

    def train_from_history(self, pages: Iterable[tuple[RankedUrl, bool]]) -> None:
        """Learns from pages that earlier runs fetched, and whether each was an article."""


def options_of(spider: Spider | None) -> SpiderOptions:
    """The spider itself; defaults for one of another project."""
    return spider if isinstance(spider, SpiderOptions) else DEFAULTS


DEFAULTS = SpiderOptions("of another project")
