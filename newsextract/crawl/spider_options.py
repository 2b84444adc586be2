"""What a crawl reads from its spider beyond Scrapy's own attributes."""

from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime
from typing import ClassVar

from scrapy import Request, Spider
from scrapy.http import Response

from newsextract.items import FetchedPage
from newsextract.store.frontier import RankedUrl
from newsextract.workers.messages import ReadPage


class SpiderOptions(Spider):
    """Base class of `newsextract.spiders.base.NewsSpider`, with default values for spiders of other projects.

    `run_arguments`: its arguments as text, which identify runs of one kind; `since`: older articles aren't stored;
    `sites`, `subdomains`: where it crawls (empty: anywhere); `preset`: what its entry of sites.toml sets;
    `pages_learned`: the number of pages from which it has learned to rank URLs, by site ("": any other); `headers`,
    `cookies`: for its site only.
    """

    run_arguments: Mapping[str, str] = {}
    max_pages: int | None = None
    since: datetime | None = None
    sites: frozenset[str] = frozenset()
    subdomains: bool = False
    preset: ClassVar[Mapping[str, str]] = {}
    pages_learned: Mapping[str, int] = {}
    headers: ClassVar[Mapping[str, str]] = {}
    cookies: ClassVar[Mapping[str, str]] = {}

    def owner(self, url: str) -> str:
        """The site that the user gave to which a URL belongs, itself or with `subdomains` below it; "" for others."""
        return ""

    def owns(self, url: str) -> bool:
        """Whether the URL is on a site that the user gave, or with `subdomains` below one."""
        return False

    def move(self, url: str, given: str) -> None:
        """Notes that the URL that the user gave on the site `given` redirects to this one, on another site."""

    def former_site(self, url: str) -> str:
        """The given site that has moved to that of a URL; "" for any other."""
        return ""

    def within(self, url: str) -> bool:
        """Whether the URL is on a site of this crawl; ScopeMiddleware refuses the others."""
        return True

    def trapped(self, url: str) -> bool:
        """Whether the URL is in a crawler trap; ScopeMiddleware refuses it."""
        return False

    @property
    def leaves_out(self) -> bool:
        """Whether the spider may refuse URLs of its sites (`accepts`)."""
        return True

    def accepts(self, url: str, depth: int, kind: str, date: datetime | None) -> bool:
        """Whether a URL that an earlier run left in the frontier belongs to this run. `date`: if known."""
        return True

    async def follow(self, page: ReadPage, response: Response) -> AsyncIterator[Request | FetchedPage]:
        """The page once a worker has read it, for the pipelines, and requests for what it links to."""
        yield page

    def rank_row(self, row: RankedUrl) -> float:
        """The priority of a URL that waits in the frontier."""
        return row.priority

    def train_from_history(self, pages: Iterable[tuple[RankedUrl, bool]]) -> None:
        """Learns from pages that earlier runs fetched, and whether each was an article."""


def options_of(spider: Spider | None) -> SpiderOptions:
    """The spider itself, or defaults for a spider of another project."""
    return spider if isinstance(spider, SpiderOptions) else DEFAULTS


DEFAULTS = SpiderOptions("of another project")
